"""SRSD: log-uniform rows on physical ranges, with rejection by float32 limits, and distractor columns."""

import numpy as np
from numpy.typing import NDArray

from tasks.generators import ranges
from tasks.generators.rows import accepted, cut, every_feature_outside, join
from tasks.randomness import Stream
from tasks.schema import Splits, Task

LEAST_MAGNITUDE = 1.17549435e-38
"""Smallest normal float32: targets below it in magnitude are redrawn (SRSD source)."""
GREATEST_MAGNITUDE = 3.4028235e38
"""Largest float32 (SRSD source)."""


def representable(y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which targets are finite and within the float32 range in magnitude."""
    size = np.abs(y)
    return np.isfinite(y) & (size >= LEAST_MAGNITUDE) & (size <= GREATEST_MAGNITUDE)


def generate(task: Task) -> Splits:
    """Generate an SRSD task: 10,000 accepted rows cut 8:1:1, and 1,000 with every feature outside.

    Parameters
    ----------
    task : Task
        A task whose recipe has the rule ``srsd``.

    Returns
    -------
    Splits
        The four splits.
    """
    sizes = task.sizes
    assert sizes.valid is not None
    assert sizes.id is not None
    assert sizes.ood is not None
    samplings = [task.recipe["sampling"][name] for name in task.feature_names]
    parts = (sizes.train, sizes.valid, sizes.id)
    stream = Stream(task.id, "inside")
    whole = accepted(task, sum(parts), lambda count: ranges.rows(samplings, stream, count), representable)
    train, valid, inside = cut(whole, Stream(task.id, "split").permutation(whole.rows), parts)
    intervals = ranges.outside_training(samplings, train)
    draw = every_feature_outside(intervals, Stream(task.id, "ood"))
    return join(train, valid, inside, accepted(task, sizes.ood, draw, representable))
