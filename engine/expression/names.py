"""The features of a text that came without a list of them."""

import re
from collections.abc import Iterable
from itertools import pairwise

from engine.expression.errors import ExpressionError
from engine.expression.spelling import PREFIXES
from engine.expression.tokens import tokens

_WORDS = frozenset(["if", "else", "and", "or", "not", "True", "False", "pi", "inf", "nan", "oo", "zoo"])
# How the dialects that number their columns write them, and from which number on.
_NUMBERED = {
    "gplearn": ("X", 0), "operon": ("X", 1), "pysr": ("x", 0), "fepysr": ("X", 0), "dso": ("x", 1),
    "e2e": ("x_", 0), "tpsr": ("x_", 0), "ragsr": ("x", 0), "symbolfit": ("x", 0), "imcts": ("x", 0),
}  # fmt: skip


def inferred(texts: Iterable[str], dialect: str = "infix") -> tuple[str, ...]:
    """Return the feature names that texts use, in natural order.

    Parameters
    ----------
    texts : iterable of str
        Expressions over the same features.
    dialect : str
        Where columns are numbered, as many as the highest number asks for, called x0, x1 ...

    Returns
    -------
    tuple of str
        Every name that is no function, no module and no constant of mathematics; without a list of features
        E and e are features.

    Raises
    ------
    ExpressionError
        For a Python function, whose arguments have an order that its text cannot tell.
    """
    if dialect == "python":
        raise ExpressionError("the features of a Python function have to be given: --features x0,x1")
    if dialect in _NUMBERED:
        prefix, base = _NUMBERED[dialect]
        pattern = re.compile(rf"(?<!\w){prefix}\[?(\d+)")
        highest = max((int(match[1]) for text in texts for match in pattern.finditer(text)), default=base - 1)
        return tuple(f"x{place}" for place in range(highest - base + 1))
    names: set[str] = set()
    for text in texts:
        found = tokens(text)
        for token, after in pairwise(found):
            called = after.text == "("
            module = after.text == "." and token.text in PREFIXES
            if token.kind == "quoted" or (token.kind == "name" and not called and not module):
                names.add(token.text)
        names -= _members(text)
    return tuple(sorted(names - _WORDS, key=natural))


def natural(name: str) -> list[tuple[int, str | int]]:
    """Return a key that sorts x2 before x10."""
    parts = re.split(r"(\d+)", name)
    return [(1, int(part)) if part.isdigit() else (0, part) for part in parts if part]


def _members(text: str) -> set[str]:
    """Return the names after a module's point: np.pi, math.e."""
    return set(re.findall(r"(?:" + "|".join(PREFIXES) + r")\.(\w+)", text))
