"""Figures 5 and 6 of the first paper for any campaign: two methods task by task, and usability of methods."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from engine.scoring.numeric import EPSILON, LOG_ERROR_MAX, LOG_ERROR_MIN
from engine.scoring.rows import RunScore

# Paper 1, C.2.
EXPLOSION_NMSE = 100.0
REFERENCE_FINITE = 0.9
REFERENCE_EXPLOSION = 0.3


@dataclass(frozen=True, slots=True)
class Usability:
    """Shares of a method's runs: finite errors on all splits, and an error above 100 on a test split."""

    label: str
    finite: float
    explosion: float
    runs: int


@dataclass(frozen=True, slots=True)
class Response:
    """One task under two methods: mean clipped log10 NMSE of each, 2 (the worst) where a run has no error."""

    task: str
    name: str
    first: float
    second: float


def usability(runs: Sequence[RunScore], condition: str = "clean") -> tuple[Usability, ...]:
    """Compute q(a) and b_100(a) of every method over its scored runs (paper 1, C.2).

    Parameters
    ----------
    runs : sequence of RunScore
        A campaign's runs.
    condition : str
        Training condition.

    Returns
    -------
    tuple of Usability
        In order of first appearance; splits a task does not have are not asked for.
    """
    groups: dict[str, list[RunScore]] = defaultdict(list)
    for run in runs:
        if run.state == "scored" and run.condition == condition:
            groups[run.label].append(run)
    return tuple(
        Usability(
            label,
            sum(map(_finite, group)) / len(group),
            sum(map(_explodes, group)) / len(group),
            len(group),
        )
        for label, group in groups.items()
    )


def responses(
    runs: Sequence[RunScore], first: str, second: str, split: str, condition: str = "clean"
) -> tuple[Response, ...]:
    """Lay the tasks out that two methods both have scored runs on.

    Parameters
    ----------
    runs : sequence of RunScore
        A campaign's runs.
    first, second : str
        Labels.
    split : {'ID', 'OOD'}
        Which error.
    condition : str
        Training condition.

    Returns
    -------
    tuple of Response
        By task id.
    """
    values: dict[str, dict[str, list[float]]] = {first: defaultdict(list), second: defaultdict(list)}
    names: dict[str, str] = {}
    for run in runs:
        known = run.state == "scored" and run.condition == condition and run.scores.get(split) is not None
        if known and run.label in values:
            names[run.task] = run.name
            values[run.label][run.task].append(_log_error(run.id_nmse if split == "ID" else run.ood_nmse))
    return tuple(
        Response(task, names[task], _mean(values[first][task]), _mean(values[second][task]))
        for task in sorted(values[first].keys() & values[second].keys())
    )


def _log_error(error: float | None) -> float:
    if error is None:
        return LOG_ERROR_MAX
    return min(max(math.log10(max(error, EPSILON)), LOG_ERROR_MIN), LOG_ERROR_MAX)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _finite(run: RunScore) -> bool:
    tested = [
        error
        for axis, error in (("ID", run.id_nmse), ("OOD", run.ood_nmse))
        if run.scores.get(axis) is not None
    ]
    return run.train_nmse is not None and all(error is not None for error in tested)


def _explodes(run: RunScore) -> bool:
    return any(error is not None and error > EXPLOSION_NMSE for error in (run.id_nmse, run.ood_nmse))
