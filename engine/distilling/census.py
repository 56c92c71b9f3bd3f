"""What a selection is made of beside its pool: counts by family, formula type, variables and labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling.labels import DIFFICULTIES, FAILURES
from engine.distilling.pool import Pool

# Seven and more variables are rare in the Full Task Set (32 of 664 tasks); they share a bin with six.
MANY_VARIABLES = 6


@dataclass(frozen=True, slots=True)
class Share:
    """How many tasks have one value of an attribute; shared wins make fractions."""

    attribute: str
    value: str
    pool: float
    selected: float


@dataclass(frozen=True, slots=True)
class Cell:
    """How many tasks of one family have one formula type and one number of variables."""

    family: str
    formula_type: str
    variables: str
    pool: int
    selected: int


@dataclass(frozen=True, slots=True)
class Census:
    """Counts of a selection and its pool.

    Attributes
    ----------
    pool, selected : int
        Tasks in each.
    shares : tuple of Share
        By attribute: family, formula type, variables, difficulty, failure, winner.
    cells : tuple of Cell
        Every combination that occurs in the pool.
    """

    pool: int
    selected: int
    shares: tuple[Share, ...]
    cells: tuple[Cell, ...]


def variables_bin(features: int) -> str:
    """Name the bin of a number of variables.

    Parameters
    ----------
    features : int
        Of the task.

    Returns
    -------
    str
        ``1`` to ``5``, or ``6+``.
    """
    return f"{MANY_VARIABLES}+" if features >= MANY_VARIABLES else str(features)


def census(pool: Pool, rows: NDArray[np.int64]) -> Census:
    """Count a selection and its pool.

    Parameters
    ----------
    pool : Pool
        N tasks.
    rows : numpy.ndarray
        Rows of the selection.

    Returns
    -------
    Census
        Families and formula types from the most frequent in the pool to the least; labels in their own order.
    """
    chosen = np.zeros(len(pool.ids), dtype=bool)
    chosen[rows] = True
    families = [fact.family for fact in pool.facts]
    types = [fact.formula_type for fact in pool.facts]
    variables = [variables_bin(fact.features) for fact in pool.facts]
    attributes: tuple[tuple[str, Sequence[str], Sequence[str]], ...] = (
        ("family", families, _by_frequency(families)),
        ("formula type", types, _by_frequency(types)),
        ("variables", variables, sorted(set(variables))),
        ("difficulty", pool.labels.difficulty, _in_order(pool.labels.difficulty, DIFFICULTIES)),
        ("failure", pool.labels.failure, _in_order(pool.labels.failure, FAILURES)),
    )
    shares = []
    for attribute, values, order in attributes:
        for wanted in order:
            there = np.array([value == wanted for value in values])
            shares.append(Share(attribute, wanted, float(there.sum()), float(there[chosen].sum())))
    for column, probe in enumerate(pool.labels.probes):
        wins = pool.labels.winners[:, column]
        shares.append(Share("winner", probe, float(wins.sum()), float(wins[chosen].sum())))
    every = list(zip(families, types, variables, strict=True))
    full, own = Counter(every), Counter(key for key, inside in zip(every, chosen, strict=True) if inside)
    places = [
        (_by_frequency(families).index(key[0]), _by_frequency(types).index(key[1]), key) for key in full
    ]
    cells = tuple(Cell(*key, pool=full[key], selected=own[key]) for _, _, key in sorted(places))
    return Census(len(pool.ids), int(chosen.sum()), tuple(shares), cells)


def _by_frequency(values: Sequence[str]) -> list[str]:
    counts = Counter(values)
    return sorted(counts, key=lambda value: (-counts[value], value))


def _in_order(values: Sequence[str], order: Sequence[str]) -> list[str]:
    """Put known labels first in their own order; a user's own labels follow by name."""
    there = set(values)
    return [value for value in order if value in there] + sorted(there - set(order))
