"""Rows and words of the Correlations view: how the axes go together across methods."""

from typing import TYPE_CHECKING

from arena_tui.screens.scores.rows import AXES, DASH
from arena_tui.screens.scores.survey import Relations
from arena_tui.widgets.table import Column, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.scoring.correlation import Correlation

Fact = tuple[str, object]
_LEVEL = 0.05


def _coefficient(value: object) -> str:
    if not isinstance(value, tuple):
        return DASH
    rho, p = value
    return f"{rho:+.2f}" + ("*" if p < _LEVEL else " ")


def _coefficient_tone(value: object) -> str:
    if not isinstance(value, tuple) or value[1] >= _LEVEL:
        return "quiet"
    return "good" if value[0] > 0 else "bad"


def _first(value: object) -> object:
    return value[0] if isinstance(value, tuple) else value


AXIS_COLUMNS = (
    Column("axis", "axis", 5),
    *(Column(axis, axis, 8, right=True, show=_coefficient, order=_first, tone=_coefficient_tone)
      for axis in AXES),
)  # fmt: skip


def axis_rows(found: "Sequence[Correlation]") -> list[Row]:
    """Make the symmetric matrix of coefficients; a cell is (rho, p)."""
    cells: dict[str, dict[str, object]] = {axis: {"axis": axis} for axis in AXES}
    for one in found:
        if one.rho is not None and one.p is not None:
            cells[one.a][one.b] = cells[one.b][one.a] = (one.rho, one.p)
    return [Row(axis, cells[axis]) for axis in AXES]


def methods_of(relations: Relations) -> int:
    """Count the methods that the best supported coefficient rests on."""
    return max((one.n for one in relations.own), default=0)


def axis_note(relations: Relations, least: int, enough: int) -> str:
    """Say what the coefficients rest on, and when they mean nothing.

    Parameters
    ----------
    relations : Relations
        From `survey.relations`.
    least, enough : int
        Methods below which there is no coefficient, and below which none is told from chance.

    Returns
    -------
    str
        One or two sentences.
    """
    methods = methods_of(relations)
    if methods < least:
        return f"Spearman's coefficient needs {least} methods; {methods} here have scores under these labels."
    if methods < enough:
        chance = {3: "1 in 3", 4: "1 in 12"}[methods]
        return (
            f"Spearman across {methods} methods: too few to mean anything. Chance alone gives +1 or -1 "
            f"{chance} times; with {enough} methods or more a coefficient can be told from chance."
        )
    return f"Spearman across {methods} methods; * p < 0.05 by itself, of fifteen coefficients."


def about_axis(axis: str, relations: Relations, with_published: bool) -> list[Fact]:
    """Describe how one axis goes with the others; beside it the paper's methods, when wanted."""
    theirs = {frozenset((one.a, one.b)): one for one in relations.published}
    facts: list[Fact] = [(f"{axis} across methods, {relations.condition} labels", "")]
    for one in relations.own:
        if axis not in (one.a, one.b):
            continue
        other = one.b if axis == one.a else one.a
        if one.rho is None or one.p is None:
            words = f"  {DASH}    {one.n} methods, or no variation"
        else:
            words = f"{one.rho:+.2f}  p = {one.p:.2g}, {one.n} methods"
        paper = theirs.get(frozenset((axis, other)))
        if with_published and paper is not None and paper.rho is not None:
            words += f"; published {paper.rho:+.2f} ({paper.n} methods)"
        facts.append((other, words))
    facts.append(("", "+1: methods stand in the same order on both axes, -1: in the opposite one"))
    if not with_published:
        facts.append(("", "p adds the coefficients of the paper's methods"))
    return facts
