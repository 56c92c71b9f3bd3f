"""The request for candidate terms: named (L1) and anonymous (L2), after paper 2, C.1, in our own words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.reachability.invariants import invariants, profile

Level = Literal["l1", "l2"]
LEVELS: tuple[Level, ...] = ("l1", "l2")

ATOMS_ASKED = 14  # paper 2, 3.1
TEMPERATURE = 0.7  # C.1
MOST_TOKENS = 900  # C.1
SYSTEM = "You propose atomic terms for symbolic regression. JSON only."  # C.1, verbatim: it is a setting
SCHEMA = {
    "type": "object",
    "properties": {"atoms": {"type": "array", "items": {"type": "string"}}},
    "required": ["atoms"],
    "additionalProperties": False,
}
SYMBOLS = ("a", "c", "k", "theta")
"""Symbols for the inner constant, the paper's first; the next is taken where a variable has that name."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked about one task.

    Attributes
    ----------
    level
        ``l1`` names variables and domain, ``l2`` does not.
    names
        What the inputs are called in the question, in column order.
    symbol
        The inner constant's symbol.
    text
        The user message.
    system
        The system message.
    schema
        Of the answer, for models that take one.
    """

    level: Level
    names: tuple[str, ...]
    symbol: str
    text: str
    system: str = SYSTEM
    schema: Mapping[str, Any] = field(default_factory=lambda: SCHEMA)


def question(
    level: Level,
    names: Sequence[str],
    target: str,
    hint: str,
    X: NDArray[np.float64],
    y: NDArray[np.float64],
) -> Question:
    """Write the request for one task and level.

    Parameters
    ----------
    level
        Language condition.
    names
        The task's own input names.
    target
        The task's own target name; used under ``l1`` only in the hint, the target is ``y`` in both.
    hint
        Description of the task's domain and variables; left out under ``l2``.
    X, y
        Training rows.

    Returns
    -------
    Question
        Free of ground truth, operator labels and sample rows.
    """
    called, symbol, told = described(level, names, target, hint, X, y)
    listed = ", ".join(called)
    lines = [
        *told,
        "",
        f"Do not write the whole formula. Give a menu of {ATOMS_ASKED} candidate terms that might be added",
        "up in y. Spread them over the operator families that symbolic regression commonly uses: polynomial,",
        "rational, exponential, logarithmic, trigonometric, powers (also fractional ones), and products of",
        "inputs.",
        "Each term:",
        "- has no leading coefficient; one is fitted to it;",
        f"- writes its one inner constant (a rate, frequency, exponent or shift), if any, as {symbol};",
        f"- is an expression SymPy can parse over {listed} and {symbol}, and nothing else.",
        'Answer with JSON only: {"atoms": ["...", "..."]}',
    ]
    return Question(level, called, symbol, "\n".join(lines))


def described(
    level: Level,
    names: Sequence[str],
    target: str,
    hint: str,
    X: NDArray[np.float64],
    y: NDArray[np.float64],
) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Say what a model may know of a task; see `question` for the parameters.

    Returns
    -------
    called : tuple of str
        What the inputs are called.
    symbol : str
        The inner constant's symbol.
    lines : tuple of str
        Inputs, domain, ranges and structure.
    """
    called = tuple(names) if level == "l1" else tuple(f"x{place + 1}" for place in range(len(names)))
    symbol = next(word for word in SYMBOLS if word not in called)
    facts = invariants(called, "y", X, y)
    domain = (
        f"{hint} (y stands for {target})" if level == "l1" else "not disclosed; predict y from the inputs"
    )
    return (
        called,
        symbol,
        (
            "The right-hand side of a differential equation (or of a constitutive law) is to be decomposed",
            "into ATOMIC additive terms.",
            f"Inputs: {', '.join(called)}",
            "Output: y, in most cases the time derivative of a state variable.",
            f"Domain: {domain}",
            "Ranges in the training data:",
            profile(called, "y", X, y),
            "Structure seen in the training data:",
            *([f"- {fact}" for fact in facts] or ["- nothing that could be told reliably"]),
        ),
    )
