"""SA's verdict (SPEC 7): whether the free constants of a prediction can make it equal to the fixed truth.

Decimal constants of the prediction are free, whole numbers are structure, surplus terms may vanish. A
least-squares search in float64 proposes constants; Gauss-Newton steps at 64 digits then either drive the
residual to nothing, which no mere approximation does, or stall. ``different`` means that no constants were
found: strong evidence, no proof.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import mpmath
import numpy as np
from numpy.typing import NDArray

from engine.expression import ExpressionError, Node, Number, Var, evaluate, parse
from engine.expression.nodes import preorder, rebuild
from engine.judging import precise
from engine.judging.comparison import LEAST_POINTS
from engine.judging.points import Domain, sample

Array = NDArray[np.float64]

VERSION = 1
MOST_PARAMETERS = 40
SEARCH_POINTS = 192
# Float64 residual, relative to the truth's size, from which Gauss-Newton is worth starting.
PROMISING = 1e-5
# Residual at 64 digits that counts as none. Truths' own constants are exact decimals, so nothing is rounded.
VANISHED = 1e-24
NEWTON_STEPS = 9
_EVALUATIONS = 60
_RESTARTS = 4
_SEED = 20260802


@dataclass(frozen=True, slots=True)
class Representable:
    """The verdict, its detail, and the constants that were found."""

    verdict: Literal["representable", "different", "undetermined", "not_applicable"]
    detail: str
    constants: tuple[float, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return the verdict as a JSON object."""
        return asdict(self)


def representable(
    truth: str, prediction: str, features: Sequence[str], *, domain: Domain | None = None
) -> Representable:
    """Decide whether some constants make a prediction equal to the truth.

    Parameters
    ----------
    truth, prediction : str
        Infix texts over ``features``.
    features : sequence of str
        Column names.
    domain : mapping of str to (low, high), optional
        Declared ranges.

    Returns
    -------
    Representable
        What cannot be read is ``not_applicable``. Bounded work, but best run in a child process.
    """
    try:
        target, model = parse(truth, features), parse(prediction, features)
    except ExpressionError as error:
        return Representable("not_applicable", str(error))
    freed, start = _freed(model, len(features))
    if len(start) > MOST_PARAMETERS:
        return Representable("undetermined", f"more than {MOST_PARAMETERS} free constants")
    points = sample(features, domain)
    y = evaluate(target, points)
    defined = np.isfinite(y)
    if int(defined.sum()) < LEAST_POINTS + len(start):
        return Representable("undetermined", "the truth has values at too few points of the domain")
    X = points[defined][:SEARCH_POINTS]
    best = _searched(freed, X, y[defined][:SEARCH_POINTS], start, _named(target))
    if best is None:
        return Representable("different", "no constants were found that bring the two together")
    # On a domain that nobody declared, only the points where the truth has a value are of interest.
    declared = domain is not None and all(domain.get(name) is not None for name in features)
    return _refined(target, freed, points if declared else points[defined], best)


def _freed(model: Node, columns: int) -> tuple[Node, list[float]]:
    """Return the tree with each decimal constant as a further column, and the constants."""
    start: list[float] = []

    def free(node: Node) -> Node:
        if isinstance(node, Number) and not node.is_integer:
            start.append(node.value)
            return Var(columns + len(start) - 1)
        return node

    return rebuild(model, free), start


def _named(target: Node) -> list[float]:
    return sorted({abs(node.value) for node in preorder(target) if isinstance(node, Number)})


def _searched(freed: Node, X: Array, y: Array, start: list[float], named: list[float]) -> Array | None:
    """Search constants in float64; None when nothing comes near."""
    size = float(np.sqrt(np.mean(y * y))) or 1.0

    def residual(constants: Array) -> Array:
        table = np.hstack([X, np.broadcast_to(constants, (len(X), len(constants)))])
        gap = (evaluate(freed, table) - y) / size
        return np.asarray(np.clip(np.nan_to_num(gap, nan=1e6, posinf=1e6, neginf=-1e6), -1e6, 1e6))

    if not start:
        return np.empty(0) if float(np.abs(residual(np.empty(0))).max()) < PROMISING else None
    from scipy.optimize import least_squares

    for constants in _starts(start, named):
        # Far starts overflow on the way; a residual is clipped, never warned about.
        with np.errstate(all="ignore"):
            found = least_squares(
                residual, constants, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=_EVALUATIONS
            )
        if float(np.abs(found.fun).max()) < PROMISING:
            return np.asarray(found.x, dtype=np.float64)
    return None


def _starts(start: list[float], named: list[float]) -> list[Array]:
    fitted = np.array(start)
    near = np.array([_nearest(value, named) for value in start])
    random = np.random.Generator(np.random.PCG64(_SEED))
    shaken = [fitted * np.exp(random.uniform(-0.7, 0.7, len(start))) for _ in range(_RESTARTS)]
    return [fitted, near, *shaken]


def _nearest(value: float, named: list[float]) -> float:
    """Snap a fitted constant to a number the truth names, or to a half, when one is close."""
    choices = [*named, round(2 * abs(value)) / 2]
    best = min(choices, key=lambda choice: abs(choice - abs(value)))
    return float(np.copysign(best, value)) if abs(best - abs(value)) <= 0.2 * abs(value) else value


def _refined(target: Node, freed: Node, points: Array, best: Array) -> Representable:
    count = len(best)
    sides = [_sides(target, freed, point, best) for point in points]
    if 1 in sides:
        return Representable("different", "the two have values at different points of the domain")
    usable = [point for point, side in zip(points, sides, strict=True) if side == 2]
    if len(usable) < count + LEAST_POINTS:
        return Representable("undetermined", "the two have values at too few points of the domain")
    fitting, fresh = usable[: 2 * count + LEAST_POINTS], usable[-LEAST_POINTS:]
    constants = [mpmath.mpf(value) for value in best.tolist()]
    with mpmath.workdps(precise.DIGITS):
        aims = [precise.value(target, point.tolist()) for point in fitting]

        def gaps(values: list[precise.Real]) -> list[precise.Real]:
            return [
                precise.value(freed, [*point.tolist(), *values]) - aim
                for point, aim in zip(fitting, aims, strict=True)
            ]

        try:
            for _ in range(NEWTON_STEPS if count else 0):
                step = _step(gaps, constants)
                constants = [value - change for value, change in zip(constants, step, strict=True)]
            worst = max(_relative(target, freed, point, constants) for point in [*fitting, *fresh])
        except (ArithmeticError, ValueError) as error:
            return Representable("undetermined", f"the constants left the expression's domain ({error})")
        found = tuple(float(value) for value in constants)
        if worst <= VANISHED:
            return Representable("representable", f"equal to {mpmath.nstr(worst, 2)} at 64 digits", found)
        detail = f"the closest constants leave a residual of {mpmath.nstr(worst, 2)} at 64 digits"
        return Representable("different", detail, found)


def _sides(target: Node, freed: Node, point: Array, constants: Array) -> int:
    """Count which of the two have a value at a point; 0 as well where nothing can be concluded."""
    found = 0
    for node, row in ((target, point.tolist()), (freed, [*point.tolist(), *constants.tolist()])):
        try:
            precise.value(node, row)
        except precise.OutOfRangeError:
            return 0
        except ArithmeticError:
            continue
        found += 1
    return found


def _relative(target: Node, freed: Node, point: Array, constants: list[precise.Real]) -> precise.Real:
    aim = precise.value(target, point.tolist())
    found = precise.value(freed, [*point.tolist(), *constants])
    size = max(abs(aim), abs(found))
    return abs(found - aim) / size if size else mpmath.mpf(0)


def _step(
    gaps: Callable[[list[precise.Real]], list[precise.Real]], constants: list[precise.Real]
) -> list[precise.Real]:
    """Return one damped Gauss-Newton step; the damping is far below anything that matters at 64 digits."""
    here = gaps(constants)
    columns = []
    for place, value in enumerate(constants):
        width = mpmath.mpf(10) ** -30 * max(abs(value), mpmath.mpf(1) / 1000)
        moved = [*constants[:place], value + width, *constants[place + 1 :]]
        columns.append([(there - at) / width for there, at in zip(gaps(moved), here, strict=True)])
    count = len(constants)
    normal = mpmath.matrix(count, count)
    right = mpmath.matrix(count, 1)
    for i in range(count):
        for j in range(i, count):
            total = mpmath.fdot(columns[i], columns[j])
            normal[i, j] = normal[j, i] = total
        right[i] = mpmath.fdot(columns[i], here)
    largest = max((normal[i, i] for i in range(count)), default=mpmath.mpf(1))
    for i in range(count):
        normal[i, i] += (normal[i, i] + largest * mpmath.mpf(10) ** -30) * mpmath.mpf(10) ** -20
    return list(mpmath.lu_solve(normal, right))
