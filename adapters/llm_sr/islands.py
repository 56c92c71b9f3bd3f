"""Candidate histories on islands (appendix I.1, after LLM-SR): what the next prompt shows."""

from dataclasses import dataclass, field

import numpy as np

from adapters.llm_sr.skeleton import Skeleton

FUNCTIONS_IN_PROMPT = 2  # appendix I.1: up to two, by training score
RESET_SHARE = 0.5  # of the islands, as in LLM-SR; the paper does not number it


@dataclass(slots=True)
class Islands:
    """Separate histories of candidates; every candidate belongs to the island whose prompt brought it.

    Attributes
    ----------
    count : int
        Islands.
    generator : numpy.random.Generator
        All choices are drawn from it.
    histories : list
        For each island its candidates, best first.
    """

    count: int
    generator: np.random.Generator
    histories: list[list[Skeleton]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.histories = [[] for _ in range(self.count)]

    def pick(self) -> int:
        """Choose an island at random."""
        return int(self.generator.integers(self.count))

    def shown(self, island: int) -> tuple[Skeleton, ...]:
        """Return the two best candidates of an island by training score, the better one last."""
        return tuple(reversed(self.histories[island]))

    def register(self, island: int, found: Skeleton) -> None:
        """Put a candidate into an island's history, which holds what its next prompt shows.

        A body that is there keeps its better fit.
        """
        history = [one for one in self.histories[island] if one.body != found.body or one.mse < found.mse]
        if not any(one.body == found.body for one in history):
            history.append(found)
        self.histories[island] = sorted(history, key=lambda one: one.mse)[:FUNCTIONS_IN_PROMPT]

    def seed_all(self, found: Skeleton) -> None:
        """Give every island the same first candidate."""
        for island in range(self.count):
            self.register(island, found)

    def reset(self) -> None:
        """Restart the weaker half of the islands from the best candidate of a stronger one."""
        order = sorted(range(self.count), key=self._best)
        keep = order[: max(1, round(self.count * (1.0 - RESET_SHARE)))]
        for island in order[len(keep) :]:
            source = self.histories[keep[int(self.generator.integers(len(keep)))]]
            self.histories[island] = source[:1]

    def _best(self, island: int) -> float:
        history = self.histories[island]
        return history[0].mse if history else np.inf
