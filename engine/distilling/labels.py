"""Difficulty, failure mode and winner of each task: the published labels, or computed from the responses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.distilling.facts import TaskFacts
from engine.distilling.information import measure
from engine.distilling.responses import Responses
from engine.errors import EngineError

LabelSource = Literal["published", "computed"]

DIFFICULTIES = ("easy", "medium", "hard", "extreme")
FAILURES = ("one_sided", "unstable", "all_struggle", "ood_failure", "one_method_wins", "all_good")
# SPEC 5: bins at these quantiles of Difficulty (published cuts about -6.67, -1.98, -0.0105).
DIFFICULTY_QUANTILES = (0.2, 0.6, 0.9)
# SPEC 5: the thresholds of the failure rules, on log10 NMSE.
STRUGGLE_DIFFICULTY = 0.0
OOD_GAP = 1.0
WIN_MARGIN = 2.0
WIN_ERROR = -3.0
UNSTABLE_QUANTILE = 0.9
# Two probes whose mean log errors differ by less share the win.
TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Labels of N tasks.

    Attributes
    ----------
    source : str
        ``published`` or ``computed``.
    difficulty, failure : tuple of str
        One per task.
    limited : numpy.ndarray
        bool (N,): counts against the limited quota.
    winners : numpy.ndarray
        float64 (N, P): each probe's share of the win; rows sum to 1, or to 0 where nobody has a valid
        response.
    probes : tuple of str
        The P columns of `winners`.
    """

    source: LabelSource
    difficulty: tuple[str, ...]
    failure: tuple[str, ...]
    limited: NDArray[np.bool_]
    winners: NDArray[np.float64]
    probes: tuple[str, ...]


def computed(responses: Responses) -> Labels:
    """Label tasks by the rules of SPEC 5, first match wins.

    Parameters
    ----------
    responses : Responses
        N tasks, P probes.

    Returns
    -------
    Labels
        Tasks without any valid response are ``extreme`` and ``one_sided``.
    """
    difficulty = measure(responses).difficulty
    known = np.isfinite(difficulty)
    cuts = np.quantile(difficulty[known], DIFFICULTY_QUANTILES) if known.any() else np.zeros(3)
    bins = np.where(known, np.searchsorted(cuts, np.where(known, difficulty, 0.0), side="left"), 3)
    error = np.where(np.isnan(responses.error), np.inf, responses.error)
    ranked = np.sort(error, axis=1)
    best = ranked[:, 0]
    ahead = np.full(len(best), np.inf)
    if error.shape[1] > 1:
        finite = np.isfinite(ranked[:, 1])
        ahead = np.where(
            finite, np.where(finite, ranked[:, 1], 0.0) - np.where(np.isfinite(best), best, 0.0), np.inf
        )
    clear = np.isfinite(best) & (ahead >= WIN_MARGIN) & (best < WIN_ERROR)
    spread = np.fmax(
        np.fmax.reduce(responses.id_iqr, axis=1, initial=0.0),
        np.fmax.reduce(responses.ood_iqr, axis=1, initial=0.0),
    )
    valid_probes = (responses.valid > 0).sum(axis=1)
    gap = _mean_gap(responses)
    rules = {
        "one_sided": valid_probes <= responses.valid.shape[1] // 2,
        "unstable": (spread >= np.quantile(spread, UNSTABLE_QUANTILE)) & (spread > 0),
        "all_struggle": known & (np.where(known, difficulty, 0.0) >= STRUGGLE_DIFFICULTY) & ~clear,
        "ood_failure": gap >= OOD_GAP,
        "one_method_wins": clear,
    }
    failure = np.full(len(best), "all_good", dtype="U16")
    for name, holds in reversed(rules.items()):
        failure[holds] = name
    limited = np.isin(failure, ("one_sided", "unstable", "all_struggle")) | (bins == 3)
    return Labels(
        source="computed",
        difficulty=tuple(DIFFICULTIES[b] for b in bins),
        failure=tuple(str(name) for name in failure),
        limited=limited,
        winners=_shared_wins(error, best),
        probes=responses.probes,
    )


def published(facts: Sequence[TaskFacts], responses: Responses) -> Labels:
    """Take the labels that were published with the pool.

    Parameters
    ----------
    facts : sequence of TaskFacts
        N tasks in the order of the responses.
    responses : Responses
        Only its probe names are used.

    Returns
    -------
    Labels
        With one winner per task.

    Raises
    ------
    EngineError
        When a task has no published labels, or a published winner is not among the probes.
    """
    winners = np.zeros((len(facts), len(responses.probes)))
    for row, fact in enumerate(facts):
        if fact.labels is None:
            raise EngineError(
                f"task {fact.id} ({fact.name}) has no published labels; "
                "use computed labels (--labels computed)"
            )
        if fact.labels.winner not in responses.probes:
            raise EngineError(
                f"the published winning probe {fact.labels.winner} of task {fact.id} is not among the probes "
                f"{', '.join(responses.probes)}; use computed labels (--labels computed)"
            )
        winners[row, responses.probes.index(fact.labels.winner)] = 1.0
    labels = [fact.labels for fact in facts if fact.labels is not None]
    return Labels(
        source="published",
        difficulty=tuple(label.difficulty for label in labels),
        failure=tuple(label.failure for label in labels),
        limited=np.array([label.limited for label in labels]),
        winners=winners,
        probes=responses.probes,
    )


def confusion(ours: Sequence[str], theirs: Sequence[str]) -> pd.DataFrame:
    """Count how computed labels fall on published ones.

    Parameters
    ----------
    ours, theirs : sequence of str
        N computed and N published labels.

    Returns
    -------
    pandas.DataFrame
        Rows computed, columns published, both in the labels' own order.
    """
    order = [name for name in (*DIFFICULTIES, *FAILURES) if name in {*ours, *theirs}]
    order += sorted({*ours, *theirs} - set(order))
    table = pd.crosstab(pd.Series(ours, name="computed"), pd.Series(theirs, name="published"))
    return table.reindex(index=order, columns=order, fill_value=0)


def _mean_gap(responses: Responses) -> NDArray[np.float64]:
    gaps = responses.ood_median - responses.id_median
    there = ~np.isnan(gaps)
    return np.asarray(np.where(there, gaps, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1))


def _shared_wins(error: NDArray[np.float64], best: NDArray[np.float64]) -> NDArray[np.float64]:
    usable = np.isfinite(best)
    level = np.where(usable, best, 0.0)
    wins = (np.where(np.isfinite(error), error, np.inf) <= level[:, None] + TIE) & usable[:, None]
    return np.asarray(wins / np.maximum(wins.sum(axis=1, keepdims=True), 1))
