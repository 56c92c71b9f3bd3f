"""Uniform draws on independent ranges, with an OOD split in which every feature is outside: four families."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.outside import Outside, linear, logarithmic
from tasks.randomness import Stream
from tasks.schema import Table


def column(sampling: Mapping[str, Any], stream: Stream, count: int) -> NDArray[np.float64]:
    """Draw one column.

    Parameters
    ----------
    sampling : mapping
        ``kind`` (uniform, log-uniform or integer-uniform), ``low``, ``high`` and, where it matters, ``sign``
        (positive, negative or both with equal probability). Integers leave out ``high``.
    stream : Stream
        Consumed for one or, with both signs, two words a value.
    count : int
        Values to draw.

    Returns
    -------
    ndarray of float64, shape (count,)
        The values.
    """
    low, high = float(sampling["low"]), float(sampling["high"])
    place = stream.unit(count)
    match sampling["kind"]:
        case "uniform":
            values = low + (high - low) * place
        case "log-uniform":
            values = np.exp(math.log(low) + (math.log(high) - math.log(low)) * place)
        case "integer-uniform":
            values = np.floor(low + (high - low) * place)
        case kind:
            raise AssertionError(kind)
    match sampling.get("sign", "positive"):
        case "both":
            return np.where(stream.unit(count) < 0.5, -values, values)
        case "negative":
            return -values
        case _:
            return values


def rows(samplings: Sequence[Mapping[str, Any]], stream: Stream, count: int) -> NDArray[np.float64]:
    """Draw rows, one column after another; shape (count, d)."""
    return np.column_stack([column(sampling, stream, count) for sampling in samplings])


def outside_training(samplings: Sequence[Mapping[str, Any]], train: Table) -> list[Outside]:
    """Return the outside intervals of the observed training ranges, as the arena release forms them.

    Parameters
    ----------
    samplings : sequence of mapping
        One per feature; only a positive log-uniform feature takes the logarithmic rule.
    train : Table
        The training split, whose least and greatest values are the ranges.

    Returns
    -------
    list of Outside
        One per feature.
    """
    intervals = []
    for j, sampling in enumerate(samplings):
        low, high = float(train.X[:, j].min()), float(train.X[:, j].max())
        by_ratio = sampling["kind"] == "log-uniform" and low > 0
        intervals.append(logarithmic(low, high) if by_ratio else linear(low, high))
    return intervals
