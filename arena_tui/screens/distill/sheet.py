"""Lines that are laid out for the width they get: bars and ranges that fill the room, nothing cut."""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from arena_tui.widgets.plain import printable

# A line is pieces of text, each with a role: ``heading``, ``quiet``, ``good``, ``fair``, ``bad``, ``live``,
# ``mark`` or nothing.
Line: TypeAlias = Sequence[tuple[str, str]]
Layout: TypeAlias = Callable[[int], Sequence[Line]]

_PARTS = ("heading", "quiet", "good", "fair", "bad", "live", "mark")
# What is copied as text is laid out for a terminal of this width.
_COPIED_WIDTH = 100


class Sheet(Widget):
    """Shows what a layout makes of its width."""

    DEFAULT_CSS = """
    Sheet {
        height: auto; width: 1fr;
        & .sheet--heading { color: $primary; text-style: bold; }
        & .sheet--quiet { color: $quiet; }
        & .sheet--good { color: $good; }
        & .sheet--fair { color: $fair; }
        & .sheet--bad { color: $bad; }
        & .sheet--live { color: $live; }
        & .sheet--mark { color: $accent; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"sheet--{name}" for name in _PARTS}

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._layout: Layout = lambda _width: ()
        self._laid: tuple[int, Sequence[Line]] | None = None

    def show(self, layout: Layout) -> None:
        """Show something else.

        Parameters
        ----------
        layout : callable
            Takes cells, returns lines of at most as many.
        """
        self._layout = layout
        self._laid = None
        self.refresh(layout=True)

    def as_text(self) -> str:
        """Write the lines as plain text."""
        lines = self._layout(_COPIED_WIDTH)
        return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)

    def _lines(self, width: int) -> Sequence[Line]:
        if self._laid is None or self._laid[0] != width:
            self._laid = (width, self._layout(width))
        return self._laid[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the lines that are taken at a width."""
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
        segments = [Segment(printable(text), base + self._part(role)) for text, role in lines[y]]
        return Strip(segments).crop_extend(0, width, base)

    def _part(self, role: str) -> Style:
        return self.get_component_rich_style(f"sheet--{role}", partial=True) if role else Style()
