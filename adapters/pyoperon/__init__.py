"""PyOperon: genetic programming with local search of coefficients (Burlacu et al., 2020)."""
