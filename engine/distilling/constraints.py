"""The feasible set of a core selection (appendix C.3) as named linear rows, for any size."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling.information import task_scores
from engine.distilling.pool import Pool

# SymbolicArena, C.3, stated for 50 tasks; other sizes scale them and round outwards.
PAPER_SIZE = 50
SUBGROUP_LIMIT = 6
DIFFICULTY_BOUNDS = {"easy": (4, 10), "medium": (14, 24), "hard": (12, 22), "extreme": (3, 6)}
LIMITED_QUOTA = 8
FAILURE_LIMITS = {"one_sided": 2, "unstable": 5, "all_struggle": 5}
WINNER_BOUNDS = (3, 20)
# C.3's winner bounds are for four probes; another number of probes scales them.
PAPER_PROBES = 4
FAMILY_BLEND = 0.6

KINDS = (
    "duplicate",
    "basename",
    "subgroup",
    "family",
    "difficulty",
    "limited",
    "failure",
    "winner",
    "fidelity",
)


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """One row: ``low <= sum of coefficients over the selection <= high``.

    ``kind`` is one of `KINDS`; ``name`` is what a person reads.
    """

    kind: str
    name: str
    coefficients: NDArray[np.float64]
    low: float
    high: float

    def value(self, members: NDArray[np.int64]) -> float:
        """Return the row's activity for a selection.

        Parameters
        ----------
        members : numpy.ndarray
            Rows of the pool.

        Returns
        -------
        float
            Sum of the members' coefficients.
        """
        return float(self.coefficients[members].sum())

    def holds(self, members: NDArray[np.int64]) -> bool:
        """Say whether a selection meets the row, to 1e-9.

        Parameters
        ----------
        members : numpy.ndarray
            Rows of the pool.

        Returns
        -------
        bool
            Whether the activity lies within the bounds.
        """
        return self.low - 1e-9 <= self.value(members) <= self.high + 1e-9


def family_targets(families: Sequence[str], size: int) -> dict[str, float]:
    """Return the smoothed target t_f of each family (C.3, beta = 0.6).

    Parameters
    ----------
    families : sequence of str
        One family per task of the pool.
    size : int
        Number of tasks to select.

    Returns
    -------
    dict of str to float
        Targets that sum to `size`, families sorted.
    """
    counts = Counter(families)
    return {
        family: size * (FAMILY_BLEND * counts[family] / len(families) + (1 - FAMILY_BLEND) / len(counts))
        for family in sorted(counts)
    }


def family_bounds(target: float) -> tuple[int, int]:
    """Return q_min = max(1, floor(t - 1)) and q_max = ceil(t + 2) (C.3).

    Parameters
    ----------
    target : float
        t_f.

    Returns
    -------
    tuple of int
        Least and greatest count.
    """
    return max(1, math.floor(target - 1)), math.ceil(target + 2)


def core_constraints(
    pool: Pool, size: int, delta: float | None, without: Iterable[str] = ()
) -> tuple[Constraint, ...]:
    """Build the rows of C.3 and the fidelity bound.

    Parameters
    ----------
    pool : Pool
        N tasks.
    size : int
        Number of tasks to select; the paper's counts scale with size / 50, rounded outwards.
    delta : float or None
        Greatest |A_p(S) - A_p(D)| for every probe; None for no bound.
    without : iterable of str
        Kinds to leave out.

    Returns
    -------
    tuple of Constraint
        Only rows that can bind: a duplicate group of one task has none.
    """
    left_out = frozenset(without)
    rows = (*_identity_rows(pool, size), *_label_rows(pool, size), *_fidelity_rows(pool, size, delta))
    return tuple(row for row in rows if row.kind not in left_out)


def _indicator(values: Sequence[str], wanted: str) -> NDArray[np.float64]:
    return np.array([float(value == wanted) for value in values])


def _scaled(bounds: tuple[float, float], factor: float) -> tuple[float, float]:
    # 1e-9: 14 * (100 / 50) must not become 29 through rounding of the product.
    return math.floor(bounds[0] * factor + 1e-9), math.ceil(bounds[1] * factor - 1e-9)


def _identity_rows(pool: Pool, size: int) -> Iterator[Constraint]:
    groups = {
        "duplicate": ([fact.duplicate_group for fact in pool.facts], 1.0),
        "basename": ([fact.name for fact in pool.facts], 1.0),
        "subgroup": (
            [fact.subgroup for fact in pool.facts],
            _scaled((0, SUBGROUP_LIMIT), size / PAPER_SIZE)[1],
        ),
    }
    for kind, (values, most) in groups.items():
        counts = Counter(values)
        for value in sorted(counts):
            if counts[value] > most:
                yield Constraint(
                    kind, f"at most {most:g} of {kind} {value}", _indicator(values, value), 0.0, most
                )
    families = [fact.family for fact in pool.facts]
    for family, target in family_targets(families, size).items():
        low, high = family_bounds(target)
        yield Constraint(
            "family",
            f"{low} to {high} of family {family}",
            _indicator(families, family),
            float(low),
            float(high),
        )


def _label_rows(pool: Pool, size: int) -> Iterator[Constraint]:
    factor = size / PAPER_SIZE
    labels = pool.labels
    for difficulty, bounds in DIFFICULTY_BOUNDS.items():
        low, high = _scaled(bounds, factor)
        yield Constraint(
            "difficulty",
            f"{low:g} to {high:g} {difficulty} tasks",
            _indicator(labels.difficulty, difficulty),
            low,
            high,
        )
    most = _scaled((0, LIMITED_QUOTA), factor)[1]
    yield Constraint(
        "limited", f"at most {most:g} limited-quota tasks", labels.limited.astype(float), 0.0, most
    )
    for failure, limit in FAILURE_LIMITS.items():
        most = _scaled((0, limit), factor)[1]
        yield Constraint(
            "failure", f"at most {most:g} {failure} tasks", _indicator(labels.failure, failure), 0.0, most
        )
    low, high = _scaled(WINNER_BOUNDS, factor * PAPER_PROBES / len(labels.probes))
    for column, probe in enumerate(labels.probes):
        yield Constraint(
            "winner",
            f"{low:g} to {high:g} tasks won by {probe}",
            np.ascontiguousarray(labels.winners[:, column]),
            low,
            high,
        )


def _fidelity_rows(pool: Pool, size: int, delta: float | None) -> Iterator[Constraint]:
    if delta is None:
        return
    scores = task_scores(pool.responses)
    for column, probe in enumerate(pool.responses.probes):
        shift = (scores[:, column] - scores[:, column].mean()) / size
        yield Constraint("fidelity", f"|A_p(S) - A_p(D)| of {probe} at most {delta:g}", shift, -delta, delta)
