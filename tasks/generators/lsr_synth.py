"""LSR-Synth: right-hand sides on their own numerical solutions, and a diagonal strain-temperature grid."""

import numpy as np
from numpy.typing import NDArray

from tasks import formula
from tasks.errors import TaskError
from tasks.generators.rows import cut, join, target
from tasks.randomness import Stream
from tasks.schema import Splits, Table, Task

GRID_POINTS = 5000
"""Rows of every LSR-Synth task; the first 4,500 are in-domain, the rest OOD in order."""
INSIDE_POINTS = 4500


def solve(
    text: str, domain: str, grid: tuple[float, float], initial: tuple[float, ...]
) -> dict[str, NDArray[np.float64]]:
    """Integrate an LSR-Synth equation as the set was made: scipy's RK45 at its default tolerances.

    Parameters
    ----------
    text : str
        The right-hand side over t and P (bio_pop_growth), t and A (chem_react) or x, t and v (phys_osc, where
        it is the acceleration).
    domain : str
        The subgroup.
    grid : tuple of float
        First and last time of 5,000 equally spaced ones.
    initial : tuple of float
        Initial states.

    Returns
    -------
    dict of str to ndarray of float64, shape (5000,)
        Time and states by name.

    Raises
    ------
    TaskError
        When the integration fails before the last time.
    """
    from scipy.integrate import solve_ivp

    times = np.linspace(grid[0], grid[1], GRID_POINTS)
    states: tuple[str, ...]
    if domain == "phys_osc":
        states = ("x", "v")

        def rate(t: float, z: NDArray[np.float64]) -> list[float]:
            columns = {"x": np.float64(z[0]), "t": np.float64(t), "v": np.float64(z[1])}
            return [float(z[1]), float(formula.evaluate_columns(text, columns, 1)[0])]
    else:
        states = ("P",) if domain == "bio_pop_growth" else ("A",)

        def rate(t: float, z: NDArray[np.float64]) -> list[float]:
            columns = {"t": np.float64(t), states[0]: np.float64(z[0])}
            return [float(formula.evaluate_columns(text, columns, 1)[0])]

    with np.errstate(all="ignore"):
        solution = solve_ivp(rate, grid, initial, t_eval=times)
    if not solution.success or solution.y.shape[1] != GRID_POINTS:
        raise TaskError(f"the equation {text} cannot be integrated to t = {grid[1]}: {solution.message}")
    return {"t": times, **dict(zip(states, solution.y, strict=True))}


def generate(task: Task) -> Splits:
    """Generate an LSR-Synth task: 4,500 grid points shuffled and cut, the last 500 as OOD in order.

    Parameters
    ----------
    task : Task
        A task whose recipe has the rule ``lsr-synth``.

    Returns
    -------
    Splits
        The four splits.
    """
    recipe, sizes = task.recipe, task.sizes
    assert task.formula is not None
    assert sizes.valid is not None
    assert sizes.id is not None
    if task.subgroup == "matsci":
        ends = [recipe["grids"][name] for name in task.feature_names]
        X = np.column_stack([np.linspace(low, high, GRID_POINTS) for low, high in ends])
    else:
        low, high = recipe["grid"]
        columns = solve(task.formula, task.subgroup, (low, high), tuple(recipe["initial"]))
        X = np.column_stack([columns[name] for name in task.feature_names])
    whole = Table(task.feature_names, X, target(task, X))
    order = Stream(task.id, "split").permutation(INSIDE_POINTS)
    train, valid, inside = cut(whole, order, (sizes.train, sizes.valid, sizes.id))
    (ood,) = cut(whole, np.arange(INSIDE_POINTS, GRID_POINTS), (GRID_POINTS - INSIDE_POINTS,))
    return join(train, valid, inside, ood)
