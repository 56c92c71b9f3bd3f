"""Rows of methods and runs on the Scores screen, and the profile of a method."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arena_tui.widgets import numbers
from arena_tui.widgets.table import Column, Row

if TYPE_CHECKING:
    from engine.scoring.rows import RunScore

AXES = ("ID", "OOD", "SYM", "MIN", "EFF", "STAB")
RATES = ("Acc0.01", "Acc0.001", "strict", "SA", "R2>0.999", "solution rate")
DASH = "–"
_BAR = 20
_FULL = 99.995
# Best and second of a column: a mark that needs no colour, and a tone where there is one.
_PLACES = {1: ("¹", "good"), 2: ("²", "fair")}


def _hundred(value: object) -> str:
    """Write a score of the 0 to 100 scale; one that is not over all runs carries a degree sign."""
    if not isinstance(value, tuple):
        return DASH
    number, n, of, place = value
    mark, _ = _PLACES.get(place, ("", ""))
    # A full score keeps its marks within the column.
    written = DASH if number is None else f"{number:.2f}" if number < _FULL else "100.0"
    return written + mark + ("" if n == of else "°")


def _standing(value: object) -> str:
    return _PLACES.get(value[3], ("", ""))[1] if isinstance(value, tuple) else ""


def _magnitude(value: object) -> object:
    return value[0] if isinstance(value, tuple) else value


def tenths(value: object) -> str:
    """Write a score of the 0 to 100 scale with one decimal."""
    return f"{value:.1f}" if isinstance(value, float) else DASH


def _error(value: object) -> str:
    return numbers.nmse(value if isinstance(value, float) else None)


def text(value: object) -> str:
    """Write a value, or a dash for none."""
    return DASH if value is None else str(value)


def verdict_tone(value: object) -> str:
    """Give a verdict its colour."""
    if value == "equivalent":
        return "good"
    return {"same_structure": "fair", "undetermined": "quiet", "not_applicable": "quiet"}.get(str(value), "")


def _state_tone(value: object) -> str:
    if value in ("completed", "timeout"):
        # A search that its budget ended is none that failed.
        return ""
    return "quiet" if value in ("planned", "starting", "running", "cancelled") else "bad"


METHOD_COLUMNS = (
    Column("label", "method", 11, grow=1),
    *(Column(axis, axis, 7, right=True, show=_hundred, order=_magnitude, tone=_standing) for axis in AXES),
    Column("runs", "scored", 7, right=True, show=text),
    Column("condition", "labels", 8),
    *(Column(f"{axis}_95", f"{axis} 95%", 8, right=True, show=text) for axis in AXES),
)
RUN_COLUMNS = (
    Column("label", "method", 8, grow=1),
    Column("name", "task", 12, grow=1),
    Column("seed", "seed", 4, right=True),
    Column("verdict", "verdict", 14, show=text, tone=verdict_tone),
    Column("id_nmse", "ID NMSE", 8, right=True, show=_error),
    Column("ood_nmse", "OOD NMSE", 8, right=True, show=_error),
    *(Column(axis, axis, 5, right=True, show=tenths) for axis in ("SYM", "MIN", "EFF")),
    Column("status", "status", 12, tone=_state_tone),
    Column("condition", "labels", 8),
    Column("processed", "processed expression", 50, show=text),
)


def place(record: Mapping[str, Any], axis: str, rivals: Sequence[Mapping[str, Any]]) -> int:
    """Rank a method on an axis among those under the same labels, as the printed tables do.

    Parameters
    ----------
    record : mapping
        The method.
    axis : str
        One of `AXES`.
    rivals : sequence of mapping
        All methods, itself among them.

    Returns
    -------
    int
        1 for the best; ties, as printed with two decimals, share a place. 0 without a score, or where all
        are equal: then nobody is ahead.
    """
    own = record[axis]
    values = {
        round(one[axis], 2)
        for one in rivals
        if one["condition"] == record["condition"] and one[axis] is not None
    }
    return 0 if own is None or len(values) < 2 else 1 + sum(value > round(own, 2) for value in values)


def method_row(record: Mapping[str, Any], rivals: Sequence[Mapping[str, Any]]) -> Row:
    """Make the row of one method under one condition, among all the methods of the campaign."""
    values: dict[str, object] = {"label": record["label"], "condition": record["condition"]}
    values |= {
        axis: (record[axis], record[f"{axis}_n"], record[f"{axis}_of"], place(record, axis, rivals))
        for axis in AXES
    }
    values["runs"] = f"{record['ID_n']}/{record['ID_of']}"
    values |= {f"{axis}_95": _between(record, axis) for axis in AXES}
    return Row(method_key(record), values)


def _between(record: Mapping[str, Any], axis: str) -> str | None:
    low, high = record[f"{axis}_low"], record[f"{axis}_high"]
    return None if low is None or high is None else f"{low:.0f}-{high:.0f}"


def published_row(record: Mapping[str, Any]) -> Row:
    """Make the row of one published method; its name says that it is not the user's own."""
    values: dict[str, object] = {"label": f"{record['label']} (published)", "condition": record["condition"]}
    values |= {axis: (record[axis], 1, 1, 0) for axis in AXES}
    values["runs"] = None
    return Row(published_key(record), values)


def method_key(record: Mapping[str, Any]) -> str:
    """Name a method under a condition."""
    return f"{record['label']} {record['condition']}"


def published_key(record: Mapping[str, Any]) -> str:
    """Name a published method under a condition; never the name of the user's own."""
    return f"published {method_key(record)}"


def run_row(run: "RunScore") -> Row:
    """Make the row of one run; its key is the run's id."""
    values: dict[str, object] = {
        column.name: getattr(run, column.name) for column in RUN_COLUMNS if column.name not in AXES
    }
    return Row(run.id, values | {axis: hundredfold(run.scores.get(axis)) for axis in ("SYM", "MIN", "EFF")})


def hundredfold(value: float | None) -> float | None:
    """Put a score on the 0 to 100 display scale."""
    return None if value is None else 100.0 * value


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


def about_published(record: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Describe a published method: the six values, which have no intervals."""
    facts: list[tuple[str, object]] = [(f"{record['label']}, {record['condition']} labels (published)", "")]
    facts += [
        (axis, f"{bar(record[axis], None, None)} {record[axis]:6.2f}")
        for axis in AXES
        if record[axis] is not None
    ]
    facts.append(("", "the paper's own result on its own runs (Core50, 3 h)"))
    return facts


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
