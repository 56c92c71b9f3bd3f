"""Verifies tasks one by one or in parallel, and the Full Task Set as a whole."""

import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from engine.expression import Node
from engine.verification import checks, digests, duplicates, pool, replay
from engine.verification.report import Finding, Report, Summary, merged
from tasks import cache, catalogue, formula, labels, materialize, normal, statistics
from tasks.errors import TaskError
from tasks.schema import Splits, Task

NORMALIZED_AGREEMENT = 1e-6
"""Relative agreement of the normalized form, whose constants have twelve digits, with the formula itself."""
IN_PROCESS = 8
"""Up to this many tasks are verified in the calling process."""


def normalized_form(task: Task, splits: Splits) -> list[Finding]:
    """Check that the normalized form is stable and means the same as the formula."""
    assert task.formula is not None
    text = normal.normalized(task.formula, task.feature_names)
    if normal.normalized(text, task.feature_names) != text:
        return [Finding("normalized", None, f"normalizing {text} again changes it")]
    table = splits.train
    plain = formula.evaluate(task.formula, task.feature_names, table.X)
    again = formula.evaluate(text, task.feature_names, table.X)
    with np.errstate(all="ignore"):
        defined = np.isfinite(plain)
        scale = np.maximum(np.abs(plain), 1e-3 * np.std(plain, where=defined))
        bad = defined & ~(np.abs(again - plain) <= NORMALIZED_AGREEMENT * scale)
    if bad.any():
        return [
            Finding(
                "normalized", "train", f"the normalized form differs on {int(bad.sum())} rows", int(bad.sum())
            )
        ]
    return []


def verify_rows(task: Task, splits: Splits, found: Sequence[Finding] = ()) -> Report:
    """Verify a task on given rows.

    Parameters
    ----------
    task : Task
        The task.
    splits : Splits
        Its rows.
    found : sequence of Finding
        Faults that are already known, of the rows' source.

    Returns
    -------
    Report
        All findings.
    """
    faults = [*found, *checks.columns(task, splits), *checks.finite(splits)]
    warnings = checks.discrete_target(splits)
    worst = None
    if not any(fault.check == "columns" for fault in faults):
        faults += [*checks.in_ranges(task, splits), *checks.outside(task, splits)]
        if task.formula is not None:
            node = replay.ground_truth(task)
            if isinstance(node, Finding):
                faults.append(node)
            else:
                worst, wrong, told = _replayed(task, node, splits)
                faults, warnings = [*faults, *wrong], [*warnings, *told]
    return Report(
        id=task.id,
        name=task.name,
        family=task.family,
        rows=sum(table.rows for _, table in splits.named()),
        worst_disagreement=worst if worst is not None and np.isfinite(worst) else None,
        faults=merged(faults),
        warnings=merged(warnings),
        digests={name: cache.values_digest(table) for name, table in splits.named()},
    )


def _replayed(task: Task, node: Node, splits: Splits) -> tuple[float, list[Finding], list[Finding]]:
    worst, faults, warnings = replay.all_splits(task, node, splits)
    return worst, [*faults, *normalized_form(task, splits)], warnings


def verify_task(task: Task) -> Report:
    """Verify a task of the catalogue, of the imports or of a pack, making its rows when they are not cached.

    Parameters
    ----------
    task : Task
        The task.

    Returns
    -------
    Report
        All findings; a task whose rows cannot be made fails with that sentence.
    """
    try:
        if task.recipe["rule"] in materialize.KEPT_ELSEWHERE:
            splits, found = materialize.splits(task), list[Finding]()
        else:
            splits, found = digests.cached_rows(task)
    except TaskError as error:
        fault = Finding("columns", None, str(error))
        return Report(task.id, task.name, task.family, 0, None, (fault,))
    return verify_rows(task, splits, found)


def verify_many(
    tasks: Sequence[Task],
    *,
    workers: int | None = None,
    progress: Callable[[int, Report], None] | None = None,
) -> Summary:
    """Verify tasks, many of them in parallel processes; the result does not depend on their number.

    Parameters
    ----------
    tasks : sequence of Task
        The tasks.
    workers : int, optional
        Processes; the number of usable cores when omitted.
    progress : callable, optional
        Called with the number of finished tasks and each report, in order.

    Returns
    -------
    Summary
        Reports in the order of the tasks, duplicate groups, and the pool's counts when all 664 are there.
    """
    start = time.monotonic()
    reports: list[Report] = []

    def keep(report: Report) -> None:
        reports.append(report)
        if progress is not None:
            progress(len(reports), report)

    if len(tasks) <= IN_PROCESS:
        for task in tasks:
            keep(verify_task(task))
    else:
        count = workers or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else workers
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(count, mp_context=context) as executor:
            for report in executor.map(verify_task, tasks, chunksize=4):
                keep(report)
    found = duplicates.groups(tasks, {report.id: report.digests for report in reports})
    whole = {task.id for task in tasks} >= {task.id for task in catalogue.full()}
    return Summary(
        reports=tuple(reports),
        pool=tuple(full_task_set()) if whole else (),
        duplicates=duplicates.compared(found),
        seconds=time.monotonic() - start,
    )


def full_task_set() -> list[str]:
    """Compare the Full Task Set with its frozen manifest, the paper's family counts and Core50."""
    core = tuple(task for task, label in labels.published().items() if label.core50)
    declared = pool.Declared(
        ids=tuple(digests.frozen()),
        families=statistics.PAPER_FAMILIES,
        total=statistics.PAPER_TASKS,
        sets={"core50": (statistics.PAPER_CORE50, core)},
    )
    return pool.disagreements(declared, [(task.id, task.family) for task in catalogue.full()])
