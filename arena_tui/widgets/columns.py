"""Columns and rows of a table, and how a line of them is painted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from arena_tui.widgets.plain import fit, printable

if TYPE_CHECKING:
    from arena_tui.widgets.arranging import Arrangement

GAP = 1
GUTTER = 2


@dataclass(frozen=True, slots=True)
class Column:
    """One column: where its value is found, how it is written, how wide it may be.

    ``tone`` maps a value to ``good``, ``fair``, ``bad``, ``quiet``, ``live`` or an empty text.
    A column with ``grow`` takes what width is left.
    """

    name: str
    title: str
    width: int
    right: bool = False
    grow: int = 0
    show: Callable[[object], str] = field(default=lambda value: "–" if value is None else str(value))
    tone: Callable[[object], str] = field(default=lambda _value: "")
    order: Callable[[object], object] = field(default=lambda value: value)


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a key that stays the same between refreshes, and its values by column name."""

    key: str
    values: Mapping[str, object]


def span(widths: Sequence[int]) -> int:
    """Return the cells of the gutter and of columns with gaps between them.

    Parameters
    ----------
    widths : sequence of int
        The columns' widths.

    Returns
    -------
    int
        Cells.
    """
    return GUTTER + sum(widths) + GAP * max(0, len(widths) - 1)


def column_at(columns: Sequence[Column], widths: Sequence[int], x: int) -> str | None:
    """Find the column at a cell.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    widths : sequence of int
        Their widths.
    x : int
        Cells from the left edge of the whole table.

    Returns
    -------
    str or None
        The column's name.
    """
    left = GUTTER
    for column, width in zip(columns, widths, strict=True):
        if left <= x < left + width + GAP:
            return column.name
        left += width + GAP
    return None


def heading(
    columns: Sequence[Column], widths: Sequence[int], order: "Arrangement", base: Style, chosen: Style
) -> Strip:
    """Paint the headings; the column of the order has an arrow.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    widths : sequence of int
        Their widths.
    order : Arrangement
        Which column orders the rows, and how.
    base, chosen : Style
        Of headings, and of the one that orders.

    Returns
    -------
    Strip
        The whole line.
    """
    segments = [Segment(" " * GUTTER, base)]
    for column, width in zip(columns, widths, strict=True):
        is_sort = column.name == order.sort
        arrow = ("▼" if order.descending else "▲") if is_sort else ""
        title = column.title[: width - len(arrow)]
        text = fit(arrow + title if column.right else title + arrow, width, right=column.right)
        segments += [Segment(text, chosen if is_sort else base), Segment(" " * GAP, base)]
    return Strip(segments)


def gutter(mark: Segment, bar: Style, back: Style, *, on_cursor: bool) -> list[Segment]:
    """Paint what stands before the cells: a bar on the cursor's line, and the row's mark.

    Parameters
    ----------
    mark : Segment
        The sign of a marked row, or a blank.
    bar, back : Style
        Of the bar, and of the line.
    on_cursor : bool
        Whether this is the cursor's line.

    Returns
    -------
    list of Segment
        ``GUTTER`` cells.
    """
    return [Segment("▌" if on_cursor else " ", back + bar), mark]


def scrolled(strip: Strip, held: int, left: int, width: int, back: Style) -> Strip:
    """Cut a line to what is seen: its first cells stay, the others are scrolled sideways.

    Parameters
    ----------
    strip : Strip
        The whole line.
    held, left, width : int
        Cells that stay, cells the others are scrolled by, cells that are seen.
    back : Style
        Fills up short lines.

    Returns
    -------
    Strip
        Exactly ``width`` cells.
    """
    if not left or not held:
        return strip.crop_extend(left, left + width, back)
    moving = strip.crop_extend(held + left, left + width, back)
    return Strip.join([strip.crop_extend(0, held, back), moving])


def body(
    row: Row,
    columns: Sequence[Column],
    widths: Sequence[int],
    tones: Callable[[str], Style],
    back: Style,
) -> list[Segment]:
    """Paint the cells of a row, without its gutter.

    Parameters
    ----------
    row : Row
        The row; its texts are shown letter for letter.
    columns : sequence of Column
        The columns.
    widths : sequence of int
        Their widths.
    tones : callable
        Style of a tone's name.
    back : Style
        Of the line.

    Returns
    -------
    list of Segment
        The painted cells.
    """
    segments = []
    for column, width in zip(columns, widths, strict=True):
        value = row.values.get(column.name)
        tone = column.tone(value)
        style = back + Style(color=tones(tone).color, bold=tones(tone).bold) if tone else back
        segments.append(Segment(fit(printable(column.show(value)), width, right=column.right), style))
        segments.append(Segment(" " * GAP, back))
    return segments


def as_tsv(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    """Write rows with every column and full values, separated by tabs.

    Parameters
    ----------
    rows : sequence of Row
        The rows in order.
    columns : sequence of Column
        The columns.

    Returns
    -------
    str
        A heading line and one line for each row.
    """
    lines = ["\t".join(column.name for column in columns)]
    for row in rows:
        cells = ("" if (value := row.values.get(c.name)) is None else str(value) for c in columns)
        lines.append("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in cells))
    return "\n".join(lines) + "\n"
