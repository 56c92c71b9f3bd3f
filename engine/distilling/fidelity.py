"""How faithfully a subset stands for the pool: A_p, MAE, percentile among random draws, order (C.4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling.draws import Draws
from engine.distilling.information import FAILURE_PENALTY, task_scores
from engine.distilling.responses import Responses

# SymbolicArena, C.4.
PENALTIES = (0.0, 0.5, 1.0, 2.0, 4.0)
# SPEC 6: the reference distribution of uniform random subsets.
RANDOM_DRAWS = 20_000
RANDOM_SEED = 20_000


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Aggregate fidelity at one penalty.

    Attributes
    ----------
    penalty : float
        Lambda.
    probes : tuple of str
        Labels.
    full, subset : tuple of float
        A_p on the pool and on the subset.
    mae, nmae : float
        Mean absolute difference, and over the range of A_p on the pool (0 when that range is 0).
    order_kept : bool
        Whether the probes stand in the same order at both scales.
    """

    penalty: float
    probes: tuple[str, ...]
    full: tuple[float, ...]
    subset: tuple[float, ...]
    mae: float
    nmae: float
    order_kept: bool


def fidelity(responses: Responses, rows: NDArray[np.int64], penalty: float = FAILURE_PENALTY) -> Fidelity:
    """Measure a subset's aggregate fidelity.

    Parameters
    ----------
    responses : Responses
        N tasks, P probes.
    rows : numpy.ndarray
        Rows of the subset.
    penalty : float
        Lambda.

    Returns
    -------
    Fidelity
        At that penalty.
    """
    scores = task_scores(responses, penalty)
    full, subset = scores.mean(axis=0), scores[rows].mean(axis=0)
    mae = float(np.abs(subset - full).mean())
    spread = float(full.max() - full.min())
    return Fidelity(
        penalty,
        responses.probes,
        tuple(full.tolist()),
        tuple(subset.tolist()),
        mae,
        mae / spread if spread > 0 else 0.0,
        bool((np.argsort(full, kind="stable") == np.argsort(subset, kind="stable")).all()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class RandomReference:
    """MAE of uniform random subsets of one size: the distribution, sorted, and its seed."""

    seed: int
    mae: NDArray[np.float64]

    def percentile(self, mae: float) -> float:
        """Return the percentage of random draws with a lower MAE.

        Parameters
        ----------
        mae : float
            Of the subset in question.

        Returns
        -------
        float
            0 when no draw is better, 100 when all are.
        """
        return 100.0 * int(np.searchsorted(self.mae, mae, side="left")) / len(self.mae)


def random_reference(
    responses: Responses, size: int, draws: int = RANDOM_DRAWS, seed: int = RANDOM_SEED
) -> RandomReference:
    """Draw uniform random subsets and measure each.

    Parameters
    ----------
    responses : Responses
        N tasks.
    size, draws, seed : int
        Size of a subset, number of subsets, seed.

    Returns
    -------
    RandomReference
        At lambda 2.
    """
    scores = task_scores(responses)
    full = scores.mean(axis=0)
    chosen = Draws(seed).samples(len(scores), size, draws)
    mae = np.array([np.abs(scores[rows].mean(axis=0) - full).mean() for rows in chosen])
    return RandomReference(seed, np.sort(mae))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two score lists over the same methods: Spearman, Kendall tau-b, pairs in one order.

    None where fewer than two methods, or all values equal, leave a coefficient undefined.
    """

    methods: int
    spearman: float | None
    kendall: float | None
    pairs_kept: int
    pairs: int


def agreement(full: Sequence[float], subset: Sequence[float]) -> Agreement:
    """Compare the order of methods at both scales.

    Parameters
    ----------
    full, subset : sequence of float
        One score per method at each scale.

    Returns
    -------
    Agreement
        A pair is kept when both scales order it alike (both may tie).
    """
    from scipy.stats import kendalltau, spearmanr

    a, b = np.asarray(full, dtype=np.float64), np.asarray(subset, dtype=np.float64)
    count = len(a)
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    kept = sum(bool(np.sign(a[i] - a[j]) == np.sign(b[i] - b[j])) for i, j in pairs)
    if count < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return Agreement(count, None, None, kept, len(pairs))
    return Agreement(count, float(spearmanr(a, b)[0]), float(kendalltau(a, b)[0]), kept, len(pairs))
