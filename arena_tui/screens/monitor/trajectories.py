"""Charts of runs: quality, errors or own score over time, seed bands, the Pareto front of a task."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena_tui.widgets.chart import SIGNS
from arena_tui.widgets.drawing import Chart, Series

if TYPE_CHECKING:
    from engine.running.records import Checkpoint, Run

METRICS = ("q", "id", "ood", "score")
TITLES = {
    "q": "quality q",
    "id": "ID NMSE",
    "ood": "OOD NMSE",
    "score": "native score",
    "pareto": "Pareto front",
}
# More lines than the palette has colours cannot be told apart.
MOST = 8


@dataclass(frozen=True, slots=True)
class View:
    """How trajectories are drawn: which value, on which scale, as it stands or the best so far."""

    metric: str = "q"
    log: bool = False
    best: bool = False
    bands: bool = False
    budget: bool = True
    pareto: bool = False


def chart(runs: "Sequence[Run]", chosen: "Sequence[Run]", current: "Run | None", view: View) -> Chart:
    """Draw what a view asks for.

    Parameters
    ----------
    runs : sequence of Run
        All runs of the campaign.
    chosen : sequence of Run
        The marked runs, or the one under the cursor.
    current : Run or None
        The run under the cursor, whose task has the Pareto front.
    view : View
        What is drawn and how.

    Returns
    -------
    Chart
        Ready to be drawn.
    """
    if view.pareto and current is not None:
        return pareto(runs, current.task)
    return bands(runs, chosen, view) if view.bands else trajectories(chosen, view)


def trajectories(runs: "Sequence[Run]", view: View) -> Chart:
    """Read the checkpoints of some runs and lay them over one another.

    Parameters
    ----------
    runs : sequence of Run
        At most ``MOST`` of them are drawn, in this order of colours.
    view : View
        What is drawn and how.

    Returns
    -------
    Chart
        One line for each run, exactly the stored values; unavailable ones are gaps.
    """
    from engine.running import reader

    series = []
    for colour, run in enumerate(runs[:MOST]):
        points = reader.checkpoints(run)
        series.append(
            Series(
                f"{run.label} {run.name} {run.key.cell}",
                [point.t for point in points],
                _treated([value_of(point, view.metric) for point in points], view),
                colour=colour,
                step=True,
                sign=SIGNS[colour] if len(runs) > 1 else "",
            )
        )
    budgets = {run.budget for run in runs[:MOST]}
    drawn = framed(series, view, max(budgets, default=None))
    if all(run.status == "planned" for run in runs):
        return replace(drawn, empty="not started yet")
    return drawn if all(run.ended for run in runs) else replace(drawn, empty="no checkpoint yet")


def value_of(point: "Checkpoint", metric: str) -> float | None:
    """Return one value of a checkpoint.

    Parameters
    ----------
    point : Checkpoint
        A point of a run's grid.
    metric : str
        One of ``METRICS``.

    Returns
    -------
    float or None
        None where it is unavailable, not yet evaluated or does not exist.
    """
    return {"q": point.q, "id": point.id_nmse, "ood": point.ood_nmse, "score": point.score}[metric]


def _treated(values: Sequence[float | None], view: View) -> list[float | None]:
    if not view.best:
        return list(values)
    better: Callable[[float, float], float] = max if view.metric == "q" else min
    best: float | None = None
    treated: list[float | None] = []
    for value in values:
        if value is not None and math.isfinite(value):
            best = value if best is None else better(best, value)
        treated.append(best)
    return treated


def framed(series: Sequence[Series], view: View, budget: float | None) -> Chart:
    """Put axes around trajectories.

    Parameters
    ----------
    series : sequence of Series
        The lines.
    view : View
        Scale and budget mark.
    budget : float or None
        Where the budget's mark stands, seconds.

    Returns
    -------
    Chart
        Ready to be drawn; seconds become minutes on a long run.
    """
    unit, length = ("min", 60.0) if budget is not None and budget > 600 else ("s", 1.0)
    scaled = [replace(line, x=[x / length for x in line.x]) for line in series]
    marks = ((budget / length, "budget"),) if view.budget and budget is not None else ()
    top = budget / length if budget is not None else None
    return Chart(
        scaled,
        log=view.log and view.metric != "q",
        x_title=unit,
        y_limits=(0.0, 1.0) if view.metric == "q" else None,
        x_limits=(0.0, top) if top else None,
        marks=marks,
    )


def bands(runs: "Sequence[Run]", chosen: "Sequence[Run]", view: View) -> Chart:
    """Draw the median over the seeds, and the band from the least to the greatest.

    Parameters
    ----------
    runs : sequence of Run
        All runs of the campaign.
    chosen : sequence of Run
        Runs whose method, task and condition name the groups.
    view : View
        What is drawn and how.

    Returns
    -------
    Chart
        One line with a band for each group of at most ``MOST``.
    """
    from engine.running import reader

    groups: dict[tuple[str, str, str], str] = {}
    for run in chosen:
        groups.setdefault((run.label, run.task, run.condition), run.name)
    series = []
    for colour, ((label, task, condition), name) in enumerate(list(groups.items())[:MOST]):
        members = [run for run in runs if (run.label, run.task, run.condition) == (label, task, condition)]
        tracks = [reader.checkpoints(run) for run in members]
        tracks = [track for track in tracks if track]
        times = [point.t for point in max(tracks, key=len, default=())]
        columns = [_treated([value_of(point, view.metric) for point in track], view) for track in tracks]
        middle, low, high = _spread(columns, len(times))
        series.append(
            Series(
                f"{label} {name} ({len(tracks)} seeds)",
                times,
                middle,
                colour=colour,
                low=low,
                high=high,
                sign=SIGNS[colour] if len(groups) > 1 else "",
            )
        )
    return framed(series, view, max((run.budget for run in chosen), default=None))


def _spread(
    columns: Sequence[Sequence[float | None]], length: int
) -> tuple[list[float | None], list[float | None], list[float | None]]:
    middle: list[float | None] = []
    low: list[float | None] = []
    high: list[float | None] = []
    for at in range(length):
        values = [
            value
            for column in columns
            if at < len(column) and (value := column[at]) is not None and math.isfinite(value)
        ]
        middle.append(statistics.median(values) if values else None)
        low.append(min(values) if values else None)
        high.append(max(values) if values else None)
    return middle, low, high


def pareto(runs: "Sequence[Run]", task: str) -> Chart:
    """Draw error against size for every final expression of a task, and the front.

    Parameters
    ----------
    runs : sequence of Run
        All runs of the campaign.
    task : str
        A task's id.

    Returns
    -------
    Chart
        Points by method; the front as a line through the points nothing else beats in both.
    """
    points: dict[str, list[tuple[int, float]]] = {}
    for run in runs:
        if run.task != task or run.positional is None or run.id_nmse is None:
            continue
        size = _size(run.positional)
        if size is not None:
            points.setdefault(run.label, []).append((size, run.id_nmse))
    everything = sorted({point for found in points.values() for point in found})
    front: list[tuple[int, float]] = []
    for size, error in everything:
        if not front or error < front[-1][1]:
            front.append((size, error))
    series = [
        Series("front", [size for size, _ in front], [error for _, error in front], colour=7, step=True)
    ]
    for colour, (label, found) in enumerate(sorted(points.items())):
        series.append(
            Series(
                label,
                [size for size, _ in found],
                [error for _, error in found],
                colour=colour % 7,
                points=True,
                sign=SIGNS[colour % len(SIGNS)],
            )
        )
    return Chart(series if everything else (), log=True, x_title="nodes")


def _size(positional: str) -> int | None:
    """Count an expression's nodes; None when it cannot be read (it then has no place in the chart)."""
    import re

    from engine.expression import ExpressionError, parse
    from engine.expression.nodes import size

    last = max((int(digits) for digits in re.findall(r"\bx(\d+)\b", positional)), default=0)
    try:
        return size(parse(positional, [f"x{index}" for index in range(last + 1)]))
    except ExpressionError:
        return None
