"""ODE-Strogatz: trajectories of two states by the collection's own fixed-step integrator."""

import numpy as np
from numpy.typing import NDArray

from tasks import formula
from tasks.generators.rows import accepted, cut, every_feature_outside, join, table
from tasks.outside import REACH, Outside
from tasks.randomness import Stream
from tasks.schema import Splits, Task


def trajectory(dx: str, dy: str, start: tuple[float, float], step: float, points: int) -> NDArray[np.float64]:
    """Integrate one trajectory as the collection was made (Simulink, fixed step).

    The first state advances by forward Euler, its derivative held over the step; the second by the
    three-stage Bogacki-Shampine rule while the first moves linearly inside the step.

    Parameters
    ----------
    dx, dy : str
        Right-hand sides over x and y.
    start : tuple of float
        Initial x and y.
    step : float
        Time step.
    points : int
        Rows to return, the initial one included.

    Returns
    -------
    ndarray of float64, shape (points, 2)
        The states x and y.
    """
    states = np.empty((points, 2))
    states[0] = start

    def rate(text: str, x: float, y: float) -> float:
        return float(formula.evaluate_columns(text, {"x": np.float64(x), "y": np.float64(y)}, 1)[0])

    for k in range(points - 1):
        x, y = float(states[k, 0]), float(states[k, 1])
        slope = rate(dx, x, y)
        k1 = rate(dy, x, y)
        k2 = rate(dy, x + step / 2 * slope, y + step / 2 * k1)
        k3 = rate(dy, x + 3 * step / 4 * slope, y + 3 * step / 4 * k2)
        states[k + 1] = x + step * slope, y + step * (2 * k1 + 3 * k2 + 4 * k3) / 9
    return states


def generate(task: Task) -> Splits:
    """Generate a Strogatz task: 320 of its 400 rows cut 8:1:1, and 1,000 rows around the trajectories.

    The OOD intervals reach from the training extremes to five per cent of the width beyond all 400 rows.

    Parameters
    ----------
    task : Task
        A task whose recipe has the rule ``strogatz``.

    Returns
    -------
    Splits
        The four splits.
    """
    recipe, sizes = task.recipe, task.sizes
    assert sizes.valid is not None
    assert sizes.id is not None
    assert sizes.ood is not None
    X = np.concatenate(
        [
            trajectory(recipe["ode"]["x"], recipe["ode"]["y"], (x, y), recipe["step"], recipe["points"])
            for x, y in recipe["initial"]
        ]
    )
    order = Stream(task.id, "split").permutation(len(X))
    train, valid, inside = cut(table(task, X), order, (sizes.train, sizes.valid, sizes.id))
    intervals = []
    for j in range(X.shape[1]):
        low, high = float(X[:, j].min()), float(X[:, j].max())
        near_low, near_high = float(train.X[:, j].min()), float(train.X[:, j].max())
        reach = REACH * (high - low)
        left, right = (low - reach, near_low), (near_high, high + reach)
        intervals.append(Outside(near_low, near_high, left, right))
    ood = accepted(task, sizes.ood, every_feature_outside(intervals, Stream(task.id, "ood")))
    return join(train, valid, inside, ood)
