"""Line charts in Braille dots: series, bands, a log axis with a floor, gaps, marks. Values in, text out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from arena_tui.widgets import scales
from arena_tui.widgets.plain import fit

# Below this an error is drawn on the axis' floor, with a mark: SPEC 1 clips the quality there.
FLOOR = 1e-12
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_BRAILLE = 0x2800
_LEAST_CANVAS = 4
_SMALLEST = (12, 4)
# What lines are drawn over: nothing, a band, a mark.
_UNDER = ("", "░", "┊")


@dataclass(frozen=True, slots=True)
class Series:
    """A named line: x ascending, y with None or NaN where there is nothing.

    ``low`` and ``high``, when given, are the edges of a band around it. ``step`` holds values; ``points``
    draws a ``sign`` (a dot when empty) at each value and no line; a line has its ``sign`` at its end.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    colour: int = 0
    step: bool = False
    points: bool = False
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """What to draw: series, the axes' names and scale, upright marks; ``empty`` is said where nothing is."""

    series: Sequence[Series]
    log: bool = False
    x_title: str = ""
    y_limits: tuple[float, float] | None = None
    x_limits: tuple[float, float] | None = None
    marks: Sequence[tuple[float, str]] = ()
    x_log: bool = False
    empty: str = "no data"


@dataclass(slots=True)
class Cell:
    """One cell of the canvas: its dots, the letter that hides them, and who painted it (a role's name)."""

    dots: int = 0
    letter: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """Lines of (text, role) pieces; roles are ``axis``, ``mark``, ``note``, ``band0``..., ``series0``..."""

    lines: tuple[tuple[tuple[str, str], ...], ...]
    skipped: int = 0
    floored: int = 0


@dataclass(slots=True)
class _Canvas:
    width: int
    height: int
    cells: list[list[Cell]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cells = [[Cell() for _ in range(self.width)] for _ in range(self.height)]

    def dot(self, x: int, y: int, role: str) -> None:
        if 0 <= x < 2 * self.width and 0 <= y < 4 * self.height:
            cell = self.cells[y // 4][x // 2]
            cell.dots |= _DOTS[y % 4][x % 2]
            # A sign that stands there already is another line's, and keeps its colour.
            if cell.letter in _UNDER:
                cell.role = role

    def segment(self, x0: int, y0: int, x1: int, y1: int, role: str) -> None:
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for step in range(steps + 1):
            self.dot(round(x0 + (x1 - x0) * step / steps), round(y0 + (y1 - y0) * step / steps), role)


def draw(chart: Chart, width: int, height: int) -> Picture:
    """Draw a chart as text.

    Parameters
    ----------
    chart : Chart
        What to draw. On a log axis a zero or a negative value is drawn at the floor 1e-12 with ``▾``.
    width, height : int
        Cells to fill.

    Returns
    -------
    Picture
        ``height`` lines of ``width`` cells; ``empty`` in the middle when there is no finite point.
    """
    if width < _SMALLEST[0] or height < _SMALLEST[1]:
        return _message("too small" if width >= 9 else "", width, height)
    cleaned, skipped, floored = _clean(chart)
    found = scales.limits(cleaned, chart)
    if found is None:
        note = chart.empty if not skipped else f"no data ({skipped} not finite)"
        return _message(note, width, height, skipped)
    (x_low, x_high), (y_low, y_high) = found
    y_ticks = scales.ticks(y_low, y_high, max(2, (height - 2) // 3), log=chart.log)
    margin = min(max((len(label) for _, label in y_ticks), default=1) + 1, width - _LEAST_CANVAS)
    canvas = _Canvas(width - margin, height - 2)
    across = scales.Scale(x_low, x_high, 2 * canvas.width - 1, log=chart.x_log)
    up = scales.Scale(y_low, y_high, 4 * canvas.height - 1, log=chart.log)
    _paint_marks(canvas, chart, across)
    for series in cleaned:
        _paint_band(canvas, series, across, up)
    for series in cleaned:
        _paint_series(canvas, series, across, up)
    _label_marks(canvas, chart, across)
    lines = _framed(canvas, y_ticks, up, margin)
    lines.extend(_x_axis(chart, across, (x_low, x_high), margin, canvas.width, (skipped, floored)))
    return Picture(tuple(lines), skipped, floored)


def _message(text: str, width: int, height: int, skipped: int = 0) -> Picture:
    blank = ((" " * max(0, width), "axis"),)
    middle = ((fit(text.center(max(0, width)), max(0, width)), "note"),)
    return Picture(tuple(middle if y == height // 2 else blank for y in range(max(0, height))), skipped)


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _clean(chart: Chart) -> tuple[list[Series], int, int]:
    """Put what is at or below the floor on it, make gaps of what is not finite; count both."""
    skipped = floored = 0
    cleaned = []
    for series in chart.series:
        y: list[float | None] = []
        for value in series.y:
            if value is None or not math.isfinite(value):
                skipped += 1
                y.append(None)
            elif chart.log and value <= FLOOR:
                floored += 1
                y.append(FLOOR)
            else:
                y.append(value)
        edges = [
            [max(v, FLOOR) if chart.log and v is not None and math.isfinite(v) else v for v in edge]
            for edge in (series.low, series.high)
        ]
        cleaned.append(replace(series, y=y, low=edges[0], high=edges[1]))
    return cleaned, skipped, floored


def _paint_marks(canvas: _Canvas, chart: Chart, across: scales.Scale) -> None:
    for x, _ in chart.marks:
        at = across.place(x)
        if at is None or not 0 <= at < 2 * canvas.width:
            continue
        for row in canvas.cells:
            row[at // 2] = Cell(letter="┊", role="mark")


def _label_marks(canvas: _Canvas, chart: Chart, across: scales.Scale) -> None:
    """Write each mark's label beside it, on the first line where it hides nothing."""
    for x, label in chart.marks:
        at = across.place(x)
        if at is None:
            continue
        after = at // 2 + 1
        start = after if after + len(label) <= canvas.width else at // 2 - len(label)
        if start < 0:
            continue
        for row in canvas.cells:
            cells = row[start : start + len(label)]
            if all(not cell.letter and not cell.dots for cell in cells):
                for cell, letter in zip(cells, label, strict=True):
                    cell.letter, cell.role = letter, "mark"
                break


def _paint_band(canvas: _Canvas, series: Series, across: scales.Scale, up: scales.Scale) -> None:
    """Shade between the edges, from each point to the next; a point without edges ends the band."""
    before: tuple[int, int, int] | None = None
    for x, low, high in zip(series.x, series.low, series.high, strict=False):
        if low is None or high is None or not math.isfinite(low) or not math.isfinite(high):
            before = None
            continue
        at, bottom, top = across.place(x), up.place(low), up.place(high)
        if at is None or bottom is None or top is None:
            before = None
            continue
        start = before or (at, bottom, top)
        for column in range(start[0] // 2, at // 2 + 1):
            share = 1.0 if at == start[0] else min(1.0, max(0.0, (2 * column - start[0]) / (at - start[0])))
            edges = (start[1] + share * (bottom - start[1]), start[2] + share * (top - start[2]))
            _shade(canvas, column, edges, series.colour)
        before = (at, bottom, top)


def _shade(canvas: _Canvas, column: int, edges: tuple[float, float], colour: int) -> None:
    height = 4 * canvas.height - 1
    first, last = int(height - edges[1]) // 4, int(height - edges[0]) // 4
    for y in range(max(0, first), min(canvas.height - 1, last) + 1):
        cell = canvas.cells[y][min(column, canvas.width - 1)]
        if not cell.letter:
            cell.letter, cell.role = "░", f"band{colour}"


def _paint_series(canvas: _Canvas, series: Series, across: scales.Scale, up: scales.Scale) -> None:
    role, height = f"series{series.colour}", 4 * canvas.height - 1
    before: tuple[int, int] | None = None
    spots: list[tuple[int, int, float]] = []
    for x, y in zip(series.x, series.y, strict=False):
        if not _finite(x) or y is None:
            before = None
            continue
        at, rise = across.place(x), up.place(y)
        if at is None or rise is None:
            before = None
            continue
        here = (at, height - rise)
        spots.append((*here, y))
        if not series.points:
            if before is None:
                canvas.dot(*here, role)
            elif series.step:
                canvas.segment(*before, here[0], before[1], role)
                canvas.segment(here[0], before[1], *here, role)
            else:
                canvas.segment(*before, *here, role)
        before = here
    for number, (x_dot, y_dot, value) in enumerate(spots, 1):
        floored = up.log and value <= FLOOR
        # A line with a sign carries it at its end, so that lines are told apart without colour.
        signed = series.points or len(spots) == 1 or (series.sign and number == len(spots))
        inside = 0 <= x_dot // 2 < canvas.width and 0 <= y_dot // 4 < canvas.height
        if inside and (floored or signed):
            canvas.cells[y_dot // 4][x_dot // 2] = Cell(
                letter="▾" if floored else series.sign or "•", role=role
            )
    _clear_bands_under(canvas)


def _clear_bands_under(canvas: _Canvas) -> None:
    for row in canvas.cells:
        for cell in row:
            if cell.dots and cell.letter in _UNDER:
                cell.letter = ""


def _framed(
    canvas: _Canvas, y_ticks: Sequence[tuple[float, str]], up: scales.Scale, margin: int
) -> list[tuple[tuple[str, str], ...]]:
    labels: dict[int, str] = {}
    for value, label in y_ticks:
        place = up.place(value)
        if place is not None:
            labels.setdefault((4 * canvas.height - 1 - place) // 4, label)
    lines = []
    for y, row in enumerate(canvas.cells):
        label = labels.get(y, "")
        pieces = [(fit(label, margin - 1, right=True), "axis"), ("┤" if label else "│", "axis")]
        for cell in row:
            letter = cell.letter or (chr(_BRAILLE + cell.dots) if cell.dots else " ")
            role = cell.role if letter != " " else "axis"
            if pieces[-1][1] == role and len(pieces) > 2:
                pieces[-1] = (pieces[-1][0] + letter, role)
            else:
                pieces.append((letter, role))
        lines.append(tuple(pieces))
    return lines


def _x_axis(
    chart: Chart,
    across: scales.Scale,
    limits: tuple[float, float],
    margin: int,
    width: int,
    counts: tuple[int, int],
) -> list[tuple[tuple[str, str], ...]]:
    rule, labels = ["─"] * width, [" "] * width
    free = 0
    for value, label in scales.ticks(*limits, max(2, width // 12), log=chart.x_log):
        place = across.place(value)
        if place is None:
            continue
        at = place // 2
        rule[at] = "┴"
        start = max(0, min(at - len(label) // 2, width - len(label)))
        if start >= free and start + len(label) <= width:
            labels[start : start + len(label)] = label
            free = start + len(label) + 1
    skipped, floored = counts
    notes = [f"▾{floored} at 0"] if floored else []
    notes += [f"{skipped} skipped"] if skipped else []
    tail = "  ".join([*notes, *([chart.x_title] if chart.x_title else [])])
    if tail and free + len(tail) + 1 < width:
        labels[width - len(tail) :] = tail
    elif notes and len(tail) + 2 < width:
        labels[width - len(tail) - 2 :] = "  " + tail
    axis = (" " * (margin - 1) + "└" + "".join(rule), "axis")
    return [(axis,), ((" " * margin + "".join(labels), "axis"),)]
