"""gplearn: genetic programming with protected operators (Stephens, 2016)."""
