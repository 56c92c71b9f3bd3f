"""Rows of the Tasks view: one method on one task, its axes over the seeds."""

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING

from arena_tui.screens.scores.rows import AXES, hundredfold, tenths, text
from arena_tui.widgets.table import Column, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.scoring.rows import RunScore, TaskScore

TASK_COLUMNS = (
    Column("label", "method", 8, grow=1),
    Column("name", "task", 14, grow=1),
    Column("seeds", "seeds", 5, right=True),
    *(Column(axis, axis, 5, right=True, show=tenths) for axis in AXES),
    Column("equal", "equal", 5, right=True, show=text),
    Column("task", "id", 6),
)


def task_key(label: str, task: str) -> str:
    """Name a method on a task."""
    return f"{label}/{task}"


def task_rows(tasks: "Sequence[TaskScore]", runs: "Sequence[RunScore]") -> list[Row]:
    """Make the rows of methods on tasks under one condition.

    Parameters
    ----------
    tasks : sequence of TaskScore
        The methods and tasks to show.
    runs : sequence of RunScore
        At least their runs.

    Returns
    -------
    list of Row
        Means over the seeds that have a score, 0 to 100; ``equal`` counts the seeds judged equivalent.
    """
    groups: dict[str, list[RunScore]] = defaultdict(list)
    for run in runs:
        groups[task_key(run.label, run.task)].append(run)
    made = []
    for task in tasks:
        key = task_key(task.label, task.task)
        scored = [run for run in groups[key] if run.state == "scored"]
        values: dict[str, object] = {"label": task.label, "name": task.name, "task": task.task}
        values["seeds"] = f"{len(scored)}/{len(task.seeds)}"
        for axis in AXES[:5]:
            found = [value for run in scored if (value := run.scores.get(axis)) is not None]
            values[axis] = hundredfold(statistics.fmean(found)) if found else None
        values["STAB"] = None if task.stability is None else hundredfold(task.stability.value)
        judged = [run.verdict for run in scored if run.verdict is not None]
        values["equal"] = f"{judged.count('equivalent')}/{len(scored)}" if judged else None
        made.append(Row(key, values))
    return made
