"""Choosing probe panels: every feasible panel, ranked exactly, ties kept (SymbolicArena, C.2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from engine.distilling.usability import PARADIGMS
from engine.errors import EngineError

PANEL_SIZE = 4
LEAST_PARADIGMS = 3


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel: members by name, exact usability U, number of paradigms, rank (ties share it)."""

    members: tuple[str, ...]
    U: Fraction
    paradigms: int
    rank: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """All feasible panels from best to worst, and how many panels there are in all."""

    panels: tuple[Panel, ...]
    enumerated: int

    @property
    def optimal(self) -> tuple[Panel, ...]:
        """Panels that share the best usability."""
        return tuple(panel for panel in self.panels if panel.rank == 1)

    def rank_of(self, members: frozenset[str]) -> int | None:
        """Return a panel's competition rank, or None when it is not feasible.

        Parameters
        ----------
        members : frozenset of str
            The panel.

        Returns
        -------
        int or None
            1 for the best.
        """
        return next((panel.rank for panel in self.panels if frozenset(panel.members) == members), None)


def paradigms_of(methods: tuple[str, ...], own: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the primary paradigm of every candidate.

    Parameters
    ----------
    methods : tuple of str
        Labels.
    own : mapping, optional
        Paradigms that the user states; they go before the paper's.

    Returns
    -------
    dict of str to str
        One paradigm per label.

    Raises
    ------
    EngineError
        When a candidate's paradigm is not known.
    """
    known = PARADIGMS | dict(own or {})
    unknown = [method for method in methods if method not in known]
    if unknown:
        raise EngineError(
            f"the primary paradigm of {unknown[0]} is not known; state it with --paradigm {unknown[0]}=NAME"
        )
    return {method: known[method] for method in methods}


def feasible_panels(paradigms: Mapping[str, str], size: int, least: int) -> list[tuple[str, ...]]:
    """Enumerate the panels that cover enough paradigms.

    Parameters
    ----------
    paradigms : mapping of str to str
        Of each candidate.
    size, least : int
        Members of a panel; least number of paradigms.

    Returns
    -------
    list of tuple of str
        In name order.
    """
    return [
        members
        for members in combinations(sorted(paradigms), size)
        if len({paradigms[member] for member in members}) >= least
    ]


def rank_panels(
    H: Mapping[str, Fraction],
    paradigms: Mapping[str, str],
    size: int = PANEL_SIZE,
    least: int = LEAST_PARADIGMS,
) -> Ranking:
    """Rank all feasible panels by mean usability.

    Parameters
    ----------
    H : mapping of str to fractions.Fraction
        Usability of each candidate.
    paradigms : mapping of str to str
        Primary paradigm of each candidate.
    size, least : int
        Members of a panel; least number of paradigms.

    Returns
    -------
    Ranking
        Equal usabilities share a competition rank and stand in name order.

    Raises
    ------
    EngineError
        When no panel covers so many paradigms.
    """
    members = feasible_panels(paradigms, size, least)
    if not members:
        raise EngineError(
            f"no panel of {size} of the {len(paradigms)} candidates covers {least} paradigms; ask for fewer"
        )
    scored = sorted((-sum((H[m] for m in panel), Fraction(0)) / size, panel) for panel in members)
    panels: list[Panel] = []
    rank = 0
    for place, (negative, panel) in enumerate(scored, 1):
        if not panels or panels[-1].U + negative != 0:
            rank = place
        panels.append(Panel(panel, -negative, len({paradigms[m] for m in panel}), rank))
    enumerated = sum(1 for _ in combinations(sorted(paradigms), size))
    return Ranking(tuple(panels), enumerated)
