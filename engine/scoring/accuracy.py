"""Pointwise accuracy within a relative error, and strict joint recovery on both test sets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.scoring.numeric import Nmse, real_predictions

# Second paper, section 3.2 and B.1.
ZERO_TARGET_TOLERANCE = 1e-9
POINTS_PERCENT = 95
STRICT_NMSE = 1e-8
THRESHOLDS = (0.01, 0.001)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many points of a split lie within a relative error, and whether the task counts."""

    right: int
    points: int
    threshold: float

    @property
    def success(self) -> bool:
        """Strictly more than 95 % of the points are right."""
        return self.right * 100 > POINTS_PERCENT * self.points


def points_right(y: ArrayLike, yhat: ArrayLike, threshold: float) -> NDArray[np.bool_]:
    """Mark the points whose relative error is strictly below a threshold (second paper, eqs. 1 and 2).

    Parameters
    ----------
    y, yhat : array_like, shape (n,)
        Targets and predictions; where y is 0 the prediction must lie within 1e-9; a non-finite prediction
        is wrong.
    threshold : float
        Relative error tau.

    Returns
    -------
    ndarray of bool, shape (n,)
        True where the point is right.

    Raises
    ------
    ValueError
        When the lengths differ.
    """
    target = np.asarray(y, dtype=np.float64).reshape(-1)
    predicted = real_predictions(yhat)
    if predicted.size != target.size:
        raise ValueError(f"{predicted.size} predictions for {target.size} targets")
    with np.errstate(all="ignore"):
        relative = np.abs(predicted - target) / np.abs(target)
        right = np.where(target == 0.0, np.abs(predicted) <= ZERO_TARGET_TOLERANCE, relative < threshold)
    return np.asarray(right & np.isfinite(predicted), dtype=np.bool_)


def accuracy(y: ArrayLike | None, yhat: ArrayLike, threshold: float) -> Accuracy | None:
    """Acc_tau of one task on one split.

    Parameters
    ----------
    y : array_like or None
        Targets; None or no rows where the task has no such split.
    yhat : array_like
        Predictions.
    threshold : float
        Relative error tau, one of ``THRESHOLDS`` in the paper.

    Returns
    -------
    Accuracy or None
        None where there is nothing to be right about.
    """
    if y is None or np.size(y) == 0:
        return None
    right = points_right(y, yhat, threshold)
    return Accuracy(int(right.sum()), int(right.size), threshold)


def strict(id_error: Nmse | float | None, ood_error: Nmse | float | None) -> bool:
    """Strict joint recovery: finite everywhere and NMSE < 1e-8 on both test sets.

    Parameters
    ----------
    id_error, ood_error : Nmse, float or None
        Errors on ID and OOD; an unavailable one fails.

    Returns
    -------
    bool
        True when both are below 1e-8.
    """
    values = [error.value if isinstance(error, Nmse) else error for error in (id_error, ood_error)]
    return all(value is not None and value < STRICT_NMSE for value in values)
