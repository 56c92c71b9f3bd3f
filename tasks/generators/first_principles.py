"""First principles of SRBench 2025: real observations where known, documented stand-ins where not."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.generators import ranges
from tasks.generators.rows import cut, join, target
from tasks.randomness import Stream
from tasks.schema import Splits, Table, Task

SPLITS = ("train", "valid", "id", "ood")


def extremeness(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far out each row lies: its greatest distance from a column's middle in half-widths.

    The most extreme rows leave first when the box around all rows is shrunk on every axis alike, which is how
    the arena's OOD rows were chosen.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        The rows.

    Returns
    -------
    ndarray of float64, shape (n,)
        Values in [0, 1].
    """
    low, high = X.min(axis=0), X.max(axis=0)
    half = np.where(high > low, (high - low) / 2, 1.0)
    return np.asarray((np.abs(X - (low + high) / 2) / half).max(axis=1))


def _stand_in(task: Task, spec: Mapping[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw rows of the declared inputs and add the declared noise to the law's value."""
    stream, noise = Stream(task.id, "stand-in"), Stream(task.id, "noise")
    rows: int = spec["rows"]
    kept: list[NDArray[np.float64]] = []
    while sum(len(block) for block in kept) < rows:
        columns: dict[str, NDArray[np.float64]] = {}
        for name in task.feature_names:
            sampling = spec["sampling"][name]
            values = ranges.column(sampling, stream, rows)
            columns[name] = values + columns[sampling["above"]] if "above" in sampling else values
        block = np.column_stack([columns[name] for name in task.feature_names])
        kept.append(block[np.isfinite(target(task, block))])
    X = np.concatenate(kept)[:rows]
    return X, target(task, X) + spec["noise"] * noise.normal(rows)


def generate(task: Task) -> Splits:
    """Assemble a first-principles task.

    Observed rows keep the splits that were published with them. Elsewhere the most extreme rows are the OOD
    split and the rest is shuffled and cut; axes that a stand-in draws log-uniformly count in logarithms.

    Parameters
    ----------
    task : Task
        A task whose recipe has the rule ``first-principles``.

    Returns
    -------
    Splits
        The four splits. The targets of observed rows are measurements, those of stand-ins the law plus noise.
    """
    recipe, sizes = task.recipe, task.sizes
    assert sizes.valid is not None
    assert sizes.id is not None
    assert sizes.ood is not None
    observed = recipe["observed"] or {name: [] for name in (*task.feature_names, task.target.name)}
    X = np.column_stack([np.asarray(observed[name], dtype=np.float64) for name in task.feature_names])
    y = np.asarray(observed[task.target.name], dtype=np.float64)
    spec = recipe["stand_in"]
    if recipe["splits"] is not None:
        place = np.asarray([SPLITS.index(split) for split in recipe["splits"]])
        order = np.argsort(place, kind="stable")
        whole = Table(task.feature_names, X, y)
        return join(*cut(whole, order, (sizes.train, sizes.valid, sizes.id, sizes.ood)))
    if spec is not None:
        more_X, more_y = _stand_in(task, spec)
        X, y = np.concatenate([X, more_X]), np.concatenate([y, more_y])
    axes = X.copy()
    for j, name in enumerate(task.feature_names):
        if spec is not None and spec["sampling"][name]["kind"] == "log-uniform":
            axes[:, j] = np.log(X[:, j])
    outward = np.argsort(-extremeness(axes), kind="stable")
    inside = np.sort(outward[sizes.ood :])
    shuffled = inside[Stream(task.id, "split").permutation(len(inside))]
    order = np.concatenate([shuffled, np.sort(outward[: sizes.ood])])
    parts = cut(Table(task.feature_names, X, y), order, (sizes.train, sizes.valid, sizes.id, sizes.ood))
    return join(*parts)
