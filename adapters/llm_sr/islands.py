"""Candidate histories on islands (appendix I.1, after LLM-SR): what the next prompt shows."""

from dataclasses import dataclass, field

import numpy as np

from adapters.llm_sr.skeleton import Skeleton

FUNCTIONS_IN_PROMPT = 2  # appendix I.1: up to two, by training score
# Our own choices, in the spirit of LLM-SR's experience buffer, which the paper does not number.
TEMPERATURE = 0.3  # of the choice among an island's ranked candidates
KEPT = 32  # candidates of an island
RESET_SHARE = 0.5


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
        """Choose up to two candidates of an island, the worse one first.

        The better a candidate's rank, the likelier it is shown.
        """
        history = self.histories[island]
        size = min(FUNCTIONS_IN_PROMPT, len(history))
        if size == 0:
            return ()
        weights = np.exp(-np.arange(len(history)) * TEMPERATURE)
        places = self.generator.choice(len(history), size=size, replace=False, p=weights / weights.sum())
        return tuple(history[place] for place in sorted(places.tolist(), reverse=True))

    def register(self, island: int, found: Skeleton) -> None:
        """Put a candidate into an island's history; a body that is there keeps its better fit."""
        history = [one for one in self.histories[island] if one.body != found.body or one.mse < found.mse]
        if not any(one.body == found.body for one in history):
            history.append(found)
        self.histories[island] = sorted(history, key=lambda one: one.mse)[:KEPT]

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
