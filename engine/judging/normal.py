"""A normal form in exact rational arithmetic: like terms merged, factors sorted, constants folded.

Nothing is expanded. Literals are taken as written (0.1 is a tenth), so 2.0 and 2 are equal, and 0.1*x + 0.2*x
is 0.3*x. Two equal normal forms are equal expressions wherever both are defined; unequal ones prove nothing.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from engine.expression.nodes import Apply, Constant, Node, Number, Parameter, Var, postorder

# Coefficients beyond this many bits, and exponents beyond this size, are not worth exact arithmetic.
COEFFICIENT_BITS = 8192
EXPONENT_LIMIT = 64

_ODD = frozenset({"sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf", "cbrt"})
_EVEN = frozenset({"cos", "cosh", "abs"})
_SYMMETRIC = frozenset({"min", "max", "and", "or", "eq", "ne", "hypot"})
_MIRRORED = {"gt": "lt", "ge": "le"}


class TooLargeError(ArithmeticError):
    """The expression's exact normal form would take too much room."""


@dataclass(frozen=True, slots=True, eq=False)
class Atom:
    """Something that is one symbol here: a variable, a function's value, a sum that is a factor."""

    kind: str
    args: "tuple[Form, ...]" = ()
    key: str = field(init=False)
    constant: bool = field(init=False)

    def __post_init__(self) -> None:
        inner = ",".join(arg.key for arg in self.args)
        object.__setattr__(self, "key", f"{self.kind}({inner})" if self.args else self.kind)
        fixed = all(arg.constant for arg in self.args) and not self.kind.startswith("x[")
        object.__setattr__(self, "constant", fixed)


Monomial = tuple[tuple[Atom, Fraction], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A sum of monomials with rational coefficients, sorted by the monomials' keys."""

    terms: tuple[tuple[Monomial, Fraction], ...]
    key: str = field(init=False)
    constant: bool = field(init=False)

    def __post_init__(self) -> None:
        texts = [f"{coefficient}*{monomial_key(monomial)}" for monomial, coefficient in self.terms]
        object.__setattr__(self, "key", " + ".join(texts))
        fixed = all(atom.constant for monomial, _ in self.terms for atom, _ in monomial)
        object.__setattr__(self, "constant", fixed)

    @property
    def rational(self) -> Fraction | None:
        """The value, when the form is a plain rational number."""
        if not self.terms:
            return Fraction(0)
        monomial, coefficient = self.terms[0]
        return coefficient if len(self.terms) == 1 and not monomial else None


def normal(node: Node) -> Form:
    """Bring an expression to normal form.

    Parameters
    ----------
    node : Node
        The expression.

    Returns
    -------
    Form
        Its normal form.

    Raises
    ------
    TooLargeError
        When a coefficient would exceed ``COEFFICIENT_BITS``.
    """
    stack: list[Form] = []
    for current in postorder(node):
        if isinstance(current, Apply):
            count = len(current.args)
            args = stack[len(stack) - count :]
            del stack[len(stack) - count :]
            stack.append(_applied(current.op, args))
        else:
            stack.append(_leaf(current))
    return stack[0]


def monomial_key(monomial: Monomial) -> str:
    """Return the text by which monomials are told apart and sorted."""
    return "*".join(f"{atom.key}^{exponent}" for atom, exponent in monomial)


def _leaf(node: Node) -> Form:
    match node:
        case Var(index):
            return _of(Atom(f"x[{index}]"))
        case Number(text=text):
            return _number(_fraction(text))
        case Constant(name):
            return _of(Atom(name))
        case Parameter(index):
            return _of(Atom(f"params[{index}]"))
        case _:
            raise AssertionError(node)


def _fraction(text: str) -> Fraction:
    exponent = text.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > COEFFICIENT_BITS // 4:
        raise TooLargeError("a literal is too large for exact arithmetic")
    return Fraction(text)


def _number(value: Fraction) -> Form:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > COEFFICIENT_BITS:
        raise TooLargeError("a coefficient is too large for exact arithmetic")
    return Form((((), value),)) if value else Form(())


def _of(atom: Atom, exponent: Fraction = Fraction(1)) -> Form:
    return Form(((((atom, exponent),), Fraction(1)),))


def _applied(op: str, args: list[Form]) -> Form:
    if op in _MIRRORED:
        return _applied(_MIRRORED[op], args[::-1])
    match op:
        case "add":
            return _sum(args)
        case "neg":
            return _scaled(args[0], Fraction(-1))
        case "mul":
            return _product(args)
        case "div":
            return _product([args[0], power(args[1], Fraction(-1))])
        case "sqrt":
            return power(args[0], Fraction(1, 2))
        case "pow":
            exponent = args[1].rational
            return _of(Atom("pow", tuple(args))) if exponent is None else power(args[0], exponent)
        case _:
            return _function(op, args)


def _function(op: str, args: list[Form]) -> Form:
    if op in _SYMMETRIC:
        args = sorted(args, key=lambda arg: arg.key)
    if (op in _ODD or op in _EVEN) and args[0].terms and args[0].terms[0][1] < 0:
        flipped = _of(Atom(op, (_scaled(args[0], Fraction(-1)),)))
        return _scaled(flipped, Fraction(-1)) if op in _ODD else flipped
    return _of(Atom(op, tuple(args)))


def _sum(forms: Iterable[Form]) -> Form:
    total: dict[str, tuple[Monomial, Fraction]] = {}
    for form in forms:
        for monomial, coefficient in form.terms:
            key = monomial_key(monomial)
            total[key] = (monomial, total[key][1] + coefficient if key in total else coefficient)
    kept = [(key, term) for key, term in total.items() if term[1] != 0]
    for _, (_, coefficient) in kept:
        _number(coefficient)
    return Form(tuple(term for _, term in sorted(kept, key=lambda item: item[0])))


def _scaled(form: Form, factor: Fraction) -> Form:
    if not factor:
        return Form(())
    for _, coefficient in form.terms:
        _number(coefficient * factor)
    return Form(tuple((monomial, coefficient * factor) for monomial, coefficient in form.terms))


def _product(forms: Sequence[Form]) -> Form:
    coefficient = Fraction(1)
    atoms: dict[str, tuple[Atom, Fraction]] = {}
    for form in forms:
        if not form.terms:
            return form
        factor, monomial = _factored(form)
        coefficient *= factor
        _number(coefficient)
        for atom, exponent in monomial:
            known = atoms.get(atom.key)
            atoms[atom.key] = (atom, known[1] + exponent if known else exponent)
    return _assembled(coefficient, atoms)


def _assembled(coefficient: Fraction, atoms: dict[str, tuple[Atom, Fraction]]) -> Form:
    kept = sorted((key, pair) for key, pair in atoms.items() if pair[1] != 0)
    monomial = tuple(pair for _, pair in kept)
    if len(monomial) == 1 and monomial[0][0].kind == "sum" and monomial[0][1] == 1:
        return _scaled(monomial[0][0].args[0], coefficient)
    return Form(((monomial, coefficient),)) if coefficient else Form(())


def _factored(form: Form) -> tuple[Fraction, Monomial]:
    """Return a form as a number times a monomial; a sum becomes one atom whose first coefficient is 1."""
    if len(form.terms) == 1:
        monomial, coefficient = form.terms[0]
        return coefficient, monomial
    lead = form.terms[0][1]
    return lead, ((Atom("sum", (_scaled(form, 1 / lead),)), Fraction(1)),)


def power(form: Form, exponent: Fraction) -> Form:
    """Raise a form to a rational power.

    Whole powers distribute over factors; others only over a positive coefficient, since sqrt(x*y) need not be
    sqrt(x)*sqrt(y).

    Parameters
    ----------
    form : Form
        The base.
    exponent : Fraction
        The exponent.

    Returns
    -------
    Form
        The power.

    Raises
    ------
    TooLargeError
        When the coefficient would grow too large.
    """
    if exponent == 1:
        return form
    if not form.terms or abs(exponent) > EXPONENT_LIMIT:
        return _of(Atom("pow", (form, _number(exponent))))
    coefficient, monomial = _factored(form)
    if exponent.denominator == 1:
        whole = int(exponent)
        bits = abs(whole) * max(coefficient.numerator.bit_length(), coefficient.denominator.bit_length())
        if bits > 4 * COEFFICIENT_BITS:
            raise TooLargeError("a power is too large for exact arithmetic")
        atoms = {atom.key: (atom, old * exponent) for atom, old in monomial}
        return _assembled(coefficient**whole, atoms)
    if coefficient < 0:
        return _of(Atom("sum", (form,)), exponent)
    outside = _root(coefficient, exponent)
    if not monomial:
        return outside
    if len(monomial) == 1 and monomial[0][1] == 1:
        return _product([outside, _of(monomial[0][0], exponent)])
    return _product([outside, _of(Atom("sum", (Form(((monomial, Fraction(1)),)),)), exponent)])


def _root(coefficient: Fraction, exponent: Fraction) -> Form:
    top, bottom = coefficient.numerator, coefficient.denominator
    if exponent.denominator == 2:
        roots = math.isqrt(top), math.isqrt(bottom)
        if roots[0] ** 2 == top and roots[1] ** 2 == bottom:
            return power(_number(Fraction(*roots)), Fraction(exponent.numerator))
    return _of(Atom("root", (_number(coefficient),)), exponent) if coefficient != 1 else _number(Fraction(1))
