"""What an engine tells while it works, and when it has ended."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign is, for whoever shows it."""

    total: int
    running: int
    waiting: int
    ended: int
    failed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one engine did: statuses of all runs, damage it met, and how long it took."""

    statuses: dict[str, int]
    damaged: tuple[str, ...]
    seconds: float
    interrupted: bool
    skipped: tuple[str, ...]
