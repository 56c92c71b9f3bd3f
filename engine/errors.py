"""The error the engine raises when its user has to act."""


class EngineError(RuntimeError):
    """One sentence for the user: what cannot be done, where, and what to do."""
