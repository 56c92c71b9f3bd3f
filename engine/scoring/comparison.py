"""Tests between methods: exact sign and Wilcoxon tests with ties, Friedman and Nemenyi, Pareto fronts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Paired:
    """What a paired comparison of two arms over the same cells says.

    Attributes
    ----------
    wins, losses, ties : int
        Cells where a is above, below, equal to b.
    net : int
        wins - losses.
    sign_p, wilcoxon_p : float or None
        Exact two-sided p-values over the cells that differ; None when none differs.
    missing : tuple of str
        Cells present in one arm only, left out of both.
    """

    wins: int
    losses: int
    ties: int
    sign_p: float | None
    wilcoxon_p: float | None
    missing: tuple[str, ...] = ()

    @property
    def net(self) -> int:
        """Net gain in cells."""
        return self.wins - self.losses

    @property
    def sentence(self) -> str:
        """One line for a table."""
        if self.sign_p is None:
            return f"net 0, no differing cells ({self.ties} tied)"
        cells = f"{self.wins} won, {self.losses} lost, {self.ties} tied"
        return f"net {self.net:+d} ({cells}), p = {self.sign_p:.4g}"


@dataclass(frozen=True, slots=True)
class CriticalDifference:
    """Mean ranks of methods over tasks, with the Nemenyi critical difference."""

    methods: tuple[str, ...]
    ranks: tuple[float, ...]
    difference: float
    friedman_p: float
    tasks: int
    groups: tuple[tuple[str, ...], ...]


def sign_test(wins: int, losses: int) -> float | None:
    """Exact two-sided sign test on the cells that differ.

    Parameters
    ----------
    wins, losses : int
        Numbers of cells.

    Returns
    -------
    float or None
        p-value; None when no cell differs.
    """
    n = wins + losses
    if n == 0:
        return None
    tail = sum(math.comb(n, k) for k in range(min(wins, losses) + 1))
    # Integers until the last division: exact at any n.
    return (
        min(1.0, 2 * tail / (1 << n))
        if n < 1000
        else min(1.0, math.exp(math.log(2 * tail) - n * math.log(2)))
    )


def wilcoxon(differences: Sequence[float]) -> float | None:
    """Exact two-sided Wilcoxon signed-rank test; zeros are left out and tied ranks are averaged.

    The null distribution is that of the midranks at hand under random signs, so that ties need no
    approximation.

    Parameters
    ----------
    differences : sequence of float
        Paired differences.

    Returns
    -------
    float or None
        p-value; None when no pair differs.
    """
    d = np.asarray([value for value in differences if value != 0.0], dtype=np.float64)
    if d.size == 0:
        return None
    doubled = _doubled_midranks(np.abs(d))
    total = int(doubled.sum())
    ways = np.zeros(total + 1)
    ways[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(ways)
        shifted[rank:] = ways[: total + 1 - rank]
        ways = (ways + shifted) / 2.0
    below = int(min(doubled[d > 0].sum(), doubled[d < 0].sum()))
    return float(min(1.0, 2.0 * ways[: below + 1].sum()))


def paired(a: Mapping[str, float], b: Mapping[str, float]) -> Paired:
    """Compare two arms over the cells both have.

    Parameters
    ----------
    a, b : mapping of cell name to float
        Scores; a cell in one arm only is listed as missing and left out of both.

    Returns
    -------
    Paired
        Wins, losses, ties and exact p-values.
    """
    common = sorted(a.keys() & b.keys())
    differences = [a[cell] - b[cell] for cell in common]
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    return Paired(
        wins,
        losses,
        len(common) - wins - losses,
        sign_test(wins, losses),
        wilcoxon(differences),
        tuple(sorted(a.keys() ^ b.keys())),
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction; None stays None and does not count."""
    order = sorted((p, k) for k, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    floor = 0.0
    for step, (p, k) in enumerate(order):
        floor = max(floor, min(1.0, p * (len(order) - step)))
        corrected[k] = floor
    return corrected


def critical_difference(
    scores: Mapping[str, Mapping[str, float]], *, alpha: float = 0.05
) -> CriticalDifference | None:
    """Friedman test and Nemenyi critical difference over the tasks all methods have.

    Parameters
    ----------
    scores : mapping of method to mapping of task to float
        Higher is better.
    alpha : float
        Level of the critical difference.

    Returns
    -------
    CriticalDifference or None
        None for fewer than three methods or two common tasks.
    """
    from scipy import stats

    methods = sorted(scores)
    tasks = sorted(set.intersection(*(set(scores[m]) for m in methods))) if methods else []
    k, n = len(methods), len(tasks)
    if k < 3 or n < 2:
        return None
    table = np.array([[scores[m][t] for m in methods] for t in tasks])
    ranks = np.array([stats.rankdata(-row) for row in table]).mean(axis=0)
    # All methods equal on every task: no rank differs and the Friedman statistic is 0 / 0.
    same = bool((table == table[:, :1]).all())
    p = 1.0 if same else float(stats.friedmanchisquare(*table.T).pvalue)
    width = float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
    difference = width * math.sqrt(k * (k + 1) / (6 * n))
    order = np.argsort(ranks, kind="stable")
    names, sorted_ranks = tuple(methods[i] for i in order), ranks[order]
    return CriticalDifference(
        names, tuple(map(float, sorted_ranks)), difference, p, n, _groups(names, sorted_ranks, difference)
    )


def pareto(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Find the points that no other point beats in both coordinates (lower is better in both).

    Parameters
    ----------
    points : sequence of (float, float)
        For example error and complexity; a point with a non-finite coordinate is never on the front.

    Returns
    -------
    tuple of int
        Indices in order of the second coordinate. Of equal points the first is kept.
    """
    order = sorted(
        (i for i, p in enumerate(points) if all(map(math.isfinite, p))),
        key=lambda i: (points[i][1], points[i][0], i),
    )
    front: list[int] = []
    best = math.inf
    for i in order:
        if points[i][0] < best:
            front.append(i)
            best = points[i][0]
    return tuple(front)


def _doubled_midranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((2 * ends - counts + 1)[inverse], dtype=np.int64)


def _groups(
    names: tuple[str, ...], ranks: NDArray[np.float64], difference: float
) -> tuple[tuple[str, ...], ...]:
    groups: list[tuple[str, ...]] = []
    reach = 0
    for start in range(len(names)):
        end = start
        while end + 1 < len(names) and ranks[end + 1] - ranks[start] <= difference:
            end += 1
        if end > start and end > reach:
            groups.append(names[start : end + 1])
            reach = end
    return tuple(groups)
