"""What a fixed, semantics-free library reaches, and what other sources of candidates add to it."""

SEARCH_MODULES = (
    "atoms",
    "libraries",
    "columns",
    "derivative",
    "generic",
    "starts",
    "fit",
    "model",
    "greedy",
    "subsample",
)
"""The data-free search, on NumPy and ``engine.expression`` only: what a worker carries for ``bank``."""
