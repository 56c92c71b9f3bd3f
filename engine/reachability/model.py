"""A fitted model as it is saved: terms, constants in the units of the data, and one formula."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.reachability.atoms import PARAMETER, Atom
from engine.reachability.columns import Array, evaluated
from engine.reachability.generic import generic


@dataclass(frozen=True, slots=True)
class Term:
    """One term: leading coefficient times an atom with its inner constant.

    Attributes
    ----------
    text
        The atom over ``x0, x1, ...`` and ``a``.
    coefficient
        Leading coefficient.
    constant
        Value of ``a``; None where the atom has none.
    """

    text: str
    coefficient: float
    constant: float | None


@dataclass(frozen=True, slots=True)
class Model:
    """A sum of terms with the formula that is scored.

    Attributes
    ----------
    terms
        Terms in the order of their choice.
    text
        The formula over ``x0, x1, ...``, constants to full precision.
    nmse
        NMSE of the formula on the rows it was fitted to.
    """

    terms: tuple[Term, ...]
    text: str
    nmse: float


def model(atoms: Sequence[Atom], constants: Sequence[float | None], X: Array, y: Array) -> Model:
    """Fit the leading coefficients to the terms as they will be saved, and write the formula.

    Parameters
    ----------
    atoms
        Terms.
    constants
        Inner constants in the units of the data.
    X, y
        (n, d) and (n,) training rows.

    Returns
    -------
    Model
    """
    columns = np.stack(
        [
            evaluated(one.text, X) if value is None else generic(one.text, np.array([value]), X)[0]
            for one, value in zip(atoms, constants, strict=True)
        ]
    )
    size = np.sqrt(np.vecdot(columns, columns))
    usable = np.isfinite(size) & (size > 0.0)
    coefficients = np.zeros(len(columns))
    if usable.any():
        unit = columns[usable] / size[usable][:, None]
        coefficients[usable] = _least_squares(unit, y) / size[usable]
    terms = tuple(
        Term(one.text, float(weight), value)
        for one, weight, value in zip(atoms, coefficients, constants, strict=True)
        if weight != 0.0
    )
    text = formula(terms)
    left = y - evaluated(text, X)
    spread = float(np.var(y)) * len(y) or 1.0
    return Model(terms, text, float(left @ left) / spread)


def formula(terms: Sequence[Term]) -> str:
    """Write terms as one infix formula whose numbers read back exactly.

    Parameters
    ----------
    terms
        Terms.

    Returns
    -------
    str
        ``0.0`` where there is no term.
    """
    parts = []
    for term in terms:
        text = term.text
        if term.constant is not None:
            number = repr(term.constant)
            number = f"({number})" if term.constant < 0.0 else number
            text = re.sub(rf"\b{PARAMETER}\b", number, text)
        parts.append(f"{term.coefficient!r} * {_bracketed(text)}")
    return " + ".join(parts) or "0.0"


def _bracketed(text: str) -> str:
    """Bracket an atom that is a sum."""
    depth = 0
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and place and letter in "+-" and text[place - 1] not in "eE*(":
            return f"({text})"
    return text


def _least_squares(unit: Array, y: Array) -> Array:
    """Solve by QR with column pivots of the singular values, then refine twice on the residual."""
    solution = np.linalg.lstsq(unit.T, y, rcond=1e-15)[0]
    for _ in range(2):
        left = y - solution @ unit
        solution = solution + np.linalg.lstsq(unit.T, left, rcond=1e-15)[0]
    return np.asarray(solution)
