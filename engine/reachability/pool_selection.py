"""Selection rules on fixed pools: the study, every task and seed once, and its table (table 15)."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.reachability.arms import tested, training_rows
from engine.reachability.processes import spread
from engine.reachability.records import SCHEMA, UnitKey, compact, plan, read, unit_file, units, write
from engine.reachability.report import Report, Table, Value
from engine.reachability.selection import RULES, UPPER_BOUND, Candidate, judged, pick, pool_of
from engine.reachability.studies import Cell, cells_of, lay_out, study_plan
from engine.reachability.study import Progress
from engine.reachability.subsample import subsample
from tasks import catalogue
from tasks.materialize import splits

KIND = "pool-selection"
RULES_ARE_OURS = (
    "The rules are ours: paper 2 names them and gives no details. Falsification and process reward look at "
    "training rows that no fit has seen; the upper bound looks at the test sets and is no rule."
)
CRITERIA: Mapping[str, str] = {"acc0.01": "Acc0.01", "acc0.001": "Acc0.001", "strict": "Strict ID+OOD"}


@dataclass(frozen=True, slots=True)
class _Job:
    cell: Cell
    pool: tuple[Candidate, ...]
    digest: str
    rows: int
    folder: Path


def run(
    folders: Sequence[Path],
    out: Path,
    tasks: Sequence[str] | None,
    workers: int,
    on_progress: Callable[[Progress], None] | None = None,
) -> int:
    """Judge and score every formula of every pool that is not done yet, and let each rule pick.

    Parameters
    ----------
    folders
        Paired studies whose formulas make the pools; formulas of one task and seed are one pool.
    out
        Output folder; run again to resume. A pool that has changed is done again.
    tasks
        Ids to keep; None for all.
    workers
        Processes.
    on_progress
        Told after each pool.

    Returns
    -------
    int
        Pools that are done.

    Raises
    ------
    EngineError
        If there is nothing to select from, or the studies were fitted to different numbers of rows.
    """
    sizes = {int(plan(folder)["limits"]["rows"]) for folder in folders}
    if len(sizes) != 1:
        raise EngineError("these studies were fitted to different numbers of rows; their pools do not mix")
    cells = cells_of(folders, tasks)
    pools = {cell: pool for cell, found in cells.items() if (pool := pool_of(found))}
    if not pools:
        raise EngineError("no unit there has a formula; there is nothing to select from")
    rows = sizes.pop()
    made = {
        "studies": [folder.name for folder in folders],
        "rows": rows,
        "cells": [list(cell) for cell in pools],
    }
    lay_out(out, KIND, made, ("rows",))
    jobs = [
        job for cell, pool in pools.items() if not _done(job := _Job(cell, pool, _digest(pool), rows, out))
    ]
    done, began = len(pools) - len(jobs), time.monotonic()
    for count, job in enumerate(spread(_work, jobs, workers), start=1):
        if on_progress is not None:
            left = (time.monotonic() - began) / count * (len(jobs) - count)
            last = f"{job.cell[0]}, seed {job.cell[1]}"
            on_progress(Progress(done + count, len(pools), left, last))
    compact(out)
    return len(pools)


def report(out: Path) -> Report:
    """Make table 15 from a study's folder.

    Parameters
    ----------
    out
        Output folder of `run`.

    Returns
    -------
    Report
    """
    made = study_plan(out, KIND)
    wanted = {(str(task), int(seed)) for task, seed in made["cells"]}
    found = [unit for unit in units(out) if (unit["task"], unit["seed"]) in wanted]
    rows: list[tuple[Value, ...]] = []
    for rule in (*RULES, UPPER_BOUND):
        counts = [_solved(found, rule, criterion) for criterion in CRITERIA]
        moved: Value = None
        if rule not in (RULES[0], UPPER_BOUND):
            moved = sum(unit["picks"][rule] != unit["picks"][RULES[0]] for unit in found)
        rows.append((rule, *counts, moved, len(found)))
    sizes = [len(unit["pool"]) for unit in found]
    spread_of = f"{min(sizes)} to {max(sizes)}" if sizes else "no"
    of = ", ".join(made["studies"])
    notes = [
        f"Pools of {spread_of} formulas from {of}: each arm's saved one and those of its greedy path.",
        RULES_ARE_OURS,
    ]
    if len(found) < len(wanted):
        notes.append(f"{len(wanted) - len(found)} of {len(wanted)} pools are not done; run again.")
    blind = sum(unit["unseen"] == 0 for unit in found)
    if blind:
        notes.append(
            f"{blind} pools have no unseen training rows: there every rule looks at the fitted ones."
        )
    return Report(
        f"Selection from fixed pools: {len({unit['task'] for unit in found})} tasks, {len(found)} pools",
        (
            Table(
                "pool_selection",
                "Pools whose picked formula passes, by rule (table 15)",
                ("rule", *CRITERIA.values(), "other pick than least NMSE", "pools"),
                tuple(rows),
            ),
        ),
        tuple(notes),
    )


def _solved(found: Sequence[Mapping[str, Any]], rule: str, criterion: str) -> int:
    if rule == UPPER_BOUND:
        return sum(any(one[criterion] for one in unit["pool"]) for unit in found)
    return sum(bool(unit["pool"][unit["picks"][rule]][criterion]) for unit in found)


def _digest(pool: Sequence[Candidate]) -> str:
    text = "\n".join("\t".join(one.steps) for one in pool)
    return hashlib.sha256(text.encode()).hexdigest()


def _file(job: _Job) -> Path:
    return unit_file(job.folder, UnitKey(job.cell[0], job.cell[1], KIND))


def _done(job: _Job) -> bool:
    record = read(_file(job))
    return record is not None and record.get("digest") == job.digest


def _work(job: _Job) -> None:
    task = catalogue.get(job.cell[0])
    data = splits(task)
    X, y = training_rows(data)
    rows = subsample(len(y), job.rows, f"{task.id}:{job.cell[1]}")
    rest = np.setdiff1d(np.arange(len(y)), rows)
    seen = rest if len(rest) else rows
    fit, unseen = (X[rows], y[rows]), (X[seen], y[seen])
    facts = [judged(one, fit, unseen) for one in job.pool]
    pool = []
    for one, fact in zip(job.pool, facts, strict=True):
        outcome = tested(one.text, task, data)
        passed = {name: bool(outcome[name]) for name in CRITERIA}
        pool.append({"text": one.text, "steps": len(one.steps), **asdict(fact), **passed})
    record = {
        "schema": SCHEMA,
        "task": task.id,
        "name": task.name,
        "domain": task.subgroup,
        "seed": job.cell[1],
        "arm": KIND,
        "status": "ok",
        "digest": job.digest,
        "unseen": len(rest),
        "pool": pool,
        "picks": {rule: pick(rule, facts, len(seen)) for rule in RULES},
    }
    write(_file(job), record)
