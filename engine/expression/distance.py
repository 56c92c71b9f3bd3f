"""Tree edit distance between canonical trees, and what follows from it (paper, appendix E.4; SPEC 2).

Zhang and Shasha's algorithm with unit costs for insert, delete and relabel, compiled by numba on first use.
The compiled code is cached on disk; :func:`compile_seconds` says what the first use cost.
"""

import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.expression.canonical import Tree

Integers = NDArray[np.int64]


def tree_distance(a: "Tree", b: "Tree") -> int:
    """Return the least number of inserted, deleted and relabelled nodes that turn one tree into the other.

    Parameters
    ----------
    a, b : Tree
        Ordered labelled trees.

    Returns
    -------
    int
    """
    if a.labels == b.labels and a.sizes == b.sizes:
        return 0
    names: dict[str, int] = {}
    first, second = (
        np.array([names.setdefault(label, len(names)) for label in tree.postorder_labels()], dtype=np.int64)
        for tree in (a, b)
    )
    return int(_kernel()(first, a.leftmost(), a.keyroots(), second, b.leftmost(), b.keyroots()))


def ned(a: "Tree", b: "Tree") -> float:
    """Return the normalized distance TED(a, b) / (C(a) + C(b)), between 0 and 1."""
    return tree_distance(a, b) / (a.complexity + b.complexity)


def f1(predicted: frozenset[str], reference: frozenset[str]) -> float:
    """Return the F1 score of two sets; two empty sets give 1, one empty set 0."""
    if not predicted and not reference:
        return 1.0
    return 2.0 * len(predicted & reference) / (len(predicted) + len(reference))


def compile_seconds() -> float:
    """Return the seconds that loading or compiling the kernel takes (once per process)."""
    start = time.perf_counter()
    _kernel()
    return time.perf_counter() - start


def preload() -> None:
    """Compile or load the kernel now, so that processes forked later have it."""
    _kernel()


@cache
def _kernel() -> Callable[..., int]:
    import numba

    # A process may live in a read-only installation: numba then caches below the user's cache folder.
    kernel = numba.njit(cache=True, nogil=True)(_zhang_shasha)
    leaf = np.zeros(1, dtype=np.int64)
    kernel(leaf, leaf, leaf, leaf, leaf, leaf)
    compiled: Callable[..., int] = kernel
    return compiled


def _zhang_shasha(
    labels_a: Integers,
    left_a: Integers,
    roots_a: Integers,
    labels_b: Integers,
    left_b: Integers,
    roots_b: Integers,
) -> int:
    """Fill the table of subtree distances, one pair of keyroots after the other (nodes in postorder)."""
    n, m = labels_a.shape[0], labels_b.shape[0]
    trees = np.zeros((n, m), dtype=np.int64)
    forest = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in roots_a:
        for j in roots_b:
            first, second = left_a[i], left_b[j]
            forest[0, 0] = 0
            for x in range(first, i + 1):
                forest[x - first + 1, 0] = x - first + 1
            for y in range(second, j + 1):
                forest[0, y - second + 1] = y - second + 1
            for x in range(first, i + 1):
                row = x - first + 1
                whole_x = left_a[x] == first
                for y in range(second, j + 1):
                    column = y - second + 1
                    best = min(forest[row - 1, column], forest[row, column - 1]) + 1
                    if whole_x and left_b[y] == second:
                        change = forest[row - 1, column - 1] + (labels_a[x] != labels_b[y])
                        best = min(best, change)
                        trees[x, y] = best
                    else:
                        change = forest[left_a[x] - first, left_b[y] - second] + trees[x, y]
                        best = min(best, change)
                    forest[row, column] = best
    return int(trees[n - 1, m - 1])
