"""The three tiny tasks of the conformance kit, and a fourth that cannot be solved."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TRAIN_ROWS = 200
HELD_OUT_ROWS = 200
_SEED = 2026
_LOW, _HIGH = -3.0, 3.0


@dataclass(frozen=True, slots=True, eq=False)
class CheckTask:
    """A task that the kit makes itself: nothing of the catalogue is touched.

    Attributes
    ----------
    name, formula : str
        Its name and, for people, its truth over x0 and x1.
    X, y : ndarray of shape (200, 2) and (200,)
        Training rows.
    X_held_out, y_held_out : ndarray
        Rows that no worker is given.
    """

    name: str
    formula: str
    X: NDArray[np.float64]
    y: NDArray[np.float64]
    X_held_out: NDArray[np.float64]
    y_held_out: NDArray[np.float64]


def _square_plus_line(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return X[:, 0] ** 2 + 2.0 * X[:, 1] + 0.5


def _sine_plus_square(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return X[:, 0] ** 2 + np.sin(X[:, 1])


def _product(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return X[:, 0] * X[:, 1] + X[:, 0]


_TRUTHS: dict[str, tuple[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]]] = {
    "product": ("x0*x1 + x0", _product),
    "square-plus-line": ("x0**2 + 2*x1 + 0.5", _square_plus_line),
    "sine-plus-square": ("x0**2 + sin(x1)", _sine_plus_square),
}


def tasks() -> tuple[CheckTask, ...]:
    """Return the three tasks, always with the same rows."""
    made = []
    for index, (name, (formula, truth)) in enumerate(_TRUTHS.items()):
        generator = np.random.default_rng([_SEED, index])
        X = generator.uniform(_LOW, _HIGH, (TRAIN_ROWS + HELD_OUT_ROWS, 2))
        y = truth(X)
        made.append(CheckTask(name, formula, X[:TRAIN_ROWS], y[:TRAIN_ROWS], X[TRAIN_ROWS:], y[TRAIN_ROWS:]))
    return tuple(made)


def noise() -> CheckTask:
    """Return a task without any structure: a search on it goes on until it is ended."""
    generator = np.random.default_rng([_SEED, len(_TRUTHS)])
    X = generator.uniform(_LOW, _HIGH, (TRAIN_ROWS + HELD_OUT_ROWS, 2))
    y = generator.standard_normal(TRAIN_ROWS + HELD_OUT_ROWS)
    return CheckTask("noise", "none", X[:TRAIN_ROWS], y[:TRAIN_ROWS], X[TRAIN_ROWS:], y[TRAIN_ROWS:])
