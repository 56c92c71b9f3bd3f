"""Acc_tau of final expressions on the ID split, frozen with the other measures."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from engine.expression import ExpressionError, evaluate, parse
from engine.judging.records import Records
from engine.running import user_data
from engine.running.records import Run
from engine.scoring.accuracy import THRESHOLDS, accuracy
from tasks.errors import TaskError

VERSION = 1
# Success under each threshold, in the order of THRESHOLDS; None where there is no ID split.
Successes = tuple[bool | None, ...]


def accuracies(
    campaign: Path, runs: Iterable[Run], records: Records, progress: Callable[[str, int, int], None]
) -> dict[str, Successes]:
    """Compute Acc_0.01 and Acc_0.001 of every run whose final expression can be read.

    Parameters
    ----------
    campaign : Path
        The campaign folder.
    runs : iterable of Run
        Runs with a valid final expression.
    records : Records
        Frozen measures.
    progress : callable
        Told (stage, done, total).

    Returns
    -------
    dict of str to tuple
        By run id.
    """
    found: dict[str, Successes] = {}
    fresh: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        known = records.get("measures", _dependencies(run))
        if known is None:
            fresh[run.task].append(run)
        else:
            found[run.id] = tuple(known.outcome["successes"])
    for done, (task, group) in enumerate(sorted(fresh.items()), 1):
        for run, successes in zip(group, _of_task(campaign, task, group), strict=True):
            records.freeze("measures", _dependencies(run), {"successes": list(successes)})
            found[run.id] = successes
        progress("evaluating on ID", done, len(fresh))
    return found


def _of_task(campaign: Path, task: str, group: list[Run]) -> list[Successes]:
    nothing: Successes = (None,) * len(THRESHOLDS)
    try:
        table = user_data.splits(campaign, task).id
    except TaskError:
        return [nothing] * len(group)
    if table is None or not table.rows:
        return [nothing] * len(group)
    successes: list[Successes] = []
    for run in group:
        try:
            predicted = evaluate(parse(run.expression or "", table.names), table.X)
        except ExpressionError:
            predicted = np.full(table.rows, np.nan)
        results = [accuracy(table.y, predicted, threshold) for threshold in THRESHOLDS]
        successes.append(tuple(None if result is None else result.success for result in results))
    return successes


def _dependencies(run: Run) -> dict[str, Any]:
    return {"measure": "accuracy", "version": VERSION, "task": run.task, "expression": run.expression}
