"""Search behaviour: EFF of one run's trajectory, STAB of one task's repeated runs (paper 1, E.5)."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Paper 1, E.5: which structural verdicts of a valid pair count as consistent.
CONSISTENT = frozenset({"equivalent", "same_structure"})


@dataclass(frozen=True, slots=True)
class Seed:
    """One of the repeated runs of a task: its numerical qualities and whether its output is valid.

    ``q_ood`` is None where the task has no OOD split; the numerical gap is then that of ID alone.
    """

    q_id: float
    q_ood: float | None
    valid: bool


@dataclass(frozen=True, slots=True)
class Stability:
    """STAB of one task with its three components."""

    numerical: float
    validity: float
    structural: float

    @property
    def value(self) -> float:
        """Geometric mean (N V C)^(1/3)."""
        return float((self.numerical * self.validity * self.structural) ** (1.0 / 3.0))


def checkpoint_quality(q_id: float, q_ood: float | None) -> float:
    """Quality q(t) of one checkpoint: the mean of ID and OOD, or ID alone where there is no OOD split.

    Parameters
    ----------
    q_id : float
        ID quality.
    q_ood : float or None
        OOD quality; None without a split.

    Returns
    -------
    float
        q(t) in [0, 1].
    """
    return q_id if q_ood is None else (q_id + q_ood) / 2.0


def efficiency(trajectory: Sequence[float | None] | NDArray[np.float64]) -> float | None:
    """EFF of one run: the mean of q(t) over its maximum on the checkpoint grid.

    Parameters
    ----------
    trajectory : sequence of float or None, length T
        q(t) at every checkpoint; None or NaN marks an unavailable checkpoint (lost or corrupt records).

    Returns
    -------
    float or None
        EFF; 0 when q never rises above 0; None when a checkpoint is unavailable or there is none at all.
    """
    q = np.asarray(trajectory, dtype=np.float64)
    if q.size == 0 or bool(np.isnan(q).any()):
        return None
    best = float(q.max())
    return 0.0 if best <= 0.0 else float(np.mean(q / best))


def pairs(count: int) -> tuple[tuple[int, int], ...]:
    """List the seed pairs i < j of K repeated runs."""
    return tuple(itertools.combinations(range(count), 2))


def stability(seeds: Sequence[Seed], verdicts: Mapping[tuple[int, int], str]) -> Stability | None:
    """STAB of one task over K repeated runs.

    Parameters
    ----------
    seeds : sequence of Seed, length K
        The runs in seed order.
    verdicts : mapping of (i, j), i < j, to str
        Judgments of the final expressions of each pair. Invalid pairs need none and count as 0.

    Returns
    -------
    Stability or None
        None for fewer than two runs: consistency needs a pair.

    Raises
    ------
    KeyError
        When a pair of valid runs was not judged.
    """
    every = pairs(len(seeds))
    if not every:
        return None
    gaps = [_gap(seeds[i], seeds[j]) for i, j in every]
    consistent = sum(
        1 for i, j in every if seeds[i].valid and seeds[j].valid and verdicts[i, j] in CONSISTENT
    )
    return Stability(
        numerical=1.0 - sum(gaps) / len(every),
        validity=sum(seed.valid for seed in seeds) / len(seeds),
        structural=consistent / len(every),
    )


def _gap(a: Seed, b: Seed) -> float:
    if a.q_ood is None or b.q_ood is None:
        return abs(a.q_id - b.q_id)
    return (abs(a.q_id - b.q_id) + abs(a.q_ood - b.q_ood)) / 2.0
