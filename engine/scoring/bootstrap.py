"""Task bootstrap: one set of draws for every method, axis and condition (paper 1, E.6)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Paper 1, E.6.
REPLICATES = 1000
INTERVAL_PERCENT = (2.5, 97.5)
SEED = 520


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its percentile interval over task resamples."""

    mean: float
    low: float
    high: float


def draws(tasks: int, *, replicates: int = REPLICATES, seed: int = SEED) -> NDArray[np.intp]:
    """Draw the task resamples once, to be shared by everything that is compared.

    Parameters
    ----------
    tasks : int
        Number of tasks.
    replicates : int
        Number of resamples.
    seed : int
        Seed of the PCG64 generator, whose raw words are stable across NumPy versions.

    Returns
    -------
    ndarray of int, shape (replicates, tasks)
        Task indices.
    """
    words = np.random.PCG64(seed).random_raw(replicates * tasks).reshape(replicates, tasks)
    uniform = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return np.minimum((uniform * tasks).astype(np.intp), tasks - 1)


def replicate_means(sums: ArrayLike, counts: ArrayLike, drawn: NDArray[np.intp]) -> NDArray[np.float64]:
    """Mean score of each resample, in which a task brings all of its runs.

    Parameters
    ----------
    sums, counts : array_like, shape (tasks,)
        Sum of the run scores of each task, and how many there are; 0 and 0 for a task without scores.
    drawn : ndarray of int, shape (replicates, tasks)
        Task indices.

    Returns
    -------
    ndarray, shape (replicates,)
        Means; NaN for a resample that holds no score at all.
    """
    total = np.asarray(sums, dtype=np.float64)[drawn].sum(axis=1)
    number = np.asarray(counts, dtype=np.float64)[drawn].sum(axis=1)
    means: NDArray[np.float64] = np.full(total.shape, np.nan)
    np.divide(total, number, out=means, where=number > 0)
    return means


def interval(sums: ArrayLike, counts: ArrayLike, drawn: NDArray[np.intp]) -> Interval | None:
    """Mean and 95 % percentile interval of a score.

    Parameters
    ----------
    sums, counts : array_like, shape (tasks,)
        As for `replicate_means`.
    drawn : ndarray of int
        Shared draws.

    Returns
    -------
    Interval or None
        None without any score.
    """
    number = float(np.sum(counts))
    if number == 0:
        return None
    means = replicate_means(sums, counts, drawn)
    low, high = np.nanpercentile(means, INTERVAL_PERCENT)
    return Interval(float(np.sum(sums)) / number, float(low), float(high))


def paired_difference(
    a: tuple[ArrayLike, ArrayLike], b: tuple[ArrayLike, ArrayLike], drawn: NDArray[np.intp]
) -> Interval:
    """Interval of the difference a - b of two methods' means over the same resamples.

    Parameters
    ----------
    a, b : pair of array_like
        (sums, counts) per task of each method.
    drawn : ndarray of int
        Shared draws.

    Returns
    -------
    Interval
        Mean difference with its percentile interval.
    """
    difference = replicate_means(*a, drawn) - replicate_means(*b, drawn)
    low, high = np.nanpercentile(difference, INTERVAL_PERCENT)
    observed = float(np.sum(a[0])) / float(np.sum(a[1])) - float(np.sum(b[0])) / float(np.sum(b[1]))
    return Interval(observed, float(low), float(high))
