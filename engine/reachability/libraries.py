"""Fixed candidate libraries: paper 2, table 5, with the expansion of SPEC 7."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.reachability.atoms import Atom, atom


@dataclass(frozen=True, slots=True)
class Library:
    """Templates that are expanded over a task's variables.

    Attributes
    ----------
    name
        Short name, as typed.
    title
        Name as printed.
    single
        Templates over ``v``, expanded for each variable.
    ordered
        Templates over ``u`` and ``v``, expanded for each ordered pair of different variables.
    unordered
        Templates over ``u`` and ``v``, expanded once for each pair.
    """

    name: str
    title: str
    single: tuple[str, ...]
    ordered: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()


# Paper 2, table 5: BANK-LaSR. exp(+av) and exp(-av) are two candidates; cross terms run over ordered pairs.
LASR = Library(
    "lasr",
    "BANK-LaSR",
    (
        "v", "v**2", "v**3", "sin(a*v)", "cos(a*v)", "exp(a*v)", "exp(-a*v)", "log(abs(v) + a)",
        "sqrt(abs(v))", "abs(v)**a",
    ),
    ("u*v", "u**2*v", "sin(a*u)*v", "exp(-a*u)*v", "abs(u)**a*v"),
)  # fmt: skip

# Paper 2, table 5: without cos(av) and |v|**a, and without crosses that contain a free power.
SRBENCH_PYSR = Library(
    "srbench-pysr",
    "BANK-SRBench-PySR",
    ("v", "v**2", "v**3", "sin(a*v)", "exp(a*v)", "exp(-a*v)", "log(abs(v) + a)", "sqrt(abs(v))"),
    ("u*v", "u**2*v", "sin(a*u)*v", "exp(-a*u)*v"),
)

# Paper 2, table 5: powers one to four; v_i v_j once for each pair, v_i**2 v_j for each ordered pair.
POLY = Library("poly", "BANK-Poly", ("v", "v**2", "v**3", "v**4"), ("u**2*v",), ("u*v",))

BUILT_IN: dict[str, Library] = {library.name: library for library in (LASR, SRBENCH_PYSR, POLY)}


def expand(library: Library, variables: int) -> tuple[str, ...]:
    """List a library's candidates over ``x0, x1, ...``; only equal texts are merged.

    Parameters
    ----------
    library
        Templates.
    variables
        Number of features of the task, at least 1.

    Returns
    -------
    tuple of str
        Singles by variable, then crosses by pair. ``x0*x1`` and ``x1*x0`` both stand where the cross
        template runs over ordered pairs (SPEC 7).
    """
    names = [f"x{index}" for index in range(variables)]
    texts = [_filled(template, v=name) for name in names for template in library.single]
    for first, u in enumerate(names):
        for second, v in enumerate(names):
            if first != second:
                texts += [_filled(template, u=u, v=v) for template in library.ordered]
            if first < second:
                texts += [_filled(template, u=u, v=v) for template in library.unordered]
    return tuple(dict.fromkeys(texts))


def fitted(texts: Sequence[str]) -> tuple[Atom, ...]:
    """Read candidates as atoms and leave out commutative twins: ``x1*x0`` beside ``x0*x1``.

    Parameters
    ----------
    texts
        Candidates over ``x0, x1, ...`` and ``a``.

    Returns
    -------
    tuple of Atom
        One atom for each normalized form, in the order of first appearance.
    """
    atoms: dict[str, Atom] = {}
    for text in texts:
        one = atom(text)
        atoms.setdefault(one.normal, one)
    return tuple(atoms.values())


def _filled(template: str, **names: str) -> str:
    """Put variables into a template, whole words only."""
    return re.sub(r"\b[uv]\b", lambda match: names.get(match.group(), match.group()), template)
