"""Writes a DSO program as infix text with every digit of its constants."""

from collections.abc import Iterator, Sequence
from typing import Any

_BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_POWERS = {"n2": 2, "n3": 3, "n4": 4}


def program_text(traversal: Sequence[Any]) -> str:
    """Return a traversal as infix text over x1, x2, ...

    DSO's own ``sympy_expr`` prints poly coefficients with six digits and simplifies domain holes away.

    Parameters
    ----------
    traversal : sequence of dso.library.Token
        The program in prefix order.
    """
    return _next(iter(traversal))


def _next(tokens: Iterator[Any]) -> str:
    token = next(tokens)
    if token.input_var is not None:
        return f"x{token.input_var + 1}"
    if hasattr(token, "exponents"):
        return polynomial_text(token.exponents, token.coef)
    if token.arity == 0:
        return f"({float(token.value[0])!r})"
    arguments = [_next(tokens) for _ in range(token.arity)]
    if token.name in _BINARY:
        return f"({arguments[0]} {_BINARY[token.name]} {arguments[1]})"
    if token.name in _POWERS:
        return f"({arguments[0]})**{_POWERS[token.name]}"
    if token.name == "neg":
        return f"(-({arguments[0]}))"
    if token.name == "inv":
        return f"(1/({arguments[0]}))"
    return f"{token.name}({', '.join(arguments)})"


def polynomial_text(exponents: Sequence[Sequence[int]] | None, coefficients: Sequence[float] | None) -> str:
    """Return a poly token's polynomial; the terms' order is upstream's.

    Parameters
    ----------
    exponents : sequence of (d,) sequences of int
        Powers of the inputs in each term.
    coefficients : sequence of float
        Coefficient of each term.
    """
    if exponents is None or coefficients is None or len(coefficients) == 0:
        return "(0.0)"
    terms = []
    for coefficient, powers in zip(coefficients, exponents, strict=True):
        factors = [f"x{index + 1}**{int(power)}" for index, power in enumerate(powers) if power]
        terms.append("*".join([f"({float(coefficient)!r})", *factors]))
    return f"({' + '.join(terms)})"
