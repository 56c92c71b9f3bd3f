"""Normalized mean squared error on a split, and the bounded quality made of it."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Paper 1, section 3.3 and E.1.
EPSILON = 1e-12
LOG_ERROR_MIN = -12.0
LOG_ERROR_MAX = 2.0

DEFINITION = "NMSE = mean((yhat - y)^2) / var(y), population variance of the split's own target"

Status = Literal["ok", "nonfinite", "no split", "mismatch", "undefined"]
Denominator = Literal["split", "train"]


@dataclass(frozen=True, slots=True)
class Nmse:
    """An NMSE, or the reason why there is none.

    Attributes
    ----------
    value : float or None
        The error; None unless ``status`` is ``ok``.
    denominator : {'split', 'train'} or None
        Whose population variance divides: the split's own, or the training target's where the split has
        fewer than two rows or no variance (SPEC 1).
    status : str
        ``ok``; ``nonfinite`` (the prediction has a point that is not a finite real number, or its squared
        error leaves float64); ``no split``; ``mismatch`` (lengths differ); ``undefined`` (no variance).
    reason : str or None
        One sentence when ``status`` is not ``ok``.
    """

    value: float | None
    denominator: Denominator | None
    status: Status
    reason: str | None = None


def real_predictions(yhat: ArrayLike) -> NDArray[np.float64]:
    """Flatten predictions to float64, with NaN wherever the value is not real.

    Parameters
    ----------
    yhat : array_like, shape (n,) or (n, 1)
        Predictions; complex values with zero imaginary part count as real.

    Returns
    -------
    ndarray, shape (n,)
        Float64 predictions.
    """
    values = np.asarray(yhat)
    if values.dtype == object:
        try:
            values = values.astype(np.complex128)
        except (TypeError, ValueError, OverflowError):
            return np.full(values.size, math.nan)
    if np.iscomplexobj(values):
        values = np.where(values.imag == 0.0, values.real, math.nan)
    return np.ascontiguousarray(values, dtype=np.float64).reshape(-1)


def nmse(y: ArrayLike | None, yhat: ArrayLike, y_train: ArrayLike | None) -> Nmse:
    """Mean squared error over the population variance of the target (SPEC 1; second paper, eq. 3).

    Parameters
    ----------
    y : array_like, shape (n,) or (n, 1), or None
        Target of the split; None where the task has no such split.
    yhat : array_like, shape (n,) or (n, 1)
        Predictions; anything non-finite or complex makes the error unavailable.
    y_train : array_like or None
        Training target, whose variance divides where the split has fewer than two rows or none of its own.

    Returns
    -------
    Nmse
        Value, denominator, status and reason; nothing is raised for foreign predictions.
    """
    if y is None:
        return Nmse(None, None, "no split", "not available (no split)")
    target = np.asarray(y, dtype=np.float64).reshape(-1)
    if target.size == 0:
        return Nmse(None, None, "no split", "not available (the split has no rows)")
    predicted = real_predictions(yhat)
    if predicted.size != target.size:
        reason = f"{predicted.size} predictions for {target.size} rows"
        return Nmse(None, None, "mismatch", reason)
    bad = np.flatnonzero(~np.isfinite(predicted))
    if bad.size:
        reason = f"{bad.size} of {target.size} non-finite, first at row {bad[0]} (0-based)"
        return Nmse(None, None, "nonfinite", reason)
    denominator: Denominator = "split"
    spread = target
    if not _varies(spread):
        denominator = "train"
        spread = np.asarray([] if y_train is None else y_train, dtype=np.float64).reshape(-1)
        if not _varies(spread):
            reason = "neither the split's target nor the training target varies"
            return Nmse(None, None, "undefined", reason)
    with np.errstate(all="ignore"):
        value = _ratio(predicted - target, spread)
    if not math.isfinite(value):
        return Nmse(None, denominator, "nonfinite", "the squared error exceeds the range of float64")
    return Nmse(value, denominator, "ok")


def quality(error: Nmse | float | None) -> float:
    """Map an NMSE to [0, 1] on a clipped log scale (paper 1, E.1): 0 -> 1, 1 -> 1/7, 100 and above -> 0.

    Parameters
    ----------
    error : Nmse, float or None
        An error; None, an unavailable Nmse and any non-finite or negative number give 0.

    Returns
    -------
    float
        The quality phi.
    """
    value = error.value if isinstance(error, Nmse) else error
    if value is None or not math.isfinite(value) or value < 0.0:
        return 0.0
    log_error = min(max(math.log10(max(value, EPSILON)), LOG_ERROR_MIN), LOG_ERROR_MAX)
    return (LOG_ERROR_MAX - log_error) / (LOG_ERROR_MAX - LOG_ERROR_MIN)


def _varies(y: NDArray[np.float64]) -> bool:
    # var() of equal values need not be 0 (the mean of 0.1, 0.1, 0.1 is not 0.1); their range is.
    return y.size >= 2 and bool(np.isfinite(y).all()) and float(y.max()) > float(y.min())


def _ratio(gap: NDArray[np.float64], spread: NDArray[np.float64]) -> float:
    plain = float(np.mean(gap * gap)) / float(np.var(spread)) if float(np.var(spread)) > 0.0 else math.inf
    if math.isfinite(plain) and plain > np.finfo(np.float64).tiny:
        return plain
    # Squares left the range of float64 somewhere: scale both sides first.
    deviation = spread - np.mean(spread)
    top, bottom = float(np.abs(gap).max()), float(np.abs(deviation).max())
    if top == 0.0:
        return 0.0
    scaled = float(np.mean((gap / top) ** 2)) / float(np.mean((deviation / bottom) ** 2))
    return scaled * (top / bottom) * (top / bottom)
