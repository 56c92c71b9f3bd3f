"""Compiled kernels of the swap search: what every addition and every swap would change, in one pass."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

# The kernels release the interpreter lock, so that restarts can run in threads; their results do not depend
# on it.
_compiled: Callable[[Callable[..., Any]], Callable[..., Any]] = numba.njit(cache=True, nogil=True)


def _facility_scan(
    sim: NDArray[np.floating],
    weight: float,
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    nearest: NDArray[np.int64],
    add: NDArray[np.float64],
    loss: NDArray[np.float64],
    repair: NDArray[np.float64],
) -> None:
    """Accumulate the facility-location change of all swaps (Resende and Werneck's decomposition).

    Swapping slot r for task j changes the sum by ``add[j] - loss[r] + repair[r, j]``. ``first`` and
    ``second`` are each task's similarities to its nearest and second nearest member, ``nearest`` the slot
    of the nearest.
    """
    count = sim.shape[0]
    for i in range(count):
        top = first[i]
        next_top = second[i]
        slot = nearest[i]
        loss[slot] += weight * (top - next_top)
        for j in range(count):
            s = sim[i, j]
            if s > next_top:
                if s > top:
                    add[j] += weight * (s - top)
                    repair[slot, j] += weight * (top - next_top)
                else:
                    repair[slot, j] += weight * (s - next_top)


facility_scan = _compiled(_facility_scan)


def _facility_gain(
    sim: NDArray[np.floating], weight: float, first: NDArray[np.float64], add: NDArray[np.float64]
) -> None:
    """Accumulate what each task would add to the facility-location sum."""
    count = sim.shape[0]
    for i in range(count):
        top = first[i]
        for j in range(count):
            s = sim[i, j]
            if s > top:
                add[j] += weight * (s - top)


facility_gain = _compiled(_facility_gain)


def _rank_members(
    sim: NDArray[np.floating],
    members: NDArray[np.int64],
    count: int,
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    nearest: NDArray[np.int64],
) -> None:
    """Fill each task's two greatest similarities to the first members, and the slot of the greatest."""
    total = sim.shape[0]
    first[:] = 0.0
    second[:] = 0.0
    nearest[:] = 0
    for slot in range(count):
        m = members[slot]
        for i in range(total):
            s = sim[m, i]
            if s > first[i]:
                second[i] = first[i]
                first[i] = s
                nearest[i] = slot
            elif s > second[i]:
                second[i] = s


rank_members = _compiled(_rank_members)


def _row_cost(value: float, low: float, high: float, slope: float) -> float:
    if value < low:
        return slope * (low - value)
    if value > high:
        return slope * (value - high)
    return 0.0


row_cost = _compiled(_row_cost)


def _row_changes(
    removed: int,
    rows: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    activity: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    slope: NDArray[np.float64],
    change: NDArray[np.float64],
) -> None:
    """Fill ``change[j]``: how the row costs fall or rise when ``removed`` (-1 for none) leaves and j enters.

    ``rows`` and ``coefficients`` are (N, K): the rows each task stands in, padded with -1. Activities are
    restored.
    """
    width = rows.shape[1]
    base = 0.0
    if removed >= 0:
        for k in range(width):
            row = rows[removed, k]
            if row < 0:
                break
            before = row_cost(activity[row], low[row], high[row], slope[row])
            activity[row] -= coefficients[removed, k]
            base += row_cost(activity[row], low[row], high[row], slope[row]) - before
    for j in range(rows.shape[0]):
        total = base
        for k in range(width):
            row = rows[j, k]
            if row < 0:
                break
            value = activity[row]
            total += row_cost(value + coefficients[j, k], low[row], high[row], slope[row])
            total -= row_cost(value, low[row], high[row], slope[row])
        change[j] = total
    if removed >= 0:
        for k in range(width):
            row = rows[removed, k]
            if row < 0:
                break
            activity[row] += coefficients[removed, k]


row_changes = _compiled(_row_changes)


def _best_swap(
    members: NDArray[np.int64],
    open_tasks: NDArray[np.bool_],
    gains: NDArray[np.float64],
    add: NDArray[np.float64],
    loss: NDArray[np.float64],
    repair: NDArray[np.float64],
    rows: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    activity: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    slope: NDArray[np.float64],
) -> tuple[int, int, float]:
    """Return the slot, the task and the gain of the best swap; ties go to the least slot and task."""
    best_slot = -1
    best_task = -1
    best_gain = -np.inf
    change = np.empty(rows.shape[0])
    for slot in range(members.shape[0]):
        leaving = members[slot]
        row_changes(leaving, rows, coefficients, activity, low, high, slope, change)
        base = -loss[slot] - gains[leaving]
        for j in range(rows.shape[0]):
            if not open_tasks[j]:
                continue
            gain = base + add[j] + repair[slot, j] + gains[j] - change[j]
            if gain > best_gain + 1e-13:
                best_gain = gain
                best_slot = slot
                best_task = j
    return best_slot, best_task, best_gain


best_swap = _compiled(_best_swap)
