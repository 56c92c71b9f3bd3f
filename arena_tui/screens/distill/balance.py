"""Balance bars: the share of every kind of task in a selection beside its share in the whole set."""

import textwrap
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from arena_tui.screens.distill.sheet import Line
from arena_tui.widgets.plain import fit

# J's Balance knows these two only (SymbolicArena, C.3); the others are bounded by constraints, or free.
IN_BALANCE = ("difficulty", "failure")
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEAST_LABEL = 14
_NUMBERS = 15
_LEAST_BAR, _WIDE_BAR = 8, 30
# From this many points on a difference is marked.
_NOTABLE = 0.05


def lines(census: Mapping[str, Any], width: int) -> list[Line]:
    """Draw one bar for each value of each attribute.

    Parameters
    ----------
    census : mapping
        As ``engine.distilling.census`` counts, as plain values.
    width : int
        Cells of a line.

    Returns
    -------
    list of Line
        Headings with the total-variation distance, then bars; the upright stroke is the whole set's share.
    """
    pool, own = max(census["pool"], 1), max(census["selected"], 1)
    longest = max((len(one["value"]) for one in census["shares"]), default=0)
    label = min(longest, max(_LEAST_LABEL, width - _NUMBERS - _WIDE_BAR)) + 1
    room = max(_LEAST_BAR, width - label - _NUMBERS)
    found: list[Line] = [[("█ selected", "live"), ("   ┃ whole set", "mark")]]
    found += [
        [(part, "quiet")]
        for part in textwrap.wrap("columns: % selected, % of the whole set, difference in points", width)
    ]
    for attribute, group in groupby(census["shares"], key=lambda share: share["attribute"]):
        shares = [(one["value"], one["selected"] / own, one["pool"] / pool) for one in group]
        distance = sum(abs(here - there) for _, here, there in shares) / 2
        weight = ", in J's balance" if attribute in IN_BALANCE else ""
        found += [[("", "")], [(attribute, "heading"), (f"  {distance:.3f} apart{weight}", "quiet")]]
        most = max((max(here, there) for _, here, there in shares), default=0.0) or 1.0
        for value, here, there in shares:
            found.append(_bar(value.replace("_", " "), here, there, most, (label, room)))
    return found


def _bar(value: str, here: float, there: float, most: float, cells: tuple[int, int]) -> Line:
    label, room = cells
    apart = here - there
    tone = "fair" if abs(apart) >= _NOTABLE else ""
    sign = "▲" if apart >= _NOTABLE else "▼" if apart <= -_NOTABLE else " "
    numbers = f"{here:>4.0%} {there:>4.0%} {round(100 * apart):>+3d}{sign} "
    filled = _filled(here / most, room)
    at = min(room - 1, round(there / most * room))
    return [
        (fit(value, label), ""),
        (numbers, tone),
        (filled[:at], "live"),
        ("┃", "mark"),
        (filled[at + 1 :], "live"),
    ]


def _filled(share: float, room: int) -> str:
    whole, rest = divmod(round(share * room * 8), 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(room)[:room]
