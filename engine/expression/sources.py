"""Writing a tree as source text for NumPy and for SymPy."""

import keyword
from collections.abc import Sequence

from engine.expression.infix import infix
from engine.expression.nodes import Apply, Constant, Node, Number, apply, number, postorder, rebuild
from engine.expression.operators import COMPARISONS

_NUMPY = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "min": "minimum", "max": "maximum", "round": "rint",
    "and": "logical_and", "or": "logical_or",
}  # fmt: skip
_NUMPY_FORMS = {
    "neg": "(-{0})",
    "div": "np.divide({0}, {1})",
    "pow": "np.power({0}, {1}, dtype=float)",
    "not": "1.0*np.logical_not({0})",
    "where": "np.where({0} != 0, {1}, {2})",
    "gp_div": "np.where(np.abs({1}) > 0.001, np.divide({0}, {1}), 1.0)",
    "pdiv": "np.where(np.abs({1}) > 0.001, np.divide({0}, {1}), 1.0)",
    "gp_log": "np.where(np.abs({0}) > 0.001, np.log(np.abs({0})), 0.0)",
    "gp_sqrt": "np.sqrt(np.abs({0}))",
    "gp_inv": "np.where(np.abs({0}) > 0.001, np.divide(1.0, {0}), 0.0)",
    "aq": "({0}/np.sqrt(1.0 + ({1})**2))",
}
_SYMPY = {
    "abs": "Abs", "min": "Min", "max": "Max", "ceil": "ceiling", "lgamma": "loggamma", "mod": "Mod",
    "eq": "Eq", "ne": "Ne",
}  # fmt: skip
_SYMPY_LOGIC = {"and": "And", "or": "Or", "not": "Not"}
_SYMPY_CONSTANTS = {"pi": "pi", "e": "E", "inf": "oo", "nan": "nan"}
_CONDITIONS = frozenset({"lt", "le", "gt", "ge", "Eq", "Ne", "And", "Or", "Not"})
_TRUE = Constant("True")
_SPECIAL = ("erf", "erfc", "gamma", "gammaln")


def numpy_source(node: Node, features: Sequence[str], *, name: str = "equation") -> str:
    """Write a tree as a Python function over NumPy columns.

    Parameters
    ----------
    node : Node
        The tree.
    features : sequence of str
        The columns' names; one that is no free identifier becomes ``x0``, ``x1`` ... by its place.
    name : str
        The function's name.

    Returns
    -------
    str
        Source that needs NumPy (and SciPy for erf and gamma) and gives what
        :func:`engine.expression.evaluate` gives.
    """
    arguments = identifiers(features)
    body = _numpy(node, arguments)
    lines = ["import numpy as np"]
    if "special." in body:
        lines.append("from scipy import special")
    return "\n".join([*lines, "", "", f"def {name}({', '.join(arguments)}):", f"    return {body}", ""])


def identifiers(features: Sequence[str]) -> list[str]:
    """Return the features' names where all are free identifiers, else x0, x1 ... for all."""
    taken = {"np", "special", "params"}
    if all(each.isidentifier() and not keyword.iskeyword(each) and each not in taken for each in features):
        return list(features)
    return [f"x{place}" for place in range(len(features))]


def _numpy(node: Node, names: Sequence[str]) -> str:
    texts: list[str] = []
    for current in postorder(node):
        if not isinstance(current, Apply):
            texts.append(_numpy_leaf(current, names))
            continue
        count = len(current.args)
        args = texts[len(texts) - count :]
        del texts[len(texts) - count :]
        texts.append(_numpy_call(current, args))
    return texts[0]


def _numpy_leaf(node: Node, names: Sequence[str]) -> str:
    match node:
        case Constant(name):
            return f"np.{name}"
        case Number():
            # NumPy computes on doubles; whole numbers beyond them would overflow its integers.
            text = infix(node, names)
            return (
                text if len(text) <= 15 or not node.is_integer else repr(node.value).replace("inf", "np.inf")
            )
        case _:
            return infix(node, names)


def _numpy_call(node: Apply, args: list[str]) -> str:
    op = node.op
    inside = ", ".join(args)
    if op in _NUMPY_FORMS:
        return _NUMPY_FORMS[op].format(*args)
    if op in COMPARISONS:
        return f"1.0*({args[0]} {COMPARISONS[op]} {args[1]})"
    if op in ("add", "mul"):
        return "(" + (" + " if op == "add" else "*").join(args) + ")"
    if op in ("min", "max", "and", "or"):
        text = args[0]
        for arg in args[1:]:
            text = f"np.{_NUMPY[op]}({text}, {arg})"
        return text if op in ("min", "max") else f"1.0*{text}"
    if op == "piecewise":
        tests = ", ".join(f"{test} != 0" for test in args[1::2])
        return f"np.select([{tests}], [{', '.join(args[::2])}], np.nan)"
    name = {"lgamma": "gammaln"}.get(op, op)
    return f"special.{name}({inside})" if name in _SPECIAL else f"np.{_NUMPY.get(op, op)}({inside})"


def sympy_source(node: Node, features: Sequence[str]) -> str:
    """Write a tree as text that ``sympy.sympify`` reads.

    Parameters
    ----------
    node : Node
        The tree.
    features : sequence of str
        The columns' names; pass them as ``locals`` symbols, since SymPy owns names such as E, I and N.

    Returns
    -------
    str
        Protected operators and those SymPy lacks are functions of their own names.
    """
    return infix(_valued(rebuild(node, _for_sympy)), identifiers(features))


def _for_sympy(node: Node) -> Node:
    """Put SymPy's words for ours; a comparison in arithmetic and a number as a condition are spelled out."""
    if isinstance(node, Constant):
        return Constant(_SYMPY_CONSTANTS[node.name])
    if not isinstance(node, Apply):
        return node
    op, args = node.op, node.args
    if op == "where":
        return apply("piecewise", _valued(args[1]), _condition(args[0]), _valued(args[2]), _TRUE)
    if op == "piecewise":
        pairs = zip(args[::2], args[1::2], strict=True)
        return Apply(op, tuple(part for v, c in pairs for part in (_valued(v), _condition(c))))
    if op in _SYMPY_LOGIC:
        return Apply(_SYMPY_LOGIC[op], tuple(_condition(arg) for arg in args))
    args = tuple(_valued(arg) for arg in args)
    x = args[0]
    match op:
        case "log2" | "log10":
            return apply("div", apply("log", x), apply("log", number(int(op[3:]))))
        case "log1p":
            return apply("log", apply("add", x, number(1)))
        case "expm1":
            return apply("add", apply("exp", x), apply("neg", number(1)))
        case "exp2":
            return apply("pow", number(2), x)
        case "hypot":
            return apply("sqrt", apply("add", *(apply("pow", arg, number(2)) for arg in args)))
        case "cbrt":
            return apply("real_root", x, number(3))
        case _:
            return Apply(_SYMPY.get(op, op), args)


def _is_condition(node: Node) -> bool:
    return isinstance(node, Apply) and node.op in _CONDITIONS


def _valued(node: Node) -> Node:
    return apply("piecewise", number(1), node, number(0), _TRUE) if _is_condition(node) else node


def _condition(node: Node) -> Node:
    if isinstance(node, Number):
        return Constant("True" if node.value else "False")
    return node if _is_condition(node) else apply("Ne", node, number(0))
