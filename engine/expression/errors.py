"""The error of the expression core; the worker bundle carries it, so it stands on its own."""


class ExpressionError(ValueError):
    """One sentence for the user: which token, where, and what would be accepted."""
