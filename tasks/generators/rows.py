"""Steps that several family rules share: targets of rows, drawing until enough rows count, cutting splits."""

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks import formula
from tasks.errors import TaskError
from tasks.outside import Outside
from tasks.randomness import Stream
from tasks.schema import Splits, Table, Task

MOST_BLOCKS = 400
"""Blocks of candidate rows that may be drawn before a rule is declared impossible."""


def target(task: Task, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ground truth of a task on rows of shape (n, d)."""
    assert task.formula is not None
    return formula.evaluate(task.formula, task.feature_names, X)


def table(task: Task, X: NDArray[np.float64], y: NDArray[np.float64] | None = None) -> Table:
    """Return rows as a table; the target is computed from the ground truth unless it is given."""
    X = np.ascontiguousarray(X)
    return Table(task.feature_names, X, target(task, X) if y is None else np.ascontiguousarray(y))


def finite(y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which targets are finite: the condition under which most families keep a row."""
    return np.isfinite(y)


def accepted(
    task: Task,
    rows: int,
    draw: Callable[[int], NDArray[np.float64]],
    keep: Callable[[NDArray[np.float64]], NDArray[np.bool_]] = finite,
) -> Table:
    """Draw rows until ``rows`` of them have an acceptable target.

    Parameters
    ----------
    task : Task
        Gives the ground truth.
    rows : int
        How many rows to keep, in the order they were drawn.
    draw : callable
        Returns the next n candidate rows, shape (n, d).
    keep : callable
        Which targets are acceptable, shape (n,).

    Returns
    -------
    Table
        The kept rows.

    Raises
    ------
    TaskError
        When hardly any candidate is acceptable.
    """
    kept_X: list[NDArray[np.float64]] = []
    kept_y: list[NDArray[np.float64]] = []
    have = 0
    for _ in range(MOST_BLOCKS):
        X = draw(rows)
        y = target(task, X)
        good = keep(y)
        kept_X.append(X[good])
        kept_y.append(y[good])
        have += int(good.sum())
        if have >= rows:
            X, y = np.concatenate(kept_X)[:rows], np.concatenate(kept_y)[:rows]
            return Table(task.feature_names, np.ascontiguousarray(X), np.ascontiguousarray(y))
    raise TaskError(
        f"{task.id} {task.name}: {MOST_BLOCKS * rows} candidate rows hold only {have} acceptable ones"
    )


def every_feature_outside(
    intervals: Sequence[Outside], stream: Stream
) -> Callable[[int], NDArray[np.float64]]:
    """Return a drawer of rows in which every feature lies outside its training range."""

    def draw(count: int) -> NDArray[np.float64]:
        choice, place = stream.unit(len(intervals), count), stream.unit(len(intervals), count)
        columns = [outside.draw(choice[j], place[j]) for j, outside in enumerate(intervals)]
        return np.column_stack(columns)

    return draw


def some_feature_outside(
    intervals: Sequence[Outside], stream: Stream
) -> Callable[[int], NDArray[np.float64]]:
    """Return a drawer of rows with one feature, drawn per row, outside; the others in the extended domain."""

    def draw(count: int) -> NDArray[np.float64]:
        d = len(intervals)
        forced = np.floor(stream.unit(count) * d)
        choice, place = stream.unit(d, count), stream.unit(d, count)
        columns = []
        for j, outside in enumerate(intervals):
            low, high = outside.extended
            anywhere = low + (high - low) * place[j]
            columns.append(np.where(forced == j, outside.draw(choice[j], place[j]), anywhere))
        return np.column_stack(columns)

    return draw


def cut(whole: Table, order: NDArray[np.intp], sizes: Sequence[int]) -> tuple[Table, ...]:
    """Cut rows, taken in the given order, into consecutive parts of the given sizes."""
    edges = np.cumsum([0, *sizes])
    parts = []
    for start, end in itertools.pairwise(edges):
        rows = order[start:end]
        parts.append(Table(whole.names, np.ascontiguousarray(whole.X[rows]), whole.y[rows]))
    return tuple(parts)


def join(train: Table, valid: Table | None, inside: Table | None, ood: Table | None) -> Splits:
    """Return the splits, leaving out tables without rows."""
    return Splits(
        train,
        *(part if part is not None and part.rows else None for part in (valid, inside, ood)),
    )
