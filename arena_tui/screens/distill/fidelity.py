"""Fidelity beside the baseline selectors: MAE of each and the spread of its draws on a logarithmic axis."""

import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena_tui.screens.distill.beside import FOREIGN
from arena_tui.screens.distill.sheet import Line
from arena_tui.widgets.plain import fit

_LEAST_LABEL = 17
# Cells of the MAE, of its spread from a width on, and of the paper's own figure from a greater one on.
_MAE, _SPREAD, _PAPER_CELLS = 8, 7, 8
_ROOMY, _VERY_ROOMY = 60, 90
# Size of the core and of the pool that the paper's figures are about.
_PAPER = (50, 664)
_LEAST_TRACK, _WIDE_TRACK = 10, 30
# An MAE of 0 (the whole set selected) is drawn at the left end.
_FLOOR = 1e-3


@dataclass(frozen=True, slots=True)
class _Shown:
    """One row: a name, an MAE, and its spread where there is chance."""

    name: str
    mae: float
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    paper: float | None = None


def lines(comparison: Mapping[str, Any], width: int) -> list[Line]:
    """Draw the selections, the random reference and the baselines, best first in each part.

    Parameters
    ----------
    comparison : mapping
        As ``arena-tui distill compare --json`` prints it.
    width : int
        Cells of a line.

    Returns
    -------
    list of Line
        Marks with 95 % ranges where there is chance; then A_p of every probe.
    """
    draws, own = comparison["random_draws"], comparison["selections"][0]
    rows = sorted((_Shown(one["name"], one["mae"]) for one in comparison["selections"]), key=_by_mae)
    chance = _Shown(f"{draws['draws']} random draws", draws["mean"], draws["sd"], draws["low"], draws["high"])
    others = sorted((_selector(one) for one in comparison["selectors"]), key=_by_mae)
    every = [*rows, chance, *others]
    numbers = _MAE if width < _ROOMY else _MAE + _SPREAD
    # The paper's figures are about the paper's pool and size.
    papers = width >= _VERY_ROOMY and (comparison["size"], comparison["census"]["pool"]) == _PAPER
    longest = max(len(row.name) for row in every)
    label = min(longest, max(_LEAST_LABEL, width - numbers - _WIDE_TRACK)) + 1
    track = max(_LEAST_TRACK, width - label - numbers - (_PAPER_CELLS if papers else 0))
    lowest = max(min(row.mae if row.low is None else min(row.mae, row.low) for row in every), _FLOOR)
    top = max(max(row.mae, row.high or 0.0) for row in every)
    axis = _Axis(math.floor(math.log10(lowest)), math.ceil(math.log10(max(top, lowest * 10))), track)
    found = _said(
        width,
        *([f"{FOREIGN.capitalize()}."] if comparison["foreign"] else []),
        "MAE of the probes' mean scores; left is better.",
        f"{own['name']}: {own['percentile']:.2f} % of {draws['draws']} random draws do better.",
    )
    paper = f"{'paper':>{_PAPER_CELLS}}" if papers else ""
    found += [[(" " * (label + numbers), ""), (axis.ticks() + paper, "quiet")]]
    for row in every:
        role = (
            "mark" if row.name == own["name"] else "live" if row in rows else "quiet" if row is chance else ""
        )
        cited = f"{row.paper:>{_PAPER_CELLS}.4f}" if papers and row.paper is not None else ""
        spread = f" ±{row.sd:.3f}" if row.sd is not None and numbers > _MAE else ""
        text = f"{fit(row.name, label - 1)} {f'{row.mae:.4f}{spread}':<{numbers}}{axis.track(row)}{cited}"
        found.append([(text, role)])
    found += _said(
        width,
        "● mean of the draws, ├ ┤ 95 % of them, ◆ no chance. MAE: how far each probe's mean score on the "
        "selection is from that on the whole set, on average.",
    )
    return [*found, [("", "")], *means(comparison, width)]


def _said(width: int, *texts: str) -> list[Line]:
    return [[(part, "quiet")] for text in texts for part in textwrap.wrap(text, width)]


def _by_mae(row: _Shown) -> float:
    return row.mae


def _selector(one: Mapping[str, Any]) -> _Shown:
    return _Shown(one["selector"], one["mae"], one["sd"], one["low"], one["high"], one.get("paper_mae"))


class _Axis:
    """A logarithmic axis of whole decades."""

    def __init__(self, low: int, high: int, cells: int) -> None:
        self.low, self.high, self.cells = low, max(high, low + 1), cells

    def at(self, value: float) -> int:
        share = (math.log10(max(value, 10.0**self.low)) - self.low) / (self.high - self.low)
        return min(self.cells - 1, round(share * (self.cells - 1)))

    def ticks(self) -> str:
        line = [" "] * self.cells
        for decade in range(self.low, self.high + 1):
            text = f"{10.0**decade:g}"
            start = min(self.at(10.0**decade), self.cells - len(text))
            if all(cell == " " for cell in line[max(0, start - 1) : start + len(text)]):
                line[start : start + len(text)] = text
        return "".join(line)

    def track(self, row: _Shown) -> str:
        cells = [" "] * self.cells
        if row.low is not None and row.high is not None:
            first, last = self.at(row.low), self.at(row.high)
            cells[first : last + 1] = ["─"] * (last - first + 1)
            cells[first], cells[last] = "├", "┤"
        cells[self.at(row.mae)] = "◆" if row.sd is None else "●"
        return "".join(cells)


def means(comparison: Mapping[str, Any], width: int) -> list[Line]:
    """Write A_p of every probe for the whole set and for each selection.

    Parameters
    ----------
    comparison : mapping
        As ``arena-tui distill compare --json`` prints it.
    width : int
        Cells of a line.

    Returns
    -------
    list of Line
        One block for each selection that does not fit beside the others.
    """
    label, cell = 12, 17
    probes = comparison["probes"]
    own = comparison["selections"]
    per_line = max(1, (width - label - 9) // cell)
    found: list[Line] = [[("mean score A_p of every probe", "heading")]]
    for start in range(0, len(own), per_line):
        some = own[start : start + per_line]
        head = fit("probe", label) + fit("whole", 9, right=True)
        found.append([(head + "".join(fit(one["name"], cell, right=True) for one in some), "quiet")])
        for place, probe in enumerate(probes):
            full = comparison["A_full"][place]
            cells = "".join(
                f"{one['means'][place]:+.3f} {one['means'][place] - full:>+6.3f}".rjust(cell) for one in some
            )
            found.append([(f"{fit(probe, label)}{full:>+9.3f}{cells}", "")])
    return found
