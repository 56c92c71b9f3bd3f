"""Can some constants turn a fitted skeleton into the ground truth? Decided without a model, repeatably.

Paper 2, B.2: the truth is fixed, the prediction's constants are free, surplus terms may vanish. Inner
constants are tried that the truth itself names; leading coefficients then follow linearly. A hit is checked
to 50 digits at many points, so ``representable`` has the evidence ``numerical``; ``different`` means that no
such constants were found, which is strong evidence and no proof.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import mpmath
import numpy as np
from numpy.typing import NDArray

from engine.expression import ExpressionError, parse
from engine.expression.nodes import Apply, Node, Number, Var, preorder, variables
from engine.reachability.atoms import PARAMETER, Atom, atom
from engine.reachability.precise import Real, UndefinedError, UnknownOperatorError, value

DIGITS = 60
AGREED = 1e-45  # relative to the truth's size, at DIGITS digits
NEAR = 1e-9  # the same, in double precision
POINTS = 72
MOST_COMBINATIONS = 1024
MOST_CHECKS = 24  # distinct sets of terms that are compared to many digits
MOST_COLUMNS = 200  # terms times constants tried; beyond it the verdict is left open
VANISHED = 1e-10  # share of the largest term below which a term counts as surplus


@dataclass(frozen=True, slots=True)
class Representable:
    """A verdict and its evidence.

    Attributes
    ----------
    verdict
        ``representable``, ``different`` or ``undetermined``.
    evidence
        One sentence.
    """

    verdict: Literal["representable", "different", "undetermined"]
    evidence: str


def representable(
    truth: str,
    names: Sequence[str],
    terms: Sequence[tuple[str, float | None]],
    low: Sequence[float],
    high: Sequence[float],
    *,
    both_signs: bool = True,
) -> Representable:
    """Decide whether a skeleton can represent a truth.

    Parameters
    ----------
    truth
        Ground truth over ``names``.
    names
        Features in column order.
    terms
        Skeleton: each atom over ``x0, x1, ...`` and ``a`` with its fitted inner constant, if it has one.
    low, high
        Range of each feature in the data.
    both_signs
        Require equality on the whole domain, negative values included, as paper 2 does: a truth that is
        undefined where the skeleton is not then differs from it. False keeps to the declared ranges.

    Returns
    -------
    Representable
    """
    try:
        node = parse(truth, list(names))
    except ExpressionError as error:
        return Representable("undetermined", f"the truth does not parse: {error}")
    with mpmath.workdps(DIGITS):
        try:
            return _decided(node, [atom(text) for text, _ in terms], terms, _points(low, high, both_signs))
        except UnknownOperatorError as error:
            return Representable("undetermined", f"no precise form of the operator {error}")


def _points(low: Sequence[float], high: Sequence[float], both_signs: bool) -> list[list[Real]]:
    """Draw points, the same for the same ranges: over the ranges, and over both signs if asked."""
    words = np.random.PCG64(20260401).random_raw((POINTS * len(low),)).astype(np.float64) / 2.0**64
    unit = words.reshape(POINTS, len(low))
    points = []
    for place, row in enumerate(unit.tolist()):
        wide = both_signs and place % 2 == 1
        reach = [max(abs(bottom), abs(top)) for bottom, top in zip(low, high, strict=True)]
        bottoms = [-most for most in reach] if wide else list(low)
        tops = reach if wide else list(high)
        points.append(
            [
                mpmath.mpf(round(bottom + share * (top - bottom), 12))
                for bottom, top, share in zip(bottoms, tops, row, strict=True)
            ]
        )
    return points


def _decided(
    node: Node, atoms: Sequence[Atom], terms: Sequence[tuple[str, float | None]], points: list[list[Real]]
) -> Representable:
    target = [_value(node, point) for point in points]
    defined = [place for place, found in enumerate(target) if found is not None]
    if len(defined) < len(atoms) + 8:
        return Representable("undetermined", "the truth is defined at too few points")
    choices = [
        [None] if fitted is None else [*_named(node, one), mpmath.mpf(fitted)]
        for one, (_, fitted) in zip(atoms, terms, strict=True)
    ]
    if sum(len(options) for options in choices) > MOST_COLUMNS:
        return Representable("undetermined", f"more than {MOST_COLUMNS} terms and constants to try")
    columns = {
        (place, choice): _column(atoms[place], constant, points)
        for place, options in enumerate(choices)
        for choice, constant in enumerate(options)
    }
    goal = np.array([float(target[place]) for place in defined])
    table = {key: _doubles(column, defined) for key, column in columns.items()}
    usable = {key: column for key, column in table.items() if column is not None}
    if not usable or _distance(list(usable.values()), goal) > NEAR:
        return Representable("different", "no constants that the truth names make the terms add up to it")
    options = [
        [choice for choice in range(len(found)) if (place, choice) in usable]
        for place, found in enumerate(choices)
    ]
    some: list[list[int | None]] = [[*found] if found else [None] for found in options]
    tried = itertools.islice(itertools.product(*some), MOST_COMBINATIONS)
    domain_differs = False
    checked: set[tuple[tuple[int, int], ...]] = set()
    for combination in tried:
        keys = [(place, choice) for place, choice in enumerate(combination) if choice is not None]
        kept = _needed(keys, usable, goal)
        if kept is None or tuple(kept) in checked:
            continue
        checked.add(tuple(kept))
        if len(checked) > MOST_CHECKS:
            break
        outcome = _checked(kept, columns, target, defined)
        if outcome == "equal":
            shown = ", ".join(
                f"a = {mpmath.nstr(choices[place][choice], 8)} in {atoms[place].text}"
                for place, choice in kept
                if choices[place][choice] is not None
            )
            return Representable(
                "representable",
                f"equal to {DIGITS} digits at {len(defined)} points; {shown or 'no inner constant'}",
            )
        domain_differs |= outcome == "domain"
    if domain_differs:
        return Representable(
            "different", "equal where both are defined, but the truth is undefined where the terms are not"
        )
    return Representable("different", "no one choice of inner constants makes the terms add up to the truth")


def _value(node: Node, point: Sequence[Real]) -> Real:
    try:
        return value(node, point)
    except UndefinedError:
        return None


def _column(one: Atom, constant: Real | None, points: list[list[Real]]) -> list[Real]:
    features = [f"x{place}" for place in range(len(points[0]))]
    node = parse(one.text, [*features, PARAMETER])
    return [_value(node, [*point, constant]) for point in points]


def _doubles(column: list[Real], defined: list[int]) -> NDArray[np.float64] | None:
    """Return a column where the truth is defined; None where it has a gap there or leaves float64."""
    values = [column[place] for place in defined]
    if any(found is None or abs(found) > 1e150 for found in values):
        return None
    return np.array([float(found) for found in values])


def _distance(columns: list[NDArray[np.float64]], goal: NDArray[np.float64]) -> float:
    return _solved(columns, goal)[1]


def _solved(
    columns: list[NDArray[np.float64]], goal: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return the shares of the terms at their largest point, and the residual relative to the goal."""
    matrix = np.stack(columns, axis=1)
    size = np.abs(matrix).max(axis=0)
    size[size == 0.0] = 1.0
    unit = matrix / size
    weights = np.linalg.lstsq(unit, goal, rcond=1e-14)[0]
    top = float(np.abs(goal).max()) or 1.0
    return np.abs(weights) / top, float(np.abs(unit @ weights - goal).max()) / top


def _needed(
    keys: list[tuple[int, int]], usable: dict[tuple[int, int], NDArray[np.float64]], goal: NDArray[np.float64]
) -> list[tuple[int, int]] | None:
    """Return the terms of a combination that do not vanish; None if it does not reach the goal."""
    shares, distance = _solved([usable[key] for key in keys], goal)
    if distance > NEAR:
        return None
    kept = [key for key, share in zip(keys, shares.tolist(), strict=True) if share > VANISHED]
    for key in list(kept):  # dependent columns leave the coefficients open: drop until each is needed
        rest = [other for other in kept if other != key]
        if rest and _distance([usable[other] for other in rest], goal) <= NEAR:
            kept = rest
    return kept or keys[:1]


def _checked(
    kept: list[tuple[int, int]],
    columns: dict[tuple[int, int], list[Real]],
    target: list[Real],
    defined: list[int],
) -> Literal["equal", "different", "domain"]:
    """Solve for the coefficients at some points and compare at all, to many digits."""
    rows = defined[:: max(1, len(defined) // len(kept))][: len(kept)]
    matrix = mpmath.matrix([[columns[key][place] for key in kept] for place in rows])
    try:
        weights = mpmath.lu_solve(matrix, mpmath.matrix([target[place] for place in rows]))
    except (ZeroDivisionError, TypeError):  # mpmath's way of saying that the matrix is singular
        return "different"
    top = max(abs(target[place]) for place in defined) or mpmath.mpf(1)
    for place in defined:
        total = mpmath.fsum(weights[order] * columns[key][place] for order, key in enumerate(kept))
        if abs(total - target[place]) > AGREED * top:
            return "different"
    for place, found in enumerate(target):
        if found is None and all(columns[key][place] is not None for key in kept):
            return "domain"
    return "equal"


def _named(truth: Node, one: Atom) -> list[Real]:
    """Return the inner constants that the truth suggests for an atom."""
    found: list[Real] = []
    if one.shape == "generic":
        literals = [mpmath.mpf(part.text) for part in preorder(truth) if isinstance(part, Number)]
        for literal in dict.fromkeys(literals):
            found += [literal, -literal] + ([1 / literal, -1 / literal] if literal != 0 else [])
        return list(dict.fromkeys(found))
    if one.shape == "power":
        exponents = _exponents(truth, one.column)
        return list(
            dict.fromkeys(
                [*exponents, *(found + 1 for found in exponents), *(found - 1 for found in exponents)]
            )
        )
    wanted = {
        "sine": ("sin", "cos"),
        "cosine": ("sin", "cos"),
        "exponential": ("exp",),
        "logarithm": ("log",),
    }
    for part in preorder(truth):
        if isinstance(part, Apply) and part.op in wanted[one.shape]:
            line = _line(part.args[0], one.column)
            if line is None:
                continue
            slope, start = line
            found.append(start / slope if one.shape == "logarithm" else one.sign * slope)
    return list(dict.fromkeys(found))


def _line(node: Node, column: int) -> tuple[Real, Real] | None:
    """Read an argument as slope * v + start, with v or |v| the one feature it depends on."""
    if variables(node) != {column}:
        return None
    try:
        at = [value(node, [mpmath.mpf(place)] * (column + 1)) for place in (1, 2, 5)]
    except UndefinedError:
        return None
    slope = at[1] - at[0]
    if slope == 0 or abs(at[2] - (at[0] + 4 * slope)) > AGREED * (1 + abs(at[2])):
        return None
    return slope, at[0] - slope


def _exponents(truth: Node, column: int) -> list[Real]:
    """Return every constant power of a feature that occurs, with the common ones."""
    found: list[Real] = [mpmath.mpf(1) / 2, mpmath.mpf(1), mpmath.mpf(2), mpmath.mpf(3)]
    for part in preorder(truth):
        if isinstance(part, Apply) and part.op == "pow" and not variables(part.args[1]):
            base = part.args[0]
            bare = base.args[0] if isinstance(base, Apply) and base.op == "abs" else base
            if isinstance(bare, Var) and bare.index == column:
                power = value(part.args[1], [])
                found += [power, -power]
    return found
