"""The paper's tables 2 and 13 to 17 for any campaign, as values that every writer renders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.errors import EngineError
from engine.running.spec import CampaignSpec
from engine.scoring.axes import RATES
from engine.scoring.campaign import Scores
from engine.scoring.folders import without_folders
from engine.scoring.published import MARK, PublishedRow, published
from engine.scoring.rows import AXES, DISPLAY_SCALE, AxisScore, MethodScore

Cell = float | str | None
CONDITION_TITLES = {
    "clean": "clean",
    "noise001": "1 % training-label noise",
    "noise005": "5 % training-label noise",
}
AXIS_GROUPS = {"ID": "Numerical", "OOD": "Numerical", "SYM": "Symbolic", "MIN": "Symbolic", "EFF": "Search",
               "STAB": "Search"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its key in the rows, its heading and group, and whether its best values are marked."""

    key: str
    title: str
    group: str = ""
    best: Literal["highest", "lowest", "none"] = "none"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: cells by column key, and notes (``n of N``) in the same places; ``published`` marks it."""

    cells: Mapping[str, Cell]
    notes: Mapping[str, str]
    published: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its name (``table2``), title, columns, rows and footnote."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    footnote: str


def profile(scores: Scores, condition: str = "clean", *, with_published: bool = False) -> Table:
    """Six axes of every method under one condition: tables 2, 14 and 15.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    condition : str
        Training condition.
    with_published : bool
        Whether to add the paper's rows, marked.

    Returns
    -------
    Table
        On the 0 to 100 display scale; incomplete axes say n of N.
    """
    names = {"clean": "table2", "noise001": "table14", "noise005": "table15"}
    rows = [_profile_row(score) for score in scores.methods if score.condition == condition]
    if with_published:
        rows += [_published_row(row) for row in published() if row.condition == condition]
    columns = (
        Column("paradigm", "Paradigm"),
        Column("algorithm", "Algorithm"),
        *(Column(axis, axis, AXIS_GROUPS[axis], "highest") for axis in AXES),
    )
    footnote = "Display scale 0-100. Higher is better on each axis."
    if with_published:
        footnote += f" Rows marked '{MARK}' are the paper's own results on its own runs (Core50, 3 h)."
    title = f"Six-axis profiles ({CONDITION_TITLES.get(condition, condition)})"
    return Table(names.get(condition, f"profile-{condition}"), title, columns, tuple(rows), footnote)


def noise(scores: Scores, *, with_published: bool = False) -> Table | None:
    """ID and OOD under every noise condition with the change from clean: table 13.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    with_published : bool
        Whether to add the paper's rows, marked.

    Returns
    -------
    Table or None
        None for a campaign without noise conditions.
    """
    conditions = [c for c in dict.fromkeys(score.condition for score in scores.methods) if c != "clean"]
    if not conditions:
        return None
    last = conditions[-1]
    columns = [Column("paradigm", "Paradigm"), Column("algorithm", "Algorithm")]
    for axis in ("ID", "OOD"):
        columns += [Column(f"{axis} {c}", c, axis, "highest") for c in ("clean", *conditions)]
        columns.append(Column(f"{axis} delta", f"delta {last}", axis, "highest"))
    own = {
        label: {s.condition: s for s in scores.methods if s.label == label}
        for label in dict.fromkeys(score.label for score in scores.methods)
    }
    rows = [_noise_row(label, by_condition, conditions) for label, by_condition in own.items()]
    if with_published:
        theirs: dict[str, dict[str, PublishedRow]] = {}
        for row in published():
            theirs.setdefault(row.algorithm, {})[row.condition] = row
        rows += [_published_noise_row(by_condition, conditions) for by_condition in theirs.values()]
    footnote = f"Display scale 0-100. delta = score under {last} minus score under clean."
    return Table(
        "table13", "Numerical robustness under training-label noise", tuple(columns), tuple(rows), footnote
    )


def methods_table(spec: CampaignSpec) -> Table:
    """Paradigm and description of every method in the campaign: table 16."""
    columns = (
        Column("paradigm", "Paradigm"),
        Column("label", "Label"),
        Column("method", "Method"),
        Column("description", "Description"),
    )
    rows = []
    for entry in spec.methods:
        paradigm, title, description = _described(entry.method)
        cells = {"paradigm": paradigm, "label": entry.label, "method": title, "description": description}
        rows.append(Row(cells, {}))
    return Table("table16", "Methods evaluated in this campaign", columns, tuple(rows), "")


def settings_table(spec: CampaignSpec) -> Table:
    """Lay out settings, seeds and threads of every label: table 17."""
    columns = (
        Column("label", "Label"),
        Column("method", "Method"),
        Column("threads", "Threads"),
        Column("seeds", "Seeds"),
        Column("settings", "Settings that differ from the method's defaults"),
    )
    rows = []
    for entry in spec.methods:
        changed = ", ".join(f"{key}={value}" for key, value in sorted(entry.settings.items())) or "defaults"
        changed = without_folders(changed)
        cells: dict[str, Cell] = {
            "label": entry.label,
            "method": entry.method,
            "threads": str(entry.threads),
            "seeds": " ".join(map(str, spec.seeds_of(entry.label))),
            "settings": changed,
        }
        rows.append(Row(cells, {}))
    return Table("table17", "Configurations of this campaign", columns, tuple(rows), "")


def rates(scores: Scores) -> Table:
    """Lay out what the second paper and SRBench measure, for every method and condition.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.

    Returns
    -------
    Table
        Shares of runs in percent, and the mean ID to OOD degradation in decades.
    """
    names = [name for name in RATES if any(score.rates[name].n for score in scores.methods)]
    columns = (
        Column("label", "Algorithm"),
        Column("condition", "Condition"),
        *(Column(name, name, best="highest") for name in names),
        Column("degradation", "degradation"),
    )
    rows = []
    for score in scores.methods:
        cells: dict[str, Cell] = {"label": score.label, "condition": score.condition}
        cells |= {name: _shown(score.rates[name]) for name in names}
        value = score.degradation.value
        cells["degradation"] = None if value is None else f"{value:+.2f}"
        notes = {name: note for name in names if (note := _incomplete(score.rates[name]))}
        rows.append(Row(cells, notes))
    footnote = "Percent of runs; degradation = mean log10 (NMSE_OOD + eps) / (NMSE_ID + eps)."
    title = "Accuracy within a relative error, recovery and SRBench's measures"
    return Table("rates", title, columns, tuple(rows), footnote)


def ranking(scores: Scores, condition: str = "clean") -> Table | None:
    """Order the methods by their mean place over the six axes.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    condition : str
        Training condition.

    Returns
    -------
    Table or None
        The place on every axis, 1 for the best, ties sharing their mean place; methods that miss an axis
        come last, without a mean. None with fewer than two methods.
    """
    own = [score for score in scores.methods if score.condition == condition]
    if len(own) < 2:
        return None
    places = {axis: _places([score.axes[axis].value for score in own]) for axis in AXES}
    rows = []
    for index, score in enumerate(own):
        found = [places[axis][index] for axis in AXES]
        complete = [place for place in found if place is not None]
        mean = sum(complete) / len(AXES) if len(complete) == len(AXES) else None
        rows.append(Row({"algorithm": score.label, "mean": mean, **dict(zip(AXES, found, strict=True))}, {}))
    rows.sort(key=lambda row: (row.cells["mean"] is None, row.cells["mean"] or 0.0))
    columns = (
        Column("algorithm", "Algorithm"),
        Column("mean", "mean place", "", "lowest"),
        *(Column(axis, axis, AXIS_GROUPS[axis], "lowest") for axis in AXES),
    )
    footnote = "1 is the best place, ties share theirs. The mean weighs all axes alike, which is a choice."
    return Table("ranking", f"Ranking of {len(own)} methods ({condition})", columns, tuple(rows), footnote)


def _places(values: Sequence[float | None]) -> list[float | None]:
    known = [round(value, 12) for value in values if value is not None]
    return [
        None
        if value is None
        else 1 + sum(other > round(value, 12) for other in known) + (known.count(round(value, 12)) - 1) / 2
        for value in values
    ]


def comparisons(scores: Scores) -> Table:
    """Lay out the paired comparisons of all methods on all axes.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.

    Returns
    -------
    Table
        Differences on the 0 to 100 scale with task bootstrap intervals, and exact tests over tasks.
    """
    from engine.scoring import analysis

    columns = (
        Column("axis", "Axis"),
        Column("pair", "Pair"),
        Column("difference", "Difference [95 %]"),
        Column("tests", "Tasks"),
        Column("wilcoxon", "Wilcoxon p (Holm)"),
    )
    rows = []
    for found in analysis.comparisons(scores):
        gap = [
            part * DISPLAY_SCALE
            for part in (found.difference.mean, found.difference.low, found.difference.high)
        ]
        p = found.wilcoxon_holm
        cells: dict[str, Cell] = {
            "axis": found.axis,
            "pair": f"{found.a} - {found.b}",
            "difference": f"{gap[0]:+.2f} [{gap[1]:+.2f}, {gap[2]:+.2f}]",
            "tests": found.tests.sentence,
            "wilcoxon": "no differing cells" if p is None else f"{p:.4g}",
        }
        rows.append(Row(cells, {}))
    return Table("comparisons", "Paired comparisons over tasks", columns, tuple(rows), "")


def marks(table: Table) -> dict[tuple[int, str], Literal["best", "second"]]:
    """Find the best and the second value of every marked column, as printed with two decimals.

    Parameters
    ----------
    table : Table
        A table.

    Returns
    -------
    dict of (row index, column key) to {'best', 'second'}
        Ties share a mark, a column of equal values has none. Published rows compete among themselves, and so
        do those of one condition.
    """
    found: dict[tuple[int, str], Literal["best", "second"]] = {}
    for column in table.columns:
        if column.best == "none":
            continue
        kinds = {(row.published, row.cells.get("condition")) for row in table.rows}
        for kind in sorted(kinds, key=str):
            values = {
                index: round(value, 2)
                for index, row in enumerate(table.rows)
                if (row.published, row.cells.get("condition")) == kind
                and isinstance(value := row.cells.get(column.key), float)
            }
            order = sorted(set(values.values()), reverse=column.best == "highest")
            # Where all are equal nobody is ahead: a mark would say otherwise.
            for index, value in values.items():
                if value in order[:2] and len(order) > 1:
                    found[index, column.key] = "best" if value == order[0] else "second"
    return found


def _profile_row(score: MethodScore) -> Row:
    cells: dict[str, Cell] = {"paradigm": _described(score.method)[0], "algorithm": score.label}
    cells |= {axis: _shown(score.axes[axis]) for axis in AXES}
    return Row(cells, {axis: note for axis in AXES if (note := _incomplete(score.axes[axis]))})


def _published_row(row: PublishedRow) -> Row:
    cells: dict[str, Cell] = {"paradigm": row.paradigm, "algorithm": f"{row.algorithm} ({MARK})"}
    return Row(cells | row.axes, {}, published=True)


def _noise_row(label: str, scores: Mapping[str, MethodScore], conditions: Sequence[str]) -> Row:
    first = next(iter(scores.values()))
    cells: dict[str, Cell] = {"paradigm": _described(first.method)[0], "algorithm": label}

    def value(axis: str, condition: str) -> float | None:
        return _shown(scores[condition].axes[axis]) if condition in scores else None

    notes = {
        f"{axis} {c}": note
        for axis in ("ID", "OOD")
        for c in ("clean", *conditions)
        if c in scores and (note := _incomplete(scores[c].axes[axis]))
    }
    return Row(cells | _noise_cells(value, conditions), notes)


def _published_noise_row(rows: Mapping[str, PublishedRow], conditions: Sequence[str]) -> Row:
    first = next(iter(rows.values()))
    cells: dict[str, Cell] = {"paradigm": first.paradigm, "algorithm": f"{first.algorithm} ({MARK})"}

    def value(axis: str, condition: str) -> float | None:
        return rows[condition].axes[axis] if condition in rows else None

    return Row(cells | _noise_cells(value, conditions), {}, published=True)


def _noise_cells(value: Callable[[str, str], float | None], conditions: Sequence[str]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for axis in ("ID", "OOD"):
        for condition in ("clean", *conditions):
            cells[f"{axis} {condition}"] = value(axis, condition)
        clean, noisy = value(axis, "clean"), value(axis, conditions[-1])
        cells[f"{axis} delta"] = None if clean is None or noisy is None else noisy - clean
    return cells


def _shown(score: AxisScore) -> float | None:
    return None if score.value is None else score.value * DISPLAY_SCALE


def _incomplete(score: AxisScore) -> str | None:
    return None if score.n == score.of and score.n else f"{score.n} of {score.of}"


def _described(method: str) -> tuple[str, str, str]:
    from adapters.errors import AdapterError
    from engine.methods import registry

    try:
        found = registry.get(method)
    except (EngineError, AdapterError):
        return "other", method, "not installed here"
    return found.paradigm, found.title, found.note
