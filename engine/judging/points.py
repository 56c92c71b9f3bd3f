"""Where two expressions are compared: fixed points of the declared domain, or of a wide one."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

# A domain maps feature names to (low, high); a feature it lacks, or maps to None, is unbounded.
Domain = Mapping[str, tuple[float, float] | None]

POINTS = 256
SEED = 20260801
# Magnitudes of the points of an unbounded variable, and how many of its points are positive.
_WIDE = (0.05, 20.0)
_POSITIVE_SHARE = 0.7
# Every fourth point puts some variables at or near an end of their range, where piecewise forms part.
_EDGE_EVERY = 4
_DYADIC = 2.0**30


def sample(features: Sequence[str], domain: Domain | None, count: int = POINTS) -> NDArray[np.float64]:
    """Return the points of a comparison, the same for ever.

    Parameters
    ----------
    features : sequence of str
        Column names.
    domain : mapping of str to (low, high), optional
        Declared ranges; an undeclared variable takes both signs and magnitudes from 0.05 to 20, positive more
        often, since many formulas are defined there only.
    count : int
        Number of points.

    Returns
    -------
    ndarray, shape (count, d)
        Points, whose coordinates are short binary fractions of their range.
    """
    d = len(features)
    words = np.random.PCG64(SEED).random_raw(count * (2 * d + 1)).reshape(count, 2 * d + 1)
    uniform = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
    points = np.empty((count, d))
    # All variables of a point share one sign half of the time: products under a root need it.
    shared = uniform[:, 2 * d]
    for column, name in enumerate(features):
        bounds = (domain or {}).get(name)
        u, v = uniform[:, column], uniform[:, d + column]
        if bounds is None:
            low, high = np.log(_WIDE[0]), np.log(_WIDE[1])
            magnitude = np.exp(low + (high - low) * u)
            negative = np.where(shared < 0.5, shared > 0.5 * _POSITIVE_SHARE, v > _POSITIVE_SHARE)
            points[:, column] = _short(np.where(negative, -magnitude, magnitude), 1.0)
        else:
            low, high = map(float, bounds)
            inside = low + (high - low) * u
            edge = (np.arange(count) % _EDGE_EVERY == 0) & (v < 0.5)
            near = np.where(v < 0.25, low + (high - low) * u * 1e-3, high - (high - low) * u * 1e-3)
            points[:, column] = np.clip(
                _short(np.where(edge, near, inside), max(high - low, 1e-300)), low, high
            )
    return points


def _short(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    step = 2.0 ** np.floor(np.log2(scale)) / _DYADIC
    return np.asarray(np.round(values / step) * step, dtype=np.float64)
