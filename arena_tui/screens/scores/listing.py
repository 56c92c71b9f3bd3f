"""One view of the Scores screen: a table with its filter, a note about it, and the row under the cursor."""

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.message import Message

from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Column, Row, Table

FactList = Sequence[tuple[str, object]]


class Listing(Container):
    """Rows on one side, what there is to say about one of them on the other. Posts ``Looked``."""

    DEFAULT_CSS = """
    Listing {
        layout: vertical; height: 1fr;
        & > .rows { height: 1fr; }
        & > .rows > .note { color: $quiet; padding: 0 1; height: auto; max-height: 4; }
        & > .rows > .note.caution { color: $fair; }
        & > .rows > .note.none { display: none; }
        & > .about { height: 45%; border-top: solid $quiet 60%; scrollbar-size: 1 1; }
        & > .about:focus { border-top: solid $primary; }
    }
    """

    class Looked(Message):
        """Another row is under the cursor, or the same row is another one now."""

        def __init__(self, listing: "Listing", key: str | None) -> None:
            super().__init__()
            self.listing = listing
            self.key = key

        @property
        def control(self) -> "Listing":
            """The view, for ``@on`` selectors."""
            return self.listing

    def __init__(self, columns: Sequence[Column], *, hint: str, pinned: int, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.table = Table(columns, pinned=pinned, id=f"{id}-table")
        self.facts = Facts(id=f"{id}-facts")
        self._bar = FilterBar(self.table, hint=hint)
        self._note = Plain("", classes="note none")

    def compose(self) -> ComposeResult:
        """Lay out the rows and the facts."""
        with Vertical(classes="rows"):
            yield self.table
            yield self._note
            yield self._bar
        with VerticalScroll(classes="about"):
            yield self.facts

    def show(
        self,
        rows: Sequence[Row],
        note: str = "",
        *,
        caution: bool = False,
        empty: str = "no row passes the filter",
    ) -> None:
        """Show other rows.

        Parameters
        ----------
        rows : sequence of Row
            All rows, before filtering.
        note : str
            What must be known to read them; nothing when empty.
        caution : bool
            Whether the note warns.
        empty : str
            What an empty table says.
        """
        self._note.show(note)
        self._note.set_class(not note, "none")
        self._note.set_class(caution, "caution")
        self.table.empty = empty
        self.table.load(rows)
        self._bar.count(len(self.table.visible_keys), self.table.total)
        self.post_message(self.Looked(self, self.table.cursor))

    def tell(self, key: str | None, facts: FactList) -> None:
        """Say what there is to say about a row, if it is still the one under the cursor.

        Parameters
        ----------
        key : str or None
            The row's key.
        facts : sequence of (str, object)
            As `Facts` shows them.
        """
        if key == self.table.cursor:
            self.facts.show(facts)

    def take_focus(self) -> None:
        """Give the table the keys."""
        self.table.focus()

    def filter(self) -> None:
        """Put the caret into the filter."""
        self._bar.take_focus()

    @on(Table.Moved)
    def _moved(self, event: Table.Moved) -> None:
        event.stop()
        self.post_message(self.Looked(self, event.key))
