"""What the screen is for and every key that works on it now."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from arena_tui.widgets.plain import Plain


class HelpScreen(ModalScreen[None]):
    """A text and a list of keys; any of ``?``, Escape and ``q`` closes it."""

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle; background: $background 60%;
        & > Vertical {
            width: 84; max-width: 100%; height: 90%; padding: 0 2; background: $surface;
            border: round $primary; border-title-color: $primary; border-title-style: bold;
            border-subtitle-color: $quiet;
        }
        & .heading { color: $primary; text-style: bold; margin-top: 1; }
        & VerticalScroll { scrollbar-size: 1 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark,escape,q", "leave", "Close")]

    def __init__(self, title: str, text: str, keys: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._title, self._text, self._keys = title, text, tuple(keys)

    def compose(self) -> ComposeResult:
        """Lay out the text and the keys."""
        with Vertical() as box:
            box.border_title = f"Help: {self._title}"
            box.border_subtitle = "esc closes"
            with VerticalScroll():
                yield Plain(self._text)
                yield Plain("Keys here", classes="heading")
                width = max((len(key) for key, _ in self._keys), default=0)
                yield Plain("\n".join(f"{key:>{width}}  {text}" for key, text in self._keys))

    def on_mount(self) -> None:
        """Let the arrow keys scroll."""
        self.query_one(VerticalScroll).focus()

    def action_leave(self) -> None:
        """Close the help."""
        self.dismiss(None)
