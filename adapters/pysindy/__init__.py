"""PySINDy: sparse regression over a fixed library, a classical control (Brunton et al., 2016)."""
