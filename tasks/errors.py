"""The error a task raises when its user has to act."""


class TaskError(ValueError):
    """One sentence for the user: what is wrong with a task or a table, where, and what to do."""
