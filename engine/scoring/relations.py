"""How methods, axes and conditions of a campaign relate, as flat records for files and other programs."""

from dataclasses import asdict
from typing import Any

from engine.scoring import analysis
from engine.scoring.analysis import CLEAN
from engine.scoring.campaign import Scores
from engine.scoring.correlation import between_axes
from engine.scoring.rows import AXES
from engine.scoring.tradeoffs import Measure, points

# Those that lay out methods; the runs of single tasks are in the runs' own table.
_OF_METHODS: tuple[Measure, ...] = ("size", "time", "cpu")


def comparison_records(scores: Scores, condition: str = CLEAN) -> list[dict[str, Any]]:
    """Return the paired comparisons of every pair of methods as flat records.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    condition : str
        Training condition.

    Returns
    -------
    list of dict
        Differences in [-1, 1].
    """
    return [
        {
            "axis": found.axis,
            "a": found.a,
            "b": found.b,
            "difference": found.difference.mean,
            "low": found.difference.low,
            "high": found.difference.high,
            "won": found.tests.wins,
            "lost": found.tests.losses,
            "tied": found.tests.ties,
            "left_out": len(found.tests.missing),
            "sign_p": found.tests.sign_p,
            "wilcoxon_p": found.tests.wilcoxon_p,
            "wilcoxon_p_holm": found.wilcoxon_holm,
        }
        for found in analysis.comparisons(scores, condition)
    ]


def correlation_records(scores: Scores, condition: str = CLEAN) -> list[dict[str, Any]]:
    """Return Spearman's coefficient of every pair of axes, with the methods it rests on and its p.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    condition : str
        Training condition.

    Returns
    -------
    list of dict
        ``spearman`` and ``p`` are None where they do not exist.
    """
    rows = [
        {axis: method.axes[axis].value for axis in AXES}
        for method in scores.methods
        if method.condition == condition
    ]
    return [
        {"a": found.a, "b": found.b, "spearman": found.rho, "methods": found.n, "p": found.p}
        for found in between_axes(rows)
    ]


def noise_records(scores: Scores) -> list[dict[str, Any]]:
    """Return what noise changes on every axis of every method, in [-1, 1]."""
    return [
        {
            "label": found.label,
            "condition": found.condition,
            "axis": found.axis,
            "clean": found.clean,
            "noisy": found.noisy,
            "change": found.change.mean,
            "low": found.change.low,
            "high": found.change.high,
            "tasks": found.tasks,
            "of": found.of,
        }
        for found in analysis.noise_changes(scores)
    ]


def trade_off_records(scores: Scores, condition: str = CLEAN) -> list[dict[str, Any]]:
    """Return the methods laid out by size, search time and CPU time, with the fronts.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    condition : str
        Training condition.

    Returns
    -------
    list of dict
        One for each measure and method.
    """
    chosen = [run for run in scores.runs if run.condition == condition]
    return [
        {"measure": measure, **asdict(point)} for measure in _OF_METHODS for point in points(chosen, measure)
    ]
