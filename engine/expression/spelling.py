"""From a function name and its arguments, as written, to a node: aliases, arities and shorthands."""

import difflib
import math

from engine.expression.errors import ExpressionError
from engine.expression.nodes import Apply, Constant, Node, apply, number
from engine.expression.operators import ALIASES, OPERATORS, SUGAR, known_functions

# The modules whose prefix is dropped: np.sin, math.sin, sympy.sin, jnp.sin ...
PREFIXES = frozenset({"np", "numpy", "math", "sympy", "sp", "jnp", "torch", "cmath", "scipy", "special"})
NAMED_CONSTANTS = {
    "pi": "pi", "PI": "pi", "Pi": "pi", "e": "e", "E": "e",
    "inf": "inf", "Inf": "inf", "oo": "inf", "nan": "nan", "NaN": "nan", "zoo": "nan",
}  # fmt: skip


def named_constant(name: str) -> Node | None:
    """Return the constant a bare name stands for, or None."""
    if name in ("True", "true"):
        return number(1)
    if name in ("False", "false"):
        return number(0)
    known = NAMED_CONSTANTS.get(name)
    return Constant(known) if known else None


def is_function(name: str) -> bool:
    """Tell whether ``name`` may stand before an opening bracket."""
    return name in OPERATORS or name in ALIASES or name in SUGAR


def call(name: str, args: tuple[Node, ...], where: str) -> Node:
    """Return the node of ``name(args)``.

    Parameters
    ----------
    name : str
        A function's name without module prefix.
    args : tuple of Node
        Its arguments.
    where : str
        The place, for the error (" at position 7").

    Returns
    -------
    Node
        The operator on its arguments, or what a shorthand stands for.

    Raises
    ------
    ExpressionError
        For an unknown function or a wrong number of arguments.
    """
    op = ALIASES.get(name, name)
    if op not in OPERATORS and op not in SUGAR:
        close = difflib.get_close_matches(name, known_functions(), 3)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ExpressionError(f"the function {name!r}{where} is not known{hint}")
    least, most = SUGAR[op] if op in SUGAR else (OPERATORS[op].least, OPERATORS[op].most)
    if not least <= len(args) <= most:
        wanted = str(least) if least == most else f"{least} to {most}" if most < 10 else f"at least {least}"
        raise ExpressionError(f"{name!r}{where} takes {wanted} arguments and got {len(args)}")
    if op == "piecewise" and len(args) % 2:
        raise ExpressionError(f"{name!r}{where} takes pairs (value, condition)")
    if op in SUGAR:
        return _written_out(op, args)
    if op in ("min", "max") and len(args) == 1:
        return args[0]
    return flat(op, args)


def flat(op: str, args: tuple[Node, ...]) -> Node:
    """Return ``op`` on ``args``; a sum or product that stands first is continued."""
    first = args[0]
    if op in ("add", "mul", "and", "or") and isinstance(first, Apply) and first.op == op:
        return apply(op, *first.args, *args[1:])
    return apply(op, *args)


def _written_out(op: str, args: tuple[Node, ...]) -> Node:
    x = args[0]
    one, two = number(1), number(2)
    match op:
        case "log":
            return apply("log", x) if len(args) == 1 else apply("div", apply("log", x), apply("log", args[1]))
        case "sub":
            return flat("add", (x, apply("neg", args[1])))
        case "square":
            return apply("pow", x, two)
        case "cube":
            return apply("pow", x, number(3))
        case "inv" | "reciprocal":
            return apply("div", one, x)
        case "relu":
            return apply("max", x, number(0))
        case "cond":
            # SymbolicRegression.jl: the second argument where the first is positive, else 0.
            return apply("where", apply("gt", x, number(0)), args[1], number(0))
        case "clip":
            return apply("min", apply("max", x, args[1]), args[2])
        case "sec":
            return apply("div", one, apply("cos", x))
        case "csc":
            return apply("div", one, apply("sin", x))
        case "cot":
            return apply("div", one, apply("tan", x))
        case "deg2rad" | "radians":
            return apply("mul", x, number(math.pi / 180.0))
        case "rad2deg" | "degrees":
            return apply("mul", x, number(180.0 / math.pi))
        case _:
            return apply("div", one, apply("add", one, apply("exp", apply("neg", x))))
