"""Comparisons between the methods of a campaign: per task, paired, ranked, and error against complexity."""

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engine.scoring import bootstrap
from engine.scoring.campaign import Scores
from engine.scoring.comparison import CriticalDifference, Paired, critical_difference, holm, paired, pareto
from engine.scoring.numeric import EPSILON
from engine.scoring.rows import AXES

CLEAN = "clean"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two methods on one axis: difference of means with a paired task bootstrap, and exact paired tests."""

    axis: str
    a: str
    b: str
    difference: bootstrap.Interval
    tests: Paired
    wilcoxon_holm: float | None


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """One method's median error and size; ``front`` when no other method beats it in both."""

    label: str
    log_error: float
    complexity: float
    runs: int
    front: bool


def task_means(scores: Scores, axis: str, condition: str = CLEAN) -> dict[str, dict[str, float]]:
    """Return each method's mean score per task, over the seeds that have one.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    axis : str
        One of the six axes.
    condition : str
        Training condition.

    Returns
    -------
    dict of label to dict of task to float
        Tasks without a score are left out.
    """
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    if axis == "STAB":
        for task in scores.tasks:
            if task.condition == condition and task.stability is not None:
                values[task.label][task.task].append(task.stability.value)
    else:
        for run in scores.runs:
            value = run.scores.get(axis)
            if run.condition == condition and value is not None:
                values[run.label][run.task].append(value)
    return {
        label: {task: statistics.fmean(v) for task, v in tasks.items()} for label, tasks in values.items()
    }


def comparisons(scores: Scores, condition: str = CLEAN) -> tuple[Comparison, ...]:
    """Compare every pair of methods on every axis over the tasks both have.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    condition : str
        Training condition.

    Returns
    -------
    tuple of Comparison
        p-values of the Wilcoxon test are corrected by Holm over the pairs of an axis.
    """
    found: list[Comparison] = []
    for axis in AXES:
        means = task_means(scores, axis, condition)
        drafts = [
            (a, b, _difference(means[a], means[b]), paired(means[a], means[b]))
            for a, b in combinations(means, 2)
            if means[a].keys() & means[b].keys()
        ]
        corrected = holm([tests.wilcoxon_p for _, _, _, tests in drafts])
        found += [
            Comparison(axis, a, b, difference, tests, p)
            for (a, b, difference, tests), p in zip(drafts, corrected, strict=True)
        ]
    return tuple(found)


def rankings(scores: Scores, condition: str = CLEAN) -> dict[str, CriticalDifference | None]:
    """Return mean ranks and the critical difference of every axis; None where there is too little to rank."""
    return {axis: critical_difference(task_means(scores, axis, condition)) for axis in AXES}


def pareto_points(scores: Scores, condition: str = CLEAN) -> tuple[ParetoPoint, ...]:
    """Lay the methods out by median log10 ID error and median size of the processed expression.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    condition : str
        Training condition.

    Returns
    -------
    tuple of ParetoPoint
        Methods with at least one valid run whose size was counted.
    """
    sizes: dict[str, list[int]] = defaultdict(list)
    errors: dict[str, list[float]] = defaultdict(list)
    for run in scores.runs:
        if run.condition == condition and run.c_pred is not None and run.id_nmse is not None:
            sizes[run.label].append(run.c_pred)
            errors[run.label].append(math.log10(max(run.id_nmse, EPSILON)))
    drafts = [
        (label, statistics.median(errors[label]), statistics.median(sizes[label])) for label in sorted(sizes)
    ]
    front = set(pareto([(error, size) for _, error, size in drafts]))
    return tuple(
        ParetoPoint(label, error, size, len(sizes[label]), index in front)
        for index, (label, error, size) in enumerate(drafts)
    )


def _difference(a: Mapping[str, float], b: Mapping[str, float]) -> bootstrap.Interval:
    common: Sequence[str] = sorted(a.keys() & b.keys())
    drawn = bootstrap.draws(len(common))
    ones = np.ones(len(common))
    return bootstrap.paired_difference(
        ([a[task] for task in common], ones), ([b[task] for task in common], ones), drawn
    )
