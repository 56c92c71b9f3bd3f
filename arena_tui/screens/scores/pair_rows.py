"""Rows and words of the Pairs view: two methods compared on an axis, task by task."""

from collections.abc import Sequence

from arena_tui.screens.scores.rows import AXES, DASH
from arena_tui.screens.scores.survey import Pair
from arena_tui.widgets.table import Column, Row

Fact = tuple[str, object]


def _signed(value: object) -> str:
    return f"{value:+.1f}" if isinstance(value, float) else DASH


def _probability(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else DASH


PAIR_COLUMNS = (
    Column("axis", "axis", 5, order=lambda value: AXES.index(str(value))),
    Column("method", "method", 10, grow=1),
    Column("other", "minus", 10, grow=1),
    Column("difference", "diff", 6, right=True, show=_signed),
    Column("interval", "95 %", 15, right=True),
    Column("won", "won", 4, right=True),
    Column("lost", "lost", 4, right=True),
    Column("tied", "tied", 4, right=True),
    Column("p", "p (Holm)", 8, right=True, show=_probability),
)


def pair_rows(pairs: Sequence[Pair], label: str | None) -> dict[str, tuple[Row, Pair]]:
    """Make the rows of the paired comparisons, those of one method seen from its side.

    Parameters
    ----------
    pairs : sequence of Pair
        All comparisons of a condition.
    label : str or None
        The method whose comparisons are wanted; None for all.

    Returns
    -------
    dict of str to (Row, Pair)
        By key, in their order.
    """
    made = {}
    for pair in pairs:
        found = pair.found
        if label not in (None, found.a, found.b):
            continue
        turned = label == found.b
        a, b = (found.b, found.a) if turned else (found.a, found.b)
        sign = -1.0 if turned else 1.0
        ends = sorted(100 * sign * end for end in (found.difference.low, found.difference.high))
        wins, losses = found.tests.wins, found.tests.losses
        key = f"{found.axis} {a} {b}"
        values: dict[str, object] = {
            "axis": found.axis,
            "method": a,
            "other": b,
            "difference": 100 * sign * found.difference.mean,
            "interval": f"[{ends[0]:+.1f}, {ends[1]:+.1f}]",
            "won": losses if turned else wins,
            "lost": wins if turned else losses,
            "tied": found.tests.ties,
            "p": found.wilcoxon_holm,
        }
        made[key] = (Row(key, values), pair)
    return made


def about_pair(row: Row, pair: Pair) -> list[Fact]:
    """Describe a comparison: the tests, what was left out, and every task, the most different first."""
    values, tests = row.values, pair.found.tests
    facts: list[Fact] = [
        (f"{values['method']} minus {values['other']} on {values['axis']}, {len(pair.cells)} tasks", ""),
        ("difference", f"{_signed(values['difference'])}, 95 % {values['interval']} over resampled tasks"),
        ("tasks", f"{values['won']} won, {values['lost']} lost, {values['tied']} tied"),
        ("sign test", "no task differs" if tests.sign_p is None else f"p = {tests.sign_p:.4g}, exact"),
        ("Wilcoxon", None if tests.wilcoxon_p is None else f"p = {tests.wilcoxon_p:.4g}, exact; "
         f"{_probability(values['p'])} after Holm over the pairs of {values['axis']}"),
        ("left out", f"{len(tests.missing)} tasks that only one of them has" if tests.missing else None),
        (f"task by task: {values['method']}, {values['other']}, difference", ""),
    ]  # fmt: skip
    turned = values["method"] != pair.found.a
    for name, first, second in pair.cells:
        a, b = (second, first) if turned else (first, second)
        facts.append((name, f"{100 * a:6.1f} {100 * b:6.1f} {100 * (a - b):+7.1f}"))
    return facts
