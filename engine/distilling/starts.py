"""The paper's solver: randomized greedy construction, then the best single swaps, from many starts."""

import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling import swaps
from engine.distilling.draws import Draws
from engine.distilling.problem import Problem

# Cost of one violated unit (one task too many, or 1.0 of |A_p(S) - A_p(D)| too much), in units of J. It
# starts low enough for the search to pass through infeasible sets and rises until the set that it ends in
# is feasible.
FIRST_PENALTY = 0.01
PENALTY_GROWTH = 4.0
LAST_PENALTY = 200.0
# Randomized greedy: a start after the first takes one of so many best candidates at each step.
CHOICES = 5
# One kick replaces so many members at random before the swaps start over.
KICK = 4
IMPROVED = 1e-11


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A problem as the compiled kernels read it: rows of constraints first, then the rows of Balance."""

    problem: Problem
    rows: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    soft: int


def lay_out(problem: Problem) -> Layout:
    """Arrange a problem for the kernels.

    Parameters
    ----------
    problem : Problem
        N tasks.

    Returns
    -------
    Layout
        For each task the rows it stands in.
    """
    hard = problem.constraints
    size = problem.size
    matrix = np.vstack([*(row.coefficients[None, :] for row in hard), problem.bins / size])
    low = np.array([row.low for row in hard] + list(problem.shares))
    high = np.array([row.high for row in hard] + list(problem.shares))
    count = matrix.shape[1]
    width = int((matrix != 0).sum(axis=0).max())
    rows = np.full((count, width), -1, dtype=np.int64)
    coefficients = np.zeros((count, width))
    for task in range(count):
        own = np.flatnonzero(matrix[:, task])
        rows[task, : len(own)] = own
        coefficients[task, : len(own)] = matrix[own, task]
    return Layout(problem, rows, coefficients, low, high, len(problem.shares))


class Search:
    """One start: a growing or full set of members with the state the kernels need."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        problem = layout.problem
        count = len(problem.allowed)
        self.members = np.zeros(problem.size, dtype=np.int64)
        self.filled = 0
        self.open = problem.allowed.copy()
        self.activity = np.zeros(len(layout.low))
        self.penalty = FIRST_PENALTY
        # Past this time of the monotonic clock a feasible set is left as it is.
        self.deadline = math.inf
        self._sims = (problem.pool.structural, problem.pool.response)
        self._first = np.zeros((2, count))
        self._second = np.zeros((2, count))
        self._nearest = np.zeros((2, count), dtype=np.int64)
        self._gains = problem.task_gains

    def _slope(self) -> NDArray[np.float64]:
        slope = np.full(len(self.activity), self.penalty)
        slope[len(slope) - self.layout.soft :] = self.layout.problem.balance_weight
        return slope

    def _count(self, task: int, sign: float) -> None:
        own = self.layout.rows[task] >= 0
        # Each task stands at most once in a row, so that plain indexing adds up.
        self.activity[self.layout.rows[task][own]] += sign * self.layout.coefficients[task][own]

    def put(self, slot: int, task: int) -> None:
        """Let a task enter at a slot, in place of who stands there.

        Parameters
        ----------
        slot, task : int
            Position among the members; row of the pool.
        """
        if slot < self.filled:
            leaving = int(self.members[slot])
            self._count(leaving, -1.0)
            self.open[leaving] = True
        else:
            self.filled = slot + 1
        self.members[slot] = task
        self.open[task] = False
        self._count(task, 1.0)

    def _rank(self) -> None:
        for kind, sim in enumerate(self._sims):
            swaps.rank_members(
                sim, self.members, self.filled, self._first[kind], self._second[kind], self._nearest[kind]
            )

    def fill(self, draws: Draws | None) -> None:
        """Add members greedily until the set is full.

        Parameters
        ----------
        draws : Draws or None
            Choose at random among the best few; None for the plain greedy.
        """
        layout = self.layout
        change = np.empty(len(self.open))
        slope = self._slope()
        while self.filled < len(self.members):
            self._rank()
            add = self._gains.copy()
            for sim, weight, first in zip(
                self._sims, layout.problem.facility_weights, self._first, strict=True
            ):
                swaps.facility_gain(sim, weight, first, add)
            swaps.row_changes(
                -1, layout.rows, layout.coefficients, self.activity, layout.low, layout.high, slope, change
            )
            value = np.where(self.open, add - change, -np.inf)
            best = np.argsort(-value, kind="stable")[: CHOICES if draws is not None else 1]
            best = best[np.isfinite(value[best])]
            pick = 0 if draws is None else int(draws.below(len(best), 1)[0])
            self.put(self.filled, int(best[pick]))

    def descend(self) -> None:
        """Take best swaps until none improves; raise the penalty until the set is feasible or hopeless."""
        while True:
            self._swap_to_rest()
            if self.feasible or self.penalty >= LAST_PENALTY:
                return
            self.penalty *= PENALTY_GROWTH

    def _swap_to_rest(self) -> None:
        layout = self.layout
        slope = self._slope()
        count, size = len(self.open), len(self.members)
        while not (time.monotonic() > self.deadline and self.feasible):
            self._rank()
            add = np.zeros(count)
            loss = np.zeros(size)
            repair = np.zeros((size, count))
            for kind, weight in enumerate(layout.problem.facility_weights):
                swaps.facility_scan(
                    self._sims[kind],
                    weight,
                    self._first[kind],
                    self._second[kind],
                    self._nearest[kind],
                    add,
                    loss,
                    repair,
                )
            slot, task, gain = swaps.best_swap(
                self.members,
                self.open,
                self._gains,
                add,
                loss,
                repair,
                layout.rows,
                layout.coefficients,
                self.activity,
                layout.low,
                layout.high,
                slope,
            )
            if slot < 0 or gain <= IMPROVED:
                return
            self.put(slot, task)

    def kick(self, draws: Draws) -> None:
        """Replace a few members at random.

        Parameters
        ----------
        draws : Draws
            Where the randomness comes from.
        """
        for _ in range(min(KICK, len(self.members))):
            candidates = np.flatnonzero(self.open)
            if not len(candidates):
                return
            slot = int(draws.below(len(self.members), 1)[0])
            self.put(slot, int(candidates[draws.below(len(candidates), 1)[0]]))

    def restart_from(self, members: NDArray[np.int64]) -> None:
        """Stand on a given full set.

        Parameters
        ----------
        members : numpy.ndarray
            Rows of the pool, as many as the problem's size.
        """
        self.open = self.layout.problem.allowed.copy()
        self.activity[:] = 0.0
        self.filled = 0
        for slot, task in enumerate(members):
            self.put(slot, int(task))

    @property
    def feasible(self) -> bool:
        """Whether every constraint holds."""
        hard = slice(0, len(self.activity) - self.layout.soft)
        a = self.activity[hard]
        return bool((a >= self.layout.low[hard] - 1e-9).all() and (a <= self.layout.high[hard] + 1e-9).all())


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where one start ended: sorted members, J, and whether the set is feasible."""

    start: int
    members: NDArray[np.int64]
    J: float
    feasible: bool


def run_start(layout: Layout, seed: int, start: int, kicks: int = 0, deadline: float = math.inf) -> Found:
    """Run one start to its local optimum, then optionally kick it and keep what improves.

    Parameters
    ----------
    layout : Layout
        The problem.
    seed, start : int
        Key of the start's randomness; start 0 is the plain greedy.
    kicks : int
        Number of kicks after the first descent.
    deadline : float
        Time of the monotonic clock past which nothing is improved any more.

    Returns
    -------
    Found
        The best set met at rest, feasible ones first.
    """
    draws = Draws(seed, start)
    search = Search(layout)
    search.deadline = deadline
    search.fill(None if start == 0 else draws)
    search.descend()
    return _wander(search, _found(search, start), draws, kicks)


def wander(layout: Layout, members: NDArray[np.int64], draws: Draws, kicks: int, seconds: float) -> Found:
    """Kick a given set again and again and keep what improves.

    Parameters
    ----------
    layout : Layout
        The problem.
    members : numpy.ndarray
        A full set.
    draws : Draws
        Where the randomness comes from.
    kicks : int
        How often.
    seconds : float
        Stop after so long.

    Returns
    -------
    Found
        The best set met, at worst the given one.
    """
    search = Search(layout)
    search.deadline = time.monotonic() + seconds
    search.restart_from(members)
    return _wander(search, _found(search, -1), draws, kicks)


def _wander(search: Search, best: Found, draws: Draws, kicks: int) -> Found:
    for _ in range(kicks):
        if time.monotonic() > search.deadline:
            break
        search.restart_from(best.members)
        search.kick(draws)
        search.penalty = max(FIRST_PENALTY, search.penalty / PENALTY_GROWTH)
        search.descend()
        other = _found(search, best.start)
        if (other.feasible, other.J) > (best.feasible, best.J):
            best = other
    return best


def improve(layout: Layout, members: NDArray[np.int64]) -> Found:
    """Take best swaps from a given set.

    Parameters
    ----------
    layout : Layout
        The problem.
    members : numpy.ndarray
        A full set.

    Returns
    -------
    Found
        A set in which no single swap improves.
    """
    search = Search(layout)
    search.restart_from(members)
    search.penalty = LAST_PENALTY
    search.descend()
    return _found(search, -1)


def run_starts(
    layout: Layout, seed: int, count: int, kicks: int, threads: int, deadline: float = math.inf
) -> Iterator[Found]:
    """Run many starts in threads.

    Parameters
    ----------
    layout : Layout
        The problem.
    seed, count, kicks, threads : int
        Seed of all starts, number of starts, kicks per start, threads.
    deadline : float
        As `run_start` takes it.

    Yields
    ------
    Found
        In the order of starts, whatever the number of threads.
    """
    with ThreadPoolExecutor(max_workers=max(1, threads)) as workers:
        yield from workers.map(lambda start: run_start(layout, seed, start, kicks, deadline), range(count))


def _found(search: Search, start: int) -> Found:
    members = np.sort(search.members)
    return Found(start, members, search.layout.problem.terms(members).J, search.feasible)
