"""Variable projection over a batch of problems: candidates times starts, one small model each.

Each problem's model has the columns that all share (static terms of the current model, projected out once),
the parametric terms of the current model, and one candidate. Leading coefficients are eliminated by
orthonormal columns; inner parameters follow by Levenberg-Marquardt steps on Kaufman's Jacobian.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.reachability.columns import Array, Field, design

DEPENDENT = 1e-11  # a unit column that is shorter than this after projection adds nothing
LONGEST_STEP = 0.35  # of the box, in one iteration
FIRST_DAMPING, MOST_DAMPING = 1e-3, 1e10
CHUNK = 64  # problems worked on at once, so that their columns stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Batch:
    """Problems that share a field, static terms and the atoms of the current model.

    Attributes
    ----------
    field
        Atoms on rows.
    shared
        (s, n) orthonormal basis of the static terms.
    target
        (n,) target with the static terms projected out.
    members
        Indices of the current model's parametric atoms.
    low, high
        (b, p + 1) bounds of theta, the candidate last.
    candidate
        (b,) index of each problem's candidate.
    """

    field: Field
    shared: Array
    target: Array
    members: tuple[int, ...]
    low: Array
    high: Array
    candidate: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Step:
    """One evaluation of a batch: sums of squares, gradients and Gauss-Newton matrices."""

    sse: Array
    gradient: Array
    hessian: Array


def basis(columns: Array) -> Array:
    """Return an orthonormal basis of the span of some columns.

    Parameters
    ----------
    columns
        (m, n), one column a row.

    Returns
    -------
    ndarray
        (m, n); the row of a dependent column is zero.
    """
    if not len(columns):
        return columns
    unit: Array = _orthonormal(columns[None], np.empty((0, columns.shape[1])))[0][0]
    return unit


def project(shared: Array, values: Array) -> Array:
    """Take the shared columns out of others, twice, so that the result is orthogonal to rounding."""
    if not len(shared):
        return values.copy()
    once = values - (values @ shared.T) @ shared
    return once - (once @ shared.T) @ shared


def _orthonormal(columns: Array, shared: Array) -> tuple[Array, Array]:
    """Orthonormalize (b, k, n) columns against shared ones and each other; a dependent one becomes zero.

    Returns the columns and the (b, k, k) triangle that expresses the given ones, up to shared terms.
    """
    batch, count, rows = columns.shape
    length = np.sqrt(np.vecdot(columns, columns))
    unit = columns / np.where(length > 0.0, length, 1.0)[..., None]
    unit = project(shared, unit.reshape(-1, rows)).reshape(unit.shape)
    triangle = np.zeros((batch, count, count))
    for column in range(count):
        for _ in range(2 if column else 0):
            for before in range(column):
                overlap = np.vecdot(unit[:, before], unit[:, column])
                unit[:, column] -= overlap[:, None] * unit[:, before]
                triangle[:, before, column] += overlap
        size = np.sqrt(np.vecdot(unit[:, column], unit[:, column]))
        keep = size > DEPENDENT
        unit[:, column] *= np.where(keep, 1.0 / np.where(keep, size, 1.0), 0.0)[:, None]
        triangle[:, column, column] = np.where(keep, size, 1.0)
    return unit, triangle * length[:, None, :]


def evaluate(batch: Batch, problems: NDArray[np.intp], theta: Array) -> Step:
    """Fit the linear part of some problems and describe the neighbourhood of their inner parameters.

    Parameters
    ----------
    batch
        Problems.
    problems
        (m,) which of them.
    theta
        (m, p + 1) inner parameters.

    Returns
    -------
    Step
        ``sse`` is infinite where a column is not finite.
    """
    parts = [
        _evaluate(batch, problems[start : start + CHUNK], theta[start : start + CHUNK])
        for start in range(0, len(problems), CHUNK)
    ]
    return Step(
        np.concatenate([part.sse for part in parts]),
        np.concatenate([part.gradient for part in parts]),
        np.concatenate([part.hessian for part in parts]),
    )


def _evaluate(batch: Batch, problems: NDArray[np.intp], theta: Array) -> Step:
    count = theta.shape[1]
    values = np.empty((len(problems), count, len(batch.target)))
    slopes = np.empty_like(values)
    for place, member in enumerate(batch.members):
        index = np.full(len(problems), member, dtype=np.intp)
        values[:, place], slopes[:, place] = design(batch.field, index, theta[:, place])
    last = design(batch.field, batch.candidate[problems], theta[:, -1])
    values[:, -1], slopes[:, -1] = last
    bad = ~(np.isfinite(values).all(axis=(1, 2)) & np.isfinite(slopes).all(axis=(1, 2)))
    if bad.any():
        values[bad], slopes[bad] = 0.0, 0.0
    unit, triangle = _orthonormal(values, batch.shared)
    onto = unit @ batch.target
    residual = batch.target - np.matvec(unit.transpose(0, 2, 1), onto)
    coefficient = np.empty_like(onto)
    for place in reversed(range(count)):
        known = np.vecdot(triangle[:, place, place + 1 :], coefficient[:, place + 1 :])
        coefficient[:, place] = (onto[:, place] - known) / np.where(
            triangle[:, place, place] == 0.0, 1.0, triangle[:, place, place]
        )
    free = slopes * coefficient[..., None]
    gradient = np.matvec(free, residual)
    free = project(batch.shared, free.reshape(-1, free.shape[2])).reshape(free.shape)
    free -= (free @ unit.transpose(0, 2, 1)) @ unit
    sse = np.vecdot(residual, residual)
    return Step(np.where(bad, np.inf, sse), gradient, free @ free.transpose(0, 2, 1))


def minimize(
    batch: Batch, start: Array, *, iterations: int, tolerance: float, floor: float
) -> tuple[Array, Array, NDArray[np.intp]]:
    """Minimize every problem of a batch from its start.

    Parameters
    ----------
    batch
        Problems.
    start
        (b, p + 1) inner parameters.
    iterations
        Most residual evaluations of each problem.
    tolerance
        A problem is done when an accepted step lowers its sum of squares by less than this fraction.
    floor
        A problem is done when its sum of squares is at or below this.

    Returns
    -------
    theta : ndarray
        (b, p + 1) best inner parameters.
    sse : ndarray
        (b,) their sums of squares.
    evaluations : ndarray
        (b,) residual evaluations spent.
    """
    theta = np.clip(start, batch.low, batch.high)
    everything = np.arange(len(theta))
    now = evaluate(batch, everything, theta)
    sse, gradient, hessian = now.sse, now.gradient, now.hessian
    damping = np.full(len(theta), FIRST_DAMPING)
    spent = np.ones(len(theta), dtype=np.intp)
    active = everything[np.isfinite(sse) & (sse > floor)]
    reach = LONGEST_STEP * (batch.high - batch.low)
    for _ in range(iterations - 1):
        if not len(active):
            break
        step = _step(hessian[active], gradient[active], damping[active])
        step = np.clip(step, -reach[active], reach[active])
        trial = np.clip(theta[active] + step, batch.low[active], batch.high[active])
        found = evaluate(batch, active, trial)
        spent[active] += 1
        better = found.sse < sse[active]
        gain = np.where(better, 1.0 - found.sse / np.maximum(sse[active], 1e-300), 0.0)
        accepted = active[better]
        theta[accepted], sse[accepted] = trial[better], found.sse[better]
        gradient[accepted], hessian[accepted] = found.gradient[better], found.hessian[better]
        damping[active] = np.where(better, damping[active] * 0.1, damping[active] * 10.0)
        damping = np.maximum(damping, 1e-12)
        still = ~better | (gain > tolerance)
        active = active[still & (damping[active] < MOST_DAMPING) & (sse[active] > floor)]
    return theta, sse, spent


def _step(hessian: Array, gradient: Array, damping: Array) -> Array:
    """Solve (H + damping diag H) step = gradient; a parameter without effect does not move."""
    diagonal = np.einsum("bii->bi", hessian).copy()
    top = np.maximum(diagonal.max(axis=1, keepdims=True), 1e-300)
    idle = diagonal <= 1e-30 * top
    scale = 1.0 / np.sqrt(np.where(idle, 1.0, diagonal))
    matrix = hessian * scale[:, :, None] * scale[:, None, :]
    matrix[idle] = 0.0
    matrix.transpose(0, 2, 1)[idle] = 0.0
    np.einsum("bii->bi", matrix)[...] = 1.0 + damping[:, None]
    right = np.where(idle, 0.0, gradient * scale)
    return np.linalg.solve(matrix, right[..., None])[..., 0] * scale
