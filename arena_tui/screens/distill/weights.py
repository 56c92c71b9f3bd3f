"""How much a selection depends on the weights of J: tables 10 to 12, as lines for the width they get."""

import textwrap
from collections.abc import Mapping
from typing import Any

from arena_tui.screens.distill.sheet import Line
from arena_tui.widgets.plain import fit

_BAR = 20
_SETS = 6


def lines(study: Mapping[str, Any], width: int) -> list[Line]:
    """Write the study.

    Parameters
    ----------
    study : mapping
        As ``arena-tui distill sensitivity --json`` prints it.
    width : int
        Cells of a line.

    Returns
    -------
    list of Line
        One weight at a time, then all three, then what the selections share.
    """
    size, joint = len(study["default"]), study["joint"]
    found: list[Line] = [
        [("one weight at a time", "heading")],
        [(f"{'weight':<9} {'range':<11} {'Jaccard':>7} {'shared':>6}", "quiet")],
    ]
    for row in study["single"]:
        span = f"{row['low']:.2f}-{row['high']:.2f}"
        text = f"{row['weight']:<9} {span:<11} {row['median_jaccard']:>7.3f} {row['overlapping']:>6g}"
        found.append([(text, ""), ("  " + _bar(row["median_jaccard"], width - len(text) - 3), "live")])
    restarts = sum(row["restarts"] for row in study["single"])
    found += _said(
        f"Medians over {restarts} restarts: Jaccard and tasks shared with this selection of {size}. They "
        "are single searches, not proven optima: they also differ from each other (Jaccard within a setting "
        f"{min(row['within_jaccard'] for row in study['single']):.3f} at least).",
        width,
    )
    found += [[("", "")], [("all three at once", "heading")]]
    found += _said(
        f"{joint['vectors']} weight vectors in the box of these ranges, each choosing the best of "
        f"{joint['candidates']} candidate sets (Jaccard with this selection):",
        width,
    )
    for one in joint["sets"][:_SETS]:
        text = f"{fit(one['name'], 5)} by {one['share']:>7.2%}, Jaccard {one['jaccard']:.3f}"
        found.append([(text, "mark" if one["jaccard"] == 1 else "")])
    if len(joint["sets"]) > _SETS:
        found.append([(f"and {len(joint['sets']) - _SETS} more sets", "quiet")])
    found += [[("", "")], [("what stays", "heading")]]
    for name, count in (("every set", joint["in_all"]), ("90 %", joint["in_90"]), ("75 %", joint["in_75"])):
        text = f"in {name:<10} {count:>3} of {size} tasks"
        found.append([(text, ""), ("  " + _bar(count / max(size, 1), width - len(text) - 3), "live")])
    found += _said(
        f"Least overlap {joint['least_overlap']} of {size}; mean Jaccard {joint['mean_jaccard']:.3f}; the "
        f"probes keep their order in {joint['ranking_rate']:.1%}.",
        width,
    )
    return found


def _bar(share: float, room: int) -> str:
    return "█" * round(max(0.0, min(share, 1.0)) * max(0, min(room, _BAR)))


def _said(text: str, width: int) -> list[Line]:
    return [[(part, "quiet")] for part in textwrap.wrap(text, width)]
