"""SymPy expressions back as our trees, written the way a person would: differences, quotients, roots."""

from collections.abc import Mapping
from typing import Any

from engine.expression.errors import ExpressionError
from engine.expression.nodes import Apply, Constant, Node, apply, number, rebuild, signed

_NAMES = {
    "Abs": "abs", "loggamma": "lgamma", "ceiling": "ceil", "Min": "min", "Max": "max", "Mod": "mod",
    "StrictLessThan": "lt", "LessThan": "le", "StrictGreaterThan": "gt", "GreaterThan": "ge",
    "Equality": "eq", "Unequality": "ne", "And": "and", "Or": "or", "Not": "not",
}  # fmt: skip
_CONSTANTS = {"Pi": "pi", "Exp1": "e", "Infinity": "inf", "NaN": "nan"}


def from_sympy(expression: Any, columns: Mapping[Any, Node]) -> Node:  # noqa: ANN401 - a SymPy object
    """Return a SymPy expression as a tree.

    Parameters
    ----------
    expression : sympy.Basic
        The expression.
    columns : mapping
        What each free symbol stands for.

    Returns
    -------
    Node

    Raises
    ------
    ExpressionError
        For an object our trees have no node for, such as the imaginary unit.
    """
    done: dict[Any, Node] = {}
    stack = [expression]
    while stack:
        current = stack[-1]
        if current in done:
            stack.pop()
            continue
        waiting = [part for part in current.args if part not in done]
        if waiting:
            stack.extend(waiting)
            continue
        done[current] = _node(current, columns, done)
        stack.pop()
    return _leading_minus(rebuild(done[expression], _inner_minus))


def _inner_minus(node: Node) -> Node:
    """Write -(a*b) as -a*b among the arguments of a node; only a sum keeps the minus of its later terms."""
    if not isinstance(node, Apply) or node.op == "neg":
        return node
    kept = 1 if node.op == "add" else len(node.args)
    args = (*(_leading_minus(arg) for arg in node.args[:kept]), *node.args[kept:])
    return Apply(node.op, args)


def _leading_minus(node: Node) -> Node:
    if isinstance(node, Apply) and node.op == "neg":
        product = node.args[0]
        if isinstance(product, Apply) and product.op in ("mul", "div"):
            return Apply(product.op, (_leading_minus(apply("neg", product.args[0])), *product.args[1:]))
    return node


def _node(part: Any, columns: Mapping[Any, Node], done: Mapping[Any, Node]) -> Node:  # noqa: ANN401
    import sympy
    from sympy.functions.elementary.piecewise import ExprCondPair

    if part in columns:
        return columns[part]
    if part.is_Number or part in (sympy.true, sympy.false) or type(part).__name__ in _CONSTANTS:
        return _number(part)
    if part.is_Add:
        return _sum(part, done)
    if part.is_Mul:
        return _product(part, done)
    if part.is_Pow:
        return _power(part, done)
    args = [done[arg] for arg in part.args]
    if isinstance(part, ExprCondPair):
        return args[0]
    if isinstance(part, sympy.Piecewise):
        pairs = [node for pair in part.args for node in (done[pair.expr], done[pair.cond])]
        if len(part.args) == 2 and part.args[1].cond == sympy.true:
            return apply("where", pairs[1], pairs[0], pairs[2])
        return apply("piecewise", *pairs)
    if not args:
        raise ExpressionError(f"SymPy's {part} has no place in a real formula")
    name = type(part).__name__
    return apply(_NAMES.get(name, name), *args)


def _number(part: Any) -> Node:  # noqa: ANN401
    import sympy

    if part in (sympy.true, sympy.false):
        return number(int(part == sympy.true))
    name = _CONSTANTS.get(type(part).__name__)
    if name is not None:
        return Constant(name)
    if part.is_Integer:
        return number(int(part)) if part >= 0 else apply("neg", number(-int(part)))
    if part.is_Rational:
        quotient = apply("div", number(abs(int(part.p))), number(int(part.q)))
        return quotient if part > 0 else apply("neg", quotient)
    if part.is_Float:
        return signed(float(part))
    if part == sympy.S.NegativeInfinity:
        return apply("neg", Constant("inf"))
    raise ExpressionError(f"SymPy's {part} has no place in a real formula")


def _sum(part: Any, done: Mapping[Any, Node]) -> Node:  # noqa: ANN401
    terms = [done[term] for term in part.as_ordered_terms()]
    # A sum that starts with a plus needs one sign less.
    first = next((place for place, term in enumerate(terms) if getattr(term, "op", "") != "neg"), 0)
    terms.insert(0, terms.pop(first))
    return apply("add", *terms)


def _product(part: Any, done: Mapping[Any, Node]) -> Node:  # noqa: ANN401
    coefficient, factors = part.as_coeff_mul(rational=False)
    above: list[Node] = []
    below: list[Node] = []
    for factor in sorted(factors, key=lambda each: each.sort_key()):
        base, exponent = factor.as_base_exp() if factor.is_Pow else (factor, None)
        if exponent is not None and exponent.is_Number and exponent.is_negative:
            below.append(_raised(done[base], -exponent))
        else:
            above.append(done[factor])
    negative = coefficient.is_negative
    size = -coefficient if negative else coefficient
    if size.is_Rational and not size.is_Integer:
        if size.p != 1 or not above:
            above.insert(0, number(int(size.p)))
        below.insert(0, number(int(size.q)))
    elif size != 1 or not above:
        above.insert(0, _number(size))
    node = above[0] if len(above) == 1 else apply("mul", *above)
    if below:
        node = apply("div", node, below[0] if len(below) == 1 else apply("mul", *below))
    return apply("neg", node) if negative else node


def _power(part: Any, done: Mapping[Any, Node]) -> Node:  # noqa: ANN401
    base, exponent = part.args
    if exponent.is_Number and exponent.is_negative:
        return apply("div", number(1), _raised(done[base], -exponent))
    if exponent.is_Number:
        return _raised(done[base], exponent)
    return apply("pow", done[base], done[exponent])


def _raised(base: Node, exponent: Any) -> Node:  # noqa: ANN401
    if exponent == 1:
        return base
    if exponent.is_Rational and exponent.p == 1 and exponent.q == 2:
        return apply("sqrt", base)
    return apply("pow", base, _number(exponent))
