"""Traversals: operators before their arguments, without brackets, as DSO and E2E print them."""

import re

from engine.expression.errors import ExpressionError
from engine.expression.nodes import MAX_NODES, Node, apply, checked, number
from engine.expression.operators import ALIASES, OPERATORS, SUGAR
from engine.expression.parse import Grammar
from engine.expression.parser import literal
from engine.expression.spelling import call

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
# dso/functions.py and symbolicregression/envs/generators.py: powers with a name of their own.
_POWERS = {"n2": 2, "n3": 3, "n4": 4, "n5": 5, "pow2": 2, "pow3": 3}


def is_traversal(text: str) -> bool:
    """Tell whether a text is a bare list of words: separators, but no bracket and no operator sign."""
    words = _words(text)
    return (
        len(words) > 1 and not re.search(r"[()*/^]", text) and (words[0] in _POWERS or _arity(words[0]) > 0)
    )


def read_traversal(text: str, grammar: Grammar) -> Node:
    """Read a traversal such as ``add,mul,x1,x1,sin,x2``.

    Parameters
    ----------
    text : str
        Words separated by commas or spaces.
    grammar : Grammar
        Whose variable names to use.

    Returns
    -------
    Node
        Its tree.

    Raises
    ------
    ExpressionError
        For an unknown word, and when words are missing or left over.
    """
    words = _words(text)
    if len(words) > MAX_NODES:
        raise ExpressionError(f"the traversal has {len(words)} words; at most {MAX_NODES} are read")
    stack: list[Node] = []
    for place in range(len(words) - 1, -1, -1):
        word = words[place]
        count = 1 if word in _POWERS else _arity(word)
        if count == 0:
            stack.append(_leaf(word, place, grammar))
            continue
        if len(stack) < count:
            raise ExpressionError(
                f"the operator {word!r} (word {place + 1}) lacks {count - len(stack)} arguments"
            )
        args = tuple(stack.pop() for _ in range(count))
        if word in _POWERS:
            stack.append(apply("pow", args[0], number(_POWERS[word])))
        else:
            stack.append(call(word, args, f" (word {place + 1})"))
    if len(stack) != 1:
        raise ExpressionError(
            f"the traversal is {len(stack)} expressions, not one: words are left over at its end"
        )
    return checked(stack[0])


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[,\s]+", text.strip().strip("[]")) if word]


def _arity(word: str) -> int:
    op = ALIASES.get(word, word)
    if op in OPERATORS:
        return 2 if op in ("min", "max", "and", "or") else OPERATORS[op].least
    return SUGAR[op][0] if op in SUGAR else 0


def _leaf(word: str, place: int, grammar: Grammar) -> Node:
    if _NUMBER.fullmatch(word):
        value = literal(word.lstrip("+-"))
        return apply("neg", value) if word.startswith("-") else value
    node = grammar.resolve(word)
    if node is None:
        raise ExpressionError(f"the word {word!r} (word {place + 1}) is not known; {grammar.allowed}")
    return node
