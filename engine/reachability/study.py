"""A paired study: plan it, ask for proposals, search every unit that is not finished yet, report progress."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.reachability.arms import ARMS, Proposed, failed, level_of, run_unit, training_rows
from engine.reachability.greedy import KNOCKOUT_LIMITS, Limits
from engine.reachability.knockout import CONDITIONS, candidates
from engine.reachability.libraries import Library, expand
from engine.reachability.prompts import Level, question
from engine.reachability.proposals import menu, products
from engine.reachability.records import PLAN, SCHEMA, UnitKey, compact, read, unit_file, write
from engine.reachability.sources import Asked, Saved, Source
from tasks.materialize import splits as materialized
from tasks.schema import Task
from tasks.semantics import describe

ASKING_THREADS = 8
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
DOMAINS: Mapping[str, str] = {
    "bio_pop_growth": "population growth in biology",
    "chem_react": "kinetics of a chemical reaction",
    "phys_osc": "a physical oscillator",
    "matsci": "constitutive behaviour of a material",
}


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
    """

    tasks: tuple[Task, ...]
    arms: tuple[str, ...]
    library: Library
    banks: Mapping[tuple[str, str], tuple[str, ...]]
    seeds: tuple[int, ...]
    limits: Limits
    noted: Mapping[str, Any] = field(default_factory=dict)


def paired(
    tasks: Sequence[Task], arms: Sequence[str], library: Library, seeds: Sequence[int], limits: Limits
) -> Study:
    """Plan a study of BANK, LLM and UNION arms over one library.

    Parameters
    ----------
    tasks, arms, library, seeds, limits
        See `Study`.

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
    return Study(tuple(tasks), tuple(arms), library, banks, tuple(seeds), limits)


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
        (task, seed, level) whose model gave no answer, with the reason: their arms are ``not run``.
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
    write(folder / PLAN, _extended(before, made))


def _plain(value: object) -> object:
    """Return a value as it reads back from JSON."""
    return json.loads(json.dumps(value))


def _extended(before: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(before)
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
    proposed, not_run = _proposals(study, folder, source, missing)
    jobs = list(_jobs(study, folder, missing, proposed))
    total = sum(len(job.arms) for job in jobs)
    done = len(keys) - len(missing)
    began = time.monotonic()
    finished = 0
    for job in _searched(jobs, workers):
        finished += len(job.arms)
        if on_progress is not None:
            left = (time.monotonic() - began) / finished * (total - finished)
            last = f"{job.task.name}, seed {job.seed}"
            on_progress(Progress(done + finished, done + total, left, last))
    compact(folder)
    return Outcome(done + finished, not_run)


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
                yield _Job(task, seed, arms, banks, here, study.limits, folder)


def _searched(jobs: Sequence[_Job], workers: int) -> Iterator[_Job]:
    """Run jobs in processes that end with this one."""
    if not jobs:
        return
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        with ProcessPoolExecutor(
            max_workers=max(1, min(workers, len(jobs))),
            mp_context=get_context("spawn"),
            initializer=_end_with,
            initargs=(os.getpid(),),
        ) as executor:
            waiting: dict[Future[None], _Job] = {executor.submit(_work, job): job for job in jobs}
            try:
                for future in as_completed(waiting):
                    future.result()
                    yield waiting[future]
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _end_with(parent: int) -> None:
    """End this process soon after the engine is gone, however it went."""
    import threading

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, name="watch", daemon=True).start()


def _work(job: _Job) -> None:
    data = materialized(job.task)
    for arm in job.arms:
        level = level_of(arm)
        proposed = job.proposed[level] if level else None
        try:
            record = run_unit(arm, job.task, data, job.seed, job.banks[arm], proposed, job.limits)
        except (ArithmeticError, ValueError, TypeError, np.linalg.LinAlgError) as error:
            record = failed(arm, job.task, job.seed, f"{type(error).__name__}: {error}")
        write(unit_file(job.folder, UnitKey(job.task.id, job.seed, arm)), record)


def _proposals(
    study: Study, folder: Path, source: Source | None, missing: set[UnitKey]
) -> tuple[dict[tuple[str, int, str], Proposed], tuple[tuple[str, int, str, str], ...]]:
    """Ask for what the missing units need; answered questions of this folder are not asked again."""
    if source is None:
        return {}, ()
    saved = Saved(folder)
    tasks = {task.id: task for task in study.tasks}
    wanted = sorted({(key.task, key.seed, level) for key in missing if (level := level_of(key.arm))})
    found: dict[tuple[str, int, str], Proposed] = {}
    not_run: list[tuple[str, int, str, str]] = []
    with ThreadPoolExecutor(ASKING_THREADS) as threads:
        answers = threads.map(lambda key: _asked(saved, source, tasks[key[0]], key[1], key[2]), wanted)
        for key, asked in zip(wanted, answers, strict=True):
            if asked.answer is None:
                not_run.append((*key, asked.reason or "no answer"))
            else:
                found[key] = usable(asked)
    return found, tuple(not_run)


def _asked(saved: Saved, source: Source, task: Task, seed: int, level: str) -> Asked:
    X, y = training_rows(materialized(task))
    level_: Level = "l1" if level == "l1" else "l2"
    asked = question(level_, task.feature_names, task.target.name, hint(task), X, y)
    return replace(saved.ask(source, task.id, task.name, seed, asked), seed=seed)


def usable(asked: Asked) -> Proposed:
    """Turn an answer into candidates, and count what was dropped.

    Parameters
    ----------
    asked
        An answered question.

    Returns
    -------
    Proposed
    """
    read_ = menu(asked.answer or "", asked.names, asked.symbol)
    made = products(read_.atoms)
    record = {
        "level": asked.level,
        "proposed": read_.proposed,
        "usable": len(read_.atoms),
        "products": len(made),
        "dropped": [{"text": one.text, "reason": one.reason} for one in read_.dropped],
        "reason": read_.reason,
        "source": dict(asked.source),
        "atoms": list(read_.atoms),
    }
    return Proposed(read_.atoms, made, record)


def hint(task: Task) -> str:
    """Describe a task's domain and variables for the named condition, without its formula."""
    domain = DOMAINS.get(task.subgroup.lower(), f"{task.family}, {task.subgroup}".replace("_", " "))
    if task.has_dummies:
        return f"{domain}; {describe(task).background}"
    known = [f"{variable.name}: {variable.description}" for variable in task.features if variable.description]
    target = f"{task.target.name}: {task.target.description}" if task.target.description else ""
    return "; ".join(part for part in (domain, *known, target) if part)
