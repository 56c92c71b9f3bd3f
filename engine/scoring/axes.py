"""Run scores aggregated into methods' axes, without any judging: n of N, bootstrap, deltas, correlations."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.scoring import bootstrap
from engine.scoring.correlation import between_axes
from engine.scoring.numeric import EPSILON
from engine.scoring.rows import AXES, RUN_AXES, AxisScore, MethodScore, RunScore, TaskScore

# Share of runs, besides the axes: second paper's accuracies and SRBench's measures.
RATES: Mapping[str, Callable[[RunScore], float | None]] = {
    "Acc0.01": lambda run: _indicator(run.acc_001),
    "Acc0.001": lambda run: _indicator(run.acc_0001),
    "strict": lambda run: _indicator(run.strict),
    "SA": lambda run: _indicator(run.sa),
    "R2>0.999": lambda run: float(r2_above(run)) if run.scores.get("ID") is not None else None,
    "solution rate": lambda run: _indicator(run.solution),
}
# SRBench (La Cava et al. 2021): a task counts as solved in accuracy above this test R2.
SRBENCH_R2 = 0.999

Groups = Mapping[tuple[str, str], Sequence[RunScore]]


def method_scores(
    runs: Sequence[RunScore], tasks: Sequence[TaskScore], *, replicates: int = bootstrap.REPLICATES
) -> tuple[MethodScore, ...]:
    """Aggregate every method under every condition.

    Parameters
    ----------
    runs : sequence of RunScore
        Every planned run.
    tasks : sequence of TaskScore
        STAB per task, method and condition.
    replicates : int
        Task resamples for the intervals; the same draws serve all methods, axes and conditions.

    Returns
    -------
    tuple of MethodScore
        In order of first appearance.
    """
    order = sorted({run.task for run in runs})
    drawn = bootstrap.draws(len(order), replicates=replicates) if order else np.zeros((0, 0), dtype=np.intp)
    stability: dict[tuple[str, str], list[TaskScore]] = defaultdict(list)
    for task in tasks:
        stability[task.label, task.condition].append(task)
    scores = []
    for (label, condition), group in grouped(runs).items():
        axes = {
            axis: _axis(group, lambda run, axis=axis: run.scores.get(axis), order, drawn)  # type: ignore[misc]
            for axis in RUN_AXES
        }
        axes["STAB"] = _stability(stability[label, condition], order, drawn)
        rates = {name: _axis(group, read, order, drawn) for name, read in RATES.items()}
        scores.append(
            MethodScore(
                label, group[0].method, condition, axes, rates, _axis(group, degradation, order, drawn)
            )
        )
    return tuple(scores)


def grouped(runs: Iterable[RunScore]) -> Groups:
    """Group runs by label and condition, in order of first appearance."""
    groups: dict[tuple[str, str], list[RunScore]] = defaultdict(list)
    for run in runs:
        groups[run.label, run.condition].append(run)
    return groups


def degradation(run: RunScore) -> float | None:
    """Return the ID to OOD degradation log10((NMSE_OOD + eps) / (NMSE_ID + eps)) of a run (paper 1, E.2)."""
    if run.id_nmse is None or run.ood_nmse is None:
        return None
    return math.log10((run.ood_nmse + EPSILON) / (run.id_nmse + EPSILON))


def r2_above(run: RunScore) -> bool:
    """Tell whether SRBench counts a run as accurate: R2 above 0.999 on the ID test split."""
    return run.id_nmse is not None and 1.0 - run.id_nmse > SRBENCH_R2


def noise_deltas(scores: Sequence[MethodScore]) -> dict[tuple[str, str], dict[str, float | None]]:
    """Return each noisy condition's axes minus the same method's clean ones (paper 1, table 13).

    Parameters
    ----------
    scores : sequence of MethodScore
        All conditions of all methods.

    Returns
    -------
    dict of (label, condition) to dict of axis to float or None
        None where either side is missing.
    """
    clean = {score.label: score for score in scores if score.condition == "clean"}
    deltas: dict[tuple[str, str], dict[str, float | None]] = {}
    for score in scores:
        if score.condition == "clean" or score.label not in clean:
            continue
        base = clean[score.label]
        deltas[score.label, score.condition] = {
            axis: _difference(score.axes[axis].value, base.axes[axis].value) for axis in AXES
        }
    return deltas


def correlations(
    scores: Sequence[MethodScore], condition: str = "clean"
) -> dict[tuple[str, str], float | None]:
    """Return Spearman correlations between axes across methods (paper 1, G.1).

    Parameters
    ----------
    scores : sequence of MethodScore
        All methods.
    condition : str
        Which condition's scores.

    Returns
    -------
    dict of (axis, axis) to float or None
        None with fewer than three methods that have both axes, or where one axis does not vary.
    """
    chosen = [
        {axis: score.axes[axis].value for axis in AXES} for score in scores if score.condition == condition
    ]
    return {(found.a, found.b): found.rho for found in between_axes(chosen)}


def ranked(scores: Mapping[str, float | None], *, ascending: bool = False) -> list[str]:
    """Order names by score; None, NaN and infinities come last in both directions.

    Parameters
    ----------
    scores : mapping of str to float or None
        Scores.
    ascending : bool
        Lowest first.

    Returns
    -------
    list of str
        Names; equal scores by name.
    """

    def key(name: str) -> tuple[bool, float, str]:
        value = scores[name]
        if value is None or not math.isfinite(value):
            return True, 0.0, name
        return False, value if ascending else -value, name

    return sorted(scores, key=key)


def _axis(
    group: Sequence[RunScore],
    read: Callable[[RunScore], float | None],
    order: Sequence[str],
    drawn: NDArray[np.intp],
) -> AxisScore:
    place = {task: index for index, task in enumerate(order)}
    sums, counts = np.zeros(len(order)), np.zeros(len(order))
    for run in group:
        value = read(run) if run.state == "scored" else None
        if value is not None:
            sums[place[run.task]] += value
            counts[place[run.task]] += 1
    return _score(sums, counts, len(group), drawn)


def _stability(tasks: Sequence[TaskScore], order: Sequence[str], drawn: NDArray[np.intp]) -> AxisScore:
    place = {task: index for index, task in enumerate(order)}
    sums, counts = np.zeros(len(order)), np.zeros(len(order))
    for task in tasks:
        if task.stability is not None:
            sums[place[task.task]] += task.stability.value
            counts[place[task.task]] += 1
    score = _score(sums, counts, len(tasks), drawn)
    notes = sorted({task.note for task in tasks if task.note})
    return AxisScore(score.value, score.n, score.of, score.low, score.high, "; ".join(notes) or None)


def _score(
    sums: NDArray[np.float64], counts: NDArray[np.float64], of: int, drawn: NDArray[np.intp]
) -> AxisScore:
    n = int(counts.sum())
    if not n:
        return AxisScore(None, 0, of)
    if not drawn.size:
        return AxisScore(float(sums.sum()) / n, n, of)
    found = bootstrap.interval(sums, counts, drawn)
    assert found is not None
    return AxisScore(found.mean, n, of, found.low, found.high)


def _indicator(value: bool | None) -> float | None:
    return None if value is None else float(value)


def _difference(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b
