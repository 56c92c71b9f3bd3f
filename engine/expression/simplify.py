"""Simplification that shortens and never changes meaning, in a child process with a hard limit.

Every form is printed, read back, and compared with the original on points of the domain before it may win;
one that fails is dropped. Nothing is assumed about the variables: log(x**2) stays, and so does sqrt(x**2).
"""

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.expression.canonical import tree
from engine.expression.dialects.table import parse
from engine.expression.errors import ExpressionError
from engine.expression.evaluate import evaluate
from engine.expression.infix import infix
from engine.expression.nodes import Node, Var, parameters, size

if TYPE_CHECKING:
    from engine.expression.children import Children

Domain = Mapping[str, tuple[float, float] | None]

# The limit per expression, in processor seconds: a busy machine finds the same text as an idle one. What was
# found until then stands. A child that does not heed it is killed at PATIENCE times as many of the wall's.
SECONDS = 1.2
PATIENCE = 5.0
POINTS = 192
# Rewrites reorder roundings; what a rewrite gets wrong is wrong by far more than this.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Simplified:
    """What became of an expression.

    Attributes
    ----------
    text : str
        Infix text over the task's own names; the original's where nothing better was found.
    status : str
        ``simplified``, ``unchanged``, or ``unable`` (a limit was hit or the text cannot be read).
    complexity : int or None
        C of ``text``; None where it could not be counted.
    original_complexity : int or None
        C of the original.
    extended : bool
        Whether the text has values at isolated points where the original has none (x/x at 0).
    reason : str
        Why, where the status is ``unable``.
    seconds : float
        Wall time of the work; starting a child process is not part of it.
    """

    text: str
    status: Literal["simplified", "unchanged", "unable"]
    complexity: int | None
    original_complexity: int | None
    extended: bool
    reason: str
    seconds: float


def simplify(
    text: str,
    features: Sequence[str],
    *,
    seconds: float = SECONDS,
    domain: Domain | None = None,
    children: "Children | None" = None,
) -> Simplified:
    """Shorten an expression without changing what it means.

    Parameters
    ----------
    text : str
        Infix text.
    features : sequence of str
        The columns' names in order.
    seconds : float
        Limit in processor seconds, at which the best form so far stands; the child is killed after
        ``PATIENCE`` times as many of the wall's.
    domain : mapping of str to (low, high), optional
        The declared ranges, on which forms are compared too.
    children : Children, optional
        Where to work; the process's shared pool when omitted.

    Returns
    -------
    Simplified
        Never raises for foreign text.
    """
    from engine.expression.children import shared

    try:
        parse(text, features)
    except ExpressionError as error:
        return Simplified(text, "unable", None, None, False, str(error), 0.0)
    if seconds <= 0:
        return Simplified(text, "unable", None, None, False, f"a limit of {seconds:g} s leaves no time", 0.0)
    ranges = tuple((domain or {}).get(name) for name in features)
    pool = children or shared()
    outcome = pool.run(shortest, text, tuple(features), ranges, seconds, seconds=seconds * PATIENCE)
    if outcome.status != "ok":
        return Simplified(text, "unable", None, None, False, outcome.reason, outcome.seconds)
    best, before, after, extended = outcome.value
    status: Literal["simplified", "unchanged"] = "unchanged" if best == text else "simplified"
    return Simplified(best, status, after, before, extended, "", outcome.seconds)


class OutOfTimeError(BaseException):
    """The processor time of a search is used up. No Exception, so that no library takes it for its own."""


@contextmanager
def processor_limit(seconds: float) -> Iterator[None]:
    """Leave the block when this process has used so many processor seconds in it; main thread only."""

    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, stop)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        yield
    except OutOfTimeError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def shortest(
    text: str, features: tuple[str, ...], ranges: tuple[tuple[float, float] | None, ...], seconds: float
) -> tuple[str, int, int, bool]:
    """Return the shortest equal text found, C before and after, and whether it has values at more points.

    Shorter means a smaller C; with equal C, fewer nodes as written, then fewer characters.
    A job for child processes: it uses the process's profiling timer.
    """
    best, more, before, after = text, False, None, 0
    with processor_limit(seconds):
        for found in _shorter(text, features, ranges):
            best, after, more = found
            before = after if before is None else before
    if before is None:
        raise ExpressionError(f"its tree could not be built in {seconds:g} s")
    return best, before, after, more


def _shorter(
    text: str, features: tuple[str, ...], ranges: tuple[tuple[float, float] | None, ...]
) -> Iterator[tuple[str, int, bool]]:
    """Yield the text itself, then ever shorter equal ones: text, C, whether it has values at more points."""
    from sympy import Symbol

    from engine.expression.rewriting import rewrites, widened
    from engine.expression.symbolic import FAILURES, to_sympy

    original = parse(text, features)
    least = (tree(text, features).complexity, size(original), len(text))
    yield text, least[0], False
    if parameters(original):
        return
    points, isolated = sample(len(features), ranges)
    values = evaluate(original, points)
    symbols = [Symbol(name) for name in features]
    columns: dict[object, Node] = {symbol: Var(place) for place, symbol in enumerate(symbols)}
    # SymPy gives up on some expressions half-way; what was found until then stands.
    with suppress(ExpressionError, *FAILURES):
        for form in rewrites(widened(to_sympy(original, symbol=symbols.__getitem__))):
            candidate = _printed(form, columns, features)
            if candidate is None:
                continue
            count = tree(candidate, features).complexity, size(parse(candidate, features)), len(candidate)
            if count >= least:
                continue
            same, extended = _agree(values, evaluate(parse(candidate, features), points), isolated)
            if same:
                least = count
                yield candidate, count[0], extended


def _printed(form: object, columns: Mapping[object, Node], features: Sequence[str]) -> str | None:
    """Return a SymPy form as infix text that reads back, or None where our trees have no node for it."""
    from engine.expression.from_sympy import from_sympy

    try:
        text = infix(from_sympy(form, columns), features)
        parse(text, features)
    except ExpressionError:
        return None
    return text


def sample(
    count: int, ranges: Sequence[tuple[float, float] | None]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return points of the declared ranges and of the whole line, with the special values 0, 1 and -1.

    Parameters
    ----------
    count : int
        The number of columns.
    ranges : sequence of (low, high) or None
        The declared ranges.

    Returns
    -------
    points : ndarray, shape (n, count)
        The same points at every call.
    isolated : ndarray of bool, shape (n,)
        Which of them are special.
    """
    rng = np.random.Generator(np.random.PCG64(20260728))
    wide = rng.uniform(-3.0, 3.0, (POINTS, count))
    spread = 10.0 ** rng.uniform(-3.0, 3.0, (POINTS, count)) * rng.choice([-1.0, 1.0], (POINTS, count))
    positive = 10.0 ** rng.uniform(-2.0, 2.0, (POINTS, count))
    parts = [wide, spread, positive]
    if any(each is not None for each in ranges):
        low = np.array([-3.0 if each is None else each[0] for each in ranges])
        high = np.array([3.0 if each is None else each[1] for each in ranges])
        parts.append(low + (high - low) * rng.uniform(0.0, 1.0, (POINTS, count)))
    special = [np.full((1, count), value) for value in (0.0, 1.0, -1.0)]
    for column in range(count):
        rows = wide[:3].copy()
        rows[:, column] = (0.0, 1.0, -1.0)
        special.append(rows)
    points = np.concatenate([*parts, *special])
    isolated = np.arange(len(points)) >= POINTS * len(parts)
    return points, isolated


def _agree(
    original: NDArray[np.float64], candidate: NDArray[np.float64], isolated: NDArray[np.bool_]
) -> tuple[bool, bool]:
    """Tell whether values agree, and whether the candidate has values where the original has none."""
    finite, found = np.isfinite(original), np.isfinite(candidate)
    if np.any(finite & ~found):
        return False, False
    gained = found & ~finite
    if np.any(gained & ~isolated) or not np.any(finite):
        # Values on whole regions where there were none: the domain grew, so the meaning changed.
        return False, False
    both = finite & found
    scale = np.maximum(np.abs(original[both]), np.abs(candidate[both]))
    same = np.abs(original[both] - candidate[both]) <= TOLERANCE * scale
    return bool(np.all(same)), bool(np.any(gained))
