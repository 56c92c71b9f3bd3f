"""Nguyen, Keijzer, Korns and Vladislavleva: uniform samples and grids as each benchmark specifies."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.generators.rows import accepted, cut, join, some_feature_outside, table
from tasks.outside import linear
from tasks.randomness import Stream
from tasks.schema import Splits, Task


def grid(low: float, high: float, step: float) -> NDArray[np.float64]:
    """Return an inclusive grid whose point count is taken in floating point, as the sources do.

    Parameters
    ----------
    low, high, step : float
        Ends and step; a step above the width is a point count.

    Returns
    -------
    ndarray of float64
        ``linspace`` of ``int((high - low) / step) + 1`` points.
    """
    count = int(step) if step > high - low else int((high - low) / step) + 1
    return np.linspace(low, high, count)


def _sample(
    spec: Mapping[str, Mapping[str, Any]], names: tuple[str, ...], stream: Stream
) -> NDArray[np.float64]:
    columns = [spec[name] for name in names]
    if all(column["kind"] == "grid" for column in columns):
        axes = [grid(column["low"], column["high"], column["step"]) for column in columns]
        return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    return np.column_stack([stream.uniform(c["low"], c["high"], c["n"]) for c in columns])


def generate(task: Task) -> Splits:
    """Generate a classic task.

    The training specification is sampled, shuffled and cut; ``recipe["test_is"]`` says whether the test
    specification is the ID or the OOD split. An OOD split that the source does not give is drawn with at
    least one feature outside the training domain.

    Parameters
    ----------
    task : Task
        A task whose recipe has the rule ``classic``.

    Returns
    -------
    Splits
        The four splits.
    """
    recipe, sizes, names = task.recipe, task.sizes, task.feature_names
    assert sizes.valid is not None
    assert sizes.id is not None
    assert sizes.ood is not None
    source = table(task, _sample(recipe["train"], names, Stream(task.id, "train")))
    order = Stream(task.id, "split").permutation(source.rows)
    test = None
    if recipe["test"] is not None:
        test = table(task, _sample(recipe["test"], names, Stream(task.id, "test")))
    if recipe["test_is"] == "id":
        train, valid = cut(source, order, (sizes.train, sizes.valid))
        inside = test
    else:
        train, valid, inside = cut(source, order, (sizes.train, sizes.valid, sizes.id))
    if recipe["test_is"] == "ood":
        return join(train, valid, inside, test)
    intervals = [linear(recipe["train"][name]["low"], recipe["train"][name]["high"]) for name in names]
    ood = accepted(task, sizes.ood, some_feature_outside(intervals, Stream(task.id, "ood")))
    return join(train, valid, inside, ood)
