"""Atoms: candidate terms with at most one inner constant, and the shape in which each is fitted."""

import ast
from dataclasses import dataclass
from typing import Literal

Shape = Literal["static", "sine", "cosine", "exponential", "logarithm", "power", "generic"]

PARAMETER = "a"
"""The inner constant's symbol (paper 2, listing 1: "use the symbol 'a' (one per atom)")."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One candidate term without its leading coefficient.

    Attributes
    ----------
    text
        Infix over ``x0, x1, ...`` and ``a``.
    normal
        Normalized form: commutative operands in order, a leading number dropped.
    shape
        How its inner constant is fitted; ``static`` has none, ``generic`` is fitted as written.
    column
        Feature under the parametric function; -1 for ``static`` and ``generic``.
    sign
        +1 or -1, the sign before ``a`` in an exponential.
    factor
        Text that multiplies the parametric function, free of ``a``; ``"1"`` where there is none.
    protected
        Whether the text takes the absolute value of the feature (logarithm and power).
    """

    text: str
    normal: str
    shape: Shape
    column: int
    sign: int
    factor: str
    protected: bool

    @property
    def parametric(self) -> bool:
        """Whether the atom has an inner constant."""
        return self.shape != "static"


def atom(text: str) -> Atom:
    """Read an atom and recognize its shape.

    Parameters
    ----------
    text
        Python-syntax infix over ``x0, x1, ...`` and ``a``; already known to be safe and to parse
        (``engine.expression``), or from a library of ours.

    Returns
    -------
    Atom

    Raises
    ------
    ValueError
        If the text is not one Python expression.
    """
    tree = _parse(text)
    normal = normalized(text)
    if PARAMETER not in _names(tree):
        return Atom(text, normal, "static", -1, 1, "1", protected=False)
    factors = _numerator(tree)
    inner = [node for node in factors if PARAMETER in _names(node)] if factors else []
    if len(inner) == 1:
        rest = [ast.unparse(node) for node in factors if node is not inner[0]]
        factor = " * ".join(f"({part})" for part in rest) or "1"
        found = _recognized(inner[0])
        if found is not None:
            shape, column, sign, protected = found
            return Atom(text, normal, shape, column, sign, factor, protected)
    return Atom(text, normal, "generic", -1, 1, "1", protected=False)


def normalized(text: str) -> str:
    """Return the form by which atoms are compared: operands in order, repeated factors as powers.

    Parameters
    ----------
    text
        Python-syntax infix.

    Returns
    -------
    str
        Equal for texts that differ only in the order of sums and products, in ``x*x`` against ``x**2``,
        ``sqrt(x)`` against ``x**0.5``, ``exp(-x)`` against ``e**-x`` or ``1/exp(x)``, in spacing and
        brackets, or in a leading number.
    """
    factors = _powers(_parse(text))
    parts = [_power_text(base, count) for base, count in factors.items() if not _is_number(base)]
    return "*".join(sorted(parts)) or "1"


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{text!r} is not an expression") from error


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numerator(node: ast.expr) -> list[ast.expr]:
    """Split a product into factors; a denominator stays one factor."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _numerator(node.left) + _numerator(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return [*_numerator(node.left), ast.BinOp(ast.Constant(1), ast.Div(), node.right)]
    return [node]


def _column(node: ast.expr) -> int | None:
    if isinstance(node, ast.Name) and node.id[:1] == "x" and node.id[1:].isdecimal():
        return int(node.id[1:])
    return None


def _absolute(node: ast.expr) -> tuple[int | None, bool]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.lower() == "abs":
        return (_column(node.args[0]), True) if len(node.args) == 1 else (None, True)
    return _column(node), False


def _is_parameter(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == PARAMETER


def _rate(node: ast.expr) -> tuple[int, int] | None:
    """Read ``a*x0``, ``x0*a`` and their negatives as (feature, sign)."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _rate(node.operand)
        return None if inner is None else (inner[0], -inner[1])
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return None
    for one, other in ((node.left, node.right), (node.right, node.left)):
        negative = isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub)
        bare = one.operand if isinstance(one, ast.UnaryOp) and negative else one
        column = _column(other)
        if _is_parameter(bare) and column is not None:
            return column, -1 if negative else 1
    return None


def _recognized(node: ast.expr) -> tuple[Shape, int, int, bool] | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and _is_parameter(node.right):
        column, protected = _absolute(node.left)
        return None if column is None else ("power", column, 1, protected)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1):
        return None
    name, argument = node.func.id, node.args[0]
    if name in ("sin", "cos", "exp"):
        rate = _rate(argument)
        if rate is None or (rate[1] < 0 and name != "exp"):
            return None
        shapes: dict[str, Shape] = {"sin": "sine", "cos": "cosine", "exp": "exponential"}
        return shapes[name], rate[0], rate[1], False
    if name == "log" and isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Add):
        for one, other in ((argument.left, argument.right), (argument.right, argument.left)):
            column, protected = _absolute(one)
            if column is not None and _is_parameter(other):
                return "logarithm", column, 1, protected
    return None


def _powers(node: ast.expr) -> dict[str, float]:
    """Return the factors of a product with their numeric exponents, each factor in normal form."""
    counts: dict[str, float] = {}

    def take(part: ast.expr, power: float) -> None:
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub | ast.UAdd):
            if isinstance(part.op, ast.USub):
                counts["-1"] = counts.get("-1", 0.0) + power
            take(part.operand, power)
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
            take(part.left, power)
            take(part.right, power)
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
            take(part.left, power)
            take(part.right, -power)
        elif (
            isinstance(part, ast.BinOp)
            and isinstance(part.op, ast.Pow)
            and (exponent := _literal(part.right))
        ):
            take(part.left, power * exponent)
        elif power < 0.0 and isinstance(exponential := _exponential(part), ast.expr):
            key = f"exp({_whole(ast.UnaryOp(ast.USub(), exponential))})"
            counts[key] = counts.get(key, 0.0) - power
        else:
            key = _plain(part)
            counts[key] = counts.get(key, 0.0) + power

    take(node, 1.0)
    if "-1" in counts:
        counts["-1"] = abs(counts["-1"]) % 2.0
    return {key: count for key, count in counts.items() if count != 0.0}


def _exponential(node: ast.expr) -> ast.expr | None:
    """Return the argument of ``exp(u)`` or of ``e**u``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        return node.args[0] if node.func.id.lower() == "exp" else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.left, ast.Name):
        return node.right if node.left.id == "e" else None
    return None


def _half(node: ast.expr) -> bool:
    """Tell whether an exponent is one half, written either way."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _literal(node.left) == 1.0 and _literal(node.right) == 2.0
    return isinstance(node, ast.Constant) and node.value == 0.5


def _literal(node: ast.expr) -> float | None:
    """Return a whole-number exponent; fractional ones keep their base together."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value) if float(node.value).is_integer() else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _literal(node.operand)
        return None if inner is None else -inner
    return None


def _power_text(base: str, count: float) -> str:
    return base if count == 1.0 else f"{base}**{count:g}"


def _plain(node: ast.expr) -> str:
    """Return the normal form of a sum, a call, a power with a symbol in its exponent, or a leaf."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return "(" + "+".join(sorted(_terms(node, 1))) + ")"
    exponential = _exponential(node)
    if exponential is not None:
        return f"exp({_whole(exponential)})"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and _half(node.right):
        return f"sqrt({_whole(node.left)})"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return f"({_whole(node.left)})**({_whole(node.right)})"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return f"{node.func.id.lower()}({','.join(_whole(part) for part in node.args)})"
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return f"{node.value:.17g}"
    return ast.unparse(node)


def _terms(node: ast.expr, sign: int) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        right = sign if isinstance(node.op, ast.Add) else -sign
        return _terms(node.left, sign) + _terms(node.right, right)
    text = _whole(node)
    if text.startswith("-1*"):
        text, sign = text.removeprefix("-1*"), -sign
    return [text if sign > 0 else f"-{text}"]


def _whole(node: ast.expr) -> str:
    """Return the normal form with its numbers and signs kept."""
    factors = _powers(node)
    if not factors:
        return "1"
    return "*".join(sorted(_power_text(base, count) for base, count in factors.items()))
