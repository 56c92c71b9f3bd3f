"""The error an adapter raises when its user has to act."""


class AdapterError(RuntimeError):
    """One sentence for the user: what a method lacks, where, and what to do."""
