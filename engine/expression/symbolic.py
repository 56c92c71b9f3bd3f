"""Our trees as SymPy expressions and back; SymPy is imported when a function is called, never before."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from engine.expression.nodes import Apply, Constant, Node, Number, Parameter, Var, postorder

# SymPy has no types of its own to check against.
Sympy: TypeAlias = Any
# What SymPy raises on expressions that have no meaning for it: comparisons of complex values, a modulo by
# zero, an infinite float as an integer.
FAILURES: tuple[type[Exception], ...] = (
    *(TypeError, ValueError, ArithmeticError, AttributeError, LookupError, NotImplementedError),
)
# Integer powers beyond this many bits are kept as powers: SymPy would compute them exactly.
MAX_POWER_BITS = 4096
_SAME_NAME = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "log", "sign", "floor", "erf", "erfc", "gamma"),
)


def variable(index: int) -> Sympy:
    """Return the plain symbol of a column: ``v0``, ``v1`` ... without assumptions."""
    import sympy

    return sympy.Symbol(f"v{index}")


def to_sympy(node: Node, *, evaluate: bool = True, symbol: Callable[[int], Sympy] = variable) -> Sympy:
    """Return a tree as a SymPy expression.

    Parameters
    ----------
    node : Node
        The tree.
    evaluate : bool
        SymPy's ordinary evaluation at every node, or none at any.
    symbol : callable
        Gives the symbol of a column.

    Returns
    -------
    sympy.Expr
        Sums and products as ``Add`` and ``Mul``, a quotient as a product with a power -1, protected operators
        as functions of their own name.
    """
    done: list[Sympy] = []
    for current in postorder(node):
        if isinstance(current, Apply):
            count = len(current.args)
            args = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(_applied(current, args, evaluate))
        else:
            done.append(_leaf(current, symbol))
    return done[0]


def _leaf(node: Node, symbol: Callable[[int], Sympy]) -> Sympy:
    import sympy

    match node:
        case Var(index):
            return symbol(index)
        case Number():
            return sympy.Integer(int(node.text)) if node.is_integer else sympy.Float(repr(node.value))
        case Constant(name):
            return {"pi": sympy.pi, "e": sympy.E, "inf": sympy.oo, "nan": sympy.nan}[name]
        case Parameter(index):
            return sympy.Symbol(f"params[{index}]")
        case _:
            raise AssertionError(node)


def _applied(node: Apply, args: list[Sympy], evaluate: bool) -> Sympy:
    import sympy
    from sympy import Add, Integer, Mul, Pow, Rational

    op = node.op
    match op:
        case "add":
            return _folded(Add, args, evaluate)
        case "mul":
            return _folded(Mul, [_number(arg) for arg in args], evaluate)
        case "neg":
            return Mul(Integer(-1), _number(args[0]), evaluate=evaluate)
        case "div":
            inverse = Pow(_number(args[1]), Integer(-1), evaluate=evaluate)
            return Mul(_number(args[0]), inverse, evaluate=evaluate)
        case "pow":
            base, exponent = args
            return _power(base, exponent) if evaluate else Pow(base, exponent, evaluate=False)
        case "sqrt":
            half = Rational(1, 2)
            return _power(args[0], half) if evaluate else Pow(args[0], half, evaluate=False)
        case "exp2":
            return Pow(Integer(2), args[0], evaluate=evaluate)
        case "log2" | "log10":
            inverse = Pow(sympy.log(Integer(int(op[3:]))), Integer(-1), evaluate=evaluate)
            return Mul(sympy.log(args[0], evaluate=evaluate), inverse, evaluate=evaluate)
        case "log1p":
            return sympy.log(Add(args[0], Integer(1), evaluate=evaluate), evaluate=evaluate)
        case "expm1":
            return Add(sympy.exp(args[0], evaluate=evaluate), Integer(-1), evaluate=evaluate)
        case "hypot":
            squares = [Pow(arg, Integer(2), evaluate=evaluate) for arg in args]
            return Pow(Add(*squares, evaluate=evaluate), Rational(1, 2), evaluate=evaluate)
        case "where":
            return sympy.Piecewise((args[1], _condition(args[0])), (args[2], True), evaluate=evaluate)
        case "piecewise":
            pairs = [(value, _condition(test)) for value, test in zip(args[::2], args[1::2], strict=True)]
            return sympy.Piecewise(*pairs, evaluate=evaluate)
        case _:
            return _named(op, args, evaluate)


def _named(op: str, args: list[Sympy], evaluate: bool) -> Sympy:
    import sympy

    functions = _functions()
    if op in ("and", "or", "not"):
        return functions[op](*(_condition(arg) for arg in args))
    if op in functions:
        return functions[op](*(_number(arg) for arg in args), evaluate=evaluate)
    # Protected operators and those SymPy lacks stay what they are, by name.
    return sympy.Function(op)(*(_number(arg) for arg in args))


@cache
def _functions() -> dict[str, Sympy]:
    import sympy

    named = {name: getattr(sympy, name) for name in _SAME_NAME}
    return named | {
        "abs": sympy.Abs,
        "lgamma": sympy.loggamma,
        "ceil": sympy.ceiling,
        "min": sympy.Min,
        "max": sympy.Max,
        "mod": sympy.Mod,
        "atan2": sympy.atan2,
        "lt": sympy.StrictLessThan,
        "le": sympy.LessThan,
        "gt": sympy.StrictGreaterThan,
        "ge": sympy.GreaterThan,
        "eq": sympy.Eq,
        "ne": sympy.Ne,
        "and": sympy.And,
        "or": sympy.Or,
        "not": sympy.Not,
    }


def _folded(operation: Sympy, args: list[Sympy], evaluate: bool) -> Sympy:
    """Fold from the left as the text reads; with evaluation SymPy makes one n-ary node of it."""
    total = _number(args[0])
    for arg in args[1:]:
        total = operation(total, _number(arg), evaluate=evaluate)
    return total


def _number(value: Sympy) -> Sympy:
    """Return a condition that stands in arithmetic as 1 or 0; anything else unchanged."""
    import sympy
    from sympy.logic.boolalg import Boolean

    if isinstance(value, Boolean) and not isinstance(value, sympy.Symbol):
        return sympy.Piecewise((sympy.Integer(1), value), (sympy.Integer(0), True))
    return value


def _condition(value: Sympy) -> Sympy:
    """Return a number that stands as a condition as ``value != 0``; anything else unchanged."""
    import sympy
    from sympy.logic.boolalg import Boolean

    if isinstance(value, Boolean) and not isinstance(value, sympy.Symbol):
        return value
    if isinstance(value, bool):
        return sympy.true if value else sympy.false
    return sympy.Ne(value, 0)


def _power(base: Sympy, exponent: Sympy) -> Sympy:
    """Return an evaluated power, the largest float coefficient of a sum drawn out: (2.0*x + 1)**3.

    SymPy did so itself until 1.13, with which the published records agree; 1.14 does not.
    """
    from sympy import Add, Mul, Pow, sign

    if _explodes(base, exponent):
        return _rounded(base, exponent)
    if base.is_Mul and exponent.is_Integer and abs(exponent) != 1:
        return Mul(*(_power(factor, exponent) for factor in base.args))
    if not (base.is_Add and exponent.is_Number and abs(exponent) != 1):
        return Pow(base, exponent)
    terms = [term.as_coeff_Mul() for term in base.args]
    if not any(coefficient.is_Float for coefficient, _ in terms):
        return Pow(base, exponent)
    largest = max(abs(coefficient) for coefficient, _ in terms)
    if not (largest.is_finite and float(largest) not in (0.0, 1.0)):
        return Pow(base, exponent)
    scaled = [
        (sign(coefficient) if abs(coefficient) == largest else coefficient / largest) * rest
        for coefficient, rest in terms
    ]
    return largest**exponent * Pow(Add(*scaled), exponent)


def _explodes(base: Sympy, exponent: Sympy) -> bool:
    """Tell whether a power of numbers would be computed to more than ``MAX_POWER_BITS`` bits."""
    coefficient = base.as_coeff_Mul()[0] if base.is_Mul else base
    if not (exponent.is_Number and coefficient.is_Number and coefficient.is_finite):
        return False
    if not coefficient.is_Rational:
        return bool(abs(exponent) > MAX_POWER_BITS)
    bits = max(int(coefficient.p).bit_length(), int(coefficient.q).bit_length())
    return bool(bits > 1 and abs(exponent) * bits > MAX_POWER_BITS)


def _rounded(base: Sympy, exponent: Sympy) -> Sympy:
    """Return a power of numbers as the double it is, infinite where it overflows; others unevaluated."""
    import sympy

    if not base.is_Number:
        return sympy.Pow(base, exponent, evaluate=False)
    try:
        value = float(base) ** float(exponent)
    except (OverflowError, ZeroDivisionError):
        return sympy.oo
    return sympy.Float(repr(value)) if isinstance(value, float) else sympy.nan
