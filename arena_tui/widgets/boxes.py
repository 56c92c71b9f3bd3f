"""Blocks of letters with a baseline: beside one another, over a bar, raised, under a root, in brackets."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from arena_tui.widgets.plain import printable

# A text and what it is: number, call, name, operator or other.
Piece = tuple[str, str]
Line = tuple[Piece, ...]

_ROUND = (("⎛", "⎜", "⎝"), ("⎞", "⎟", "⎠"))
_BRACE = ("⎧", "⎪", "⎩")


@dataclass(frozen=True, slots=True)
class Box:
    """Lines of equal width in cells; ``base`` is the line that stands level with what is beside it."""

    lines: tuple[Line, ...]
    width: int
    base: int

    @property
    def height(self) -> int:
        """Number of lines."""
        return len(self.lines)

    def rows(self) -> list[str]:
        """Return the lines as text."""
        return ["".join(text for text, _ in line) for line in self.lines]


def word(text: str, kind: str) -> Box:
    """Return a box of one line.

    Parameters
    ----------
    text : str
        Any text; control characters are replaced.
    kind : str
        What it is, for its colour.

    Returns
    -------
    Box
        As wide as the text.
    """
    shown = printable(text)
    return Box((((shown, kind),),), cell_len(shown), 0)


def _blank(width: int) -> Line:
    return ((" " * width, "other"),) if width else ()


def _widened(line: Line, width: int, target: int, *, centred: bool) -> Line:
    left = (target - width) // 2 if centred else 0
    return (*_blank(left), *line, *_blank(target - width - left))


def beside(*boxes: Box) -> Box:
    """Set boxes in a row, their baselines level.

    Parameters
    ----------
    *boxes : Box
        From left to right.

    Returns
    -------
    Box
        As high as the highest above and the deepest below the baseline ask for.
    """
    above = max(box.base for box in boxes)
    below = max(box.height - box.base for box in boxes)
    lines = []
    for row in range(-above, below):
        line: list[Piece] = []
        for box in boxes:
            at = box.base + row
            line += box.lines[at] if 0 <= at < box.height else _blank(box.width)
        lines.append(tuple(line))
    return Box(tuple(lines), sum(box.width for box in boxes), above)


def stacked(boxes: Sequence[Box], *, centred: bool = False, base: int | None = None) -> Box:
    """Set boxes under one another.

    Parameters
    ----------
    boxes : sequence of Box
        From top to bottom.
    centred : bool
        In the middle instead of at the left edge.
    base : int, optional
        The baseline; the middle line when it is not given.

    Returns
    -------
    Box
        As wide as the widest.
    """
    width = max(box.width for box in boxes)
    lines = tuple(_widened(line, box.width, width, centred=centred) for box in boxes for line in box.lines)
    return Box(lines, width, len(lines) // 2 if base is None else base)


def fraction(above: Box, below: Box) -> Box:
    """Set one box over another with a bar between them, which stands on the baseline.

    Parameters
    ----------
    above, below : Box
        Numerator and denominator.

    Returns
    -------
    Box
        As wide as the wider.
    """
    bar = word("─" * max(above.width, below.width), "operator")
    return stacked([above, bar, below], centred=True, base=above.height)


def raised(base: Box, exponent: Box) -> Box:
    """Set an exponent at the upper right: above a single line, level with the top of a higher box.

    Parameters
    ----------
    base, exponent : Box
        What is raised, and to which power.

    Returns
    -------
    Box
        The baseline is the base's.
    """
    lift = base.base + (1 if base.height == 1 else 0)
    return beside(base, Box(exponent.lines, exponent.width, exponent.height - 1 + lift))


def rooted(inside: Box) -> Box:
    """Set a box under a root sign.

    Parameters
    ----------
    inside : Box
        The radicand.

    Returns
    -------
    Box
        One line higher.
    """
    height = inside.height
    lines: list[Line] = [(*_blank(height + 1), ("_" * inside.width, "operator"))]
    for at, line in enumerate(inside.lines):
        tick = "╲" if at == height - 1 else " "
        stroke = tick.ljust(height - at) + "╱" + " " * at
        lines.append(((stroke, "operator"), *line))
    return Box(tuple(lines), inside.width + height + 1, inside.base + 1)


def _side(pieces: tuple[str, str, str], height: int) -> Box:
    top, middle, foot = pieces
    letters = [top, *[middle] * (height - 2), foot]
    return Box(tuple(((letter, "operator"),) for letter in letters), 1, 0)


def _flanked(inside: Box, left: Box, right: Box) -> Box:
    before, after = (Box(side.lines, side.width, inside.base) for side in (left, right))
    return beside(before, inside, after)


def bracketed(inside: Box) -> Box:
    """Set a box in round brackets as high as it is.

    Parameters
    ----------
    inside : Box
        What stands between them.

    Returns
    -------
    Box
        Two cells wider.
    """
    if inside.height == 1:
        return beside(word("(", "operator"), inside, word(")", "operator"))
    return _flanked(inside, *(_side(pieces, inside.height) for pieces in _ROUND))


def barred(inside: Box) -> Box:
    """Set a box between upright bars: an absolute value.

    Parameters
    ----------
    inside : Box
        What stands between them.

    Returns
    -------
    Box
        Two cells wider.
    """
    bar = Box(((("│", "operator"),),) * inside.height, 1, inside.base)
    return beside(bar, inside, bar)


def braced(cases: Box) -> Box:
    """Set a brace before the cases of a definition.

    Parameters
    ----------
    cases : Box
        The cases under one another.

    Returns
    -------
    Box
        Two cells wider, at least three lines high.
    """
    if cases.height == 2:
        blank = Box((_blank(cases.width),), cases.width, 0)
        first, last = (Box((line,), cases.width, 0) for line in cases.lines)
        cases = stacked([first, blank, last])
    top, middle, foot = _BRACE
    letters = [middle] * cases.height
    letters[0], letters[-1], letters[cases.height // 2] = top, foot, "⎨"
    side = Box(tuple(((f"{letter} ", "operator"),) for letter in letters), 2, cases.base)
    return beside(side, cases)
