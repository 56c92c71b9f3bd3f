"""Every operator of the tree: its arity, its NumPy kernel, and the names it is written by."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# A kernel takes float64 arrays (or scalars) and an optional ``out`` of the result's shape.
Kernel = Callable[..., Any]

# gplearn 0.4.3, functions.py: closeness to zero at which its protected operators switch.
# The paper (symbolicarena, table of the classic tasks) gives Korns' pdiv the same guard.
GUARD = 1e-3
MANY = 10_000


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator: how many arguments it takes and what it computes.

    A kernel may be given one of its own arguments as ``out``.
    """

    name: str
    least: int
    most: int
    kernel: Kernel


def _minimum(a: Array, b: Array, out: Array | None = None) -> Array:
    return np.minimum(a, b, out=out)


def _maximum(a: Array, b: Array, out: Array | None = None) -> Array:
    return np.maximum(a, b, out=out)


def _protected_division(a: Array, b: Array, out: Array | None = None) -> Array:
    return _written(np.where(np.abs(b) > GUARD, np.divide(a, b), 1.0), out)


def _protected_log(a: Array, out: Array | None = None) -> Array:
    size = np.abs(a)
    return _written(np.where(size > GUARD, np.log(size), 0.0), out)


def _protected_root(a: Array, out: Array | None = None) -> Array:
    return np.sqrt(np.abs(a), out=out)


def _protected_inverse(a: Array, out: Array | None = None) -> Array:
    return _written(np.where(np.abs(a) > GUARD, np.divide(1.0, a), 0.0), out)


def _analytic_quotient(a: Array, b: Array, out: Array | None = None) -> Array:
    return np.divide(a, np.sqrt(1.0 + np.square(b)), out=out)


def _where(condition: Array, a: Array, b: Array, out: Array | None = None) -> Array:
    return _written(np.where(np.not_equal(condition, 0.0), a, b), out)


def _indicator(test: np.ufunc) -> Kernel:
    def kernel(a: Array, b: Array, out: Array | None = None) -> Array:
        return _written(test(a, b), out)

    return kernel


def _not(a: Array, out: Array | None = None) -> Array:
    return _written(np.equal(a, 0.0), out)


def _written(result: NDArray[Any], out: Array | None) -> Array:
    if out is None:
        return np.asarray(result, dtype=np.float64)
    np.copyto(out, result)
    return out


def _special(function: Callable[[float], float], poles: Callable[[float], float]) -> Kernel:
    """Lift a function of :mod:`math` to arrays; where it raises, ``poles`` says what stands there."""

    def one(value: float) -> float:
        try:
            return function(value)
        except (ValueError, OverflowError):
            return poles(value)

    lifted = np.frompyfunc(one, 1, 1)

    def kernel(a: Array, out: Array | None = None) -> Array:
        return _written(np.asarray(lifted(a), dtype=np.float64), out)

    return kernel


def _gamma_pole(value: float) -> float:
    return math.inf if value > 0 else math.nan


def _operator(name: str, arity: int, kernel: Kernel) -> Operator:
    return Operator(name, arity, arity, kernel)


COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}

OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        Operator("add", 2, MANY, np.add),
        Operator("mul", 2, MANY, np.multiply),
        Operator("min", 1, MANY, _minimum),
        Operator("max", 1, MANY, _maximum),
        Operator("and", 2, MANY, _indicator(np.logical_and)),
        Operator("or", 2, MANY, _indicator(np.logical_or)),
        # The compiler nests the pairs of a piecewise definition in choices.
        Operator("piecewise", 2, MANY, _where),
        _operator("neg", 1, np.negative),
        _operator("div", 2, np.divide),
        _operator("pow", 2, np.power),
        _operator("mod", 2, np.mod),
        _operator("atan2", 2, np.arctan2),
        _operator("hypot", 2, np.hypot),
        _operator("where", 3, _where),
        _operator("not", 1, _not),
        _operator("lt", 2, _indicator(np.less)),
        _operator("le", 2, _indicator(np.less_equal)),
        _operator("gt", 2, _indicator(np.greater)),
        _operator("ge", 2, _indicator(np.greater_equal)),
        _operator("eq", 2, _indicator(np.equal)),
        _operator("ne", 2, _indicator(np.not_equal)),
        _operator("abs", 1, np.absolute),
        _operator("sign", 1, np.sign),
        _operator("sqrt", 1, np.sqrt),
        _operator("cbrt", 1, np.cbrt),
        _operator("exp", 1, np.exp),
        _operator("exp2", 1, np.exp2),
        _operator("expm1", 1, np.expm1),
        _operator("log", 1, np.log),
        _operator("log2", 1, np.log2),
        _operator("log10", 1, np.log10),
        _operator("log1p", 1, np.log1p),
        _operator("sin", 1, np.sin),
        _operator("cos", 1, np.cos),
        _operator("tan", 1, np.tan),
        _operator("asin", 1, np.arcsin),
        _operator("acos", 1, np.arccos),
        _operator("atan", 1, np.arctan),
        _operator("sinh", 1, np.sinh),
        _operator("cosh", 1, np.cosh),
        _operator("tanh", 1, np.tanh),
        _operator("asinh", 1, np.arcsinh),
        _operator("acosh", 1, np.arccosh),
        _operator("atanh", 1, np.arctanh),
        _operator("floor", 1, np.floor),
        _operator("ceil", 1, np.ceil),
        _operator("round", 1, np.rint),
        _operator("trunc", 1, np.trunc),
        _operator("erf", 1, _special(math.erf, lambda _: math.nan)),
        _operator("erfc", 1, _special(math.erfc, lambda _: math.nan)),
        _operator("gamma", 1, _special(math.gamma, _gamma_pole)),
        _operator("lgamma", 1, _special(math.lgamma, lambda _: math.inf)),
        _operator("gp_div", 2, _protected_division),
        _operator("gp_log", 1, _protected_log),
        _operator("gp_sqrt", 1, _protected_root),
        _operator("gp_inv", 1, _protected_inverse),
        _operator("pdiv", 2, _protected_division),
        _operator("aq", 2, _analytic_quotient),
    )
}

# Other spellings of the same operator, as the methods' languages have them.
ALIASES: dict[str, str] = {
    "Abs": "abs", "fabs": "abs", "absolute": "abs",
    "Max": "max", "maximum": "max", "fmax": "max", "amax": "max",
    "Min": "min", "minimum": "min", "fmin": "min", "amin": "min",
    "ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "power": "pow", "Pow": "pow", "float_power": "pow",
    "multiply": "mul", "subtract": "sub", "Sub": "sub", "divide": "div", "true_divide": "div",
    "negative": "neg", "Mod": "mod", "remainder": "mod",
    "ceiling": "ceil", "rint": "round", "sgn": "sign",
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "equal": "eq", "not_equal": "ne", "Lt": "lt", "Le": "le", "Gt": "gt", "Ge": "ge", "Eq": "eq", "Ne": "ne",
    "logical_and": "and", "logical_or": "or", "logical_not": "not", "And": "and", "Or": "or", "Not": "not",
    "tgamma": "gamma", "loggamma": "lgamma", "gammaln": "lgamma",
    "Piecewise": "piecewise", "ifelse": "where", "Add": "add", "Mul": "mul",
}  # fmt: skip

# Functions that are written out in terms of the operators above when they are read.
SUGAR: dict[str, tuple[int, int]] = {
    "sub": (2, 2), "square": (1, 1), "cube": (1, 1), "inv": (1, 1), "reciprocal": (1, 1), "relu": (1, 1),
    "sigmoid": (1, 1), "expit": (1, 1), "logistic": (1, 1), "sec": (1, 1), "csc": (1, 1), "cot": (1, 1),
    "cond": (2, 2), "clip": (3, 3), "log": (1, 2),
    "deg2rad": (1, 1), "radians": (1, 1), "rad2deg": (1, 1), "degrees": (1, 1),
}  # fmt: skip


def known_functions() -> list[str]:
    """Return every name that may stand before an opening bracket, sorted."""
    return sorted({*OPERATORS, *ALIASES, *SUGAR})
