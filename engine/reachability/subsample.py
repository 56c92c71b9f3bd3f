"""The rows a search sees: drawn by a key, the same for every arm of a pair."""

import hashlib

import numpy as np
from numpy.typing import NDArray


def subsample(count: int, most: int, key: str) -> NDArray[np.intp]:
    """Draw at most so many rows without replacement.

    Parameters
    ----------
    count
        Rows there are.
    most
        Rows wanted.
    key
        Text that names the draw, such as a task and a seed.

    Returns
    -------
    ndarray
        Row numbers, ascending; all of them where there are no more than wanted. Drawn by ordering raw PCG64
        words, which are the same under every NumPy version.
    """
    if count <= most:
        return np.arange(count)
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest(), "big")
    words = np.random.PCG64(seed).random_raw(count)
    return np.sort(np.argsort(words, kind="stable")[:most])
