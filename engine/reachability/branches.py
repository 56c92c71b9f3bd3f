"""The greedy paths of several arms on one task and seed: what each chose, and where they part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.expression import ExpressionError, infix, parse
from engine.reachability.atoms import PARAMETER, atom
from engine.reachability.libraries import Library, expand, fitted
from engine.reachability.proposals import products

Unit = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """One round of one arm.

    Attributes
    ----------
    text
        The atom over the task's own names.
    normal
        Its normalized form over ``x0, x1, ...``: equal ones are the same candidate.
    constant
        Inner constant when it was chosen; None where the atom has none or it was not recorded.
    final, coefficient
        Inner constant and leading coefficient in the saved formula; None where the term is not in it.
    nmse
        Training NMSE after the round; None where it was not finite.
    tried
        Candidates fitted in the round.
    in_library, proposed
        Whether the library lists the atom, and whether the arm's proposals or their products do.
    """

    text: str
    normal: str
    constant: float | None
    final: float | None
    coefficient: float | None
    nmse: float | None
    tried: int
    in_library: bool
    proposed: bool


@dataclass(frozen=True, slots=True)
class Branch:
    """One arm's path; ``unit`` is None where the arm has no record for this task and seed."""

    arm: str
    unit: Unit | None
    choices: tuple[Choice, ...]


def branch(arm: str, unit: Unit | None, names: Sequence[str], library: Library | None) -> Branch:
    """Read the path of one unit.

    Parameters
    ----------
    arm
        Name of the arm.
    unit
        Its record; None if it did not run.
    names
        The task's own names, in column order.
    library
        The study's library; None if the plan holds none that can be read.

    Returns
    -------
    Branch
    """
    if unit is None:
        return Branch(arm, None, ())
    proposals = unit.get("proposals") or {}
    listed = proposals.get("atoms", ())
    own = _normals(expand(library, len(names))) if library is not None and names else frozenset()
    theirs = _normals([*listed, *products(listed)])
    terms = {term.get("text"): term for term in unit.get("terms", ())}
    choices = []
    for taken in unit.get("path", ()):
        normal = atom(taken["added"]).normal
        term = terms.get(taken["added"], {})
        choices.append(
            Choice(
                named(taken["added"], names),
                normal,
                taken.get("constant"),
                term.get("constant"),
                term.get("coefficient"),
                taken["nmse"],
                taken["tried"],
                normal in own,
                normal in theirs,
            )
        )
    return Branch(arm, unit, tuple(choices))


def named(text: str, names: Sequence[str]) -> str:
    """Write an atom over a task's own names.

    Parameters
    ----------
    text
        Over ``x0, x1, ...`` and ``a``.
    names
        The task's names; if one of them is ``a`` itself, or the text does not parse, it stays as it is.

    Returns
    -------
    str
    """
    if PARAMETER in names:
        return text
    positional = [f"x{place}" for place in range(len(names))]
    try:
        return infix(parse(text, [*positional, PARAMETER]), [*names, PARAMETER])
    except ExpressionError:
        return text


def together(branches: Sequence[Branch], rounds: int) -> tuple[tuple[str, ...], ...]:
    """Group the arms whose first rounds are the same candidates in the same order.

    Parameters
    ----------
    branches
        Paths.
    rounds
        How many rounds are compared; an arm that stopped earlier is in no group.

    Returns
    -------
    tuple of tuple of str
        Names of arms, groups in the order of their first arm.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for one in branches:
        if one.unit is not None and len(one.choices) >= rounds:
            key = tuple(choice.normal for choice in one.choices[:rounds])
            groups.setdefault(key, []).append(one.arm)
    return tuple(tuple(group) for group in groups.values())


def _normals(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(one.normal for one in fitted(texts))
