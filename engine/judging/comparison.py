"""Numbers refute or support an equality: float64 finds candidates, 64 digits decide."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.expression import Node, Number, evaluate
from engine.expression.nodes import preorder
from engine.judging import precise
from engine.judging.verdict import Witness

# SPEC 3: agreement to this relative error at 64 digits.
AGREEMENT = 1e-12
# Points to be compared at 64 digits, and how many of them must be conclusive.
PRECISE_POINTS = 40
LEAST_POINTS = 12
# Candidates that float64 proposes as witnesses before the points are taken in order.
CANDIDATES = 4
# A difference this large relative to both values is hardly float64's own.
_SUSPICIOUS = 1e-7
# A literal with this many digits is a fitted or rounded double rather than a number someone wrote.
_ROUNDED_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the numbers say: a witness, or so many points of agreement out of so many tried."""

    witness: Witness | None
    agreed: int
    tried: int
    one_sided: int

    @property
    def enough(self) -> bool:
        """Whether the points support an equality."""
        return self.witness is None and self.agreed >= LEAST_POINTS


def compare(
    a: Node,
    b: Node,
    features: Sequence[str],
    points: NDArray[np.float64],
    *,
    declared: bool,
    until: float,
) -> Comparison:
    """Look for a point at which two expressions differ.

    Parameters
    ----------
    a, b : Node
        The expressions.
    features : sequence of str
        Column names, for the witness.
    points : ndarray, shape (n, d)
        Points of the domain.
    declared : bool
        Whether the domain is the task's own. Then a point where only one of the two has a value tells them
        apart; on a domain that nobody declared it is passed over.
    until : float
        `time.monotonic` after which no further point is taken.

    Returns
    -------
    Comparison
        A witness, or the points of agreement.
    """
    order = _promising_first(a, b, points)
    agreed = tried = one_sided = 0
    for index in order:
        if tried >= PRECISE_POINTS + one_sided and agreed >= LEAST_POINTS:
            break
        if tried >= LEAST_POINTS and time.monotonic() > until:
            break
        tried += 1
        point = points[index]
        values = [_value(node, point) for node in (a, b)]
        if any(isinstance(value, precise.OutOfRangeError) for value in values):
            continue
        undefined = [isinstance(value, precise.UndefinedError) for value in values]
        if all(undefined):
            continue
        if any(undefined):
            one_sided += 1
            if declared:
                return Comparison(_witness(features, point, values), agreed, tried, one_sided)
            continue
        if _agree(values[0], values[1]) or _constants_explain(a, b, point, values):
            agreed += 1
        else:
            return Comparison(_witness(features, point, values), agreed, tried, one_sided)
    return Comparison(None, agreed, tried, one_sided)


def _promising_first(a: Node, b: Node, points: NDArray[np.float64]) -> list[int]:
    with np.errstate(all="ignore"):
        left, right = evaluate(a, points), evaluate(b, points)
        size = np.maximum(np.abs(left), np.abs(right))
        gap = np.where(size > 0, np.abs(left - right) / size, 0.0)
    finite = np.isfinite(left) & np.isfinite(right)
    gap = np.where(finite, np.nan_to_num(gap), 0.0)
    lonely = np.isfinite(left) != np.isfinite(right)
    suspicious = np.flatnonzero(gap > _SUSPICIOUS)
    candidates = suspicious[np.argsort(-gap[suspicious], kind="stable")][:CANDIDATES].tolist()
    candidates += np.flatnonzero(lonely)[:CANDIDATES].tolist()
    both, rest = np.flatnonzero(finite).tolist(), np.flatnonzero(~finite).tolist()
    return list(dict.fromkeys([*candidates, *both, *rest]))


def _value(node: Node, point: NDArray[np.float64]) -> precise.Real:
    try:
        return precise.value(node, point.tolist())
    except ArithmeticError as error:
        return error


def _agree(a: precise.Real, b: precise.Real) -> bool:
    return bool(abs(a - b) <= AGREEMENT * max(abs(a), abs(b)))


def _constants_explain(a: Node, b: Node, point: NDArray[np.float64], values: list[precise.Real]) -> bool:
    """Whether a gap at a point of cancellation is what fitted doubles agreeing to 1e-12 would leave."""
    gap = abs(values[0] - values[1])
    if gap > math.sqrt(AGREEMENT) * max(abs(values[0]), abs(values[1])):
        return False
    room = 0.0
    for node, value in zip((a, b), values, strict=True):
        for number in {n for n in preorder(node) if isinstance(n, Number) and _is_rounded(n)}:
            moved = {number: precise.literal(number) * (1 + AGREEMENT)}
            try:
                room += abs(precise.value(node, point.tolist(), shifts=moved) - value)
            except ArithmeticError:
                return False
    return bool(gap <= room)


def _is_rounded(number: Number) -> bool:
    digits = number.text.lower().partition("e")[0].replace(".", "").lstrip("-0")
    return not number.is_integer and len(digits) >= _ROUNDED_DIGITS


def _witness(features: Sequence[str], point: NDArray[np.float64], values: list[precise.Real]) -> Witness:
    shown = ["undefined" if isinstance(value, ArithmeticError) else precise.text(value) for value in values]
    return Witness(dict(zip(features, point.tolist(), strict=True)), shown[0], shown[1])
