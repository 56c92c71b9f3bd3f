"""A view of a study: what it says on top, the cells it lists below, and their filter."""

from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll

from arena_tui.screens.paired import sheets
from arena_tui.screens.paired.lines import Lines
from arena_tui.screens.paired.sheets import Part
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.table import Column, Row, Table


class Listing(Vertical):
    """Sheets over a table."""

    DEFAULT_CSS = """
    Listing {
        & > VerticalScroll { height: auto; max-height: 50%; scrollbar-size: 1 1; }
        & > Table { height: 1fr; margin-top: 1; }
    }
    """

    def __init__(self, columns: Sequence[Column], *, empty: str, hint: str, id: str, classes: str) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._columns, self._empty, self._hint = columns, empty, hint

    def compose(self) -> ComposeResult:
        """Lay out sheets, table and filter."""
        with VerticalScroll():
            yield Lines()
        table = Table(self._columns, empty=self._empty, pinned=1)
        yield table
        yield FilterBar(table, hint=self._hint)

    @property
    def table(self) -> Table:
        """The table of cells."""
        return self.query_one(Table)

    def show(self, parts: Sequence[Part], rows: Sequence[Row]) -> None:
        """Show other sheets and cells.

        Parameters
        ----------
        parts : sequence of Sheet or Words
            What is said on top.
        rows : sequence of Row
            The cells.
        """
        self.query_one(Lines).show(partial(sheets.folded, tuple(parts)))
        self.table.load(rows)
        self.query_one(FilterBar).count(len(self.table.visible_keys), self.table.total)

    def as_text(self) -> str:
        """Write sheets and shown rows as text."""
        return f"{self.query_one(Lines).as_text()}\n\n{self.table.as_tsv()}"
