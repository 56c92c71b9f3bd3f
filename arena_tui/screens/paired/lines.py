"""Lines that are folded anew for every width: what tables and paths are painted with."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from arena_tui.widgets.plain import printable

Line: TypeAlias = tuple[tuple[str, str], ...]
"""Pieces of text, each with its kind: an empty text, or one of ``KINDS``."""
Fold: TypeAlias = Callable[[int], Sequence[Line]]
"""Makes lines of at most so many cells."""

KINDS = ("heading", "quiet", "good", "fair", "bad", "strong")
_COPIED_WIDTH = 160


def written(fold: Fold) -> str:
    """Write what a fold makes as plain text for a wide page.

    Parameters
    ----------
    fold : callable
        Makes the lines for a width.

    Returns
    -------
    str
        One line for each.
    """
    return "\n".join("".join(text for text, _ in line).rstrip() for line in fold(_COPIED_WIDTH))


class Lines(Widget):
    """Paints what a fold makes of the width there is; nothing is cut as long as the fold cuts nothing."""

    DEFAULT_CSS = """
    Lines {
        height: auto; width: 1fr;
        & .lines--heading { color: $primary; text-style: bold; }
        & .lines--quiet { color: $quiet; }
        & .lines--good { color: $good; }
        & .lines--fair { color: $fair; text-style: bold; }
        & .lines--bad { color: $bad; }
        & .lines--strong { text-style: bold; }
    }
    """
    COMPONENT_CLASSES = {f"lines--{kind}" for kind in KINDS}  # noqa: RUF012 - Textual declares it so

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._fold: Fold = lambda _width: ()
        self._folded: tuple[int, Sequence[Line]] | None = None

    def show(self, fold: Fold) -> None:
        """Show something else.

        Parameters
        ----------
        fold : callable
            Makes the lines for a width.
        """
        self._fold = fold
        self._folded = None
        self.refresh(layout=True)

    def as_text(self) -> str:
        """Write the lines as plain text, folded for a wide page."""
        return written(self._fold)

    def _lines(self, width: int) -> Sequence[Line]:
        if self._folded is None or self._folded[0] != width:
            self._folded = (width, self._fold(width))
        return self._folded[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the lines there are at a width."""
        return len(self._lines(max(1, width)))

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
        base, width = self.rich_style, self.size.width
        lines = self._lines(max(1, width))
        if y >= len(lines):
            return Strip.blank(width, base)
        segments = [Segment(printable(text), base + self._style(kind)) for text, kind in lines[y]]
        return Strip(segments).crop_extend(0, width, base)

    def _style(self, kind: str) -> Style:
        return self.get_component_rich_style(f"lines--{kind}", partial=True) if kind else Style()
