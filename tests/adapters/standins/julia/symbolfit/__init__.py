"""Stands in for SymbolFit."""
