"""Shows one task with plots of its splits, and writes its rows into a folder."""

import argparse
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tasks import catalogue, export, formula, materialize, ood, summaries
from tasks.errors import TaskError
from tasks.schema import Splits, Task, Variable

PLOT_POINTS = 400
"""Points of a split that a terminal plot shows, taken evenly."""
PLOT_WIDTH, PLOT_HEIGHT = 76, 16
MOST_PLOTS = 3
"""Plots shown unless features are named."""
KINDS_OF_FACT = ("formula", "constants", "ranges", "data")


def show_task(arguments: argparse.Namespace) -> int:
    """Print the facts of a task and plot its target over each used feature."""
    task = catalogue.get(arguments.task)
    if arguments.json:
        facts = {**summaries.everything(task), "ood_intervals": _ood_intervals(task)}
        print(json.dumps(facts, indent=1, allow_nan=False, ensure_ascii=False))
        return 0
    wanted = _plotted(task, arguments.feature)
    console = Console()
    _facts(console, task)
    if arguments.no_plot:
        return 0
    splits = materialize.splits(task)
    _ranges(console, task, splits)
    for picture in plots(task, splits, wanted[:MOST_PLOTS] if arguments.feature is None else wanted):
        print(picture)
    left = wanted[MOST_PLOTS:] if arguments.feature is None else ()
    if left:
        print(f"more plots: --feature {' --feature '.join(left)}")
    return 0


def _plotted(task: Task, named: list[str] | None) -> tuple[str, ...]:
    """Return the features to plot over: the named ones, or those that the formula uses."""
    if named is not None:
        unknown = [name for name in named if name not in task.feature_names]
        if unknown:
            raise TaskError(
                f"{task.id} {task.name} has no feature {unknown[0]!r}; it has {', '.join(task.feature_names)}"
            )
        return tuple(named)
    if task.formula is None:
        return task.feature_names
    used = formula.used_names(task.formula, task.feature_names)
    return tuple(name for name in task.feature_names if name in used)


def _ood_intervals(task: Task) -> dict[str, dict[str, tuple[float, float] | None]] | None:
    found = ood.intervals(task, materialize.splits(task).train)
    if found is None:
        return None
    return {
        name: {"left": side.left, "right": side.right}
        for name, side in zip(task.feature_names, found, strict=True)
    }


def _facts(console: Console, task: Task) -> None:
    facts = summaries.everything(task)
    console.print(Text(f"{task.id}  {task.name}", style="bold"))
    grid = Table.grid(padding=(0, 2))
    lines = (
        ("source", f"{task.provenance.source} ({task.family}, {task.subgroup}; {task.provenance.licence})"),
        ("formula", f"{task.target.name} = {task.formula}"),
        ("normalized", facts["normalized"]),
        ("as the source has it", task.source_formula),
        ("type", task.formula_type),
        ("size", f"{task.complexity} operators ({task.complexity_group}), {len(task.features)} features"),
        ("known how", ", ".join(f"{what} {getattr(task.provenance, what)}" for what in KINDS_OF_FACT)),
        ("note", task.provenance.note),
        ("disputed", task.disputed),
        ("OOD", task.ood_type),
        ("duplicate group", task.duplicate_group),
        (
            "rows",
            f"train {task.sizes.train}, valid {task.sizes.valid}, ID {task.sizes.id}, OOD {task.sizes.ood}",
        ),
    )
    for name, value in lines:
        if value:
            grid.add_row(Text(name, style="dim"), Text(str(value)))
    for constant in task.constants:
        grid.add_row(
            Text("constant", style="dim"), Text(f"{constant.name} = {constant.value!r} ({constant.known})")
        )
    labels = facts["published_labels"]
    if labels:
        told = ", ".join(
            f"{name.replace('_', ' ')} {value}" for name, value in labels.items() if value is not None
        )
        grid.add_row(Text("published", style="dim"), Text(told))
    console.print(grid)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("variable", "meaning", "unit", "range", "known", "role"):
        table.add_column(title)
    for variable in task.features:
        table.add_row(*map(Text, _described(variable)), "distractor" if variable.dummy else "feature")
    table.add_row(*map(Text, _described(task.target)), "target")
    console.print(table)


def _described(variable: Variable) -> tuple[str, str, str, str, str]:
    limits = "" if variable.low is None else f"[{variable.low:g}, {variable.high:g}]"
    return (
        variable.name,
        variable.description or "",
        variable.unit or "",
        limits,
        variable.known if limits else "",
    )


def _ranges(console: Console, task: Task, splits: Splits) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("split")
    table.add_column("rows", justify="right")
    for name in (*task.feature_names, task.target.name):
        table.add_column(Text(name), justify="right")
    for split, rows in splits.named():
        values = [f"{c.min():.4g} .. {c.max():.4g}" for c in (*rows.X.T, rows.y)]
        table.add_row(split, str(rows.rows), *values)
    console.print(table)


def plots(task: Task, splits: Splits, features: Sequence[str]) -> Iterator[str]:
    """Return terminal scatter plots of the target over features.

    Parameters
    ----------
    task : Task
        The task.
    splits : Splits
        Its rows; at most 400 of each split are drawn.
    features : sequence of str
        The features, one plot each.

    Yields
    ------
    str
        One plot per feature: train, ID and OOD points.
    """
    import plotext

    width = min(PLOT_WIDTH, shutil.get_terminal_size((80, 24)).columns - 2)
    markers = {"train": "·", "id": "x", "ood": "o"}
    for name in features:
        column = task.feature_names.index(name)
        figure = plotext.figure
        figure.clear()
        figure.plot_size(width, PLOT_HEIGHT)
        for split, rows in splits.named():
            if split in markers:
                picked = np.unique(np.linspace(0, rows.rows - 1, PLOT_POINTS).astype(int))
                x, y = rows.X[picked, column].tolist(), rows.y[picked].tolist()
                figure.draw(figure.signal(x, y, marker=markers[split]))
        figure.label(name)
        figure.title(f"{task.target.name} over {name}: · train, x ID, o OOD")
        # the splits are told apart by their signs; plotext's themes paint a background of their own
        yield plotext.uncolorize(str(figure.build()).rstrip("\n"))


def write_task(arguments: argparse.Namespace) -> int:
    """Write the splits of a task with its metadata and formula."""
    task = catalogue.get(arguments.task)
    splits = materialize.splits(task, max_rows=arguments.max_rows)
    written = export.write(task, splits, Path(arguments.out), arguments.kind)
    if arguments.json:
        print(json.dumps(written, indent=1))
    else:
        rows = ", ".join(f"{name} {count}" for name, count in written["files"].items())
        print(f"{task.id} {task.name} in {written['folder']}: {rows}")
    return 0
