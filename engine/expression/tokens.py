"""Cutting a text into tokens: numbers, names, operators, with the place of each."""

import re
from dataclasses import dataclass
from typing import Literal

from engine.expression.errors import ExpressionError

MAX_LENGTH = 200_000
# The longest literal that is still read exactly; a double never needs more than 767 digits.
MAX_DIGITS = 800

Kind = Literal["number", "name", "quoted", "symbol", "end"]

_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_JULIA_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eEfF][+-]?\d+)?")
_NAME = re.compile(r"[^\W\d]\w*")
_SYMBOL = re.compile(r"\*\*|//|<=|>=|==|!=|[-+*/%^()|,<>\[\].=&]")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Token:
    """One token and the 1-based position of its first character."""

    kind: Kind
    text: str
    position: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"{shortened(self.text)!r} at position {self.position}"


def shortened(text: str, length: int = 40) -> str:
    """Return ``text``, cut to ``length`` characters."""
    return text if len(text) <= length else text[: length - 3] + "..."


def tokens(text: str, *, julia: bool = False) -> list[Token]:
    """Cut ``text`` into tokens; a last one of kind ``end`` closes the list.

    Parameters
    ----------
    text : str
        The expression.
    julia : bool
        Read Julia's float literals (``1.5f-3``) as numbers too.

    Returns
    -------
    list of Token

    Raises
    ------
    ExpressionError
        For an empty or over-long text, a malformed number or an open quotation.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"the expression has {len(text)} characters; at most {MAX_LENGTH} are read, so shorten it"
        )
    found: list[Token] = []
    place = 0
    while place < len(text):
        space = _SPACE.match(text, place)
        if space:
            place = space.end()
            continue
        token = _token(text, place, julia)
        found.append(token)
        place += len(token.text) + (2 if token.kind == "quoted" else 0)
    if not found:
        raise ExpressionError("the expression is empty; give a formula such as x0 + 1")
    found.append(Token("end", "", len(text) + 1))
    return found


def _token(text: str, place: int, julia: bool) -> Token:
    character = text[place]
    if character.isascii() and (character.isdigit() or _NUMBER.match(text, place)):
        return _number(text, place, julia)
    name = _NAME.match(text, place)
    if name:
        return Token("name", name.group(), place + 1)
    symbol = _SYMBOL.match(text, place)
    if symbol:
        return Token("symbol", symbol.group(), place + 1)
    if character == "`":
        end = text.find("`", place + 1)
        if end < 0:
            raise ExpressionError(f"the quoted name at position {place + 1} has no closing back-quote")
        return Token("quoted", text[place + 1 : end], place + 1)
    # Whatever else stands there is left to the parser, which names the first token that does not fit.
    return Token("symbol", character, place + 1)


def _number(text: str, place: int, julia: bool) -> Token:
    match = (_JULIA_NUMBER if julia else _NUMBER).match(text, place)
    assert match is not None
    end = match.end()
    if end < len(text) and (text[end].isalnum() or text[end] in "._"):
        rest = re.match(r"[\w.]*", text[end:])
        word = text[place:end] + (rest.group() if rest else "")
        raise ExpressionError(
            f"{shortened(word)!r} at position {place + 1} is not a number; "
            "write digits, one point, and an exponent such as 1.5e-3"
        )
    if len(match.group()) > MAX_DIGITS:
        raise ExpressionError(
            f"the number at position {place + 1} has more than the {MAX_DIGITS} characters that are read"
        )
    return Token("number", match.group(), place + 1)
