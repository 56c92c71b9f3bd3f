"""Symbolic proof that two expressions are equal, in a child process that can be killed."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from engine.expression import Node, Number, apply, infix, parse
from engine.expression.nodes import rebuild
from engine.judging.points import Domain

# A proof only upgrades the evidence of an agreement, so it gets little time.
PROOF_SECONDS = 1.0


def proven(
    a: Node, b: Node, features: Sequence[str], *, domain: Domain | None = None, seconds: float = PROOF_SECONDS
) -> bool:
    """Try to prove that the difference of two expressions is zero.

    Parameters
    ----------
    a, b : Node
        The expressions.
    features : sequence of str
        Column names.
    domain : mapping of str to (low, high), optional
        Declared ranges: a variable that is positive there is assumed positive, every other real.
    seconds : float
        Hard limit; the child is killed after it.

    Returns
    -------
    bool
        True for a proof; False says nothing.
    """
    from engine.expression.children import shared

    positive = tuple((bounds := (domain or {}).get(name)) is not None and bounds[0] > 0 for name in features)
    names = tuple(f"x{index}" for index in range(len(features)))
    texts = [infix(rebuild(node, _exact), names) for node in (a, b)]
    outcome = shared().run(vanishes, *texts, positive, seconds=seconds)
    return outcome.status == "ok" and outcome.value is True


def vanishes(a: str, b: str, positive: tuple[bool, ...]) -> bool:
    """Decide whether SymPy can show a - b to be zero; for child processes only, it may take for ever.

    Parameters
    ----------
    a, b : str
        Infix texts over x0, x1, ...
    positive : tuple of bool
        Which variables may be assumed positive.

    Returns
    -------
    bool
        True for a proof.
    """
    import sympy

    from engine.expression.symbolic import to_sympy

    names = [f"x{index}" for index in range(len(positive))]
    symbols = [
        sympy.Symbol(name, positive=True) if above else sympy.Symbol(name, real=True)
        for name, above in zip(names, positive, strict=True)
    ]
    left, right = (to_sympy(parse(text, names), symbol=symbols.__getitem__) for text in (a, b))
    difference = left - right
    return any(_zero(step(difference)) for step in _steps())


def _steps() -> list[Any]:
    import sympy

    # Cheap and often enough first; simplify, which may take for ever, last.
    return [
        lambda d: d,
        sympy.expand,
        lambda d: sympy.expand(sympy.numer(sympy.together(d))),
        lambda d: sympy.expand(sympy.expand_log(d, force=False)),
        lambda d: sympy.expand(sympy.expand_trig(d)).rewrite(sympy.exp).expand(),
        lambda d: sympy.expand(sympy.powdenest(sympy.numer(sympy.together(d)))),
        sympy.simplify,
    ]


def _zero(expression: Any) -> bool:  # noqa: ANN401 - a SymPy object
    return bool(expression == 0)


def _exact(node: Node) -> Node:
    """Write a decimal literal as the fraction that it is: SymPy's floats prove nothing."""
    if not isinstance(node, Number) or node.is_integer:
        return node
    value = Fraction(node.text)
    top, bottom = (Number(float(part), True, str(part)) for part in (value.numerator, value.denominator))
    return top if value.denominator == 1 else apply("div", top, bottom)
