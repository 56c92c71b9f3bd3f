"""Small modal screens: a question with yes and no, a line to type, a list to choose from, a text to read."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input

from adapters.errors import AdapterError
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Column, Row, Table
from engine.errors import EngineError
from tasks.errors import TaskError

_CSS = """
{name} {{
    align: center middle; background: $background 60%;
    & > Vertical {{
        width: {width}; max-width: 100%; height: auto; max-height: 100%; padding: 1 2;
        background: $surface; border: round $primary; border-title-color: $primary; border-title-style: bold;
    }}
    & .hint {{ color: $quiet; margin-top: 1; }}
    & Table {{ height: auto; max-height: 16; }}
    & VerticalScroll {{ height: auto; max-height: 100%; scrollbar-size: 1 1; }}
    & Input {{ border: tall $primary; background: $surface; }}
}}
"""


class Question(ModalScreen[bool]):
    """Asks before something that cannot be undone. Answers True on ``y``."""

    DEFAULT_CSS = _CSS.format(name="Question", width=64)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape,q", "answer(False)", "No"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """Lay out the question."""
        with Vertical() as box:
            box.border_title = self._title
            yield Plain(self._text)
            yield Plain("y  yes      n  no", classes="hint")

    def action_answer(self, answer: bool) -> None:
        """Close with the answer.

        Parameters
        ----------
        answer : bool
            True for yes.
        """
        self.dismiss(answer)


class Typed(ModalScreen[str | None]):
    """Asks for one line of text; None when it was left with Escape.

    A text that ``check`` refuses, by raising a sentence written for the user, is not accepted: the sentence
    is shown, and the text can be put right.
    """

    DEFAULT_CSS = _CSS.format(name="Typed", width=64) + "Typed #problem { color: $bad; display: none; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", "Cancel")]

    def __init__(
        self, title: str, text: str, value: str = "", *, check: Callable[[str], object] | None = None
    ) -> None:
        super().__init__()
        self._title, self._text, self._value, self._check = title, text, value, check

    def compose(self) -> ComposeResult:
        """Lay out the line."""
        with Vertical() as box:
            box.border_title = self._title
            yield Plain(self._text)
            yield Input(self._value)
            yield Plain("", id="problem")
            yield Plain("⏎  accept      esc  cancel", classes="hint")

    @on(Input.Submitted)
    def _accept(self, event: Input.Submitted) -> None:
        try:
            if self._check is not None:
                self._check(event.value)
        except (TaskError, AdapterError, EngineError) as error:
            self._say(f"✗ {error}")
        else:
            self.dismiss(event.value)

    @on(Input.Changed)
    def _typing(self) -> None:
        self._say("")

    def _say(self, text: str) -> None:
        problem = self.query_one("#problem", Plain)
        problem.display = bool(text)
        problem.show(text)

    def action_give_up(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


class Choice(ModalScreen[str | None]):
    """Asks for one of a list; None when it was left with Escape."""

    DEFAULT_CSS = _CSS.format(name="Choice", width=60)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "give_up", "Cancel"),
        Binding("enter", "accept", "Choose"),
    ]

    def __init__(self, title: str, options: Sequence[tuple[str, str]], chosen: str | None = None) -> None:
        super().__init__()
        self._title, self._options, self._chosen = title, tuple(options), chosen

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical() as box:
            box.border_title = self._title
            yield Table([Column("name", "choose", 16, grow=1), Column("line", "", 24, grow=2)])
            yield Plain("⏎  choose      esc  cancel", classes="hint")

    def on_mount(self) -> None:
        """Fill the list."""
        table = self.query_one(Table)
        table.load([Row(key, {"name": key, "line": line}) for key, line in self._options])
        table.styles.height = min(16, len(self._options) + 1)
        if self._chosen is not None:
            table.put_cursor(self._chosen)
        table.focus()

    def action_accept(self) -> None:
        """Choose what is under the cursor."""
        self.query_one(Table).action_open()

    @on(Table.Opened)
    def _accept(self, event: Table.Opened) -> None:
        self.dismiss(event.key)

    def action_give_up(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


class Reading(ModalScreen[None]):
    """Shows a text of any length, letter for letter; ``c`` copies it."""

    DEFAULT_CSS = _CSS.format(name="Reading", width="90%")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "leave", "Close"),
        Binding("c", "copy", "Copy"),
        Binding("P", "app.plain", "Plain text to select with the mouse"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self.text = title, text

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        with Vertical() as box:
            box.border_title = self._title
            with VerticalScroll():
                yield Plain(self.text)
            yield Plain("c  copy      P  plain, to select      esc  close", classes="hint")

    def on_mount(self) -> None:
        """Let the arrow keys scroll."""
        self.query_one(VerticalScroll).focus()

    async def action_copy(self) -> None:
        """Copy the whole text."""
        from arena_tui.app import Console

        if isinstance(self.app, Console):
            self.app.copy(self.text)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
