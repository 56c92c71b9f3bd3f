"""Draws the constants that LSR-Synth does not publish, once, from the spread of those that are known."""

import re
from collections.abc import Sequence

import numpy as np

from tasks import formula
from tasks.errors import TaskError
from tasks.generators.lsr_synth import INSIDE_POINTS, solve
from tasks.randomness import Stream

SPREADS = {
    "k": (0.1, 0.9),
    "k_s": (0.01, 0.1),
    "beta": (0.2, 1.4),
    "F0": (0.3, 0.6),
    "omega0": (1.0, 2.0),
    "alpha": (0.04, 0.15),
    "gamma": (0.02, 0.1),
    "mu": (0.1, 0.5),
}
"""Range of each kind of constant over the tasks whose constants are known."""
OTHER_RATES = (0.05, 1.0)
"""Range of every other rate constant."""
BOUND = 100.0
"""A solution counts as bounded while its states stay within this magnitude."""
LEAST_VARIATION = 1e-9
"""Least standard deviation of the OOD targets, as a part of that of the in-domain targets."""
MOST_DRAWS = 200


def substitute(structure: str, values: dict[str, float]) -> str:
    """Put numbers in the place of named constants; names are matched as whole words."""
    names = "|".join(re.escape(name) for name in values)
    return re.sub(rf"\b({names})\b", lambda match: repr(values[match[1]]), structure) if names else structure


def draw(
    task_id: str,
    structure: str,
    names: Sequence[str],
    domain: str,
    grid: tuple[float, float],
    initial: tuple[float, ...],
) -> dict[str, float]:
    """Draw constants until the solution stays bounded and the targets vary on every split.

    Parameters
    ----------
    task_id : str
        Names the seed.
    structure : str
        The right-hand side with named constants.
    names : sequence of str
        The constants, in the order in which they are drawn.
    domain, grid, initial
        See :func:`tasks.generators.lsr_synth.solve`.

    Returns
    -------
    dict of str to float
        Values rounded to six significant digits, so that a formula can be read.

    Raises
    ------
    TaskError
        When no draw in 200 is acceptable.
    """
    stream = Stream(task_id, "constants")
    for _ in range(MOST_DRAWS):
        values = {}
        for name in names:
            low, high = SPREADS.get(name, OTHER_RATES)
            values[name] = float(f"{low + (high - low) * float(stream.unit(1)[0]):.6g}")
        text = substitute(structure, values)
        try:
            columns = solve(text, domain, grid, initial)
        except TaskError:
            continue
        states = np.stack([column for name, column in columns.items() if name != "t"])
        y = formula.evaluate_columns(text, columns, states.shape[1])
        if not (np.isfinite(states).all() and np.abs(states).max() <= BOUND and np.isfinite(y).all()):
            continue
        inside, outside = float(np.std(y[:INSIDE_POINTS])), float(np.std(y[INSIDE_POINTS:]))
        if inside > 0 and outside > LEAST_VARIATION * inside:
            return values
    raise TaskError(f"no draw of the constants of {task_id} stays bounded and varies")
