"""The last line of every screen: its keys, the most needed ones first, and help and quit always."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding
from textual.strip import Strip
from textual.widget import Widget

_ALWAYS = (("?", "help", "app.help"), ("q", "quit", "app.leave"))
_NAMES = {
    "question_mark": "?", "slash": "/", "space": "␣", "enter": "⏎", "escape": "esc", "full_stop": ".",
    "comma": ",", "up": "↑", "down": "↓", "left": "←", "right": "→",
}  # fmt: skip


def key_name(binding: Binding) -> str:
    """Write a binding's key in as few letters as can be understood.

    Parameters
    ----------
    binding : Binding
        A key binding.

    Returns
    -------
    str
        For example ``^p``, ``/``, ``f2``.
    """
    if binding.key_display:
        return binding.key_display
    key = binding.key.split(",")[0]
    key = _NAMES.get(key, key)
    return key.replace("ctrl+", "^").replace("shift+", "⇧")


class KeyBar(Widget):
    """Shows the active bindings that want to be seen; what does not fit is in the help."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom; height: 1; background: $panel; color: $foreground;
        & .keybar--key { color: $primary; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"keybar--key"}

    def __init__(self) -> None:
        super().__init__()
        self._spans: list[tuple[int, int, str]] = []

    def on_mount(self) -> None:
        """Follow the focus: other widgets have other keys."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _screen: self.refresh())

    def shown(self, width: int) -> list[tuple[str, str, str]]:
        """Choose the keys that fit.

        Parameters
        ----------
        width : int
            Cells of the line.

        Returns
        -------
        list of (key, description, action)
            In their order; help and quit are the last two.
        """
        room = width - sum(len(key) + len(text) + 3 for key, text, _ in _ALWAYS)
        chosen = []
        seen = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if not binding.show or not active.enabled or binding.action in seen:
                continue
            seen.add(binding.action)
            length = len(key_name(binding)) + len(binding.description) + 3
            if length <= room:
                room -= length
                chosen.append((key_name(binding), binding.description, binding.action))
        return [*chosen, *_ALWAYS]

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
        strong = base + self.get_component_rich_style("keybar--key", partial=True)
        segments: list[Segment] = []
        self._spans = []
        at = 0
        keys = self.shown(width)
        gap = width - sum(len(key) + len(text) + 3 for key, text, _ in keys)
        for index, (key, text, action) in enumerate(keys):
            if index == len(keys) - len(_ALWAYS):
                segments.append(Segment(" " * max(0, gap), base))
                at += max(0, gap)
            segments += [Segment(f" {key}", strong), Segment(f" {text} ", base)]
            self._spans.append((at, at + len(key) + len(text) + 3, action))
            at += len(key) + len(text) + 3
        return Strip(segments).crop_extend(0, width, Style() + base)

    async def on_click(self, event: events.Click) -> None:
        """Do what the clicked key does."""
        for start, end, action in self._spans:
            if start <= event.x < end:
                await self.run_action(action if "." in action else f"screen.{action}")
