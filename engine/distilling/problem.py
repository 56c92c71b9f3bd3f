"""One selection problem: the objective J, its parts and the feasible set, as plain arrays for the solvers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling.constraints import KINDS, Constraint, core_constraints
from engine.distilling.pool import Pool
from engine.errors import EngineError

# SymbolicArena, eq. of section 3.1 and C.3.
PAPER_WEIGHTS = (0.45, 0.35, 0.20)
STRUCTURAL_SHARE = 0.6
RESPONSE_SHARE = 0.4
# SPEC 5: the bound that makes a J-optimal selection faithful, on by default.
FIDELITY_DELTA = 0.05


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked for.

    Attributes
    ----------
    size : int
        Number of tasks.
    weights : tuple of float
        Of Coverage, MeanInfo and Balance; nonnegative, summing to one.
    delta : float or None
        Fidelity bound per probe.
    within : tuple of str or None
        Select only among these ids (nested cores).
    without : tuple of str
        Kinds of constraints to leave out.
    """

    size: int = 50
    weights: tuple[float, float, float] = PAPER_WEIGHTS
    delta: float | None = FIDELITY_DELTA
    within: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """The value of a selection: J and what it is made of."""

    J: float
    coverage: float
    structural_coverage: float
    response_coverage: float
    mean_info: float
    balance: float


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A checked problem over N tasks.

    Attributes
    ----------
    pool, demand : Pool, Demand
        Where it comes from.
    allowed : numpy.ndarray
        bool (N,): tasks that may be selected.
    constraints : tuple of Constraint
        Rows of the feasible set besides the size.
    bins : numpy.ndarray
        float64 (B, N): membership in each difficulty and each failure class.
    shares : numpy.ndarray
        float64 (B,): share of the pool in each class.
    """

    pool: Pool
    demand: Demand
    allowed: NDArray[np.bool_]
    constraints: tuple[Constraint, ...]
    bins: NDArray[np.float64]
    shares: NDArray[np.float64]

    @property
    def size(self) -> int:
        """Number of tasks to select."""
        return self.demand.size

    @property
    def facility_weights(self) -> tuple[float, float]:
        """What one task's structural and response similarity to its nearest member adds to J."""
        share = self.demand.weights[0] / len(self.allowed)
        return share * STRUCTURAL_SHARE, share * RESPONSE_SHARE

    @property
    def task_gains(self) -> NDArray[np.float64]:
        """What each task's own Info adds to J when selected, (N,)."""
        return self.demand.weights[1] / self.size * self.pool.information.info

    @property
    def balance_weight(self) -> float:
        """What one unit of |share in S - share in D| of one class takes from J."""
        # Balance = 1 - mean over two labels of half the L1 distance.
        return self.demand.weights[2] / 4

    def terms(self, members: NDArray[np.int64]) -> Terms:
        """Value a selection by the full objective.

        Parameters
        ----------
        members : numpy.ndarray
            Rows of the pool.

        Returns
        -------
        Terms
            J and its parts.
        """
        return self.weigh(self.parts(members))

    def parts(self, members: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return structural coverage, response coverage, mean info and balance of a selection.

        Parameters
        ----------
        members : numpy.ndarray
            Rows of the pool.

        Returns
        -------
        numpy.ndarray
            float64 (4,).
        """
        distance = np.abs(self.bins[:, members].mean(axis=1) - self.shares).sum()
        return np.array(
            [
                self.pool.structural[members].max(axis=0).mean(dtype=np.float64),
                self.pool.response[members].max(axis=0).mean(dtype=np.float64),
                self.pool.information.info[members].mean(),
                1 - distance / 4,
            ]
        )

    def weigh(self, parts: NDArray[np.float64]) -> Terms:
        """Combine the parts by the demanded weights.

        Parameters
        ----------
        parts : numpy.ndarray
            As `parts` returns them.

        Returns
        -------
        Terms
            J and its parts.
        """
        structural, response, info, balance = (float(part) for part in parts)
        coverage = STRUCTURAL_SHARE * structural + RESPONSE_SHARE * response
        w = self.demand.weights
        return Terms(
            w[0] * coverage + w[1] * info + w[2] * balance, coverage, structural, response, info, balance
        )

    def violated(self, members: NDArray[np.int64]) -> tuple[Constraint, ...]:
        """Return the constraints a selection breaks.

        Parameters
        ----------
        members : numpy.ndarray
            Rows of the pool.

        Returns
        -------
        tuple of Constraint
            Empty when it is feasible.
        """
        return tuple(row for row in self.constraints if not row.holds(members))


def check_weights(weights: Sequence[float]) -> tuple[float, float, float]:
    """Check the three weights of J.

    Parameters
    ----------
    weights : sequence of float
        Coverage, MeanInfo, Balance.

    Returns
    -------
    tuple of float
        The same three.

    Raises
    ------
    EngineError
        When there are not three, one is negative or not finite, or they do not sum to one.
    """
    shown = ", ".join(f"{weight:g}" for weight in weights)
    if len(weights) != 3:
        raise EngineError(f"weights {shown}: give three numbers, for Coverage, MeanInfo and Balance")
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        raise EngineError(f"weights {shown}: each must be a number of at least 0")
    if abs(math.fsum(weights) - 1) > 1e-9:
        raise EngineError(f"weights {shown} sum to {math.fsum(weights):g}; they must sum to one")
    return weights[0], weights[1], weights[2]


def pose(pool: Pool, demand: Demand) -> Problem:
    """Check a demand against a pool and lay it out for the solvers.

    Parameters
    ----------
    pool : Pool
        N tasks.
    demand : Demand
        Size, weights, bound and so on.

    Returns
    -------
    Problem
        Ready to solve; it may still be infeasible.

    Raises
    ------
    EngineError
        When the size exceeds what can be selected, or weights, bound or kinds make no sense.
    """
    check_weights(demand.weights)
    unknown = [kind for kind in demand.without if kind not in KINDS]
    if unknown:
        raise EngineError(f"there is no kind of constraint {unknown[0]!r}; there are {', '.join(KINDS)}")
    if demand.delta is not None and not (math.isfinite(demand.delta) and demand.delta > 0):
        raise EngineError(f"the fidelity bound {demand.delta} must be a positive number, or off")
    allowed = pool.usable.copy()
    if demand.within is not None:
        inside = np.zeros(len(allowed), dtype=bool)
        inside[pool.places(demand.within)] = True
        allowed &= inside
    available = int(allowed.sum())
    if demand.size < 1:
        raise EngineError(f"size {demand.size}: select at least one task")
    if demand.size > available:
        where = f"the {len(demand.within)} given members" if demand.within is not None else "the pool"
        raise EngineError(f"size {demand.size} is larger than {where}: {available} tasks can be selected")
    kept = core_constraints(pool, demand.size, demand.delta, demand.without)
    bins, shares = _classes(pool)
    return Problem(pool, demand, allowed, kept, bins, shares)


def _classes(pool: Pool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rows = [
        np.array([float(value == wanted) for value in values])
        for values in (pool.labels.difficulty, pool.labels.failure)
        for wanted in sorted(set(values))
    ]
    bins = np.array(rows)
    return bins, bins.mean(axis=1)
