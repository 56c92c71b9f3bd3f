"""Rows and words of the Scores screen."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena_tui.widgets import numbers
from arena_tui.widgets.table import Column, Row

AXES = ("ID", "OOD", "SYM", "MIN", "EFF", "STAB")
RATES = ("Acc0.01", "Acc0.001", "strict", "SA", "R2>0.999", "solution rate")
_DASH = "–"
_BAR = 20
# Best and second of a column: a mark that needs no colour, and a tone where there is one.
_PLACES = {1: ("¹", "good"), 2: ("²", "fair")}


def _hundred(value: object) -> str:
    """Write a score of the 0 to 100 scale; one that is not over all runs carries a degree sign."""
    if not isinstance(value, tuple):
        return _DASH
    number, n, of, place = value
    mark, _ = _PLACES.get(place, ("", ""))
    return (_DASH if number is None else f"{number:.2f}") + mark + ("" if n == of else "°")


def _standing(value: object) -> str:
    return _PLACES.get(value[3], ("", ""))[1] if isinstance(value, tuple) else ""


def _magnitude(value: object) -> object:
    return value[0] if isinstance(value, tuple) else value


def _share(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else _DASH


def _error(value: object) -> str:
    return numbers.nmse(value if isinstance(value, float) else None)


def _text(value: object) -> str:
    return _DASH if value is None else str(value)


def _tone(value: object) -> str:
    if value == "equivalent":
        return "good"
    return {"same_structure": "fair", "undetermined": "quiet", "not_applicable": "quiet"}.get(str(value), "")


def _state_tone(value: object) -> str:
    if value == "completed":
        return ""
    return "quiet" if value in ("planned", "starting", "running", "cancelled") else "bad"


METHOD_COLUMNS = (
    Column("label", "method", 13, grow=1),
    *(Column(axis, axis, 7, right=True, show=_hundred, order=_magnitude, tone=_standing) for axis in AXES),
    Column("runs", "scored", 7, right=True, show=_text),
    Column("condition", "labels", 8),
)
RUN_COLUMNS = (
    Column("label", "method", 12, grow=1),
    Column("name", "task", 14, grow=1),
    Column("seed", "seed", 4, right=True),
    Column("condition", "labels", 8),
    Column("status", "status", 9, tone=_state_tone),
    Column("id_nmse", "ID NMSE", 8, right=True, show=_error),
    Column("ood_nmse", "OOD NMSE", 8, right=True, show=_error),
    Column("SYM", "SYM", 5, right=True, show=_share),
    Column("MIN", "MIN", 5, right=True, show=_share),
    Column("EFF", "EFF", 5, right=True, show=_share),
    Column("verdict", "verdict", 14, show=_text, tone=_tone),
    Column("processed", "processed expression", 50, show=_text),
)


def place(record: Mapping[str, Any], axis: str, rivals: Sequence[Mapping[str, Any]]) -> int:
    """Rank a method on an axis among those under the same labels; 0 without a score or a rival."""
    own = record[axis]
    others = [
        one[axis] for one in rivals if one["condition"] == record["condition"] and one[axis] is not None
    ]
    return 0 if own is None or len(others) < 2 else 1 + sum(other > own for other in others)


def method_row(record: Mapping[str, Any], rivals: Sequence[Mapping[str, Any]]) -> Row:
    """Make the row of one method under one condition, among all the methods of the campaign."""
    values: dict[str, object] = {"label": record["label"], "condition": record["condition"]}
    values |= {
        axis: (record[axis], record[f"{axis}_n"], record[f"{axis}_of"], place(record, axis, rivals))
        for axis in AXES
    }
    values["runs"] = f"{record['ID_n']}/{record['ID_of']}"
    return Row(method_key(record), values)


def published_row(record: Mapping[str, Any]) -> Row:
    """Make the row of one published method; its name says that it is not the user's own."""
    values: dict[str, object] = {"label": f"{record['label']} (published)", "condition": record["condition"]}
    values |= {axis: (record[axis], 1, 1, 0) for axis in AXES}
    values["runs"] = None
    return Row(f"published {method_key(record)}", values)


def method_key(record: Mapping[str, Any]) -> str:
    """Name a method under a condition."""
    return f"{record['label']} {record['condition']}"


def run_row(record: Mapping[str, Any]) -> Row:
    """Make the row of one run; its key is the run's id."""
    return Row(str(record["run"]), {column.name: record[column.name] for column in RUN_COLUMNS})


def about_method(record: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Describe a method: every axis with its interval as a bar, rates, degradation."""
    facts: list[tuple[str, object]] = [(f"{record['label']}, {record['condition']} labels", "")]
    for axis in AXES:
        value, low, high = (record[f"{axis}{part}"] for part in ("", "_low", "_high"))
        counted = f"{record[f'{axis}_n']} of {record[f'{axis}_of']}"
        note = record.get(f"{axis}_note")
        if value is None:
            facts.append((axis, f"n/a ({counted})" + (f"; {note}" if note else "")))
        else:
            words = f"{bar(value, low, high)} {value:6.2f}  [{low:.2f}, {high:.2f}]  {counted}"
            facts.append((axis, words + (f"; {note}" if note else "")))
    facts.append(("", f"bars and brackets: {_BAR} cells are 0 to 100; 95 % intervals over tasks"))
    facts += [
        (rate, f"{record[rate]:.1f} % of {record[f'{rate}_n']} runs")
        for rate in RATES
        if record.get(rate) is not None
    ]
    if record.get("degradation") is not None:
        facts.append(("ID to OOD", f"{record['degradation']:+.2f} decades of NMSE"))
    return facts


def about_run(record: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Describe a run: what was found, what it was judged to be, and on what evidence."""
    return [
        (str(record["run"]), ""),
        ("status", record["status"] if not record["reason"] else f"{record['status']}: {record['reason']}"),
        ("found", record["expression"]),
        ("processed", record["processed"]),
        ("simplification", record["simplification"]),
        ("verdict", record["verdict"]),
        ("evidence", record["evidence"]),
        ("nodes", None if record["c_pred"] is None else f"{record['c_pred']} (reference {record['c_ref']})"),
        ("tree similarity", _optional(record["tree_similarity"])),
        ("variable F1", _optional(record["variable_f1"])),
        ("operator F1", _optional(record["operator_f1"])),
        *((axis, _optional(record[axis])) for axis in AXES[:5]),
        ("notes", record["notes"] or None),
    ]


def bar(value: float, low: float | None, high: float | None) -> str:
    """Draw a score of 0 to 100 as a bar; ``▓`` and ``─`` are its interval below and above."""
    cells = []
    for cell in range(_BAR):
        middle = (cell + 0.5) * 100.0 / _BAR
        if middle <= value:
            cells.append("█" if low is None or middle <= low else "▓")
        else:
            cells.append("─" if high is not None and middle <= high else "·")
    return "".join(cells)


def _optional(value: object) -> str | None:
    return f"{value:.4f}" if isinstance(value, float) else None
