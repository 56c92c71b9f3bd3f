"""A bound for pools beyond the cut program's reach: one level per task, improved by subgradient steps.

With one level t_i per task and kind, ``J <= sum_i w t_i + max over feasible x of sum_j (gain_j + sum_i w
(s_ij - t_i)+) x_j``: the Lagrangian dual of the strong facility-location formulation. The inner maximum is
a linear program over the side constraints alone, so that memory stays at the similarity matrices themselves.
"""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from engine.distilling.exact import FIRST_RELAXATION_S, Ledger
from engine.distilling.linear import minimize
from engine.distilling.problem import Problem
from engine.distilling.program import side_program

# Polyak steps towards the incumbent; halved after so many steps without a better bound.
FIRST_STEP = 1.0
PATIENCE = 8
LEAST_STEP = 0.005

_compiled: Callable[[Callable[..., Any]], Callable[..., Any]] = numba.njit(cache=True, nogil=True)


def _excess_sums(
    sim: NDArray[np.floating], level: NDArray[np.float64], weight: float, total: NDArray[np.float64]
) -> None:
    for i in range(sim.shape[0]):
        t = level[i]
        for j in range(sim.shape[0]):
            if sim[i, j] > t:
                total[j] += weight * (sim[i, j] - t)


excess_sums = _compiled(_excess_sums)


def bound_by_levels(problem: Problem, ledger: Ledger) -> None:
    """Lower the ledger's bound until the steps no longer help or the time is over.

    Parameters
    ----------
    problem : Problem
        N tasks.
    ledger : Ledger
        Must hold a feasible set; its similarities are the first levels.
    """
    if ledger.members is None:
        return
    sims = (problem.pool.structural, problem.pool.response)
    weights = problem.facility_weights
    levels = [np.asarray(sim[ledger.members].max(axis=0), dtype=np.float64) for sim in sims]
    side_cost, side = side_program(problem)
    count = len(problem.allowed)
    step, stale, best = FIRST_STEP, 0, math.inf
    best_levels = levels
    # The first levels are tried even when the time is over: an answer without a bound is half an answer.
    while (ledger.left > 0.5 or best == math.inf) and step > LEAST_STEP and not ledger.closed:
        gain = problem.task_gains.copy()
        for sim, weight, level in zip(sims, weights, levels, strict=True):
            excess_sums(sim, level, weight, gain)
        inner = minimize(
            np.concatenate([-gain, side_cost[count:]]), side, max(ledger.left, FIRST_RELAXATION_S)
        )
        if inner is None:
            return
        bound = (
            problem.demand.weights[2]
            - inner.least
            + sum(weight * float(level.sum()) for weight, level in zip(weights, levels, strict=True))
        )
        if bound < best - 1e-9:
            best, best_levels, stale = bound, levels, 0
            ledger.bound = min(ledger.bound, bound)
        else:
            stale += 1
            if stale >= PATIENCE:
                step, stale, levels = step / 2, 0, best_levels
                continue
        ledger.tell("levels")
        levels = _stepped(problem, levels, inner.point[:count], step * (bound - ledger.J))


def _stepped(
    problem: Problem, levels: list[NDArray[np.float64]], x: NDArray[np.float64], length: float
) -> list[NDArray[np.float64]]:
    support = np.flatnonzero(x > 1e-9)
    slopes = []
    for sim, weight, level in zip(
        (problem.pool.structural, problem.pool.response), problem.facility_weights, levels, strict=True
    ):
        nearer = (sim[:, support] > level[:, None]) @ x[support]
        slopes.append(weight * (1 - nearer))
    norm = sum(float(slope @ slope) for slope in slopes)
    if norm == 0:
        return levels
    return [
        np.clip(level - length / norm * slope, 0.0, 1.0) for level, slope in zip(levels, slopes, strict=True)
    ]
