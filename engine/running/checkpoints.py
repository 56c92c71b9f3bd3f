"""Checkpoints: the join of a run's incumbents with the minute grid (SPEC 4; paper 1, D.3)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.running.records import Checkpoint, Evaluation, Incumbent
from engine.running.store import Lines
from engine.scoring.numeric import quality

# Grid times are multiples of the interval in float64: one ulp must not move an incumbent to the next minute.
_TOLERANCE = 1e-9


def incumbents_of(lines: Iterable[Mapping[str, Any]]) -> tuple[Incumbent, ...]:
    """Pick the incumbents out of a run's record, numbered in order.

    Parameters
    ----------
    lines : iterable of mappings
        Records of ``incumbents.jsonl``.

    Returns
    -------
    tuple of Incumbent
        One per well-formed ``incumbent`` line.
    """
    found: list[Incumbent] = []
    for line in lines:
        if line.get("event") != "incumbent":
            continue
        incumbent = incumbent_of(line, len(found))
        if incumbent is not None:
            found.append(incumbent)
    return tuple(found)


def incumbent_of(line: Mapping[str, Any], index: int) -> Incumbent | None:
    """Read one incumbent line.

    Parameters
    ----------
    line : mapping
        One record.
    index : int
        Its number among the run's incumbents.

    Returns
    -------
    Incumbent or None
        None when the line lacks its text or a finite time.
    """
    t, text = line.get("t"), line.get("text")
    if (
        not isinstance(text, str)
        or isinstance(t, bool)
        or not isinstance(t, (int, float))
        or not math.isfinite(t)
    ):
        return None
    native, name, count = line.get("native"), line.get("score_name"), line.get("evaluations")
    return Incumbent(
        index=index,
        t=float(t),
        text=text,
        native=native if isinstance(native, str) else text,
        score=number(line.get("score")),
        score_name=name if isinstance(name, str) else "",
        evaluations=count if isinstance(count, int) else None,
    )


def number(value: object) -> float | None:
    """Read a finite number from a record.

    Parameters
    ----------
    value : object
        What stands in the record.

    Returns
    -------
    float or None
        None for null, text and anything that is not finite.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


def evaluation_of(record: Mapping[str, Any]) -> Evaluation:
    """Read an evaluation from its record.

    Parameters
    ----------
    record : mapping
        A line of ``evaluations.jsonl`` or the ``final`` part of a result.

    Returns
    -------
    Evaluation
        The evaluation.
    """

    def text(name: str) -> str | None:
        value = record.get(name)
        return value if isinstance(value, str) else None

    return Evaluation(
        status=text("status") or "unavailable",
        reason=text("reason"),
        expression=text("expression"),
        positional=text("positional"),
        train_nmse=number(record.get("train_nmse")),
        id_nmse=number(record.get("id_nmse")),
        ood_nmse=number(record.get("ood_nmse")),
        id_status=text("id_status") or "no split",
        ood_status=text("ood_status") or "no split",
        denominator_id=text("denominator_id"),
        denominator_ood=text("denominator_ood"),
    )


def run_quality(evaluation: Evaluation) -> float:
    """Numerical quality of one evaluated expression: q = (q_ID + q_OOD) / 2 (paper 1, E.4).

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation.

    Returns
    -------
    float
        In [0, 1]; of the splits that the task has, so ID alone where there is no OOD split; 0 for an
        unparsable expression and for a split with a non-finite prediction.
    """
    if evaluation.status not in {"ok", "nonfinite"}:
        return 0.0
    splits = ((evaluation.id_status, evaluation.id_nmse), (evaluation.ood_status, evaluation.ood_nmse))
    parts = [quality(value) for status, value in splits if status != "no split"]
    return sum(parts) / len(parts) if parts else 0.0


def grid_size(budget: float, interval: float) -> int:
    """Count the checkpoints of a whole run.

    Parameters
    ----------
    budget, interval : float
        Seconds.

    Returns
    -------
    int
        The number of grid points t = interval, 2 interval, ... up to the budget.
    """
    return math.floor(budget / interval * (1 + _TOLERANCE))


def join(
    incumbents: Sequence[Incumbent],
    evaluations: Mapping[int, Evaluation],
    *,
    budget: float,
    interval: float,
    until: float | None = None,
    lost_after: frozenset[int] = frozenset(),
) -> tuple[Checkpoint, ...]:
    """Lay incumbents on the grid.

    Parameters
    ----------
    incumbents : sequence of Incumbent
        In order of discovery.
    evaluations : mapping of int to Evaluation
        By incumbent index.
    budget, interval : float
        Seconds.
    until : float, optional
        Seconds that a live run has behind it: later points are left out. None carries the last one
        forward to the end of the budget, as for an ended run.
    lost_after : frozenset of int
        Indexes of the incumbents behind which part of the record is lost or corrupt (-1: before the first);
        the points that would show them are ``unavailable``.

    Returns
    -------
    tuple of Checkpoint
        Point k is at t = k interval and holds the newest incumbent with t at or before it.
    """
    points: list[Checkpoint] = []
    ordered = sorted(incumbents, key=lambda incumbent: (incumbent.t, incumbent.index))
    newest: Incumbent | None = None
    position = 0
    for index in range(1, grid_size(budget, interval) + 1):
        t = index * interval
        if until is not None and t > until:
            break
        while position < len(ordered) and ordered[position].t <= t * (1 + _TOLERANCE):
            newest = ordered[position]
            position += 1
        points.append(_point(index, t, newest, evaluations, lost_after))
    return tuple(points)


def lost_after(lines: Lines) -> frozenset[int]:
    """Find behind which incumbents a record has damaged lines.

    Parameters
    ----------
    lines : Lines
        The whole of ``incumbents.jsonl``.

    Returns
    -------
    frozenset of int
        Incumbent indexes; -1 stands for the time before the first.
    """
    return frozenset(len(incumbents_of(lines.records[:count])) - 1 for count in lines.damaged)


def _point(
    index: int,
    t: float,
    newest: Incumbent | None,
    evaluations: Mapping[int, Evaluation],
    lost: frozenset[int],
) -> Checkpoint:
    if (newest.index if newest else -1) in lost:
        return Checkpoint(index, t, None, None, None, None, None, "unavailable", None)
    if newest is None:
        return Checkpoint(index, t, None, None, None, None, 0.0, "none", None)
    evaluation = evaluations.get(newest.index)
    if evaluation is None:
        return Checkpoint(index, t, newest.t, None, None, None, None, "pending", newest.score)
    return Checkpoint(
        index=index,
        t=t,
        discovered=newest.t,
        expression=evaluation.expression,
        id_nmse=evaluation.id_nmse,
        ood_nmse=evaluation.ood_nmse,
        q=None if evaluation.status == "unavailable" else run_quality(evaluation),
        status=evaluation.status,
        score=newest.score,
    )
