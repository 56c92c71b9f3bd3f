"""Training conditions: clean labels, or Gaussian noise on the training labels (paper 1, E.7)."""

import re

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.running.records import CLEAN
from tasks.randomness import Stream

_NAMED = re.compile(r"noise0\d+")
_SIGMA = re.compile(r"(?:noise|sigma)?(\d*\.\d+|\d+\.?)")


def canonical(word: str) -> str:
    """Give a condition its one name.

    Parameters
    ----------
    word : str
        ``clean``, ``noise001``, ``noise005``, ``noise0.1``, or a bare sigma such as ``0.02``.

    Returns
    -------
    str
        ``clean`` or ``noise`` and the digits of sigma after the decimal point with two or more places:
        0.01 is ``noise001``, 0.05 ``noise005``, 0.025 ``noise0025``, 1.5 ``noise1.5``.

    Raises
    ------
    EngineError
        When the word names no condition.
    """
    word = word.strip().lower()
    if word == CLEAN:
        return CLEAN
    matched = _SIGMA.fullmatch(word)
    if _NAMED.fullmatch(word):
        level = sigma(word)
    elif matched:
        level = float(matched.group(1))
    else:
        raise EngineError(
            f"the condition {word!r} is unknown: use clean, noise001, noise005 or a sigma such as 0.02"
        )
    if level == 0.0:
        return CLEAN
    whole, _, places = f"{level:.12f}".rstrip("0").partition(".")
    return f"noise0{places.ljust(2, '0')}" if whole == "0" else f"noise{whole}.{places or '0'}"


def sigma(condition: str) -> float:
    """Read the noise level of a condition.

    Parameters
    ----------
    condition : str
        A canonical condition name.

    Returns
    -------
    float
        Sigma, a multiple of the training target's standard deviation; 0 when clean.
    """
    if condition == CLEAN:
        return 0.0
    digits = condition.removeprefix("noise")
    return float(digits) if "." in digits else float(f"0.{digits[1:]}")


def perturb(y: NDArray[np.float64], key: str, condition: str, seed: int) -> NDArray[np.float64]:
    """Add the condition's noise to training labels: y + sigma * std(y) * normal (E.7, SPEC 1).

    Parameters
    ----------
    y : ndarray, shape (n,)
        Clean training labels.
    key : str
        What stands for the task: its id, or the digest of a user's training rows. The generator's seed
        derives from it, the condition and the seed, never from the method.
    condition : str
        A canonical condition name.
    seed : int
        The run's seed.

    Returns
    -------
    ndarray, shape (n,)
        The labels every method sees; `y` itself when the condition is clean.
    """
    level = sigma(condition)
    if level == 0.0:
        return y
    noisy: NDArray[np.float64] = y + level * float(np.std(y)) * Stream(
        *noise_words(key, condition, seed)
    ).normal(len(y))
    return noisy


def noise_words(key: str, condition: str, seed: int) -> tuple[str, ...]:
    """Name the seed of a condition's noise.

    Parameters
    ----------
    key, condition, seed
        See `perturb`.

    Returns
    -------
    tuple of str
        The words that `tasks.randomness.seed_of` makes the generator's seed of.
    """
    return ("label noise", key, condition, str(seed))
