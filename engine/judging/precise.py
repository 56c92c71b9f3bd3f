"""Values of an expression at one point to 64 digits, with the literals taken as written.

Real arithmetic throughout: what numpy gives as nan is undefined here too. Numbers beyond 2^4096 are out of
range rather than undefined: nothing is concluded from them, and no operation on them can take long.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import mpmath

from engine.expression.nodes import Apply, Constant, Node, Number, Parameter, Var, postorder
from engine.expression.operators import GUARD

DIGITS = 64
RANGE_BITS = 4096
# mpmath's gamma grows costly with its argument; float64 overflows at 171.
GAMMA_LIMIT = 1000

# mpmath is untyped; a Real is an mpf of our own context, or the failure that stands in its place.
Real: TypeAlias = Any

_MP = mpmath.mp.clone()
_MP.dps = DIGITS
_GUARD = _MP.mpf("0.001")


class UndefinedError(ArithmeticError):
    """The expression has no real value at this point."""


class OutOfRangeError(ArithmeticError):
    """A value on the way is too large or too small to conclude anything."""


def value(node: Node, point: Sequence[float], *, shifts: Mapping[Number, Real] | None = None) -> Real:
    """Compute an expression at one point.

    Parameters
    ----------
    node : Node
        The expression.
    point : sequence of float
        One value per column.
    shifts : mapping of Number to mpf, optional
        Literals to be taken at another value than written.

    Returns
    -------
    mpf
        The value to 64 digits.

    Raises
    ------
    UndefinedError
        Where it has no real value.
    OutOfRangeError
        Where a value on the way leaves 2^-4096 to 2^4096.
    """
    stack: list[Real] = []
    for current in postorder(node):
        if isinstance(current, Apply):
            count = len(current.args)
            args = stack[len(stack) - count :]
            del stack[len(stack) - count :]
            stack.append(_applied(current.op, args))
        elif shifts is not None and isinstance(current, Number) and current in shifts:
            stack.append(shifts[current])
        else:
            stack.append(_leaf(current, point))
    result = stack[0]
    if isinstance(result, ArithmeticError):
        raise result
    return result


def literal(number: Number) -> Real:
    """Return a literal's value as written: 0.1 is a tenth."""
    return _MP.mpf(number.text)


def text(result: Real) -> str:
    """Return a value to twenty digits."""
    return str(_MP.nstr(result, 20))


def _leaf(node: Node, point: Sequence[float]) -> Real:
    match node:
        case Var(index):
            return _MP.mpf(point[index])
        case Number():
            return _checked(literal(node))
        case Constant("pi"):
            return +_MP.pi
        case Constant("e"):
            return +_MP.e
        case Constant() | Parameter():
            return UndefinedError("a constant without a finite value")
        case _:
            raise AssertionError(node)


def _applied(op: str, args: list[Real]) -> Real:
    # A failure travels up as a value, so that a branch that is not taken may fail unseen.
    if op == "where":
        return args[0] if isinstance(args[0], ArithmeticError) else args[1] if args[0] != 0 else args[2]
    if op == "piecewise":
        return _piecewise(args)
    for arg in args:
        if isinstance(arg, ArithmeticError):
            return arg
    try:
        return _checked(_FUNCTIONS[op](*args))
    except ArithmeticError as error:
        return error if isinstance(error, (UndefinedError, OutOfRangeError)) else UndefinedError(str(error))


def _piecewise(args: list[Real]) -> Real:
    for branch, condition in zip(args[::2], args[1::2], strict=True):
        if isinstance(condition, ArithmeticError):
            return condition
        if condition != 0:
            return branch
    return UndefinedError("no branch applies")


def _checked(result: Real) -> Real:
    if not isinstance(result, _MP.mpf) or not _MP.isfinite(result):
        raise UndefinedError("no real value")
    if result != 0 and abs(_MP.mag(result)) > RANGE_BITS:
        raise OutOfRangeError("out of range")
    return result


def _defined(condition: bool) -> None:
    if not condition:
        raise UndefinedError("no real value")


def _divide(a: Real, b: Real) -> Real:
    _defined(b != 0)
    return a / b


def _power(a: Real, b: Real) -> Real:
    if a == 0:
        _defined(b >= 0)
        return _MP.mpf(1 if b == 0 else 0)
    whole = b == _MP.floor(b)
    _defined(a > 0 or whole)
    if b != 0 and abs(b) * abs(_MP.log(abs(a), 2)) > RANGE_BITS:
        raise OutOfRangeError("out of range")
    if whole and abs(b) <= RANGE_BITS:
        return a ** int(b)
    result = _MP.exp(b * _MP.log(abs(a)))
    return -result if a < 0 and _MP.floor(b / 2) * 2 != b else result


def _exponential(a: Real) -> Real:
    if abs(a) > RANGE_BITS:
        raise OutOfRangeError("out of range")
    return _MP.exp(a)


def _log(a: Real) -> Real:
    _defined(a > 0)
    return _MP.log(a)


def _root(a: Real) -> Real:
    _defined(a >= 0)
    return _MP.sqrt(a)


def _cube_root(a: Real) -> Real:
    return -_MP.cbrt(-a) if a < 0 else _MP.cbrt(a)


def _within(low: int | None, high: int | None, function: Callable[[Real], Real]) -> Callable[[Real], Real]:
    def checked(a: Real) -> Real:
        _defined((low is None or a >= low) and (high is None or a <= high))
        return function(a)

    return checked


def _bounded(function: Callable[[Real], Real]) -> Callable[[Real], Real]:
    def checked(a: Real) -> Real:
        if abs(a) > RANGE_BITS:
            raise OutOfRangeError("out of range")
        return function(a)

    return checked


def _atanh(a: Real) -> Real:
    _defined(-1 < a < 1)
    return _MP.atanh(a)


def _gamma(function: Callable[[Real], Real]) -> Callable[[Real], Real]:
    def checked(a: Real) -> Real:
        if abs(a) > GAMMA_LIMIT:
            raise OutOfRangeError("out of range")
        _defined(a > 0 or a != _MP.floor(a))
        return function(a)

    return checked


def _modulo(a: Real, b: Real) -> Real:
    _defined(b != 0)
    return a - b * _MP.floor(a / b)


def _round(a: Real) -> Real:
    # Halves to even, as numpy does.
    low = _MP.floor(a)
    if a - low == _MP.mpf("0.5"):
        return low if low % 2 == 0 else low + 1
    return _MP.floor(a + _MP.mpf("0.5"))


def _truth(test: Callable[..., bool]) -> Callable[..., Real]:
    return lambda *args: _MP.mpf(1 if test(*args) else 0)


def _sum(*args: Real) -> Real:
    total = args[0]
    for arg in args[1:]:
        total = total + arg
    return total


def _product(*args: Real) -> Real:
    total = args[0]
    for arg in args[1:]:
        total = total * arg
    return total


_FUNCTIONS: dict[str, Callable[..., Real]] = {
    "add": _sum,
    "mul": _product,
    "min": min,
    "max": max,
    "neg": lambda a: -a,
    "div": _divide,
    "pow": _power,
    "mod": _modulo,
    "atan2": _MP.atan2,
    "hypot": _MP.hypot,
    "not": _truth(lambda a: a == 0),
    "and": _truth(lambda *args: all(a != 0 for a in args)),
    "or": _truth(lambda *args: any(a != 0 for a in args)),
    "lt": _truth(lambda a, b: a < b),
    "le": _truth(lambda a, b: a <= b),
    "gt": _truth(lambda a, b: a > b),
    "ge": _truth(lambda a, b: a >= b),
    "eq": _truth(lambda a, b: a == b),
    "ne": _truth(lambda a, b: a != b),
    "abs": abs,
    "sign": lambda a: _MP.mpf((a > 0) - (a < 0)),
    "sqrt": _root,
    "cbrt": _cube_root,
    "exp": _exponential,
    "exp2": lambda a: _power(_MP.mpf(2), a),
    "expm1": lambda a: _MP.expm1(a) if abs(a) < 1 else _exponential(a) - 1,
    "log": _log,
    "log2": lambda a: _log(a) / _MP.log(2),
    "log10": lambda a: _log(a) / _MP.log(10),
    "log1p": lambda a: _MP.log1p(a) if abs(a) < 0.5 else _log(1 + a),
    "sin": _MP.sin,
    "cos": _MP.cos,
    "tan": _MP.tan,
    "asin": _within(-1, 1, _MP.asin),
    "acos": _within(-1, 1, _MP.acos),
    "atan": _MP.atan,
    "sinh": _bounded(_MP.sinh),
    "cosh": _bounded(_MP.cosh),
    "tanh": lambda a: _MP.tanh(a) if abs(a) < RANGE_BITS else _MP.sign(a),
    "asinh": _MP.asinh,
    "acosh": _within(1, None, _MP.acosh),
    "atanh": _atanh,
    "floor": _MP.floor,
    "ceil": _MP.ceil,
    "round": _round,
    "trunc": lambda a: _MP.ceil(a) if a < 0 else _MP.floor(a),
    "erf": lambda a: _MP.erf(a) if abs(a) < 64 else _MP.sign(a),
    "erfc": _bounded(lambda a: _MP.erfc(a) if abs(a) < 64 else 1 - _MP.sign(a)),
    "gamma": _gamma(_MP.gamma),
    "lgamma": _gamma(lambda a: _MP.log(abs(_MP.gamma(a)))),
    "gp_div": lambda a, b: a / b if abs(b) > _GUARD else _MP.mpf(1),
    "pdiv": lambda a, b: a / b if abs(b) > _GUARD else _MP.mpf(1),
    "gp_log": lambda a: _MP.log(abs(a)) if abs(a) > _GUARD else _MP.mpf(0),
    "gp_sqrt": lambda a: _MP.sqrt(abs(a)),
    "gp_inv": lambda a: 1 / a if abs(a) > _GUARD else _MP.mpf(0),
    "aq": lambda a, b: a / _MP.sqrt(1 + b * b),
}
assert float(_GUARD) == GUARD
