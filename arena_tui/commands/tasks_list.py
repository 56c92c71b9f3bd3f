"""Lists, counts and selects tasks."""

import argparse
import csv
import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasks import classification, selections, statistics, summaries
from tasks.errors import TaskError
from tasks.filters import Filter, matching
from tasks.schema import Task

COMPLEXITY_NOTE = (
    "The paper's 284 / 188 / 192 count every operator of the complete source file, helper functions included "
    "(Keijzer-1: 4 in the formula and 3 in helpers); those files are not published, so per task only the "
    "published expressions can be compared."
)


def _chosen(arguments: argparse.Namespace) -> tuple[Task, ...]:
    words = list(arguments.words)
    if getattr(arguments, "chosen", None):
        words.append(f"@{arguments.chosen.removeprefix('@')}")
    tasks = selections.resolve(words or ["@full"])
    if not hasattr(arguments, "family"):
        return tasks
    names = ("family", "subgroup", "formula_type", "complexity", "features", "ood_type", "constants", "text")
    return matching(tasks, Filter(**{name: getattr(arguments, name) for name in names}))


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False))


def list_tasks(arguments: argparse.Namespace) -> int:
    """Print one line per task, or a JSON array of their facts."""
    tasks = _chosen(arguments)
    if arguments.json:
        _print_json([summaries.row(task) for task in tasks])
        return 0
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print(f"{'id':9} {'name':28} {'features':>8} {'type':16} {'C':>3} formula"[:width])
    for task in tasks:
        facts = f"{task.id:9} {task.name:28} {len(task.features):8d} {task.formula_type:16} {_count(task):>3}"
        print(f"{facts} {task.formula or 'unknown'}"[:width])
    print(f"{len(tasks)} tasks")
    return 0


def _count(task: Task) -> str:
    return "" if task.complexity is None else str(task.complexity)


def _published(path: Path) -> dict[str, dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TaskError(f"{path} cannot be read: {error}") from error
    needed = {"task_id", "operator_group", "source_return_expression"}
    if not rows or not needed <= set(rows[0]):
        raise TaskError(f"{path} needs the tab-separated columns {', '.join(sorted(needed))}")
    return {row["task_id"]: row for row in rows}


def _sorted_causes(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    causes: dict[str, list[str]] = {}
    for cause, task in found:
        if cause:
            causes.setdefault(cause, []).append(task)
    return dict(sorted(causes.items(), key=lambda item: -len(item[1])))


def _against(tasks: tuple[Task, ...], path: Path) -> dict[str, Any]:
    rows = _published(path)
    known = [
        (task, rows[task.id]["operator_group"], rows[task.id]["source_return_expression"])
        for task in tasks
        if task.id in rows
    ]
    groups = [classification.complexity_group(classification.operator_count(text)) for _, _, text in known]
    types = _sorted_causes(
        (statistics.cause_of_difference(task, text, label), task.id) for task, label, text in known
    )
    sizes = _sorted_causes(
        (statistics.cause_of_other_complexity(task, text), task.id) for task, _, text in known
    )
    return {
        "compared": len(known),
        "agree": len(known) - sum(map(len, types.values())),
        "confusion": statistics.confusion([(label, task.formula_type) for task, label, _ in known]),
        "causes": types,
        "complexity": {
            "agree": len(known) - sum(map(len, sizes.values())),
            "confusion": statistics.confusion(
                [(group, task.complexity_group) for group, (task, _, _) in zip(groups, known, strict=True)]
            ),
            "causes": sizes,
            "note": COMPLEXITY_NOTE,
        },
    }


def count_tasks(arguments: argparse.Namespace) -> int:
    """Print how a set is composed, beside the paper's counts for the Full Task Set."""
    tasks = _chosen(arguments)
    whole = {task.id for task in tasks} == {task.id for task in selections.load("full")}
    dimensions = statistics.composition(tasks, whole=whole)
    third, two_thirds = statistics.quantile_boundaries(tasks)
    against = _against(tasks, Path(arguments.against)) if arguments.against else None
    if arguments.json:
        _print_json(
            {
                "tasks": len(tasks),
                "dimensions": {
                    d.name: {"ours": dict(d.ours), "paper": dict(d.paper) if d.paper else None}
                    for d in dimensions
                },
                "operator_count_quantiles": {"one_third": third, "two_thirds": two_thirds},
                "against": against,
            }
        )
        return 0
    console = Console()
    table = Table(title=f"{len(tasks)} tasks", box=None, pad_edge=False, header_style="bold")
    for title in ("dimension", "category"):
        table.add_column(title)
    for title in ("ours", "paper"):
        table.add_column(title, justify="right")
    for dimension in dimensions:
        for place, (category, count) in enumerate(dimension.ours.items()):
            theirs = "" if dimension.paper is None else str(dimension.paper.get(category, ""))
            table.add_row("" if place else dimension.name, category, str(count), theirs)
    console.print(table)
    console.print(
        f"operator counts: one third at most {third}, two thirds at most {two_thirds} (the paper: 5 and 8)"
    )
    if against is not None:
        _print_confusion(console, "type", against["compared"], against)
        _print_confusion(console, "operator count", against["compared"], against["complexity"])
        console.print(COMPLEXITY_NOTE, soft_wrap=True)
    return 0


def _print_confusion(console: Console, title: str, compared: int, told: dict[str, Any]) -> None:
    ours = sorted({name for row in told["confusion"].values() for name in row})
    table = Table(title=f"published {title} against ours", box=None, pad_edge=False, header_style="bold")
    table.add_column("published")
    for name in ours:
        table.add_column(name, justify="right")
    for published, row in told["confusion"].items():
        table.add_row(published, *(str(row.get(name, "")) for name in ours))
    console.print(table)
    console.print(f"{told['agree']} of {compared} agree; the others, by cause:")
    for cause, ids in told["causes"].items():
        shown = ", ".join(ids[:6]) + (", ..." if len(ids) > 6 else "")
        console.print(f"  {len(ids):3d}  {cause} ({shown})", soft_wrap=True)


def select_tasks(arguments: argparse.Namespace) -> int:
    """Save a selection, or list the selections when no name is given."""
    if arguments.name is None:
        known = {name: len(selections.load(name)) for name in selections.names()}
        if arguments.json:
            _print_json(known)
        else:
            for name, count in known.items():
                print(f"@{name:20s} {count}")
        return 0
    tasks = _chosen(arguments)
    selections.save(arguments.name, [task.id for task in tasks])
    if arguments.json:
        _print_json({"name": arguments.name, "tasks": [task.id for task in tasks]})
    else:
        print(f"@{arguments.name} holds {len(tasks)} tasks")
    return 0
