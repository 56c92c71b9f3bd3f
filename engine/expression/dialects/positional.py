"""Names that count columns: ``X3``, ``x_3``, ``x3``, from 0 or from 1, as the method has it."""

import re
from collections.abc import Callable, Sequence

from engine.expression.errors import ExpressionError
from engine.expression.nodes import Node, Var
from engine.expression.parse import Grammar, listed
from engine.expression.spelling import named_constant


def positional(prefix: str, base: int, features: Sequence[str]) -> Callable[[str], Node | None]:
    """Return the resolver of a dialect that numbers its variables.

    Parameters
    ----------
    prefix : str
        What stands before the number.
    base : int
        The number of the first column. It is fixed per method: an expression may simply not use it.
    features : sequence of str
        The columns in order. A numbered name always means a column; other names may be features.

    Returns
    -------
    callable
        From a name to its node, or None.
    """
    pattern = re.compile(re.escape(prefix) + r"(\d+)")
    columns = {name: Var(index) for index, name in enumerate(features)}

    def resolve(name: str) -> Node | None:
        match = pattern.fullmatch(name)
        if match is None:
            return columns.get(name) or named_constant(name)
        return column(int(match[1]) - base, f"{prefix}{match[1]}", features)

    return resolve


def column(index: int, name: str, features: Sequence[str]) -> Node:
    """Return the variable of a column, or refuse an index the data does not have."""
    if not 0 <= index < len(features):
        raise ExpressionError(
            f"the variable {name!r} is outside the {len(features)} columns; {listed(features)}"
        )
    return Var(index)


def grammar(prefix: str, base: int, features: Sequence[str], **options: object) -> Grammar:
    """Return the infix grammar of a dialect that numbers its variables."""
    first, last = f"{prefix}{base}", f"{prefix}{base + len(features) - 1}"
    allowed = f"the variables are {first} to {last}"
    return Grammar(positional(prefix, base, features), allowed, **options)  # type: ignore[arg-type]
