"""Which rows a table shows, in which order, and how its width is shared out."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arena_tui.widgets import filtering
from arena_tui.widgets.filtering import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena_tui.widgets.columns import Column, Row


@dataclass(slots=True)
class Arrangement:
    """What a person chose: the filter's text, the column of the order, the column of the groups."""

    text: str = ""
    sort: str | None = None
    descending: bool = False
    group: str | None = None
    summary: "Callable[[Sequence[Row]], str] | None" = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line below the header: a row by its key, or a group's heading."""

    key: str | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """The lines of a table in order, the keys of the rows among them, and the line of each key."""

    lines: list[Line]
    keys: list[str] = field(init=False)
    place: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Look up each row's line once, not at every key."""
        place = {line.key: at for at, line in enumerate(self.lines) if line.key is not None}
        object.__setattr__(self, "place", place)
        object.__setattr__(self, "keys", list(place))

    def nearest(self, line: int) -> str | None:
        """Return the row at a line or the next below it; the last row when there is none.

        Parameters
        ----------
        line : int
            Counted from the first below the header.

        Returns
        -------
        str or None
            The row's key; None without rows.
        """
        below = next((key for key in self.keys if self.place[key] >= line), None)
        return below or (self.keys[-1] if self.keys else None)

    def stepped(self, key: str | None, step: int) -> str | None:
        """Return the row some rows away, at most the first or the last.

        Parameters
        ----------
        key : str or None
            Where to start; the first row when it is not shown.
        step : int
            Rows, downwards positive.

        Returns
        -------
        str or None
            The row's key; None without rows.
        """
        if not self.keys:
            return None
        at = self.keys.index(key) if key in self.place and key else 0
        return self.keys[max(0, min(len(self.keys) - 1, at + step))]


def arrange(
    rows: "Mapping[str, Row]", columns: "Sequence[Column]", wanted: Arrangement
) -> tuple[list[Line], str | None]:
    """Filter, sort and group rows.

    Parameters
    ----------
    rows : mapping of str to Row
        All rows by key.
    columns : sequence of Column
        The table's columns.
    wanted : Arrangement
        Filter, order, grouping.

    Returns
    -------
    tuple of list of Line and (str or None)
        The lines in order, and what of the filter was not understood.
    """
    condition = filtering.parse(wanted.text, [column.name for column in columns])
    kept = list(rows.values())
    if condition.terms:
        kept = [row for row in kept if filtering.keeps(condition, _texts(row, columns), row.values)]
    by_name = {column.name: column for column in columns}
    if wanted.sort in by_name:
        kept = _sorted(kept, by_name[wanted.sort], descending=wanted.descending)
    if wanted.group is None:
        return [Line(row.key) for row in kept], condition.problem
    groups: dict[str, list[Row]] = {}
    for row in kept:
        groups.setdefault(str(row.values.get(wanted.group, "")), []).append(row)
    lines = []
    for name, members in sorted(groups.items()):
        extra = wanted.summary(members) if wanted.summary else f"{len(members)}"
        lines.append(Line(None, f"{name}  {extra}"))
        lines.extend(Line(row.key) for row in members)
    return lines, condition.problem


def _texts(row: "Row", columns: "Sequence[Column]") -> dict[str, str]:
    """Write each cell as it is shown, and as it stands behind that where the two differ."""
    texts = {}
    for column in columns:
        value = row.values.get(column.name)
        shown = column.show(value).lower()
        behind = value.lower() if isinstance(value, str) else ""
        texts[column.name] = f"{shown}{SEPARATOR}{behind}" if behind and behind != shown else shown
    return texts


def _sorted(rows: "list[Row]", column: "Column", *, descending: bool) -> "list[Row]":
    """Sort by one column, what has no value last either way; ties keep the order in which they were given."""
    known = [row for row in rows if not _missing(row.values.get(column.name))]
    unknown = [row for row in rows if _missing(row.values.get(column.name))]

    def order(row: "Row") -> tuple[int, object]:
        value = column.order(row.values.get(column.name))
        return (0, value) if isinstance(value, int | float) else (1, str(value).lower())

    known.sort(key=order, reverse=descending)
    return known + unknown


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def widths(columns: "Sequence[Column]", room: int, gap: int) -> list[int]:
    """Share out a table's width.

    Parameters
    ----------
    columns : sequence of Column
        The columns with their natural widths.
    room : int
        Cells that are there.
    gap : int
        Cells between two columns.

    Returns
    -------
    list of int
        A width for each column; what is left over goes to the columns that may grow.
    """
    natural = [column.width for column in columns]
    left = room - sum(natural) - gap * max(0, len(columns) - 1)
    shares = sum(column.grow for column in columns)
    if left <= 0 or not shares:
        return natural
    return [width + left * column.grow // shares for width, column in zip(natural, columns, strict=True)]
