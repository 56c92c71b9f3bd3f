"""Which reader belongs to which dialect."""

import difflib
from collections.abc import Callable, Sequence

from engine.expression.dialects.positional import grammar
from engine.expression.errors import ExpressionError
from engine.expression.nodes import Node
from engine.expression.parse import parse_infix, read

Reader = Callable[[str, Sequence[str]], Node]

# gplearn's own operators; its names mean the protected ones (gplearn 0.4.3, functions.py).
_GPLEARN = {"div": "gp_div", "log": "gp_log", "sqrt": "gp_sqrt", "inv": "gp_inv"}


def _gplearn(text: str, features: Sequence[str]) -> Node:
    return read(text, grammar("X", 0, features, functions=_GPLEARN))


def _operon(text: str, features: Sequence[str]) -> Node:
    return read(text, grammar("X", 1, features))


def _pysr(text: str, features: Sequence[str]) -> Node:
    return read(text, grammar("x", 0, features, julia=True))


def _counted_from_zero(text: str, features: Sequence[str]) -> Node:
    return read(text, grammar("x", 0, features))


def _counted_from_one(text: str, features: Sequence[str]) -> Node:
    return read(text, grammar("x", 1, features))


DIALECTS: dict[str, Reader] = {
    "infix": parse_infix,
    "gplearn": _gplearn,
    "operon": _operon,
    "pysr": _pysr,
    "imcts": _counted_from_zero,
    "ragsr": _counted_from_zero,
    "symbolfit": _counted_from_zero,
    "dso": _counted_from_one,
    "feyn": parse_infix,
    "jaxsr": parse_infix,
    "sympy": parse_infix,
}


def parse(text: str, features: Sequence[str], dialect: str = "infix") -> Node:
    """Read an expression in a method's own syntax.

    Parameters
    ----------
    text : str
        What the method printed.
    features : sequence of str
        The columns' names in order. Dialects that number their variables use only the order.
    dialect : str
        A name of ``DIALECTS``.

    Returns
    -------
    Node
        The tree; variables are column indices.

    Raises
    ------
    ExpressionError
        One sentence with the offending token and its position.
    """
    reader = DIALECTS.get(dialect)
    if reader is None:
        close = difflib.get_close_matches(dialect, DIALECTS, 3)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ExpressionError(f"there is no dialect {dialect!r}{hint} (known: {', '.join(sorted(DIALECTS))})")
    if not isinstance(text, str):
        raise ExpressionError(f"an expression is a text, not {type(text).__name__}")
    return reader(text, features)
