"""Writing a tree as infix text, in the fewest brackets that read back to the same tree."""

import keyword
from collections.abc import Sequence
from dataclasses import dataclass

from engine.expression.nodes import Apply, Constant, Node, Number, Parameter, Var, postorder
from engine.expression.operators import COMPARISONS

# How tightly each form binds, as in Python.
_OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(9)
_LEVELS = {
    "or": _OR,
    "and": _AND,
    "not": _NOT,
    "neg": _SIGN,
    "pow": _POWER,
    "add": _SUM,
    "mul": _PRODUCT,
    "div": _PRODUCT,
    "mod": _PRODUCT,
    **dict.fromkeys(COMPARISONS, _COMPARED),
}


@dataclass(frozen=True, slots=True)
class _Part:
    """The text of a subtree, how tightly it binds, and the operand where it is a negation."""

    text: str
    level: int
    negated: "_Part | None" = None

    def within(self, least: int) -> str:
        return self.text if self.level >= least else f"({self.text})"


def infix(node: Node, features: Sequence[str]) -> str:
    """Write a tree as infix text.

    Parameters
    ----------
    node : Node
        The tree.
    features : sequence of str
        The columns' names; one that is no identifier is put in back-quotes.

    Returns
    -------
    str
        The shortest text that reads back to the same doubles.
    """
    done: list[_Part] = []
    for current in postorder(node):
        if isinstance(current, Apply):
            count = len(current.args)
            args = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(_applied(current, args))
        else:
            done.append(_leaf(current, features))
    return done[0].text


def literal_text(node: Number) -> str:
    """Return the shortest text of a literal's double; exact integers as they are."""
    if node.is_integer:
        return node.text
    return repr(node.value)


def _leaf(node: Node, features: Sequence[str]) -> _Part:
    match node:
        case Number():
            text = literal_text(node)
            return _Part(text, _SIGN if text.startswith("-") else _ATOM)
        case Constant(name):
            return _Part(f"np.{name}" if name in features else name, _ATOM)
        case Var(index):
            return _Part(feature_name(features[index]) if index < len(features) else f"x{index}", _ATOM)
        case Parameter(index):
            return _Part(f"params[{index}]", _ATOM)
        case _:
            raise AssertionError(node)


def feature_name(name: str) -> str:
    """Return a column's name as it is written: bare if it is an identifier, else in back-quotes."""
    bare = name.isidentifier() and not keyword.iskeyword(name)
    return name if bare else f"`{name}`"


def _applied(node: Apply, args: list[_Part]) -> _Part:
    op = node.op
    level = _LEVELS.get(op)
    if level is None:
        return _Part(_call(node, args), _ATOM)
    match op:
        case "add":
            text = args[0].within(_SUM) + "".join(_term(arg) for arg in args[1:])
        case "mul":
            text = "*".join(arg.within(level + (place > 0)) for place, arg in enumerate(args))
        case "div":
            text = f"{args[0].within(level)}/{args[1].within(level + 1)}"
        case "mod":
            text = f"{args[0].within(level)} % {args[1].within(level + 1)}"
        case "neg":
            return _Part(f"-{args[0].within(level)}", level, args[0])
        case "pow":
            text = f"{args[0].within(_ATOM)}**{args[1].within(_SIGN)}"
        case "not":
            text = f"not {args[0].within(level)}"
        case "and" | "or":
            text = f" {op} ".join(arg.within(level + 1) for arg in args)
        case _:
            text = f"{args[0].within(_SUM)} {COMPARISONS[op]} {args[1].within(_SUM)}"
    return _Part(text, level)


def _term(part: _Part) -> str:
    if part.negated is not None:
        return f" - {part.negated.within(_PRODUCT)}"
    return f" + {part.within(_PRODUCT)}"


def _call(node: Apply, args: list[_Part]) -> str:
    texts = [arg.text for arg in args]
    if node.op == "piecewise":
        pairs = [f"({value}, {test})" for value, test in zip(texts[::2], texts[1::2], strict=True)]
        return f"Piecewise({', '.join(pairs)})"
    return f"{node.op}({', '.join(texts)})"
