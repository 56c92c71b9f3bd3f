"""Random draws from raw PCG64 words, so that a recorded seed gives the same draw in every NumPy."""

import numpy as np
from numpy.typing import NDArray


class Draws:
    """A seeded stream of uniforms, integers and samples without replacement.

    Parameters
    ----------
    *key : int
        The recorded seed, followed by what tells this stream from its siblings (a start, a replicate).
    """

    def __init__(self, *key: int) -> None:
        self._words = np.random.PCG64(np.random.SeedSequence(list(key)))

    def uniforms(self, *shape: int) -> NDArray[np.float64]:
        """Return uniforms in [0, 1) with 53 random bits each.

        Parameters
        ----------
        *shape : int
            Shape of the result.

        Returns
        -------
        numpy.ndarray
            float64 array of that shape.
        """
        words = self._words.random_raw(int(np.prod(shape)))
        return np.asarray((words >> np.uint64(11)) * 2.0**-53).reshape(shape)

    def below(self, bound: int, *shape: int) -> NDArray[np.int64]:
        """Return integers drawn uniformly from 0 to ``bound - 1``.

        Parameters
        ----------
        bound : int
            One more than the largest value.
        *shape : int
            Shape of the result.

        Returns
        -------
        numpy.ndarray
            int64 array of that shape.
        """
        return np.minimum((self.uniforms(*shape) * bound).astype(np.int64), bound - 1)

    def samples(self, population: int, size: int, count: int) -> NDArray[np.int64]:
        """Return ``count`` samples of ``size`` distinct indices, each sorted.

        Parameters
        ----------
        population, size, count : int
            Number of indices to draw from, members of one sample, number of samples.

        Returns
        -------
        numpy.ndarray
            int64, shape (count, size).
        """
        out = np.empty((count, size), dtype=np.int64)
        # Blocks keep the keys of 20,000 draws from 10,000 tasks below a few tens of megabytes.
        block = max(1, 4_000_000 // max(population, 1))
        for start in range(0, count, block):
            stop = min(count, start + block)
            keys = self.uniforms(stop - start, population)
            out[start:stop] = np.sort(np.argsort(keys, axis=1, kind="stable")[:, :size], axis=1)
        return out
