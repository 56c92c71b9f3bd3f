"""The line that names the views of the Scores screen and says which one is in front."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget


class ViewStrip(Widget):
    """Names side by side, each with its key; a click chooses one."""

    DEFAULT_CSS = """
    ViewStrip {
        height: 1; background: $panel; color: $foreground;
        & .strip--key { color: $primary; }
        & .strip--front { background: $primary; color: $background; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"strip--key", "strip--front"}

    front: reactive[str] = reactive("")

    class Chosen(Message):
        """A view's name was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, views: Sequence[tuple[str, str, str]]) -> None:
        super().__init__()
        self._views = tuple(views)
        self._spans: list[tuple[int, int, str]] = []

    def render_line(self, y: int) -> Strip:
        """Paint the line.

        Parameters
        ----------
        y : int
            Always 0.

        Returns
        -------
        Strip
            The painted cells.
        """
        if y:
            return Strip.blank(self.size.width, self.rich_style)
        base, width = self.rich_style, self.size.width
        front, key_style = (
            base + self.get_component_rich_style(f"strip--{part}", partial=True) for part in ("front", "key")
        )
        # Where the names do not all fit, those behind are told by their keys alone.
        short = sum(len(title) + 4 for _, title, _ in self._views) > width
        segments: list[Segment] = []
        self._spans, at = [], 0
        for name, title, key in self._views:
            if name == self.front:
                pieces = [Segment(f"[{key} {title}]", front)]
            else:
                pieces = [Segment(f" {key}", key_style), Segment(" " if short else f" {title} ", base)]
            length = sum(len(piece.text) for piece in pieces)
            self._spans.append((at, at + length, name))
            segments += pieces
            at += length
        return Strip(segments).crop_extend(0, width, base)

    def on_click(self, event: events.Click) -> None:
        """Choose the clicked view."""
        for start, end, name in self._spans:
            if start <= event.x < end:
                self.post_message(self.Chosen(name))
