"""The door to HiGHS through scipy: linear programs with a safe bound, and mixed-integer programs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

# scipy's published types know neither sparse rows here nor the multipliers in the result.
_linprog: Any = optimize.linprog
_milp: Any = optimize.milp

OPTIMAL, LIMIT, INFEASIBLE = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows ``matrix @ v <= right`` over variables within ``lower`` and ``upper``."""

    matrix: sparse.csr_array
    right: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """An optimum of a linear program: the point, a safe lower bound on the cost and the reduced costs."""

    point: NDArray[np.float64]
    least: float
    reduced: NDArray[np.float64]


def minimize(cost: NDArray[np.float64], rows: Rows, seconds: float) -> Relaxed | None:
    """Solve a linear program.

    Parameters
    ----------
    cost : numpy.ndarray
        (V,).
    rows : Rows
        Over V variables with finite bounds.
    seconds : float
        Time limit.

    Returns
    -------
    Relaxed or None
        None when no optimum was found in time or there is none.
    """
    result = _linprog(
        cost,
        A_ub=rows.matrix,
        b_ub=rows.right,
        bounds=np.column_stack([rows.lower, rows.upper]),
        method="highs",
        options={"time_limit": max(seconds, 0.1)},
    )
    if result.status != OPTIMAL:
        return None
    # Weak duality with the solver's multipliers: a bound that holds whatever the solver's tolerances were.
    multipliers = np.minimum(result.ineqlin.marginals, 0.0)
    reduced = cost - rows.matrix.T @ multipliers
    least = multipliers @ rows.right + np.minimum(reduced * rows.lower, reduced * rows.upper).sum()
    return Relaxed(result.x, float(least), reduced)


@dataclass(frozen=True, slots=True, eq=False)
class Branched:
    """Where branch and bound ended: status, best point (or None) and lower bound on the cost (or None)."""

    status: int
    point: NDArray[np.float64] | None
    least: float | None


def branch(
    cost: NDArray[np.float64], rows: Rows, whole: NDArray[np.int64], seconds: float, gap: float
) -> Branched:
    """Solve a mixed-integer program.

    Parameters
    ----------
    cost : numpy.ndarray
        (V,).
    rows : Rows
        Over V variables.
    whole : numpy.ndarray
        (V,): 1 for whole variables, else 0.
    seconds : float
        Time limit.
    gap : float
        Relative gap at which to stop.

    Returns
    -------
    Branched
        The status is `OPTIMAL`, `LIMIT` or `INFEASIBLE` (or another of scipy's).
    """
    result = _milp(
        cost,
        constraints=optimize.LinearConstraint(rows.matrix, -np.inf, rows.right),
        integrality=whole,
        bounds=optimize.Bounds(rows.lower, rows.upper),
        options={"time_limit": max(seconds, 0.1), "mip_rel_gap": gap},
    )
    least = result.mip_dual_bound
    return Branched(
        int(result.status), result.x, float(least) if least is not None and np.isfinite(least) else None
    )
