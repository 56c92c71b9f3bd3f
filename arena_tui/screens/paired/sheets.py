"""Small tables and sentences as lines: aligned where the width allows it, else one value a line."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from arena_tui.screens.paired.lines import Line
from arena_tui.widgets.plain import fit, wrap

_GAP = 2
_DASH = "–"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: its caption, its heads, its rows; the first ``left`` columns name the row."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    left: int = 1


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence; with a kind of ``lines.KINDS``."""

    text: str
    kind: str = ""


Part = Sheet | Words


def folded(parts: Sequence[Part], width: int) -> list[Line]:
    """Fold tables and sentences, with a blank line between a table and what is around it.

    Parameters
    ----------
    parts : sequence of Sheet or Words
        In their order.
    width : int
        Cells of a line.

    Returns
    -------
    list of Line
        Nothing is cut: a table that is too wide is written with one value a line.
    """
    lines: list[Line] = []
    for place, part in enumerate(parts):
        if place and (isinstance(part, Sheet) or isinstance(parts[place - 1], Sheet)):
            lines.append(())
        if isinstance(part, Words):
            lines += [((text, part.kind),) for text in words(part.text, width)]
        else:
            lines += _sheet(part, width)
    return lines


def words(text: str, width: int) -> list[str]:
    """Fold a text at spaces where there are some, else anywhere.

    Parameters
    ----------
    text : str
        Printable text of one or several lines.
    width : int
        Cells of a line.

    Returns
    -------
    list of str
        The lines, losing nothing but the spaces at which they are folded.
    """
    found: list[str] = []
    for line in text.split("\n"):
        current = ""
        for word in line.split(" "):
            if current and cell_len(current) + 1 + cell_len(word) > width:
                found.append(current)
                current = word
            else:
                current = f"{current} {word}" if current else word
        found.extend(wrap(current, width))
    return found


def shown(value: object) -> str:
    """Write a value of a table; a dash where there is none."""
    return _DASH if value is None else str(value)


def _sheet(sheet: Sheet, width: int) -> list[Line]:
    lines: list[Line] = [((text, "heading"),) for text in words(sheet.caption, width) if sheet.caption]
    cells = [[shown(value) for value in row] for row in sheet.rows]
    widths = [
        max(cell_len(row[place]) for row in [list(sheet.heads), *cells]) for place in range(len(sheet.heads))
    ]
    if sum(widths) + _GAP * (len(widths) - 1) <= width:
        gap = " " * _GAP
        for row, kind in [(list(sheet.heads), "quiet"), *((row, "") for row in cells)]:
            text = gap.join(
                fit(cell, size, right=place >= sheet.left)
                for place, (cell, size) in enumerate(zip(row, widths, strict=True))
            )
            lines.append(((text.rstrip(), kind),))
        return lines
    column = max((cell_len(head) for head in sheet.heads[sheet.left :]), default=0) + _GAP
    for row in cells:
        names = " ".join(
            f"{head} {cell}".strip() for head, cell in zip(sheet.heads, row[: sheet.left], strict=False)
        )
        lines += [((text, "strong"),) for text in words(names, width)]
        for head, cell in zip(sheet.heads[sheet.left :], row[sheet.left :], strict=True):
            for place, text in enumerate(words(cell, max(1, width - column - _GAP))):
                lines.append(((" " * _GAP + fit(head if place == 0 else "", column), "quiet"), (text, "")))
    return lines
