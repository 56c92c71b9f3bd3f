"""A method's profile as a hexagon in Braille dots: one corner for each axis, the rim is 100."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from arena_tui.widgets.chart import series_style

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_BRAILLE = 0x2800
_RINGS = (50.0, 100.0)
# Cells left and right for a corner's words, and lines above and below.
_SIDE, _EDGE = 11, 1
_SMALLEST = (34, 11)

Corners = Sequence[tuple[str, float | None]]


@dataclass(slots=True)
class _Grid:
    """Dots and letters of a picture; ``own`` are the cells that the method's own outline touches."""

    width: int
    height: int
    dots: dict[tuple[int, int], int] = field(default_factory=dict)
    own: set[tuple[int, int]] = field(default_factory=set)
    letters: dict[tuple[int, int], str] = field(default_factory=dict)

    def line(
        self, start: tuple[float, float], end: tuple[float, float], *, own: bool, every: int = 1
    ) -> None:
        """Draw a line of dots; of a rim only every second or third."""
        steps = max(1, round(max(abs(end[0] - start[0]), abs(end[1] - start[1]))))
        for step in range(0, steps + 1, every):
            x = round(start[0] + (end[0] - start[0]) * step / steps)
            y = round(start[1] + (end[1] - start[1]) * step / steps)
            cell = (x // 2, y // 4)
            self.dots[cell] = self.dots.get(cell, 0) | _DOTS[y % 4][x % 2]
            if own:
                self.own.add(cell)

    def write(self, x: int, y: int, words: str) -> None:
        """Put words over the dots, inside the picture."""
        start = max(0, min(x, self.width - len(words)))
        for at, letter in enumerate(words):
            self.letters[start + at, y] = letter


def draw(corners: Corners, width: int, height: int) -> list[list[tuple[str, str]]]:
    """Draw a hexagon.

    Parameters
    ----------
    corners : sequence of (str, float or None)
        Names and scores from 0 to 100, clockwise from the top; a corner without a score is left open.
    width, height : int
        Cells to fill.

    Returns
    -------
    list of list of (str, str)
        ``height`` lines of (text, role) pieces; roles are ``rim``, ``own`` and ``words``. Nothing where there
        is too little room.
    """
    if width < _SMALLEST[0] or height < _SMALLEST[1] or not corners:
        return []
    grid = _Grid(width, height)
    middle = (float(width), 2.0 * height)
    radius = min(width - 2.0 * _SIDE, 2.0 * height - 4.0 * _EDGE - 1)

    def place(at: int, score: float) -> tuple[float, float]:
        angle = 2 * math.pi * at / len(corners)
        reach = radius * score / 100.0
        return middle[0] + reach * math.sin(angle), middle[1] - reach * math.cos(angle)

    for ring in _RINGS:
        for at in range(len(corners)):
            grid.line(place(at, ring), place(at + 1, ring), own=False, every=2 if ring == _RINGS[-1] else 4)
    for at, (_, score) in enumerate(corners):
        after = corners[(at + 1) % len(corners)][1]
        if score is not None and after is not None:
            grid.line(place(at, score), place(at + 1, after), own=True)
        elif score is not None:
            grid.line(place(at, score), place(at, score), own=True)
    for at, (name, score) in enumerate(corners):
        words = f"{name} " + ("n/a" if score is None else f"{score:.1f}")
        x, y = place(at, 100.0)
        cell_x, cell_y = round(x / 2), round(y / 4)
        if abs(x - middle[0]) < 1:
            above = y < middle[1]
            grid.write(
                cell_x - len(words) // 2, max(0, cell_y - 1) if above else min(height - 1, cell_y), words
            )
        else:
            grid.write(cell_x + 2 if x > middle[0] else cell_x - 1 - len(words), cell_y, words)
    return [_pieces(grid, y) for y in range(height)]


def _pieces(grid: _Grid, y: int) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    for x in range(grid.width):
        letter = grid.letters.get((x, y))
        if letter is None:
            mask = grid.dots.get((x, y), 0)
            letter, role = (chr(_BRAILLE + mask) if mask else " "), "own" if (x, y) in grid.own else "rim"
        else:
            role = "words"
        if pieces and pieces[-1][1] == role:
            pieces[-1] = (pieces[-1][0] + letter, role)
        else:
            pieces.append((letter, role))
    return pieces


class Hexagon(Widget):
    """Shows a profile where there is room for it; the bars beside it say the same."""

    DEFAULT_CSS = """
    Hexagon { background: $surface; width: 1fr; height: 100%; }
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._corners: Corners = ()

    def show(self, scores: Mapping[str, float | None]) -> None:
        """Show another profile.

        Parameters
        ----------
        scores : mapping of str to float or None
            Axes in their order, 0 to 100; none at all draws nothing.
        """
        self._corners = tuple(scores.items())
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint one line.

        Parameters
        ----------
        y : int
            Line of the widget.

        Returns
        -------
        Strip
            The painted cells.
        """
        width, base = self.size.width, self.rich_style
        lines = draw(self._corners, width, self.size.height)
        if y >= len(lines):
            return Strip.blank(width, base)
        variables = self.app.theme_variables
        styles = {
            "own": series_style(variables, 0) + Style(bold=True),
            "rim": Style(color=Color.parse(variables.get("quiet", "#888888"))),
            "words": Style(),
        }
        return Strip([Segment(text, base + styles[role]) for text, role in lines[y]]).crop_extend(
            0, width, base
        )
