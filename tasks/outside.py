"""The outside rule: where out-of-distribution values of one feature lie (measured on the public Core50)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REACH = 0.05
"""Width of each side interval as a part of the range, or of the logarithmic range (arena release)."""
CONSTANT_WIDTH = 1e-12
"""A range at most this wide counts as constant and takes the linear rule (arena release)."""


@dataclass(frozen=True, slots=True)
class Outside:
    """The intervals outside a training range ``[low, high]``; a side may be ``None``."""

    low: float
    high: float
    left: tuple[float, float] | None
    right: tuple[float, float] | None

    @property
    def extended(self) -> tuple[float, float]:
        """The training range with its side intervals."""
        return (
            self.low if self.left is None else self.left[0],
            self.high if self.right is None else self.right[1],
        )

    def draw(self, choice: NDArray[np.float64], place: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map uniforms to outside values; a side is taken with probability proportional to its length.

        Parameters
        ----------
        choice, place : ndarray of float64, shape (n,)
            Uniforms in [0, 1): the first chooses the side, the second the place in it.

        Returns
        -------
        ndarray of float64, shape (n,)
            Values in the left or the right interval.
        """
        if self.left is None or self.right is None:
            start, end = self.left or self.right or (self.low, self.high)
            return start + (end - start) * place
        left, right = self.left[1] - self.left[0], self.right[1] - self.right[0]
        on_left = choice * (left + right) < left
        return np.where(on_left, self.left[0] + left * place, self.right[0] + right * place)

    def holds(self, values: NDArray[np.float64], slack: float = 1e-9) -> NDArray[np.bool_]:
        """Return which values lie in a side interval, to ``slack`` of its width."""
        inside = np.zeros(len(values), dtype=bool)
        for side in (self.left, self.right):
            if side is not None:
                margin = slack * max(abs(side[0]), abs(side[1]), side[1] - side[0])
                inside |= (values >= side[0] - margin) & (values <= side[1] + margin)
        return inside


def linear(low: float, high: float, *, guard: bool = True) -> Outside:
    """Return the linear outside rule.

    Parameters
    ----------
    low, high : float
        The training range.
    guard : bool
        Whether a range that does not cross zero must not cross it outside either: then the whole reach goes
        to the other side.

    Returns
    -------
    Outside
        Five per cent of the width on each side, or ten on one where the guard applies.
    """
    width = high - low
    if guard and low >= 0 and low - REACH * width < 0:
        return Outside(low, high, None, (high, high + 2 * REACH * width))
    if guard and high <= 0 and high + REACH * width > 0:
        return Outside(low, high, (low - 2 * REACH * width, low), None)
    return Outside(low, high, (low - REACH * width, low), (high, high + REACH * width))


def logarithmic(low: float, high: float) -> Outside:
    """Return the rule of a positive log-uniform range: five per cent of the log-width on each side."""
    if high - low <= CONSTANT_WIDTH:
        return linear(low, high)
    ratio = high / low
    return Outside(low, high, (low * ratio**-REACH, low), (high, high * ratio**REACH))
