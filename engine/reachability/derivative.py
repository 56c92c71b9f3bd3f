"""Derivatives of arbitrary atoms in their inner constant, term by term, on our own trees.

SymPy would do the same and is not at hand in a worker. An operator without a rule has no derivative here; its
column's slope is then taken by differences (`engine.reachability.columns`).
"""

from collections.abc import Callable, Mapping
from math import log

from engine.expression.nodes import Apply, Node, Number, Var, apply, number, variables

ZERO, ONE = number(0), number(1)


def _plain(value: float) -> Node:
    return number(value)


_OUTER: Mapping[str, Callable[[Node], Node]] = {
    "neg": lambda _: apply("neg", ONE),
    "exp": lambda u: apply("exp", u),
    "exp2": lambda u: apply("mul", _plain(log(2.0)), apply("exp2", u)),
    "expm1": lambda u: apply("exp", u),
    "log": lambda u: apply("div", ONE, u),
    "log2": lambda u: apply("div", _plain(1.0 / log(2.0)), u),
    "log10": lambda u: apply("div", _plain(1.0 / log(10.0)), u),
    "log1p": lambda u: apply("div", ONE, apply("add", ONE, u)),
    "sqrt": lambda u: apply("div", _plain(0.5), apply("sqrt", u)),
    "sin": lambda u: apply("cos", u),
    "cos": lambda u: apply("neg", apply("sin", u)),
    "tan": lambda u: apply("add", ONE, _square(apply("tan", u))),
    "atan": lambda u: apply("div", ONE, apply("add", ONE, _square(u))),
    "sinh": lambda u: apply("cosh", u),
    "cosh": lambda u: apply("sinh", u),
    "tanh": lambda u: apply("add", ONE, apply("neg", _square(apply("tanh", u)))),
    "abs": lambda u: apply("sign", u),
}
"""Derivative of each function of one argument at its argument."""


def derivative(node: Node, column: int) -> Node | None:
    """Differentiate a tree in one of its columns.

    Parameters
    ----------
    node
        Tree.
    column
        Index of the column.

    Returns
    -------
    Node or None
        None where an operator that depends on the column has no rule. Where the tree is not smooth (``abs``
        at 0) the result is one of its one-sided values or zero.
    """
    if isinstance(node, Var):
        return ONE if node.index == column else ZERO
    if column not in variables(node):
        return ZERO
    if not isinstance(node, Apply):
        return None
    inner = [derivative(part, column) for part in node.args]
    if any(part is None for part in inner):
        return None
    slopes = [part for part in inner if part is not None]
    if node.op in _OUTER:
        return _times(_OUTER[node.op](node.args[0]), slopes[0])
    if node.op == "add":
        return _sum(slopes)
    if node.op == "mul":
        return _sum(
            [
                _times(slope, *(part for other, part in enumerate(node.args) if other != place))
                for place, slope in enumerate(slopes)
            ]
        )
    if node.op == "div":
        return _quotient(node.args[0], node.args[1], slopes[0], slopes[1])
    if node.op == "pow":
        return _power(node.args[0], node.args[1], slopes[0], slopes[1])
    return None


def _quotient(top: Node, bottom: Node, of_top: Node, of_bottom: Node) -> Node:
    parts = [_over(of_top, bottom)]
    if of_bottom != ZERO:
        parts.append(apply("neg", _over(_times(top, of_bottom), _square(bottom))))
    return _sum(parts)


def _power(base: Node, exponent: Node, of_base: Node, of_exponent: Node) -> Node:
    parts = []
    if of_base != ZERO:
        lower = apply("pow", base, apply("add", exponent, apply("neg", ONE)))
        parts.append(_times(exponent, lower, of_base))
    if of_exponent != ZERO:
        parts.append(_times(apply("pow", base, exponent), apply("log", base), of_exponent))
    return _sum(parts)


def _square(node: Node) -> Node:
    return apply("mul", node, node)


def _over(top: Node, bottom: Node) -> Node:
    return ZERO if top == ZERO else apply("div", top, bottom)


def _times(*parts: Node) -> Node:
    if any(part == ZERO for part in parts):
        return ZERO
    kept = [part for part in parts if not (isinstance(part, Number) and part.value == 1.0)]
    if not kept:
        return ONE
    return kept[0] if len(kept) == 1 else Apply("mul", tuple(kept))


def _sum(parts: list[Node]) -> Node:
    kept = [part for part in parts if part != ZERO]
    if not kept:
        return ZERO
    return kept[0] if len(kept) == 1 else Apply("add", tuple(kept))
