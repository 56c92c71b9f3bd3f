"""Comparisons inside a campaign: methods per task, paired and ranked; noisy conditions against clean."""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engine.scoring import bootstrap
from engine.scoring.campaign import Scores
from engine.scoring.comparison import CriticalDifference, Paired, critical_difference, holm, paired
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
class NoiseChange:
    """One axis of one method under noise and under clean labels, over the tasks that have both.

    ``change`` is noisy minus clean with its paired task bootstrap interval (paper 1, table 13 and E.6);
    ``tasks`` of ``of`` tasks have a score under both. All in [0, 1].
    """

    label: str
    condition: str
    axis: str
    clean: float
    noisy: float
    change: bootstrap.Interval
    tasks: int
    of: int


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


def noise_changes(scores: Scores) -> tuple[NoiseChange, ...]:
    """Compare every noisy condition with the same method's clean runs, task by task.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.

    Returns
    -------
    tuple of NoiseChange
        By method, condition and axis; nothing where no task has a score under both.
    """
    found: list[NoiseChange] = []
    everything = len({run.task for run in scores.runs})
    noisy = [(score.label, score.condition) for score in scores.methods if score.condition != CLEAN]
    conditions = dict.fromkeys((CLEAN, *(condition for _, condition in noisy)))
    means = {(axis, one): task_means(scores, axis, one) for one in conditions for axis in AXES}
    for label, condition in noisy:
        for axis in AXES:
            clean, under = means[axis, CLEAN].get(label, {}), means[axis, condition].get(label, {})
            common = clean.keys() & under.keys()
            if common:
                change = _difference(under, clean)
                before, after = (statistics.fmean(one[task] for task in common) for one in (clean, under))
                found.append(
                    NoiseChange(label, condition, axis, before, after, change, len(common), everything)
                )
    return tuple(found)


def _difference(a: Mapping[str, float], b: Mapping[str, float]) -> bootstrap.Interval:
    common: Sequence[str] = sorted(a.keys() & b.keys())
    drawn = bootstrap.draws(len(common))
    ones = np.ones(len(common))
    return bootstrap.paired_difference(
        ([a[task] for task in common], ones), ([b[task] for task in common], ones), drawn
    )
