"""The first line of every screen: the screens by number, the open campaign, and what is unusual (PAUSED)."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from arena_tui.widgets.plain import fit, printable


class Masthead(Widget):
    """Names of the screens; a click on one posts ``Chosen``."""

    DEFAULT_CSS = """
    Masthead {
        dock: top; height: 1; background: $panel; color: $foreground;
        & .masthead--here { background: $primary; color: $background; text-style: bold; }
        & .masthead--number { color: $primary; text-style: bold; }
        & .masthead--banner { background: $warning; color: $background; text-style: bold reverse; }
        & .masthead--place { color: $quiet; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "masthead--here", "masthead--number", "masthead--banner", "masthead--place",
    }  # fmt: skip

    place: reactive[str] = reactive("")
    banner: reactive[str] = reactive("")

    class Chosen(Message):
        """A screen's name was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, names: Sequence[tuple[str, str, str]], here: str) -> None:
        super().__init__()
        self._names = tuple(names)
        self._here = here
        self._spans: list[tuple[int, int, str]] = []

    def on_click(self, event: events.Click) -> None:
        """Go to the clicked screen."""
        for start, end, name in self._spans:
            if start <= event.x < end:
                self.post_message(self.Chosen(name))

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
        width, base = self.size.width, self.rich_style
        banner = f" {self.banner} " if self.banner else ""
        full = sum(len(title) + 4 for _, _, title in self._names)
        short = full + len(banner) > width
        segments: list[Segment] = []
        self._spans = []
        at = 0
        for key, name, title in self._names:
            here = name == self._here
            text = title if here or not short else ""
            style = base + self._part("here") if here else base
            number = style if here else base + self._part("number")
            length = len(text) + (4 if text else 3)
            segments += [Segment(f" {key} ", number), Segment(f"{text} " if text else "", style)]
            self._spans.append((at, at + length, name))
            at += length
        room = width - at - len(banner)
        place = printable(self.place)
        if place and room > 6:
            segments.append(Segment(fit(f" {place} ", room, right=True), base + self._part("place")))
        else:
            segments.append(Segment(" " * max(0, room), base))
        if banner:
            segments.append(Segment(banner, base + self._part("banner")))
        return Strip(segments).crop_extend(0, width, base)

    def _part(self, name: str) -> Style:
        return self.get_component_rich_style(f"masthead--{name}", partial=True)
