"""A worked example of an adapter from outside: random polynomials, fitted by least squares."""
