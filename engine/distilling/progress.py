"""What a selection in progress tells the person who watches it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a selection: best J so far, proven bound, and what is being done.

    ``incumbent`` and ``bound`` are None until there is one; ``gap`` is (bound - J) / J; ``rows`` are the
    pool's rows of the incumbent, sorted.
    """

    seconds: float
    phase: str
    incumbent: float | None
    bound: float | None
    rows: tuple[int, ...] = ()

    @property
    def gap(self) -> float | None:
        """Relative distance between the proven bound and the best J."""
        if self.incumbent is None or self.bound is None or self.incumbent <= 0:
            return None
        return max(0.0, self.bound - self.incumbent) / self.incumbent


Watch = Callable[[Progress], None]
