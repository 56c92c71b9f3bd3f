"""The safe parser of infix text: own tokens, own grammar, no evaluation of foreign code anywhere."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.expression.nodes import Node, Var, checked
from engine.expression.parser import Parser
from engine.expression.spelling import named_constant
from engine.expression.tokens import tokens


@dataclass(frozen=True, slots=True)
class Grammar:
    """What differs between the infix dialects.

    Attributes
    ----------
    resolve : callable
        Gives the node a bare name stands for, or None when the dialect does not know it.
    allowed : str
        The names it knows, in words, for the error.
    julia : bool
        Whether ``1.5f-3`` is a number.
    words : mapping
        Operators written as words between their arguments (``a mul b``), as signs.
    juxtaposed : bool
        Whether two factors may stand side by side (``1.0 x0``).
    functions : mapping
        Function names with a meaning of their own in the dialect, as names of ours.
    indexed : mapping
        Arrays that may be indexed (``x[2]``), and what an index of each means.
    """

    resolve: Callable[[str], Node | None]
    allowed: str
    julia: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    juxtaposed: bool = False
    functions: Mapping[str, str] = field(default_factory=dict)
    indexed: Mapping[str, Callable[[int], Node]] = field(default_factory=dict)


def named(features: Sequence[str]) -> Callable[[str], Node | None]:
    """Return the resolver of texts that use the features' own names; they win over library names."""
    columns = {name: Var(index) for index, name in enumerate(features)}

    def resolve(name: str) -> Node | None:
        return columns.get(name) or named_constant(name)

    return resolve


def parse_infix(text: str, features: Sequence[str]) -> Node:
    """Read infix text over the features' own names."""
    return read(text, Grammar(named(features), listed(features)))


def listed(features: Sequence[str]) -> str:
    """Return the allowed names in words, shortened."""
    if not features:
        return "there are no features"
    shown = ", ".join(features[:12]) + (", ..." if len(features) > 12 else "")
    return f"the features are {shown}"


def read(text: str, grammar: Grammar) -> Node:
    """Read one infix expression.

    Parameters
    ----------
    text : str
        The expression.
    grammar : Grammar
        The dialect's names and literals.

    Returns
    -------
    Node
        Its tree.

    Raises
    ------
    ExpressionError
        With the offending token and its position.
    """
    return checked(Parser(tokens(text, julia=grammar.julia), grammar).whole())
