"""What a task tells: discrimination, stability over seeds, difficulty and scores (C.3, C.4)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling.responses import LOG_LIMIT, Responses

# SymbolicArena, C.3: Disc = 0.45 N(var of ID medians) + 0.45 N(var of OOD medians) + 0.10 N(entropy of
# validity).
DISC_WEIGHTS = (0.45, 0.45, 0.10)
# SPEC 5: N is min-max on the 5 % to 95 % quantile range, clipped to [0, 1].
NORMAL_RANGE = (0.05, 0.95)
# SymbolicArena, C.4: lambda = 2; a task and probe without any valid run score -12.
FAILURE_PENALTY = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Information:
    """Per task (N): Disc, Stab, Info = Disc * Stab, Difficulty (NaN without any valid response)."""

    disc: NDArray[np.float64]
    stab: NDArray[np.float64]
    info: NDArray[np.float64]
    difficulty: NDArray[np.float64]


def normalized(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale to [0, 1] between the 5 % and 95 % quantiles, clipping outside (SPEC 5).

    Parameters
    ----------
    values : numpy.ndarray
        (N,), finite.

    Returns
    -------
    numpy.ndarray
        (N,); zeros when the two quantiles coincide and nothing lies above them.
    """
    low, high = np.quantile(values, NORMAL_RANGE)
    if high <= low:
        # Nearly all values equal (the usual case for validity entropy): only what exceeds them stands out.
        return np.asarray(values > high, dtype=np.float64)
    return np.asarray(np.clip((values - low) / (high - low), 0.0, 1.0))


def validity_entropy(responses: Responses) -> NDArray[np.float64]:
    """Entropy of the valid / not-valid pattern over probes, as a share of its maximum (SPEC 5).

    Parameters
    ----------
    responses : Responses
        N tasks.

    Returns
    -------
    numpy.ndarray
        (N,) in [0, 1].
    """
    share = (responses.valid > 0).mean(axis=1)
    parts = np.stack([share, 1 - share])
    logs = np.log(np.where(parts > 0, parts, 1.0))
    return np.asarray(-(parts * logs).sum(axis=0) / np.log(2.0))


def over_probes(values: NDArray[np.float64], power: int) -> NDArray[np.float64]:
    """Return mean (power 1) or population variance (power 2) over the probes that have a value.

    Parameters
    ----------
    values : numpy.ndarray
        (N, P) with NaN where a probe has none.
    power : int
        1 or 2.

    Returns
    -------
    numpy.ndarray
        (N,); NaN for tasks without any value.
    """
    there = ~np.isnan(values)
    count = there.sum(axis=1)
    filled = np.where(there, values, 0.0)
    mean = filled.sum(axis=1) / np.maximum(count, 1)
    if power == 2:
        mean = np.where(there, (values - mean[:, None]) ** 2, 0.0).sum(axis=1) / np.maximum(count, 1)
    return np.where(count > 0, mean, np.nan)


def measure(responses: Responses) -> Information:
    """Measure every task's information and difficulty.

    Parameters
    ----------
    responses : Responses
        N tasks, P probes. An unavailable interquartile range adds nothing to the instability beyond 1 - v.

    Returns
    -------
    Information
        Tasks without any valid response have Info 0 and difficulty NaN.
    """
    usable = np.asarray((responses.valid > 0).any(axis=1))
    parts = (
        np.nan_to_num(over_probes(responses.id_median, 2)),
        np.nan_to_num(over_probes(responses.ood_median, 2)),
        validity_entropy(responses),
    )
    disc = sum(
        (weight * normalized(part) for weight, part in zip(DISC_WEIGHTS, parts, strict=True)),
        np.zeros(len(usable)),
    )
    spread = np.nan_to_num(responses.id_iqr) + np.nan_to_num(responses.ood_iqr)
    invalid = 1 - responses.valid / np.maximum(responses.scheduled, 1)
    stab = 1 - normalized((spread + invalid).mean(axis=1))
    info = np.where(usable, disc * stab, 0.0)
    return Information(disc, stab, info, over_probes(responses.error, 1))


def task_scores(responses: Responses, penalty: float = FAILURE_PENALTY) -> NDArray[np.float64]:
    """Score every task and probe: minus the log error, minus the penalty for failed seeds (C.4).

    Parameters
    ----------
    responses : Responses
        N tasks, P probes.
    penalty : float
        Lambda.

    Returns
    -------
    numpy.ndarray
        (N, P); -12 where no seed was valid.
    """
    failed = 1 - responses.valid / np.maximum(responses.scheduled, 1)
    scores = -responses.error - penalty * failed
    return np.where(responses.valid > 0, scores, -LOG_LIMIT)
