"""Rules that pick one formula out of a fixed pool (paper 2, table 15).

The pool of a task and seed holds every formula that the arms of a study went through: the first-order model,
each greedy step, and the saved formula. Paper 2 names its rules and gives no details, so these are ours: one
looks at the rows of the fit only, two look at training rows that no fit has seen. No rule sees a test set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.expression import parse
from engine.expression.nodes import size
from engine.reachability.columns import Array, evaluated
from engine.scoring.accuracy import POINTS_PERCENT, THRESHOLDS, points_right

RULES = ("least training NMSE", "falsification", "process reward")
UPPER_BOUND = "in-pool test upper bound"
"""Whether any formula of the pool passes on the test sets: a bound that no rule can pass, not a rule."""
TOLERANCE = THRESHOLDS[0]  # relative error from which an unseen row is a counterexample
BLOCKS = 4  # parts of each input's range in which a step is rewarded
FLOOR = 1e-12  # of a block's own spread: errors below it are equal


@dataclass(frozen=True, slots=True)
class Candidate:
    """One formula of a pool.

    Attributes
    ----------
    text
        Over ``x0, x1, ...``.
    steps
        The formulas through which it was built, itself the last.
    """

    text: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules see of one formula.

    Attributes
    ----------
    nmse
        On the rows of the fit; infinite where the formula is not finite on one of them.
    counterexamples
        Unseen rows on which it is off by 1 % or more, or not finite.
    reward
        Sum over its steps of the decades by which each lowers the error on unseen rows, in the part of an
        input's range where it does least.
    nodes
        Size of its tree.
    """

    nmse: float
    counterexamples: int
    reward: float
    nodes: int


def pool_of(units: Sequence[Mapping[str, Any]]) -> tuple[Candidate, ...]:
    """Collect the formulas of one task and seed.

    Parameters
    ----------
    units
        Unit records of all arms; those without a formula give nothing.

    Returns
    -------
    tuple of Candidate
        Each text once, in the order of arms and rounds.
    """
    found: dict[str, Candidate] = {}
    for unit in units:
        final = unit.get("positional")
        if unit.get("status") != "ok" or not isinstance(final, str):
            continue
        path = [unit.get("first_text"), *(step.get("text") for step in unit.get("path", ()))]
        chain = [text for text in path[:-1] if isinstance(text, str)] if None not in path else []
        chain.append(final)
        for place, text in enumerate(chain):
            found.setdefault(text, Candidate(text, tuple(chain[: place + 1])))
    return tuple(found.values())


def judged(one: Candidate, fit: tuple[Array, Array], unseen: tuple[Array, Array]) -> Judged:
    """Compute what the rules see of a formula.

    Parameters
    ----------
    one
        Formula.
    fit, unseen
        (X, y) of the training rows it was fitted to, and of the others.

    Returns
    -------
    Judged
    """
    X, y = fit
    with np.errstate(all="ignore"):
        left = evaluated(one.text, X) - y
        error = float(left @ left) / (float(np.var(y)) * len(y) or 1.0)
    wrong = int((~points_right(unseen[1], evaluated(one.text, unseen[0]), TOLERANCE)).sum())
    reward = sum(_rewards(one.steps, unseen, float(y.mean())))
    nodes = size(parse(one.text, [f"x{place}" for place in range(X.shape[1])]))
    return Judged(error if np.isfinite(error) else np.inf, wrong, reward, nodes)


def pick(rule: str, pool: Sequence[Judged], unseen: int) -> int:
    """Return the place of the formula that a rule picks.

    Parameters
    ----------
    rule
        Of ``RULES``. ``falsification`` tries the simplest formula first and takes the first that at most 5 %
        of the unseen rows contradict; where all are falsified, the one with fewest counterexamples.
    pool
        What is known of each formula; at least one.
    unseen
        Number of unseen rows.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        For another rule.
    """
    places = range(len(pool))
    if rule == "least training NMSE":
        return min(places, key=lambda at: (pool[at].nmse, pool[at].nodes, at))
    if rule == "falsification":
        bold = sorted(places, key=lambda at: (pool[at].nodes, pool[at].nmse, at))
        for at in bold:
            if (unseen - pool[at].counterexamples) * 100 > POINTS_PERCENT * unseen:
                return at
        return min(places, key=lambda at: (pool[at].counterexamples, pool[at].nmse, at))
    if rule == "process reward":
        return min(places, key=lambda at: (-pool[at].reward, pool[at].nodes, at))
    raise ValueError(f"no rule {rule!r}")


def _rewards(steps: Sequence[str], unseen: tuple[Array, Array], mean: float) -> list[float]:
    X, y = unseen
    blocks = _blocks(X)
    floors = [FLOOR * (float(np.square(y[rows] - y[rows].mean()).sum()) or 1.0) for rows in blocks]
    before = _errors(np.full(len(y), mean), y, blocks)
    rewards = []
    for text in steps:
        after = _errors(evaluated(text, X), y, blocks)
        rewards.append(
            min(
                float(np.log10(max(old, floor) / max(new, floor)))
                for old, new, floor in zip(before, after, floors, strict=True)
            )
        )
        before = after
    return rewards


def _blocks(X: Array) -> list[np.ndarray[Any, np.dtype[np.intp]]]:
    """Cut the rows into parts of each input's range with equally many rows."""
    orders = [np.argsort(X[:, place], kind="stable") for place in range(X.shape[1])]
    return [part for order in orders for part in np.array_split(order, min(BLOCKS, len(order)))]


def _errors(values: Array, y: Array, blocks: Sequence[np.ndarray[Any, np.dtype[np.intp]]]) -> list[float]:
    with np.errstate(all="ignore"):
        square = np.square(values - y)
    worst = float(np.finfo(np.float64).max) / 1e10
    return [float(np.nan_to_num(square[rows].sum(), nan=worst, posinf=worst)) for rows in blocks]
