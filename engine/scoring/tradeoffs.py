"""What accuracy costs: methods, or the runs of one task, laid out by a cost and an error, with the front."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.scoring.comparison import pareto
from engine.scoring.numeric import EPSILON
from engine.scoring.rows import DISPLAY_SCALE, RunScore

Measure = Literal["size", "time", "cpu", "task"]
MEASURES: tuple[Measure, ...] = ("size", "time", "cpu", "task")


@dataclass(frozen=True, slots=True)
class Point:
    """A method, or one run: its cost and its accuracy, and whether nothing beats it in both.

    Attributes
    ----------
    name : str
        The method's label, or the run's id.
    cost : float
        Nodes of the processed expression, or seconds.
    accuracy : float
        log10 of the ID NMSE (lower is better) for ``size`` and ``task``; the ID score from 0 to 100 (higher
        is better) for ``time`` and ``cpu``.
    runs, of : int
        Runs that count, of all that were scored.
    front : bool
        Whether the point lies on the Pareto front. Of equal points only the first does.
    beaten_by : str or None
        A point of the front that is no worse in both, for a point that does not lie on it.
    """

    name: str
    cost: float
    accuracy: float
    runs: int
    of: int
    front: bool
    beaten_by: str | None = None


def points(runs: Iterable[RunScore], measure: Measure) -> tuple[Point, ...]:
    """Lay out the methods or runs by a measure, the cheapest first.

    Parameters
    ----------
    runs : iterable of RunScore
        Runs of one condition; for ``task`` of one task.
    measure : str
        ``size``: median log10 ID error of a method against the median size of its processed expressions,
        over the runs whose size was counted. ``time`` and ``cpu``: the method's ID score, in which a failed
        run counts as 0, against the mean search time, or CPU time of the whole process tree with its
        start-up, over the runs that have one. ``task``: every run by its own error and size.

    Returns
    -------
    tuple of Point
        By cost, the better first where it is equal.
    """
    groups: dict[str, list[RunScore]] = defaultdict(list)
    for run in runs:
        if run.state == "scored":
            groups[run.id if measure == "task" else run.label].append(run)
    drafts = [
        (name, *laid, len(group))
        for name, group in groups.items()
        if (laid := (_by_size(group) if measure in ("size", "task") else _by_time(group, measure)))
    ]
    lower = 1.0 if measure in ("size", "task") else -1.0
    drafts.sort(key=lambda draft: (draft[1], lower * draft[2], draft[0]))
    coordinates = [(lower * accuracy, cost) for _, cost, accuracy, _, _ in drafts]
    front = pareto(coordinates)
    return tuple(
        Point(name, cost, accuracy, used, of, at in front, _better(at, front, coordinates, drafts))
        for at, (name, cost, accuracy, used, of) in enumerate(drafts)
    )


def _by_size(group: Sequence[RunScore]) -> tuple[float, float, int] | None:
    laid = [
        (float(run.c_pred), math.log10(max(run.id_nmse, EPSILON)))
        for run in group
        if run.c_pred is not None and run.id_nmse is not None
    ]
    if not laid:
        return None
    return (
        statistics.median(size for size, _ in laid),
        statistics.median(error for _, error in laid),
        len(laid),
    )


def _by_time(group: Sequence[RunScore], measure: Measure) -> tuple[float, float, int] | None:
    scores = [score for run in group if (score := run.scores.get("ID")) is not None]
    seconds = [
        taken for run in group if (taken := run.elapsed if measure == "time" else run.cpu_s) is not None
    ]
    if not scores or not seconds:
        return None
    return statistics.fmean(seconds), statistics.fmean(scores) * DISPLAY_SCALE, len(seconds)


def _better(
    at: int,
    front: Sequence[int],
    coordinates: Sequence[tuple[float, float]],
    drafts: Sequence[tuple[str, float, float, int, int]],
) -> str | None:
    if at in front:
        return None
    error, cost = coordinates[at]
    return next(
        (
            drafts[other][0]
            for other in front
            if coordinates[other][0] <= error and coordinates[other][1] <= cost
        ),
        None,
    )
