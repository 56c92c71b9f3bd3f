"""SymbolFit: a PySR search whose every candidate is fitted again (Tsoi et al., 2025)."""
