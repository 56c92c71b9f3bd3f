"""Classical control: sequentially thresholded least squares over a library whose inner constants are fixed.

Paper 2 reports SINDy / STLSQ with a fixed-frequency library and does not name its frequencies; ours are
listed here, so this control is of the paper's kind and not a replication of its row.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.reachability.columns import Array, evaluated
from engine.reachability.generic import generic
from engine.reachability.libraries import fitted
from engine.reachability.model import Model, model
from engine.reachability.subsample import subsample

if TYPE_CHECKING:
    from engine.reachability.atoms import Atom

FREQUENCIES = (0.5, 1.0, 2.0)
"""Values of every inner constant (ours)."""
THRESHOLDS = tuple(float(value) for value in np.geomspace(1e-5, 0.3, 12))
"""Shares of the largest scaled coefficient below which a term is cut (ours); chosen on held-out rows."""
SWEEPS = 10
HELD_OUT = 5  # one row in so many chooses the threshold


def stlsq(bank: Sequence[str], X: Array, y: Array, key: str) -> Model:
    """Fit a sparse sum of library terms with fixed inner constants.

    Parameters
    ----------
    bank
        Library candidates over ``x0, x1, ...`` and ``a``.
    X, y
        (n, d) and (n,) training rows.
    key
        Draws the held-out rows.

    Returns
    -------
    Model
        The sparsest of the models whose held-out error is within a factor of 1.01 of the least.
    """
    terms: list[tuple[Atom, float | None]] = []
    columns: list[Array] = []
    for one in fitted(bank):
        for constant in FREQUENCIES if one.parametric else (None,):
            values = (
                evaluated(one.text, X) if constant is None else generic(one.text, np.array([constant]), X)[0]
            )
            if np.isfinite(values).all() and np.any(values != 0.0):
                terms.append((one, constant))
                columns.append(values)
    matrix = np.stack(columns, axis=1)
    unit = matrix / np.sqrt(np.square(matrix).sum(axis=0))
    held = np.zeros(len(y), dtype=bool)
    held[subsample(len(y), max(1, len(y) // HELD_OUT), f"{key}:held out")] = True
    outcomes = []
    for threshold in THRESHOLDS:
        active, weights = _thresholded(unit[~held], y[~held], threshold)
        left = y[held] - unit[held][:, active] @ weights
        outcomes.append((float(left @ left), int(active.sum()), active))
    least = min(error for error, _, _ in outcomes)
    chosen = min((size, place) for place, (error, size, _) in enumerate(outcomes) if error <= 1.01 * least)[1]
    kept = [terms[place] for place in np.flatnonzero(outcomes[chosen][2]).tolist()]
    return model([one for one, _ in kept], [constant for _, constant in kept], X, y)


def _thresholded(unit: Array, y: Array, threshold: float) -> tuple[NDArray[np.bool_], Array]:
    active = np.ones(unit.shape[1], dtype=bool)
    weights = np.linalg.lstsq(unit, y, rcond=1e-12)[0]
    for _ in range(SWEEPS):
        small = np.abs(weights) < threshold * np.abs(weights).max()
        if not small.any() or small.all():
            break
        active[np.flatnonzero(active)[small]] = False
        weights = np.linalg.lstsq(unit[:, active], y, rcond=1e-12)[0]
    return active, np.asarray(weights)
