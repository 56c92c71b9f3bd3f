"""Direct composition: a model chooses which atoms of a fixed menu to multiply and to add (paper 2, table 16).

The vocabulary is fixed by construction: an answer names menu items by number, so it can add no atom, and
every constant is fitted for it. The programmatic search over the same menu is the ``llm`` arm of the study.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.reachability.atoms import PARAMETER, Atom, atom
from engine.reachability.columns import Array, box, constant, evaluated, grid
from engine.reachability.fit import basis, project
from engine.reachability.generic import generic
from engine.reachability.greedy import Limits
from engine.reachability.model import Model, Term, formula
from engine.reachability.prompts import Level, Question, described
from engine.reachability.proposals import over_names
from engine.reachability.starts import halton

MOST_FACTORS = 3
MOST_ADDED = 5  # a search begins with the first-order terms and adds five
SYSTEM = "You compose formulas from a fixed menu of terms. JSON only."
SCHEMA = {
    "type": "object",
    "properties": {"terms": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}},
    "required": ["terms"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Composed:
    """What an answer gave.

    Attributes
    ----------
    terms
        Menu items of each term, from 0; each term once.
    dropped
        Terms that could not be used, with reasons.
    reason
        Why there is no term at all; None where there is one.
    """

    terms: tuple[tuple[int, ...], ...]
    dropped: tuple[tuple[str, str], ...] = ()
    reason: str | None = None


def question(
    level: Level, names: Sequence[str], target: str, hint: str, atoms: Sequence[str], X: Array, y: Array
) -> Question:
    """Write the request: what the request for the menu told about the task, and the menu.

    Parameters
    ----------
    level, names, target, hint, X, y
        As in the request for the menu.
    atoms
        The menu over ``x0, x1, ...`` and ``a``.

    Returns
    -------
    Question
    """
    called, symbol, told = described(level, names, target, hint, X, y)
    lines = [
        *told,
        "",
        "Write y as a sum of terms. Each term is one item of this menu or a product of items:",
        *(f"{place}. {text}" for place, text in enumerate(over_names(atoms, called, symbol), start=1)),
        "",
        f"{symbol} is an inner constant. Every term gets a coefficient; all coefficients and inner constants",
        "are fitted to the data for you, each occurrence of an item with its own constant.",
        f"Use at most {len(names) + MOST_ADDED} terms of at most {MOST_FACTORS} items each, and nothing that",
        "is not on the menu.",
        'Answer with JSON only, items by number; item 1 plus item 2 times item 5 is {"terms": [[1], [2, 5]]}',
    ]
    return Question(level, called, symbol, "\n".join(lines), SYSTEM, SCHEMA)


def composed(answer: str, items: int, features: int) -> Composed:
    """Read an answer under the contract ``{"terms": [[item, ...], ...]}``.

    Parameters
    ----------
    answer
        The model's text; a fenced block around the object is allowed.
    items
        Length of the menu.
    features
        Inputs of the task, which bound the number of terms.

    Returns
    -------
    Composed
    """
    text = answer.strip()
    fenced = re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL)
    try:
        value = json.loads(fenced.group(1) if fenced else text)
    except (ValueError, RecursionError) as error:
        return Composed((), (), f"the answer is not JSON: {str(error)[:120]}")
    if not isinstance(value, dict) or not isinstance(value.get("terms"), list):
        return Composed((), (), 'the answer has no list "terms"')
    kept: list[tuple[int, ...]] = []
    dropped: list[tuple[str, str]] = []
    for item in value["terms"]:
        why = _wrong(item, items)
        if why is None:
            term = tuple(sorted(place - 1 for place in item))
            if term in kept:
                why = "named twice"
            elif len(kept) == features + MOST_ADDED:
                why = f"beyond {features + MOST_ADDED} terms"
            else:
                kept.append(term)
        if why is not None:
            dropped.append((json.dumps(item)[:200], why))
    return Composed(tuple(kept), tuple(dropped), None if kept else "the answer names no usable term")


def _wrong(item: object, items: int) -> str | None:
    if not isinstance(item, list) or not item:
        return "not a list of items"
    if not all(isinstance(place, int) and not isinstance(place, bool) for place in item):
        return "items are whole numbers"
    if len(item) > MOST_FACTORS:
        return f"more than {MOST_FACTORS} items"
    if not all(1 <= place <= items for place in item):
        return f"the menu has items 1 to {items}"
    return None


def fit(
    menu: Sequence[str], terms: Sequence[Sequence[int]], X: Array, y: Array, key: str, limits: Limits
) -> Model:
    """Fit every constant of a composition: the best of as many starts as a search's candidate has.

    Parameters
    ----------
    menu
        Atoms over ``x0, x1, ...`` and ``a``.
    terms
        Menu items of each term.
    X, y
        (n, d) and (n,) training rows.
    key
        Task and seed, from which starts are drawn.
    limits
        Starts, and evaluations of each.

    Returns
    -------
    Model
        Coefficients are least-squares ones; a term undefined on a row has none. NMSE is infinite where
        nothing could be fitted.
    """
    factors = [[atom(menu[place]) for place in term] for term in terms]
    inner = [(at, one) for at, term in enumerate(factors) for one in term if one.parametric]
    best = np.empty(0)
    least = np.inf
    for start in _starts(factors, inner, X, y, f"{key}|{terms}", limits.starts) if inner else ():
        theta, left = _descended(factors, inner, start, X, y, limits.evaluations)
        if left < least:
            best, least = theta, left
    return _saved(factors, best, X, y)


def _columns(factors: Sequence[Sequence[Atom]], theta: Array, X: Array) -> Array:
    """Return one column a term."""
    values = iter(theta.tolist())
    columns = np.ones((len(factors), len(X)))
    with np.errstate(all="ignore"):
        for at, term in enumerate(factors):
            for one in term:
                if one.parametric:
                    columns[at] *= generic(one.text, np.array([constant(one, next(values), X)]), X)[0]
                else:
                    columns[at] *= evaluated(one.text, X)
    return columns


def _starts(
    factors: Sequence[Sequence[Atom]],
    inner: Sequence[tuple[int, Atom]],
    X: Array,
    y: Array,
    key: str,
    count: int,
) -> list[Array]:
    """Draw starts, and move each constant once to the best point of its grid, the others held."""
    bounds = [box(one, X) for _, one in inner]
    low, high = (np.array(side) for side in zip(*bounds, strict=True))
    starts = []
    for number, point in enumerate(halton(count, len(inner), key)):
        theta = low + point * (high - low)
        # Both ways round: the constant that is moved first takes the largest part of what is to be told.
        for place, (at, one) in list(enumerate(inner))[:: -1 if number % 2 else 1]:
            columns = _columns(factors, theta, X)
            others = columns[[row for row in range(len(columns)) if row != at]]
            span = basis(others[np.isfinite(others).all(axis=1)])
            points = grid(one, X)
            tried = np.array(
                [_columns([factors[at]], _own(theta, inner, at, place, value), X)[0] for value in points]
            )
            gain = _gains(tried, span, project(span, y[None])[0])
            if gain.max(initial=0.0) > 0.0:
                theta[place] = points[int(np.argmax(gain))]
        starts.append(theta)
    return starts


def _own(theta: Array, inner: Sequence[tuple[int, Atom]], at: int, place: int, value: float) -> Array:
    """Return the constants of one term with one of them replaced."""
    return np.array(
        [value if here == place else theta[here] for here, (term, _) in enumerate(inner) if term == at]
    )


def _gains(columns: Array, span: Array, residual: Array) -> Array:
    usable = np.asarray(np.isfinite(columns).all(axis=1))
    safe = np.where(usable[:, None], columns, 0.0)
    size = np.abs(safe).max(axis=1, keepdims=True)
    free = project(span, safe / np.where(size > 0.0, size, 1.0))
    length = np.vecdot(free, free)
    enough = np.asarray(length > 1e-9 * len(residual))
    gain: Array = np.where(enough, np.square(free @ residual) / np.where(enough, length, 1.0), 0.0)
    return gain


def _descended(
    factors: Sequence[Sequence[Atom]],
    inner: Sequence[tuple[int, Atom]],
    start: Array,
    X: Array,
    y: Array,
    evaluations: int,
) -> tuple[Array, float]:
    from scipy.optimize import least_squares

    bounds = [box(one, X) for _, one in inner]
    low, high = (np.array(side) for side in zip(*bounds, strict=True))
    size = float(np.sqrt(y @ y)) or 1.0

    def residual(theta: Array) -> Array:
        columns = _columns(factors, theta, X)
        columns = columns[np.isfinite(columns).all(axis=1)]
        left: Array = project(basis(columns), y[None])[0] / size
        return left

    most = max(2, evaluations // (len(inner) + 1))
    found = least_squares(
        residual,
        np.clip(start, low, high),
        bounds=(low, high),
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
        max_nfev=most,
    )
    return np.asarray(found.x), float(found.cost)


def _saved(factors: Sequence[Sequence[Atom]], theta: Array, X: Array, y: Array) -> Model:
    """Write the formula, its coefficients fitted to the terms as they are written."""
    values = iter(theta.tolist())
    texts = []
    for term in factors:
        parts = []
        for one in term:
            text = one.text
            if one.parametric:
                number = repr(float(constant(one, next(values), X)))
                text = re.sub(rf"\b{PARAMETER}\b", f"({number})" if number.startswith("-") else number, text)
            parts.append(text if len(term) == 1 else f"({text})")
        texts.append(" * ".join(parts))
    columns = np.stack([evaluated(text, X) for text in texts])
    usable = np.isfinite(columns).all(axis=1) & (np.abs(columns).max(axis=1) > 0.0)
    weights = np.zeros(len(texts))
    if usable.any():
        size = np.sqrt(np.vecdot(columns[usable], columns[usable]))
        unit = columns[usable] / size[:, None]
        weights[usable] = np.linalg.lstsq(unit.T, y, rcond=1e-14)[0] / size
    terms = tuple(
        Term(text, float(weight), None) for text, weight in zip(texts, weights, strict=True) if weight
    )
    text = formula(terms)
    left = y - evaluated(text, X)
    return Model(terms, text, float(left @ left) / (float(np.var(y)) * len(y) or 1.0))
