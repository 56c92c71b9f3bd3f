"""The native syntaxes of the methods, each read into the one tree."""

from engine.expression.dialects.table import DIALECTS, parse

__all__ = ["DIALECTS", "parse"]
