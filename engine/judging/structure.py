"""Whether two expressions are the same once their numerical constants are abstracted.

What counts as a constant: coefficients, offsets, constants inside functions, non-integer exponents, and the
values of functions at constants. Whole exponents are structure (second paper, B.2). A coefficient 1 or -1
that algebra implies matches any fitted constant, but 1 does not match -1: x + y is not x - y, and
0.9999998*x + y is x + y.
"""

from fractions import Fraction

from engine.judging.normal import Atom, Form, Monomial

# A constant that stands for itself against another such, or None for a fitted one that matches any.
Mark = Fraction | None
_SMALL_DENOMINATOR = 4


def same_structure(a: Form, b: Form) -> bool:
    """Compare two normal forms after abstraction of constants.

    Parameters
    ----------
    a, b : Form
        Normal forms.

    Returns
    -------
    bool
        True when they have the same shape and no implied constant contradicts another.
    """
    shape_a, marks_a = skeleton(a)
    shape_b, marks_b = skeleton(b)
    if shape_a != shape_b or len(marks_a) != len(marks_b):
        return False
    return all(x is None or y is None or x == y for x, y in zip(marks_a, marks_b, strict=True))


def skeleton(form: Form) -> tuple[str, tuple[Mark, ...]]:
    """Return the shape of a form, and its constants in the shape's order.

    Parameters
    ----------
    form : Form
        A normal form.

    Returns
    -------
    (str, tuple of Fraction or None)
        The text with every constant written C; for each C the implied value, or None for a fitted one.
    """
    if form.constant:
        return "C", (None,)
    parts: list[tuple[str, tuple[Mark, ...]]] = []
    offset = False
    for monomial, coefficient in form.terms:
        if all(atom.constant for atom, _ in monomial):
            offset = True
            continue
        shape, marks, scaled = _monomial(monomial)
        implied = coefficient if abs(coefficient) == 1 and not scaled else None
        parts.append((f"C*{shape}", (implied, *marks)))
    if offset:
        parts.append(("C", (None,)))
    parts.sort(key=lambda part: (part[0], tuple(map(str, part[1]))))
    return "(" + " + ".join(part[0] for part in parts) + ")", tuple(
        mark for part in parts for mark in part[1]
    )


def _monomial(monomial: Monomial) -> tuple[str, tuple[Mark, ...], bool]:
    factors: list[tuple[str, tuple[Mark, ...]]] = []
    scaled = False
    for atom, exponent in monomial:
        if atom.constant:
            scaled = True
            continue
        shape, marks = _atom(atom)
        if exponent.denominator == 1:
            factors.append((f"{shape}^{exponent}", marks))
        else:
            nice = exponent if exponent.denominator <= _SMALL_DENOMINATOR else None
            factors.append((f"{shape}^C", (*marks, nice)))
    factors.sort(key=lambda factor: (factor[0], tuple(map(str, factor[1]))))
    marks_of_all = tuple(mark for factor in factors for mark in factor[1])
    return "*".join(factor[0] for factor in factors), marks_of_all, scaled


def _atom(atom: Atom) -> tuple[str, tuple[Mark, ...]]:
    if not atom.args:
        return atom.kind, ()
    inner = [skeleton(arg) for arg in atom.args]
    shape = ",".join(part[0] for part in inner)
    return f"{atom.kind}({shape})", tuple(mark for part in inner for mark in part[1])
