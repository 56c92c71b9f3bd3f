"""Verdicts on pairs of expressions, and the records in which they are frozen."""
