"""Checks of a task's rows that need no formula: columns, sizes, finiteness, ranges, OOD, discrete targets."""

import numpy as np
from numpy.typing import NDArray

from engine.verification.report import SHOWN_ROWS, Finding, Row
from tasks.generators.first_principles import extremeness
from tasks.ood import intervals as ood_intervals
from tasks.schema import Splits, Table, Task

RANGE_SLACK = 1e-5
"""Relative slack of a declared end: observed ends are rounded to six digits."""
FEW_VALUES = 10
FEW_VALUES_FROM_ROWS = 20
"""A target with at most ten distinct values in twenty or more rows looks like a class label."""


def columns(task: Task, splits: Splits) -> list[Finding]:
    """Check names, order and shapes of every split, and the recorded sizes."""
    faults = []
    for name, table in splits.named():
        if table.names != task.feature_names:
            faults.append(
                Finding("columns", name, f"has {list(table.names)}, not {list(task.feature_names)}")
            )
        if table.X.shape != (table.rows, len(table.names)):
            faults.append(Finding("columns", name, f"has values of shape {table.X.shape}"))
        expected = getattr(task.sizes, name)
        if table.rows != expected:
            faults.append(Finding("sizes", name, f"has {table.rows} rows, not the recorded {expected}"))
    present = {name for name, _ in splits.named()}
    return faults + [
        Finding("sizes", name, "is missing")
        for name in ("train", "valid", "id", "ood")
        if getattr(task.sizes, name) is not None and name not in present
    ]


def finite(splits: Splits) -> list[Finding]:
    """Check that every value of every split is finite."""
    faults = []
    for name, table in splits.named():
        bad = np.flatnonzero(~(np.isfinite(table.X).all(axis=1) & np.isfinite(table.y)))
        if len(bad):
            message = f"{len(bad)} rows hold NaN or infinite values, the first is row {bad[0]}"
            rows = tuple(Row(int(row), None, None) for row in bad[:SHOWN_ROWS])
            faults.append(Finding("finite", name, message, len(bad), rows=rows))
    return faults


def in_ranges(task: Task, splits: Splits) -> list[Finding]:
    """Check that train, valid and ID rows lie in the declared domain of every feature.

    Imported metadata give the training range only, so there the other splits are not held to it.
    """
    faults = []
    for name, table in splits.named():
        if name == "ood" or (name == "id" and task.recipe.get("test_is") == "id"):
            continue
        if name != "train" and task.provenance.data == "imported":
            continue
        for j, variable in enumerate(task.features):
            if variable.low is None or variable.high is None:
                continue
            slack = RANGE_SLACK * max(variable.high - variable.low, abs(variable.low), abs(variable.high))
            values = table.X[:, j]
            bad = np.flatnonzero((values < variable.low - slack) | (values > variable.high + slack))
            if len(bad):
                message = (
                    f"{len(bad)} values of {variable.name!r} lie outside [{variable.low:g}, "
                    f"{variable.high:g}], the first in row {bad[0]}: {values[bad[0]]:g}"
                )
                faults.append(Finding("ranges", name, message, len(bad)))
    return faults


def _beyond(train: Table, ood: Table) -> NDArray[np.bool_]:
    least, greatest = train.X.min(axis=0), train.X.max(axis=0)
    return np.asarray((least > ood.X) | (greatest < ood.X))


def outside(task: Task, splits: Splits) -> list[Finding]:
    """Check that OOD rows are where the task's OOD type says; types that promise nothing pass."""
    train, ood = splits.train, splits.ood
    if ood is None:
        return []
    beyond = _beyond(train, ood)
    intervals = ood_intervals(task, train)
    bad: NDArray[np.bool_] = np.zeros(ood.rows, dtype=bool)
    match task.ood_type:
        case "every-feature-outside":
            bad = np.asarray(~beyond.all(axis=1))
            if intervals is not None:
                inside_rule = [interval.holds(ood.X[:, j]) for j, interval in enumerate(intervals)]
                bad |= ~np.column_stack(inside_rule).all(axis=1)
        case "some-feature-outside" if intervals is not None:
            reached = [interval.holds(ood.X[:, j]) for j, interval in enumerate(intervals)]
            ends = np.array([interval.extended for interval in intervals])
            slack = 1e-9 * (ends[:, 1] - ends[:, 0])
            least, greatest = ends[:, 0] - slack, ends[:, 1] + slack
            within = (least <= ood.X) & (greatest >= ood.X)
            bad = ~(np.column_stack(reached).any(axis=1) & within.all(axis=1))
        case "later-time":
            time = task.feature_names.index("t")
            bad = ~(ood.X[:, time] > train.X[:, time].max())
        case "higher-strain-and-temperature":
            greatest = train.X.max(axis=0)
            bad = np.asarray(~(greatest < ood.X).all(axis=1))
        case "extreme-rows":
            return _extreme(task, splits)
    if not bad.any():
        return []
    first = int(np.flatnonzero(bad)[0])
    message = f"{int(bad.sum())} of {ood.rows} rows are not {task.ood_type}, the first is row {first}"
    return [Finding("outside", "ood", message, int(bad.sum()))]


def _extreme(task: Task, splits: Splits) -> list[Finding]:
    tables = dict(splits.named())
    X = np.concatenate([table.X for table in tables.values()])
    spec = task.recipe.get("stand_in")
    for j, name in enumerate(task.feature_names):
        if spec is not None and spec["sampling"][name]["kind"] == "log-uniform":
            X[:, j] = np.log(X[:, j])
    far = extremeness(X)
    edge = len(X) - tables["ood"].rows
    if far[edge:].min() < far[:edge].max() - 1e-12:
        return [Finding("outside", "ood", "some row elsewhere is more extreme than an OOD row")]
    return []


def discrete_target(splits: Splits) -> list[Finding]:
    """Warn about a target with few distinct values, which may be a class label."""
    y = np.concatenate([table.y for _, table in splits.named()])
    values = np.unique(y[np.isfinite(y)])
    if len(y) >= FEW_VALUES_FROM_ROWS and len(values) <= FEW_VALUES:
        shown = ", ".join(f"{value:g}" for value in values[:3])
        more = ", ..." if len(values) > 3 else ""
        message = f"the target has only {len(values)} distinct values ({shown}{more}) in {len(y)} rows"
        return [Finding("discrete", None, message)]
    return []
