"""Composition over fixed atoms: a model's own sum beside the search; the study and its table (table 16)."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.reachability.arms import failed, head, measured, training_rows
from engine.reachability.asking import ASKING_THREADS, Patience, hint
from engine.reachability.composition import composed, fit, question
from engine.reachability.greedy import Limits
from engine.reachability.outcomes import METRICS, TITLES
from engine.reachability.processes import spread
from engine.reachability.records import SCHEMA, UnitKey, compact, plan, read, unit_file, units, write
from engine.reachability.report import Report, Table, Value
from engine.reachability.sources import Asked, Saved, Source
from engine.reachability.studies import Cell, Unit, cells_of, lay_out, study_plan
from engine.reachability.study import Progress
from engine.reachability.subsample import subsample
from tasks import catalogue
from tasks.materialize import splits

KIND = "composition"
DIRECT = "direct"
SEARCHED = ("status", "expression", "acc0.01", "acc0.001", "strict", "representable")
RULES = (
    "Direct composition: the model adds and multiplies items of its menu, all constants are fitted for it. "
    "Programmatic search: the llm arm over the same menu and its products."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a session left: cells done, and (task, seed, reason) of those whose model gave no answer."""

    finished: int
    not_run: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class _Job:
    cell: Cell
    searched: Mapping[str, Any]
    asked: Asked
    limits: Limits
    folder: Path


def run(
    folder: Path,
    out: Path,
    level: str,
    source: Source,
    tasks: Sequence[str] | None,
    workers: int,
    on_progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Ask for a composition of every menu of a paired study, fit and score it.

    Parameters
    ----------
    folder
        Paired study with the arm ``llm-l1`` or ``llm-l2``: its menus are the fixed atoms, and its units are
        the programmatic search over them.
    out
        Output folder; run again to resume, no answered question is asked again.
    level
        ``l1`` or ``l2``.
    source
        Who composes.
    tasks
        Ids to keep; None for all.
    workers
        Processes.
    on_progress
        Told after each fit.

    Returns
    -------
    Outcome

    Raises
    ------
    EngineError
        If the study has no finished unit of the level's arm with usable atoms.
    """
    made = plan(folder)
    menus = _menus(cells_of([folder], tasks), f"llm-{level}")
    if not menus:
        raise EngineError(
            f"{folder} has no finished unit of llm-{level} with usable atoms; run that arm first"
        )
    limits = Limits(**made["limits"])
    kept = {
        "study": folder.name,
        "level": level,
        "limits": made["limits"],
        "cells": [list(cell) for cell in menus],
    }
    lay_out(out, KIND, kept, ("study", "level", "limits"))
    missing = {cell: unit for cell, unit in menus.items() if not _done(out, cell)}
    answers = _answers(out, missing, level, source)
    jobs = [
        _Job(cell, missing[cell], asked, limits, out)
        for cell, asked in answers.items()
        if not isinstance(asked, str) and asked.answer is not None
    ]
    done, total, began = len(menus) - len(missing), len(menus), time.monotonic()
    for count, job in enumerate(spread(_work, jobs, workers), start=1):
        if on_progress is not None:
            left = (time.monotonic() - began) / count * (len(jobs) - count)
            on_progress(Progress(done + count, total, left, f"{job.cell[0]}, seed {job.cell[1]}"))
    compact(out)
    silent = [
        (*cell, asked if isinstance(asked, str) else asked.reason or "no answer")
        for cell, asked in answers.items()
        if isinstance(asked, str) or asked.answer is None
    ]
    return Outcome(done + len(jobs), tuple(silent))


def report(folders: Sequence[Path]) -> Report:
    """Make table 16 from the folders of one or more studies, one for each model.

    Parameters
    ----------
    folders
        Output folders of `run`.

    Returns
    -------
    Report
    """
    rows: list[tuple[Value, ...]] = []
    notes = [RULES]
    demonstration = False
    for folder in folders:
        made = study_plan(folder, KIND)
        wanted = {(str(task), int(seed)) for task, seed in made["cells"]}
        found = [unit for unit in units(folder) if (unit["task"], unit["seed"]) in wanted]
        who = sorted({str(unit["source"].get("model") or "recorded file") for unit in found})
        demonstration |= any(
            unit[by].get("demonstration") for unit in found for by in ("source", "menu_source")
        )
        for metric in METRICS:
            pairs = [(_passes(unit, metric), _passes(unit["searched"], metric)) for unit in found]
            known = [
                (bool(one), bool(other)) for one, other in pairs if one is not None and other is not None
            ]
            counts = [
                known.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False))
            ]
            name = f"{', '.join(who) or 'none'} ({made['level'].upper()})"
            rows.append(
                (name, TITLES[metric], counts[0] + counts[1], counts[0] + counts[2], *counts, len(known))
            )
        if len(found) < len(wanted):
            notes.append(f"{folder.name}: {len(wanted) - len(found)} of {len(wanted)} cells not run.")
        useless = [unit for unit in found if unit["status"] == "no candidates"]
        if useless:
            notes.append(
                f"{folder.name}: no usable composition in {len(useless)} cells ({useless[0]['reason']})."
            )
        broken = [unit for unit in found if unit["status"] == "failed"]
        if broken:
            notes.append(
                f"{folder.name}: {len(broken)} cells failed ({broken[0]['reason']}); run again to retry."
            )
    if demonstration:
        notes.append("Some menus or compositions were written for demonstration; no model wrote them.")
    heads = (
        "backbone",
        "metric",
        "direct",
        "search",
        "both",
        "direct only",
        "search only",
        "neither",
        "cells",
    )
    table = Table(
        KIND,
        "Cells solved from the same atoms, composed by a model or searched (table 16)",
        heads,
        tuple(rows),
    )
    return Report("Composition over fixed atoms", (table,), tuple(notes))


def _menus(cells: Mapping[Cell, Sequence[Unit]], arm: str) -> dict[Cell, Unit]:
    return {
        cell: unit
        for cell, found in cells.items()
        for unit in found
        if unit["arm"] == arm and unit["status"] == "ok" and (unit.get("proposals") or {}).get("atoms")
    }


def _done(out: Path, cell: Cell) -> bool:
    record = read(unit_file(out, UnitKey(*cell, DIRECT)))
    return record is not None and record.get("status") != "failed"


def _answers(out: Path, missing: Mapping[Cell, Unit], level: str, source: Source) -> dict[Cell, Asked | str]:
    saved = Saved(out)
    patience = Patience(source)

    def ask(item: tuple[Cell, Unit]) -> Asked | str:
        (identifier, seed), unit = item
        task = catalogue.get(identifier)
        X, y = training_rows(splits(task))
        menu = unit["proposals"]["atoms"]
        asked = question(
            "l1" if level == "l1" else "l2", task.feature_names, task.target.name, hint(task), menu, X, y
        )
        return patience.ask(lambda: replace(saved.ask(source, task.id, task.name, seed, asked), seed=seed))

    with ThreadPoolExecutor(ASKING_THREADS) as threads:
        return dict(zip(missing, threads.map(ask, missing.items()), strict=True))


def _passes(unit: Unit, metric: str) -> bool | None:
    if unit["status"] == "no candidates":
        return False
    return METRICS[metric](unit)


def _work(job: _Job) -> None:
    task = catalogue.get(job.cell[0])
    data = splits(task)
    menu = list(job.searched["proposals"]["atoms"])
    answer = composed(job.asked.answer or "", len(menu), len(task.features))
    told = {
        "source": dict(job.asked.source),
        "menu_source": dict(job.searched["proposals"]["source"]),
        "answer": job.asked.answer,
        "terms_named": [[place + 1 for place in term] for term in answer.terms],
        "dropped": [list(one) for one in answer.dropped],
        "searched": {name: job.searched.get(name) for name in SEARCHED},
    }
    seed = job.cell[1]
    record: dict[str, Any] = {**head(DIRECT, task, seed), "schema": SCHEMA}
    if not answer.terms:
        record |= {"status": "no candidates", "reason": answer.reason}
    else:
        X, y = training_rows(data)
        key = f"{task.id}:{seed}"
        rows = subsample(len(y), job.limits.rows, key)
        try:
            model = fit(menu, answer.terms, X[rows], y[rows], key, job.limits)
            record |= {
                "status": "ok",
                "reason": None,
                "rows": len(rows),
                **measured(model.text, task, data, X[rows], y[rows]),
            }
        except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
            record = failed(DIRECT, task, seed, f"{type(error).__name__}: {error}")
    write(unit_file(job.folder, UnitKey(*job.cell, DIRECT)), record | told)
