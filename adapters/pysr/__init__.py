"""PySR: population search in Julia with complexity-aware selection (Cranmer, 2023)."""
