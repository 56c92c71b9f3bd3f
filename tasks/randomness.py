"""Random numbers that are the same on every machine and NumPy version: raw PCG64 words under named seeds."""

import hashlib

import numpy as np
from numpy.typing import NDArray

SCHEME = "arena-tui-tasks-1"
"""Prefix of every seed text; a new value would be a new data set."""
_SHIFT = np.uint64(11)
_UNIT = 2.0**-53


def seed_of(*words: str) -> int:
    """Return the 128-bit seed that the words name.

    Parameters
    ----------
    *words : str
        For instance a task id, a split and a purpose.

    Returns
    -------
    int
        The first 16 bytes of the SHA-256 digest of the scheme and the words, big-endian.
    """
    text = "/".join((SCHEME, *words))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")


class Stream:
    """A sequence of random numbers under one named seed, consumed in order.

    Parameters
    ----------
    *words : str
        What names the seed, see :func:`seed_of`.
    """

    def __init__(self, *words: str) -> None:
        self.seed = seed_of(*words)
        self._generator = np.random.PCG64(self.seed)

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return the next ``count`` raw 64-bit words."""
        return np.asarray(self._generator.random_raw(count), dtype=np.uint64)

    def unit(self, *shape: int) -> NDArray[np.float64]:
        """Return uniforms in [0, 1): the upper 53 bits of one raw word each, in C order."""
        count = int(np.prod(shape))
        return ((self.words(count) >> _SHIFT).astype(np.float64) * _UNIT).reshape(shape)

    def uniform(self, low: float, high: float, count: int) -> NDArray[np.float64]:
        """Return ``count`` uniforms in [low, high)."""
        return low + (high - low) * self.unit(count)

    def normal(self, count: int) -> NDArray[np.float64]:
        """Return ``count`` standard normals, by inversion of uniforms in the open interval (0, 1)."""
        from scipy.special import ndtri

        open_unit = ((self.words(count) >> _SHIFT).astype(np.float64) + 0.5) * _UNIT
        return np.asarray(ndtri(open_unit), dtype=np.float64)

    def permutation(self, count: int) -> NDArray[np.intp]:
        """Return a permutation of ``range(count)``: the stable order of as many raw words."""
        return np.argsort(self.words(count), kind="stable")
