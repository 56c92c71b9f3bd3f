"""The line under a table where its filter is typed, with what is kept and what was not understood."""

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Table


class FilterBar(Horizontal):
    """A filter for one table; Enter goes back to it, Escape also clears."""

    DEFAULT_CSS = """
    FilterBar {
        height: 1; background: $surface;
        & > Input { width: 1fr; }
        & > Plain { width: auto; max-width: 60%; height: 1; color: $quiet; padding: 0 1; }
        & > Plain.problem { color: $fair; }
    }
    """
    BORDER_TITLE: ClassVar[str] = ""

    @dataclass
    class Changed(Message):
        """Another filter was typed and applied."""

        bar: "FilterBar"
        text: str

    def __init__(self, table: Table, *, hint: str, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._table = table
        self._hint = hint

    def compose(self) -> ComposeResult:
        """Lay out the input and the note."""
        yield Input(placeholder=f"/ filter: {self._hint}")
        yield Plain("")

    @property
    def text(self) -> str:
        """What is typed."""
        return self.query_one(Input).value

    def set_text(self, text: str) -> None:
        """Type a filter as the person would.

        Parameters
        ----------
        text : str
            The filter.
        """
        self.query_one(Input).value = text

    def take_focus(self) -> None:
        """Put the caret into the line at once, so that what is typed ahead goes there."""
        self.screen.set_focus(self.query_one(Input))

    def count(self, shown: int, total: int, problem: str | None = None) -> None:
        """Say how many rows are kept.

        Parameters
        ----------
        shown, total : int
            Rows that pass and rows there are.
        problem : str, optional
            What of the filter was not understood.
        """
        note = self.query_one(Plain)
        note.set_class(problem is not None, "problem")
        note.show(problem or (f"{shown} of {total}" if shown != total else f"{total}"))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        problem = self._table.set_filter(event.value)
        self.count(len(self._table.visible_keys), self._table.total, problem)
        self.post_message(self.Changed(self, event.value))

    @on(Input.Submitted)
    def _accept(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.set_focus(self._table)

    def on_key(self, event: events.Key) -> None:
        """Leave with Escape (cleared) or with the down key (kept)."""
        if event.key == "escape":
            event.stop()
            self.set_text("")
            self.screen.set_focus(self._table)
        elif event.key == "down":
            event.stop()
            self.screen.set_focus(self._table)
