"""The views of a study: what each says, and the cells it lists."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena_tui.screens.paired.sheets import Part, Sheet, Words
from arena_tui.widgets.table import Column, Row

if TYPE_CHECKING:
    from arena_tui.screens.paired.survey import Opened
    from engine.reachability.outcomes import Cell, Gain

METRIC_NAMES = {"acc0.01": "Acc0.01", "acc0.001": "Acc0.001", "strict": "Strict ID+OOD", "sa": "SA"}
METRICS = tuple(METRIC_NAMES)
PAIRED_VIEWS = ("outcomes", "cells", "gains", "retention", "units", "report")
KNOCKOUT_VIEWS = ("outcomes", "conditions", "units", "report")
TITLES = {
    "outcomes": "Outcomes",
    "cells": "Four cells",
    "gains": "Gains and losses",
    "retention": "Retention",
    "conditions": "Knockouts by task",
    "units": "Units",
    "report": "All tables",
}
_WHO = {
    (True, True): "both",
    (True, False): "BANK only",
    (False, True): "LLM only",
    (False, False): "neither",
}
_ORDER = ("LLM only", "BANK only", "both", "neither")
_BETTER_OF_BOTH = (
    "Were UNION the better of the two answers, the first three rows would be 100 and the last 0."
)


def _sign(value: object) -> str:
    return {True: "✓", False: "✗"}.get(value, "–") if isinstance(value, bool) else "–"


def _tone(value: object) -> str:
    return {True: "good", False: "bad"}.get(value, "quiet") if isinstance(value, bool) else "quiet"


def _error(value: object) -> str:
    return f"{value:.1e}" if isinstance(value, float) else "–"


def _net(value: object) -> str:
    return "–" if not isinstance(value, int) else f"{value:+d}" if value else "0"


def _net_tone(value: object) -> str:
    return "" if not isinstance(value, int) or value == 0 else "good" if value > 0 else "bad"


def _seeds(value: object) -> str:
    return str(value) if value else "–"


def _solves(name: str, title: str) -> Column:
    return Column(name, title, max(5, len(title)), show=_sign, tone=_tone)


CELL_COLUMNS = (
    Column("name", "task", 10, grow=1),
    Column("seed", "seed", 4, right=True),
    Column("cell", "solved by", 9, order=lambda value: _ORDER.index(str(value))),
    _solves("union", "UNION"),
    Column("bank_id", "BANK ID", 8, right=True, show=_error),
    Column("llm_id", "LLM ID", 8, right=True, show=_error),
    Column("union_id", "UNION ID", 8, right=True, show=_error),
    Column("domain", "domain", 14),
)
GAIN_COLUMNS = (
    Column("name", "task", 10, grow=1),
    Column("net", "net", 4, right=True, show=_net, tone=_net_tone),
    Column("gained", "gained in seeds", 16, show=_seeds),
    Column("lost", "lost in seeds", 16, show=_seeds),
    Column("same", "same", 4, right=True),
    Column("domain", "domain", 14),
)
CONDITION_COLUMNS = (
    Column("name", "task", 10, grow=1),
    Column("seed", "seed", 4, right=True),
    Column("family", "family", 16),
    _solves("full", "FULL"),
    _solves("target", "TARGET-KO"),
    _solves("sham", "SHAM-KO"),
    Column("domain", "domain", 14),
)


def levels(opened: "Opened") -> tuple[str, ...]:
    """Return the levels of language that the study's arms have."""
    return tuple(
        level for level in ("l1", "l2") if {f"llm-{level}", f"union-{level}"} & set(opened.outcomes.arms)
    )


def cell_key(cell: "Cell") -> str:
    """Name a task and seed."""
    return f"{cell[0]}/{cell[1]}"


def cell_of(key: str) -> "Cell":
    """Read the name of a task and seed."""
    task, _, seed = key.rpartition("/")
    return task, int(seed)


def outcomes(opened: "Opened", metric: str) -> list[Part]:
    """Tabulate arms by metric, and domains under one metric (tables 2 and 8; 10 and 11 of a knockout)."""
    from engine.reachability.report import domains, percent

    if opened.knockout:
        return [*(_sheet(table) for table in opened.report.tables), *_notes(opened)]
    found = opened.outcomes
    rows = []
    for arm in found.arms:
        rates = {name: found.rate(arm, name) for name in METRICS}
        cells = rates["acc0.01"].cells
        # Where one metric has as many cells as the next, the count stands once, at the end.
        same = all(rate.cells == cells for rate in rates.values() if rate.mean is not None)
        shares = [
            percent(rate)
            if not same or rate.mean is None
            else f"{100 * rate.mean:.2f} ± {100 * (rate.sd or 0.0):.2f}"
            for rate in rates.values()
        ]
        rows.append((arm.upper(), *shares, f"{cells}/{len(found.cells)}"))
    heads = ("arm", *(METRIC_NAMES[name] for name in METRICS), "cells")
    rates_sheet = Sheet("Success in %, mean ± population sd over seeds", heads, tuple(rows))
    table = domains(found, metric)
    heads = tuple(head.replace("delta ", "Δ") for head in table.heads)
    lines = [tuple(map(_mean, heads, row)) for row in table.rows]
    caption = f"Mean tasks solved under {METRIC_NAMES[metric]}, by domain"
    if any(head.startswith("Δ") for head in heads):
        caption += "; Δ is UNION − BANK"
    if any(value is None for row in table.rows for value in row):
        caption += "; – until all its cells are searched"
    return [rates_sheet, Sheet(caption, heads, tuple(lines)), *_notes(opened)]


def _mean(head: str, value: object) -> object:
    """Write a mean with two decimals, a difference with its sign; counts and names stay."""
    if not isinstance(value, float):
        return value
    return _signed(value) if head.startswith("Δ") else f"{value:.2f}"


def _signed(value: float) -> str:
    return f"{value:+.2f}" if value else "0.00"


def _notes(opened: "Opened") -> list[Part]:
    return [Words(note, "quiet") for note in opened.report.notes]


def _sheet(table: object) -> Sheet:
    from engine.reachability.report import Table

    assert isinstance(table, Table)
    text = sum(
        all(isinstance(row[place], str) for row in table.rows) for place in range(min(2, len(table.heads)))
    )
    left = 2 if table.heads[:2] in (("BANK", "LLM"), ("metric", "pair")) and text == 2 else 1
    return Sheet(table.caption, table.heads, table.rows, left)


def report(opened: "Opened") -> list[Part]:
    """Show every table of the report and its notes, as ``arena-tui paired report`` prints them."""
    return [
        Words(opened.report.title, "strong"),
        *(_sheet(table) for table in opened.report.tables),
        *_notes(opened),
    ]


def retention(opened: "Opened") -> list[Part]:
    """Tabulate what UNION keeps of what BANK and LLM solved alone (table 13)."""
    tables = [_sheet(table) for table in opened.report.tables if table.key.startswith("retention")]
    if not tables:
        return [Words("Retention needs the arms BANK, LLM and UNION of one level.", "quiet")]
    return [*tables, Words(_BETTER_OF_BOTH, "quiet"), *_notes(opened)]


def cells(opened: "Opened", level: str, metric: str) -> tuple[list[Part], list[Row]]:
    """Draw the four cells of BANK and LLM with what UNION keeps of each, and list their members (table 3)."""
    found, word = opened.outcomes, level.upper()
    if not {"bank", f"llm-{level}"} <= set(found.arms):
        return [Words("Four cells need the arms BANK and LLM of one level.", "quiet")], []
    table = found.four_cells("bank", f"llm-{level}", metric)
    kept = found.retention(level, metric)

    def corner(who: tuple[bool, bool]) -> str:
        solved, known = kept[who]
        union = f"UNION {solved}/{known}" if f"union-{level}" in found.arms else ""
        return f"{len(table[who])}   {union}".rstrip()

    counted = sum(map(len, table.values()))
    caption = f"{METRIC_NAMES[metric]}: {counted} of {len(found.cells)} task-seed cells"
    grid = Sheet(
        caption,
        ("", f"LLM-{word} correct", f"LLM-{word} incorrect"),
        (
            ("BANK correct", corner((True, True)), corner((True, False))),
            ("BANK incorrect", corner((False, True)), corner((False, False))),
        ),
    )
    names = opened.names
    rows = [
        Row(
            cell_key(cell),
            {
                "name": names[cell[0]],
                "seed": cell[1],
                "cell": _WHO[who],
                "union": found.success(f"union-{level}", cell, metric),
                "domain": found.domains[cell[0]],
                **{
                    f"{short}_id": found.units.get((arm, cell), {}).get("id_nmse")
                    for short, arm in (("bank", "bank"), ("llm", f"llm-{level}"), ("union", f"union-{level}"))
                },
            },
        )
        for who in sorted(table, key=lambda one: _ORDER.index(_WHO[one]))
        for cell in table[who]
    ]
    return [grid], rows


def gains(opened: "Opened", level: str, metric: str) -> tuple[list[Part], list[Row]]:
    """Say what UNION gains and loses against BANK (delta_prior, eq. 5), and list both by task."""
    found, arm = opened.outcomes, f"union-{level}"
    if not {"bank", arm} <= set(found.arms):
        return [Words("Gains and losses need the arms BANK and UNION of one level.", "quiet")], []
    gain = found.gain(arm, "bank", metric)
    parts: list[Part] = [
        Words(
            f"delta_prior = {arm.upper()} − BANK under {METRIC_NAMES[metric]}: "
            + _in_words(gain, len(found.seeds))
        )
    ]
    if {"llm-l1", "llm-l2"} <= set(found.arms):
        sem = found.gain("llm-l1", "llm-l2", metric)
        parts.append(
            Words(
                f"delta_sem = LLM-L1 − LLM-L2, what names and domain add: {_in_words(sem, len(found.seeds))}",
                "quiet",
            )
        )
    table = found.compared(arm, "bank", metric)
    rows = []
    for task in found.tasks:
        won = [seed for one, seed in table[True, False] if one == task]
        lost = [seed for one, seed in table[False, True] if one == task]
        same = sum(one == task for who in ((True, True), (False, False)) for one, _ in table[who])
        if won or lost:
            rows.append(
                Row(
                    cell_key((task, (won or lost)[0])),
                    {
                        "name": opened.names[task],
                        "net": len(won) - len(lost),
                        "gained": ", ".join(map(str, won)),
                        "lost": ", ".join(map(str, lost)),
                        "same": same,
                        "domain": found.domains[task],
                    },
                )
            )
    rows.sort(key=lambda row: -int(str(row.values["net"])))
    return parts, rows


def _in_words(gain: "Gain", seeds: int) -> str:
    p = "no cell differs, so no p" if gain.p is None else f"p = {gain.p:.3g} (exact sign test)"
    left_out = f", {gain.left_out} left out" if gain.left_out else ""
    return (
        f"net {_net(gain.net)} ({_signed(gain.net / seeds)} per seed): {gain.wins} gained, "
        f"{gain.losses} lost, {gain.ties} the same{left_out}; {p}"
    )


def differing(opened: "Opened", level: str, metric: str) -> list["Cell"]:
    """List the cells that UNION gains or loses, by task and seed."""
    table = opened.outcomes.compared(f"union-{level}", "bank", metric)
    return sorted([*table[True, False], *table[False, True]])


def conditions(opened: "Opened", metric: str) -> tuple[list[Part], list[Row]]:
    """List what each task and seed of a knockout solves under its three conditions."""
    found = opened.outcomes
    rows = [
        Row(
            cell_key(cell),
            {
                "name": opened.names[cell[0]],
                "seed": cell[1],
                "family": opened.plan["families"][cell[0]],
                "domain": found.domains[cell[0]],
                **{
                    short: found.success(arm, cell, metric)
                    for short, arm in (("full", "full"), ("target", "target-ko"), ("sham", "sham-ko"))
                },
            },
        )
        for cell in found.cells
    ]
    hurt = sum(row.values["full"] is True and row.values["target"] is False for row in rows)
    spared = sum(row.values["full"] is True and row.values["sham"] is True for row in rows)
    full = sum(row.values["full"] is True for row in rows)
    words = (
        f"{METRIC_NAMES[metric]}: of {full} cells that the full library solves, {hurt} are lost without the "
        f"truth's own family and {spared} stay solved without as many other candidates."
    )
    return [Words(words)], rows


def views(opened: "Opened | None") -> Sequence[str]:
    """Return the names of the views that a study has."""
    return KNOCKOUT_VIEWS if opened is not None and opened.knockout else PAIRED_VIEWS


def sheets_of(opened: "Opened", view: str, metric: str) -> list[Part]:
    """Make a view that lists no cells."""
    if view == "outcomes":
        return outcomes(opened, metric)
    return retention(opened) if view == "retention" else report(opened)


def listing_of(opened: "Opened", view: str, metric: str, level: str) -> tuple[list[Part], list[Row]]:
    """Make a view that lists cells."""
    if view == "cells":
        return cells(opened, level, metric)
    return gains(opened, level, metric) if view == "gains" else conditions(opened, metric)
