"""What a table tells its screen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from arena_tui.widgets.table import Table


@dataclass
class FromTable(Message):
    """Something happened in a table."""

    table: "Table"

    @property
    def control(self) -> "Table":
        """The table, for ``@on`` selectors."""
        return self.table


@dataclass
class Moved(FromTable):
    """The cursor is on another row."""

    key: str | None


@dataclass
class Opened(FromTable):
    """Enter or a double click on a row."""

    key: str


@dataclass
class Marked(FromTable):
    """The set of marked rows has changed."""

    keys: frozenset[str]
