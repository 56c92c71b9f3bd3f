"""Studies beside one another, and beside a campaign: backbones (table 9) and a stronger GP (table 14)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.expression import ExpressionError
from engine.reachability.columns import evaluated
from engine.reachability.outcomes import Outcomes
from engine.reachability.records import plan, units
from engine.reachability.report import Report, Table, Value
from engine.running.reader import read_campaign
from engine.running.records import CLEAN
from engine.scoring.accuracy import THRESHOLDS, accuracy
from tasks import catalogue
from tasks.errors import TaskError
from tasks.materialize import splits

LOOSE = THRESHOLDS[0]
ARMS = ("bank", "llm-l1", "llm-l2", "union-l1", "union-l2")


def backbones(folders: Sequence[Path]) -> Report:
    """Compare studies that differ in the model that proposed: Acc0.01 counts and UNION's gains and losses.

    Parameters
    ----------
    folders
        Output folders of ``paired run``.

    Returns
    -------
    Report
        One row for each folder, over all its task-seed cells.
    """
    rows: list[tuple[Value, ...]] = []
    for folder in folders:
        records = list(units(folder))
        found = Outcomes(records, plan(folder))
        counts = [
            sum(found.success(arm, cell, "acc0.01") is True for cell in found.cells)
            if arm in found.arms
            else None
            for arm in ARMS
        ]
        changes: list[Value] = []
        for level in ("l1", "l2"):
            if {"bank", f"union-{level}"} <= set(found.arms):
                gain = found.gain(f"union-{level}", "bank", "acc0.01")
                changes.append(f"{gain.wins}/{gain.losses}")
            else:
                changes.append(None)
        rows.append((_backbone(records), len(found.cells), *counts, *changes))
    heads = ("backbone", "cells", *(arm.upper() for arm in ARMS), "L1 gain/loss", "L2 gain/loss")
    caption = "Cells solved under Acc0.01 by who proposed; gain/loss of UNION against BANK (table 9)"
    return Report("Backbones", (Table("backbones", caption, heads, tuple(rows)),), ())


def _backbone(records: Sequence[Mapping[str, Any]]) -> str:
    names = set()
    for record in records:
        if record.get("proposals"):
            source = record["proposals"]["source"]
            shown = source.get("model") or (
                "demonstration" if source.get("demonstration") else "recorded file"
            )
            names.add(str(shown))
    return ", ".join(sorted(names)) or "none"


def against_campaign(folder: Path, campaign: Path, label: str) -> Report:
    """Pair a study's BANK arm with a method of an arena campaign, seed by seed in order (table 14).

    The seeds of the two need not be the same numbers: the first of one stands beside the first of the other,
    as in the paper. Tasks that one side lacks are left out.

    Parameters
    ----------
    folder
        Output folder of ``paired run`` with a BANK arm.
    campaign
        Campaign folder of ``arena-tui run``.
    label
        The method's label in it, such as ``pyoperon`` or ``gplearn``.

    Returns
    -------
    Report

    Raises
    ------
    EngineError
        If the campaign has no runs of that label on the study's tasks.
    """
    found = Outcomes(units(folder), plan(folder))
    runs = [
        run
        for run in read_campaign(campaign).runs
        if run.key.label == label and run.key.condition == CLEAN and run.key.task in found.tasks
    ]
    if not runs:
        raise EngineError(
            f"{campaign} has no runs of {label!r} on the tasks of {folder}; check label and tasks"
        )
    solved = {(run.key.task, run.key.seed): _solved(run.key.task, run.positional) for run in runs}
    theirs = sorted({run.key.seed for run in runs})
    rows: list[tuple[Value, ...]] = []
    for mine, other in zip(found.seeds, theirs, strict=False):
        pairs = [
            (found.success("bank", (task, mine), "acc0.01"), solved.get((task, other)))
            for task in found.tasks
        ]
        known = [(bool(bank), bool(gp)) for bank, gp in pairs if bank is not None and gp is not None]
        cells = [known.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False))]
        rows.append((f"{mine} / {other}", cells[0] + cells[1], cells[0] + cells[2], *cells, len(known)))
    heads = ("seeds", "BANK", label, "both", "BANK only", f"{label} only", "neither", "tasks")
    caption = f"Tasks solved under Acc0.01 by BANK and by {label} (table 14)"
    note = "Budgets differ: the campaign's is a time, BANK's a number of evaluations."
    return Report(f"BANK beside {label}", (Table("gp", caption, heads, tuple(rows)),), (note,))


def _solved(task: str, positional: str | None) -> bool | None:
    """Tell whether a final expression solves a task; None where the task has no ID split."""
    try:
        test = splits(catalogue.get(task)).id
    except TaskError:
        return None
    if test is None:
        return None
    if positional is None:
        return False
    try:
        found = accuracy(test.y, evaluated(positional, test.X), LOOSE)
    except ExpressionError:
        return False
    return None if found is None else found.success
