"""Evaluation of an expression at points, to as many digits as asked."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath

from engine.expression.nodes import Apply, Constant, Node, Number, Var

Real = Any
"""An ``mpmath`` real number; the library has no types."""


class UndefinedError(ArithmeticError):
    """The expression has no real value at the point."""


class UnknownOperatorError(ValueError):
    """The expression uses an operator that this evaluation does not know."""


def _real(value: Real) -> Real:
    if isinstance(value, mpmath.mpc):
        if value.imag != 0:
            raise UndefinedError
        value = value.real
    if not mpmath.isfinite(value):
        raise UndefinedError
    return value


def _power(base: Real, exponent: Real) -> Real:
    if base == 0 and exponent < 0:
        raise UndefinedError
    return mpmath.power(base, exponent)


def _logarithm(value: Real) -> Real:
    if value <= 0:
        raise UndefinedError
    return mpmath.log(value)


def _quotient(above: Real, below: Real) -> Real:
    if below == 0:
        raise UndefinedError
    return above / below


def _product(*factors: Real) -> Real:
    return mpmath.fprod(factors)


def _sum(*terms: Real) -> Real:
    return mpmath.fsum(terms)


_OPERATORS: Mapping[str, Callable[..., Real]] = {
    "add": _sum,
    "mul": _product,
    "neg": lambda value: -value,
    "sub": lambda left, right: left - right,
    "div": _quotient,
    "pow": _power,
    "abs": abs,
    "sqrt": mpmath.sqrt,
    "cbrt": lambda value: mpmath.sign(value) * mpmath.cbrt(abs(value)),
    "exp": mpmath.exp,
    "log": _logarithm,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "tanh": mpmath.tanh,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "atan": mpmath.atan,
    "square": lambda value: value * value,
    "inv": lambda value: _quotient(mpmath.mpf(1), value),
}
_CONSTANTS: Mapping[str, Callable[[], Real]] = {"pi": lambda: +mpmath.pi, "e": lambda: +mpmath.e}


def value(node: Node, point: Sequence[Real]) -> Real:
    """Evaluate an expression at one point, at the precision that is set.

    Parameters
    ----------
    node
        Expression.
    point
        Value of each feature.

    Returns
    -------
    mpmath real

    Raises
    ------
    UndefinedError
        Where the expression has no finite real value.
    UnknownOperatorError
        For an operator without a precise form here.
    """
    if isinstance(node, Number):
        return mpmath.mpf(node.text)
    if isinstance(node, Var):
        return point[node.index]
    if isinstance(node, Constant) and node.name in _CONSTANTS:
        return _CONSTANTS[node.name]()
    if isinstance(node, Apply) and node.op in _OPERATORS:
        return _real(_OPERATORS[node.op](*(value(part, point) for part in node.args)))
    raise UnknownOperatorError(getattr(node, "op", getattr(node, "name", "parameter")))
