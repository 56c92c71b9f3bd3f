"""The selection as a mixed-integer program: facility location by Benders cuts, Balance by its convex hull.

Coverage is (1/N) sum_i theta_i with theta_i <= max over selected j of s_ij. For every level t the cut
``theta_i <= t + sum_{j: s_ij > t} (s_ij - t) x_j`` holds for every 0/1 selection of at least one task,
so a program with any subset of the cuts bounds the full, untruncated objective from above; and the cuts
at the levels s_ij are the Benders cuts of the strong formulation, so adding the violated ones drives the
linear relaxation to its value without ever writing its N^2 assignment variables (Fischetti, Ljubic and
Sinnl, 2017).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from engine.distilling.linear import Relaxed, Rows, minimize
from engine.distilling.problem import Problem

# Levels deeper than this many times N / size are not looked at: an average task has N / size tasks nearer
# than its member.
DEPTH = 12
LEAST_DEPTH = 200
VIOLATED = 1e-7
BINDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Each task's most similar tasks: indices ``order`` and similarities ``level``, (N, K), descending."""

    order: NDArray[np.int64]
    level: NDArray[np.float64]


def neighbours(sim: NDArray[np.floating], depth: int) -> Neighbours:
    """Find each task's most similar tasks.

    Parameters
    ----------
    sim : numpy.ndarray
        (N, N).
    depth : int
        K, at most N.

    Returns
    -------
    Neighbours
        Descending; ties in index order.
    """
    count = len(sim)
    order = np.empty((count, depth), dtype=np.int64)
    for start in range(0, count, 512):
        block = sim[start : start + 512]
        order[start : start + 512] = np.argsort(-block, axis=1, kind="stable")[:, :depth]
    return Neighbours(order, np.take_along_axis(sim, order, axis=1).astype(np.float64))


@dataclass(slots=True, eq=False)
class Program:
    """Rows ``matrix @ v <= right`` over v = (x, theta structural, theta response, class distances).

    Attributes
    ----------
    cost : numpy.ndarray
        To be minimized: minus J, without the constant of Balance.
    constant : float
        What must be added to minus the cost to get J.
    upper : numpy.ndarray
        Upper bounds; lower bounds are `lower`.
    fixed : list of sparse arrays
        Rows of the feasible set and of Balance.
    cuts : list of sparse arrays
        Benders cuts so far.
    """

    problem: Problem
    cost: NDArray[np.float64]
    constant: float
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    fixed: sparse.csr_array
    fixed_right: NDArray[np.float64]
    near: tuple[Neighbours, Neighbours]
    cuts: sparse.csr_array
    cuts_right: NDArray[np.float64]

    @property
    def count(self) -> int:
        """N."""
        return len(self.problem.allowed)

    def rows(self) -> Rows:
        """Return all rows and the bounds of the variables.

        Returns
        -------
        Rows
            Fixed rows, then cuts.
        """
        return Rows(
            sparse.csr_array(sparse.vstack([self.fixed, self.cuts], format="csr")),
            np.concatenate([self.fixed_right, self.cuts_right]),
            self.lower,
            self.upper,
        )

    def relax(self, seconds: float) -> Relaxed | None:
        """Solve the linear relaxation with its present cuts.

        Parameters
        ----------
        seconds : float
            Time limit.

        Returns
        -------
        Relaxed or None
            None when no optimum was found in time, or the relaxation is infeasible.
        """
        return minimize(self.cost, self.rows(), seconds)

    def separate(self, point: NDArray[np.float64]) -> int:
        """Add the cuts that a point violates.

        Parameters
        ----------
        point : numpy.ndarray
            A value of all variables.

        Returns
        -------
        int
            How many were added.
        """
        added = 0
        x = point[: self.count]
        for kind, near in enumerate(self.near):
            offset = self.count * (kind + 1)
            theta = point[offset : offset + self.count]
            matrix, right = _cuts(near, x, theta, offset, len(self.cost))
            added += len(right)
            self.cuts = sparse.csr_array(sparse.vstack([self.cuts, matrix], format="csr"))
            self.cuts_right = np.concatenate([self.cuts_right, right])
        return added

    def forget(self, point: NDArray[np.float64]) -> None:
        """Drop the cuts that are slack at a point; the program stays a valid relaxation.

        Parameters
        ----------
        point : numpy.ndarray
            An optimum of the linear relaxation.
        """
        tight = np.flatnonzero(self.cuts @ point > self.cuts_right - BINDING)
        self.cuts = sparse.csr_array(self.cuts[tight])
        self.cuts_right = self.cuts_right[tight]


def _cuts(
    near: Neighbours, x: NDArray[np.float64], theta: NDArray[np.float64], offset: int, width: int
) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    ahead = np.cumsum(x[near.order], axis=1)
    reached = ahead >= 1 - 1e-9
    # The level at which the nearer tasks add up to one whole member is the strongest cut at this point.
    level_at = np.where(reached.any(axis=1), reached.argmax(axis=1), near.order.shape[1] - 1)
    level = near.level[np.arange(len(near.level)), level_at]
    excess = np.where(np.arange(near.order.shape[1]) < level_at[:, None], near.level - level[:, None], 0.0)
    value = level + (excess * x[near.order]).sum(axis=1)
    violated = np.flatnonzero(theta > value + VIOLATED)
    cut, place = np.nonzero(excess[violated] > 0)
    task = violated[cut]
    rows = np.concatenate([cut, np.arange(len(violated))])
    columns = np.concatenate([near.order[task, place], offset + violated])
    values = np.concatenate([-excess[task, place], np.ones(len(violated))])
    return sparse.csr_array((values, (rows, columns)), shape=(len(violated), width)), level[violated]


def side_program(problem: Problem) -> tuple[NDArray[np.float64], Rows]:
    """Write everything but coverage: the feasible set and Balance over v = (x, class distances).

    Parameters
    ----------
    problem : Problem
        N tasks.

    Returns
    -------
    tuple
        The cost to be minimized, without coverage, and the rows; N + B variables.
    """
    classes = len(problem.shares)
    cost = np.concatenate([-problem.task_gains, np.full(classes, problem.balance_weight)])
    upper = np.concatenate([problem.allowed.astype(float), np.ones(classes)])
    matrix, right = _feasible_rows(problem, classes)
    balance, balance_right = _balance_rows(problem)
    return cost, Rows(
        sparse.csr_array(sparse.vstack([matrix, balance], format="csr")),
        np.concatenate([right, balance_right]),
        np.zeros(len(cost)),
        upper,
    )


def build_program(problem: Problem) -> Program:
    """Write a problem as a program with the cuts of an even spread.

    Parameters
    ----------
    problem : Problem
        N tasks.

    Returns
    -------
    Program
        Over x, 2 N values of theta and B class distances.
    """
    count, size = len(problem.allowed), problem.size
    side_cost, side = side_program(problem)
    thetas = np.repeat(problem.facility_weights, count)
    cost = np.concatenate([side_cost[:count], -thetas, side_cost[count:]])
    fixed = sparse.csr_array(
        sparse.hstack(
            [
                side.matrix[:, :count],
                sparse.csr_array((side.matrix.shape[0], 2 * count)),
                side.matrix[:, count:],
            ],
            format="csr",
        )
    )
    depth = min(count, max(LEAST_DEPTH, DEPTH * count // size))
    width = len(cost)
    program = Program(
        problem=problem,
        cost=cost,
        constant=problem.demand.weights[2],
        lower=np.zeros(width),
        upper=np.concatenate([side.upper[:count], np.ones(2 * count), side.upper[count:]]),
        fixed=fixed,
        fixed_right=side.right,
        near=(neighbours(problem.pool.structural, depth), neighbours(problem.pool.response, depth)),
        cuts=sparse.csr_array((0, width)),
        cuts_right=np.zeros(0),
    )
    even = np.zeros(width)
    even[:count] = np.where(problem.allowed, size / max(int(problem.allowed.sum()), 1), 0.0)
    even[count : 3 * count] = 2.0
    program.separate(even)
    return program


def _feasible_rows(problem: Problem, classes: int) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    count = len(problem.allowed)
    ones = sparse.csr_array(np.ones((1, count)))
    parts = [ones, -ones]
    right = [float(problem.size), -float(problem.size)]
    for row in problem.constraints:
        coefficients = sparse.csr_array(row.coefficients[None, :])
        parts.append(coefficients)
        right.append(row.high)
        if row.low > 0 or row.kind == "fidelity":
            parts.append(-coefficients)
            right.append(-row.low)
    rows = sparse.vstack(parts, format="csr")
    return sparse.csr_array(
        sparse.hstack([rows, sparse.csr_array((len(right), classes))], format="csr")
    ), np.array(right)


def _balance_rows(problem: Problem) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    size, count, classes = problem.size, len(problem.allowed), len(problem.shares)
    rows, right = [], []
    for place, (members, share) in enumerate(zip(problem.bins, problem.shares, strict=True)):
        slopes = [(1 / size, share), (-1 / size, -share)]
        # Between the two whole counts around the share, the chord is the hull of |k / size - share| over
        # whole k.
        below = np.floor(share * size)
        left, up = share - below / size, (below + 1) / size - share
        slopes.append((up - left, (up - left) * below - left))
        for slope, offset in slopes:
            row = np.zeros(count + classes)
            row[:count] = slope * members
            row[count + place] = -1.0
            rows.append(row)
            right.append(offset)
    return sparse.csr_array(np.array(rows)), np.array(right)
