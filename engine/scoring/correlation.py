"""Spearman correlations between the axes across methods, each with what chance alone would give."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.scoring.rows import AXES

# A coefficient of two methods is always 1 or -1, and one of a single method does not exist.
LEAST = 3
# With fewer methods not even a perfect coefficient reaches 5 %: its exact p is 2 / n!, 0.083 for four.
ENOUGH = 5
# So many orders are gone through one by one (8! = 40,320); beyond, Student's t is close enough.
_EXACT = 8


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two axes go together over ``n`` methods; ``rho`` and ``p`` are None where they do not exist."""

    a: str
    b: str
    n: int
    rho: float | None
    p: float | None


def between_axes(rows: Sequence[Mapping[str, float | None]]) -> tuple[Correlation, ...]:
    """Correlate every pair of axes over the methods that have both (paper 1, G.1).

    Parameters
    ----------
    rows : sequence of mapping of axis to float or None
        One for each method; the scale does not matter.

    Returns
    -------
    tuple of Correlation
        The fifteen pairs in the order of the axes. No coefficient for fewer than three methods, or where an
        axis is the same for all. p is two-sided and not corrected: exact up to eight methods, by Student's t
        beyond.
    """
    found = []
    for a, b in itertools.combinations(AXES, 2):
        both = [(x, y) for row in rows if (x := row.get(a)) is not None and (y := row.get(b)) is not None]
        table = np.array(both, dtype=np.float64).reshape(-1, 2)
        if len(both) < LEAST or not (np.ptp(table, axis=0) > 0).all():
            found.append(Correlation(a, b, len(both), None, None))
            continue
        first, second = _standard_ranks(table[:, 0]), _standard_ranks(table[:, 1])
        rho = max(-1.0, min(1.0, float(first @ second)))
        found.append(Correlation(a, b, len(both), rho, _chance(first, second, rho)))
    return tuple(found)


def _standard_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return midranks, centred and of length one: their product is Spearman's coefficient."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = ((2 * ends - counts + 1) / 2.0)[inverse]
    ranks = ranks - ranks.mean()
    return np.asarray(ranks / math.sqrt(float(ranks @ ranks)), dtype=np.float64)


def _chance(x: NDArray[np.float64], y: NDArray[np.float64], rho: float) -> float:
    n = len(x)
    if n <= _EXACT:
        orders = np.array(list(itertools.permutations(range(n))))
        # The allowance keeps equal coefficients equal whatever the order of summing.
        return float(np.mean(np.abs(y[orders] @ x) >= abs(rho) - 1e-9))
    if abs(rho) >= 1.0:
        return 2.0 / math.factorial(n)
    from scipy import special

    t = abs(rho) * math.sqrt((n - 2) / (1.0 - rho * rho))
    return float(2.0 * special.stdtr(n - 2, -t))
