"""Atoms without a shape of their own, fitted as they are written: columns, slopes, and their bounds.

The inner constant is a = unit * sinh(theta), so that zero and both signs lie inside, and a grid that is even
in theta is even in the logarithm of |a|, from 1e-6 to 1e4 in steps of 1.22: no scale of the data is assumed.
Starts are the peaks of the atom's profile over that grid and redrawn points, as for every other atom.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.reachability.atoms import PARAMETER

Array = NDArray[np.float64]

UNIT, MOST, POINTS = 1e-6, 1e4, 241
DIFFERENCE = 1e-6  # relative step in theta of a slope by differences
LARGEST = 1e140  # of a column as written


def generic(text: str, constants: Array, X: Array) -> Array:
    """Evaluate an atom as written, for several values of its inner constant.

    Parameters
    ----------
    text
        Infix over ``x0, x1, ...`` and ``a``.
    constants
        (b,) values of ``a``.
    X
        (n, d) rows.

    Returns
    -------
    ndarray
        (b, n).
    """
    from engine.expression import evaluate, parse

    rows, features = X.shape
    node = parse(text, [*(f"x{index}" for index in range(features)), PARAMETER])
    tiled = np.empty((len(constants) * rows, features + 1))
    tiled[:, :features] = np.tile(X, (len(constants), 1))
    tiled[:, features] = np.repeat(constants, rows)
    return evaluate(node, tiled).reshape(len(constants), rows)


def column(text: str, theta: Array, X: Array) -> tuple[Array, Array]:
    """Evaluate an atom as written, and its slope in theta: exact where every operator has a derivative."""
    values = _bounded(generic(text, UNIT * np.sinh(theta), X))
    slope = _slope(text, X.shape[1])
    if slope is None:
        return values, _differences(text, theta, X, values)
    exact = generic(slope, UNIT * np.sinh(theta), X) * (UNIT * np.cosh(theta))[:, None]
    return values, _masked(values, exact)


@lru_cache(maxsize=1024)
def _slope(text: str, features: int) -> str | None:
    """Write the derivative of an atom in its inner constant; None where there is none in our operators."""
    from engine.expression import ExpressionError, infix, parse
    from engine.reachability.derivative import derivative

    names = [*(f"x{index}" for index in range(features)), PARAMETER]
    found = derivative(parse(text, names), features)
    if found is None:
        return None
    try:
        return infix(found, names)
    except ExpressionError:
        return None


def _differences(text: str, theta: Array, X: Array, values: Array) -> Array:
    """Take slopes by differences: central ones, one-sided where the atom ends within the step."""
    step = DIFFERENCE * (1.0 + np.abs(theta))
    at = UNIT * np.sinh(np.concatenate([theta + step, theta - step]))
    above, below = np.split(_bounded(generic(text, at, X)), 2)
    upper, lower = np.isfinite(above), np.isfinite(below)
    span = (upper.astype(np.float64) + lower) * step[:, None]
    rise = np.where(upper, above, values) - np.where(lower, below, values)
    return _masked(values, rise / np.where(span > 0.0, span, 1.0))


def _masked(values: Array, slopes: Array) -> Array:
    """Mask slopes by the atom's domain: undefined where the atom is, 0 where only the slope has no value.

    ``(x0*x1)**a`` is 0 on a row with x1 = 0 for every a > 0, and so is its slope, as a limit.
    """
    defined = np.where(np.isfinite(slopes), slopes, 0.0)
    return np.where(np.isfinite(values), defined, np.nan)


def _bounded(values: Array) -> Array:
    """Count values whose squares leave float64 as undefined."""
    return np.where(np.abs(values) < LARGEST, values, np.nan)
