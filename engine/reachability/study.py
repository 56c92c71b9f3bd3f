"""A paired study: plan it, ask for proposals, search every unit that is not finished yet, report progress."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.reachability import gp
from engine.reachability.arms import ARMS, GP_METHODS, Proposed, failed, level_of, run_unit
from engine.reachability.asking import proposals
from engine.reachability.greedy import KNOCKOUT_LIMITS, Limits
from engine.reachability.knockout import CONDITIONS, candidates
from engine.reachability.libraries import Library, expand
from engine.reachability.processes import spread
from engine.reachability.records import (
    NOT_RUN,
    PLAN,
    SCHEMA,
    UnitKey,
    compact,
    read,
    unit_file,
    write,
)
from engine.reachability.sources import Source
from tasks.materialize import splits as materialized
from tasks.schema import Task


@dataclass(frozen=True, slots=True)
class Study:
    """What is compared.

    Attributes
    ----------
    tasks
        Tasks.
    arms
        Of ``ARMS``.
    library
        Fixed library of BANK and UNION, as the plan names it.
    banks
        Library candidates of each (task id, arm).
    seeds
        Seeds; each draws its own subsample and starts.
    limits
        Search limits.
    noted
        Further entries of the plan.
    budget
        Of the GP arms.
    """

    tasks: tuple[Task, ...]
    arms: tuple[str, ...]
    library: Library
    banks: Mapping[tuple[str, str], tuple[str, ...]]
    seeds: tuple[int, ...]
    limits: Limits
    noted: Mapping[str, Any] = field(default_factory=dict)
    budget: gp.Budget = field(default_factory=gp.Budget)


def paired(
    tasks: Sequence[Task],
    arms: Sequence[str],
    library: Library,
    seeds: Sequence[int],
    limits: Limits,
    budget: gp.Budget | None = None,
) -> Study:
    """Plan a study of BANK, LLM and UNION arms over one library.

    Parameters
    ----------
    tasks, arms, library, seeds, limits, budget
        See `Study`; the budget is told in the plan where a GP arm stands in the study.

    Returns
    -------
    Study

    Raises
    ------
    EngineError
        For an unknown arm, or nothing to compare.
    """
    unknown = [arm for arm in arms if arm not in ARMS]
    if unknown:
        raise EngineError(f"unknown arm {unknown[0]!r}; the arms are {', '.join(ARMS)}")
    if not (tasks and arms and seeds):
        raise EngineError("a paired study needs at least one task, one arm and one seed")
    banks = {(task.id, arm): expand(library, len(task.features)) for task in tasks for arm in arms}
    spent = budget or gp.Budget()
    noted = {"gp": asdict(spent)} if set(arms) & set(GP_METHODS) else {}
    return Study(tuple(tasks), tuple(arms), library, banks, tuple(seeds), limits, noted, spent)


def knocked_out(chosen: Sequence[tuple[Task, str]], library: Library, seeds: Sequence[int]) -> Study:
    """Plan the matched knockouts: FULL, TARGET-KO and SHAM-KO with the budget of table 6.

    Parameters
    ----------
    chosen
        Diagnostic tasks with their operator families.
    library, seeds
        See `Study`.

    Returns
    -------
    Study
    """
    banks = {
        (task.id, condition): candidates(library, task, family, condition)
        for task, family in chosen
        for condition in CONDITIONS
    }
    return Study(
        tuple(task for task, _ in chosen),
        CONDITIONS,
        library,
        banks,
        tuple(seeds),
        KNOCKOUT_LIMITS,
        {"families": {task.id: family for task, family in chosen}},
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a study is.

    Attributes
    ----------
    done, total
        Units finished, and units there are; those that cannot run count as neither.
    left_s
        Estimate of the seconds left; None before the first unit of this session.
    last
        The unit finished last, in words.
    """

    done: int
    total: int
    left_s: float | None
    last: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a session of a study left.

    Attributes
    ----------
    finished
        Units that are on disk now.
    not_run
        (task, seed, level) whose model gave no answer, with the reason, and (task, seed, arm) of a GP arm
        whose method cannot run here: those arms are ``not run``.
    """

    finished: int
    not_run: tuple[tuple[str, int, str, str], ...]


@dataclass(frozen=True, slots=True)
class _Job:
    """The unfinished units of one task and seed."""

    task: Task
    seed: int
    arms: tuple[str, ...]
    banks: Mapping[str, tuple[str, ...]]
    proposed: Mapping[str, Proposed]
    limits: Limits
    budget: gp.Budget
    folder: Path


def lay_out(study: Study, folder: Path) -> None:
    """Write a study's plan, or check that the folder's plan is the same study, perhaps extended.

    Parameters
    ----------
    study
        What is compared.
    folder
        Output folder; made if it is not there.

    Raises
    ------
    EngineError
        For a folder that is in use for something else, or whose library or limits are others.
    """
    made = {
        **study.noted,
        "schema": SCHEMA,
        "library": {**asdict(study.library)},
        "limits": asdict(study.limits),
        "tasks": [{"id": task.id, "name": task.name, "domain": task.subgroup} for task in study.tasks],
        "arms": list(study.arms),
        "seeds": list(study.seeds),
    }
    before = read(folder / PLAN)
    if before is None:
        if folder.exists() and any(folder.iterdir()):
            raise EngineError(f"{folder} is not empty and holds no paired study; name a new folder")
        write(folder / PLAN, made)
        return
    for part in ("library", "limits"):
        if _plain(before.get(part)) != _plain(made[part]):
            raise EngineError(f"{folder} holds a study with another {part}; name another folder for this one")
    if "gp" in before and "gp" in made and before["gp"] != _plain(made["gp"]):
        raise EngineError(f"{folder} holds GP arms with another budget; name another folder for this one")
    write(folder / PLAN, _extended(before, made))


def _plain(value: object) -> object:
    """Return a value as it reads back from JSON."""
    return json.loads(json.dumps(value))


def _extended(before: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**made, **before}
    for part in ("tasks", "arms", "seeds"):
        merged[part] = [*before[part], *(item for item in made[part] if item not in before[part])]
    return merged


def run(
    study: Study,
    folder: Path,
    source: Source | None,
    workers: int,
    on_progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Search every unit of a study that is not finished.

    Parameters
    ----------
    study
        What is compared.
    folder
        Output folder; finished units in it are kept as they are.
    source
        Where proposals come from; None if no arm needs any.
    workers
        Processes; each uses one thread.
    on_progress
        Told after each unit.

    Returns
    -------
    Outcome

    Raises
    ------
    EngineError
        If an arm needs proposals and there is no source, or the plan does not fit the folder.
    """
    levels = tuple(dict.fromkeys(level for arm in study.arms if (level := level_of(arm))))
    if levels and source is None:
        raise EngineError(
            "these arms need proposals: name a model (--model) or a recorded file (--proposals)"
        )
    lay_out(study, folder)
    keys = [UnitKey(task.id, seed, arm) for seed in study.seeds for task in study.tasks for arm in study.arms]
    missing = {key for key in keys if not _finished(folder, key)}
    absent = {arm: why for arm in study.arms if arm in GP_METHODS and (why := gp.unavailable(arm))}
    done = len(keys) - len(missing)

    def asking(count: int, of: int) -> None:
        if on_progress is not None:
            on_progress(Progress(done, len(keys), None, f"asked {count} of {of} questions"))

    proposed, unanswered = proposals(study.tasks, folder, source, missing, asking)
    cannot = sorted((key.task, key.seed, key.arm) for key in missing if key.arm in absent)
    not_run = (*unanswered, *((*key, absent[key[2]]) for key in cannot))
    _note_not_run(folder, not_run)
    jobs = list(_jobs(study, folder, {key for key in missing if key.arm not in absent}, proposed))
    total = sum(len(job.arms) for job in jobs)
    began = time.monotonic()
    finished = 0
    for job in spread(_work, jobs, workers):
        finished += len(job.arms)
        if on_progress is not None:
            left = (time.monotonic() - began) / finished * (total - finished)
            last = f"{job.task.name}, seed {job.seed}"
            on_progress(Progress(done + finished, done + total, left, last))
    compact(folder)
    return Outcome(done + finished, not_run)


def _note_not_run(folder: Path, rows: Sequence[tuple[str, int, str, str]]) -> None:
    """Keep why units of this session could not run; they stay open and are tried again."""
    names = ("task", "seed", "what", "reason")
    cells = [dict(zip(names, row, strict=True)) for row in rows]
    write(folder / NOT_RUN, {"schema": SCHEMA, "cells": cells})


def _finished(folder: Path, key: UnitKey) -> bool:
    """Tell whether a unit has a result; one that failed is tried again."""
    record = read(unit_file(folder, key))
    return record is not None and record.get("status") != "failed"


def _jobs(
    study: Study, folder: Path, missing: set[UnitKey], proposed: Mapping[tuple[str, int, str], Proposed]
) -> Iterator[_Job]:
    for seed in study.seeds:
        for task in study.tasks:
            here = {
                level: proposed[task.id, seed, level]
                for level in ("l1", "l2")
                if (task.id, seed, level) in proposed
            }
            arms = tuple(
                arm
                for arm in study.arms
                if UnitKey(task.id, seed, arm) in missing and (level_of(arm) is None or level_of(arm) in here)
            )
            if arms:
                banks = {arm: study.banks[task.id, arm] for arm in arms}
                yield _Job(task, seed, arms, banks, here, study.limits, study.budget, folder)


def _work(job: _Job) -> None:
    data = materialized(job.task)
    for arm in job.arms:
        file = unit_file(job.folder, UnitKey(job.task.id, job.seed, arm))
        level = level_of(arm)
        proposed = job.proposed[level] if level else None
        try:
            if arm in GP_METHODS:
                fresh = not file.exists()
                record = gp.run_unit(
                    arm, job.task, data, job.seed, job.limits.rows, job.budget, job.folder, adopt=fresh
                )
            else:
                record = run_unit(arm, job.task, data, job.seed, job.banks[arm], proposed, job.limits)
        except (ArithmeticError, ValueError, TypeError, np.linalg.LinAlgError) as error:
            record = failed(arm, job.task, job.seed, f"{type(error).__name__}: {error}")
        except EngineError as error:
            record = failed(arm, job.task, job.seed, str(error))
        write(file, record)
