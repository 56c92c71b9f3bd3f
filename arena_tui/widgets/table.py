"""A table that draws only what is visible: sorted, filtered, grouped, and frozen while paused."""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from arena_tui.widgets import arranging, table_keys, table_look, table_messages
from arena_tui.widgets import columns as painting
from arena_tui.widgets.arranging import Arrangement, Shown
from arena_tui.widgets.columns import Column, Row

__all__ = ["Column", "Row", "Table"]


class Table(ScrollView, can_focus=True):
    """Rows under a header. Posts ``Moved``, ``Opened`` (Enter, double click) and ``Marked``."""

    DEFAULT_CSS = table_look.CSS
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"table--{name}" for name in table_look.PARTS}
    BINDINGS: ClassVar[list[BindingType]] = table_keys.BINDINGS

    Moved: TypeAlias = table_messages.Moved
    Opened: TypeAlias = table_messages.Opened
    Marked: TypeAlias = table_messages.Marked

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        empty: str = "nothing here yet",
        sort: str | None = None,
        descending: bool = False,
        mark_sign: Callable[[str], tuple[str, Style | None]] | None = None,
        pinned: int = 0,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.columns = tuple(columns)
        self.empty = empty
        self.arrangement = Arrangement(sort=sort, descending=descending)
        self.frozen = False
        self.marks: dict[str, None] = {}
        self.cursor: str | None = None
        self._mark_sign = mark_sign
        self._rows: dict[str, Row] = {}
        self._shown = Shown([])
        self._widths = [column.width for column in self.columns]
        self._pinned = pinned
        self._styles: dict[str, Style] = {}

    # -- what the screen sets ------------------------------------------------------------------------------

    def load(self, rows: Sequence[Row]) -> None:
        """Show these rows; while frozen the order and the set of rows stay, and only the values change.

        Parameters
        ----------
        rows : sequence of Row
            All rows, before filtering, in any order.
        """
        fresh = {row.key: row for row in rows}
        if self.frozen and self._shown.lines:
            self._rows.update((key, row) for key, row in fresh.items() if key in self._rows)
            self.refresh()
            return
        self._rows = fresh
        self._arrange()

    def set_filter(self, text: str) -> str | None:
        """Keep the rows that match; returns what could not be understood, or None.

        Parameters
        ----------
        text : str
            The filter language of ``arena_tui.widgets.filtering``.

        Returns
        -------
        str or None
            A remark for the person who types.
        """
        self.arrangement.text = text
        return self._arrange()

    def set_sort(self, name: str | None, *, descending: bool = False) -> None:
        """Sort by a column, or show the rows as they were given.

        Parameters
        ----------
        name : str or None
            A column's name.
        descending : bool
            Largest first.
        """
        self.arrangement.sort, self.arrangement.descending = name, descending
        self._arrange()

    def set_group(self, name: str | None, summary: Callable[[Sequence[Row]], str] | None = None) -> None:
        """Put rows with the same value of a column together under a line of their own.

        Parameters
        ----------
        name : str or None
            A column's name; None ends the grouping.
        summary : callable, optional
            Text for a group's line, from its rows.
        """
        self.arrangement.group, self.arrangement.summary = name, summary
        self._arrange()

    def freeze(self, *, frozen: bool) -> None:
        """Hold the order of the rows, or let it follow the values again.

        Parameters
        ----------
        frozen : bool
            True holds.
        """
        self.frozen = frozen
        if not frozen:
            self._arrange()

    @property
    def visible_keys(self) -> list[str]:
        """Keys of the rows that pass the filter, in the shown order."""
        return list(self._shown.keys)

    @property
    def total(self) -> int:
        """Number of rows before filtering."""
        return len(self._rows)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return None if self.cursor is None else self._rows.get(self.cursor)

    def get(self, key: str) -> Row | None:
        """Return a row by its key, filtered out or not.

        Parameters
        ----------
        key : str
            The row's key.

        Returns
        -------
        Row or None
            The row.
        """
        return self._rows.get(key)

    def as_tsv(self) -> str:
        """Write the shown rows with every column and full values, separated by tabs."""
        return painting.as_tsv([self._rows[key] for key in self.visible_keys], self.columns)

    def put_cursor(self, key: str) -> None:
        """Move the cursor to a row, if it is shown.

        Parameters
        ----------
        key : str
            The row's key.
        """
        place = self._shown.place
        if key in place and key != self.cursor:
            before, self.cursor = self.cursor, key
            self._reveal()
            self.post_message(self.Moved(self, key))
            for line in (place.get(before or ""), place[key]):
                if line is not None:
                    self.refresh(Region(0, line + 1 - self.scroll_offset.y, self.size.width, 1))

    def set_marks(self, keys: Sequence[str]) -> None:
        """Mark exactly these rows.

        Parameters
        ----------
        keys : sequence of str
            Row keys, in the order in which they were marked.
        """
        self.marks = dict.fromkeys(keys)
        self.post_message(self.Marked(self, frozenset(self.marks)))
        self.refresh()

    # -- arranging -----------------------------------------------------------------------------------------

    def _arrange(self) -> str | None:
        old_place = self._shown.place.get(self.cursor or "", 0)
        lines, problem = arranging.arrange(self._rows, self.columns, self.arrangement)
        self._shown = Shown(lines)
        before = self.cursor
        if self.cursor not in self._shown.place:
            self.cursor = self._shown.nearest(old_place)
        self._measure()
        if self.cursor != before:
            self.post_message(self.Moved(self, self.cursor))
        self.refresh()
        return problem

    def _measure(self) -> None:
        inner = self.scrollable_content_region.width or self.size.width
        self._widths = arranging.widths(self.columns, inner - painting.GUTTER, painting.GAP)
        self.virtual_size = Size(painting.span(self._widths), len(self._shown.lines) + 1)

    def on_resize(self) -> None:
        """Share out the new width; keep the cursor in view."""
        self._measure()
        self._reveal()

    def notify_style_update(self) -> None:
        """Forget the styles of the theme that was left."""
        super().notify_style_update()
        self._styles = {}

    # -- keys and mouse ------------------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        """Move the cursor by rows.

        Parameters
        ----------
        step : int
            Rows, downwards positive.
        """
        key = self._shown.stepped(self.cursor, step)
        if key is not None:
            self.put_cursor(key)

    def action_page(self, direction: int) -> None:
        """Move the cursor by a screenful.

        Parameters
        ----------
        direction : int
            1 down, -1 up.
        """
        self.action_move(direction * max(1, self.size.height - 2))

    def action_edge(self, direction: int) -> None:
        """Move the cursor to the first or the last row.

        Parameters
        ----------
        direction : int
            1 last, -1 first.
        """
        self.action_move(direction * max(1, len(self._shown.lines)))

    def action_scroll_columns(self, step: int) -> None:
        """Scroll sideways.

        Parameters
        ----------
        step : int
            Cells, to the right positive.
        """
        self.scroll_to(x=self.scroll_offset.x + step, animate=False)

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if self.cursor is not None:
            self.post_message(self.Opened(self, self.cursor))

    def action_mark(self) -> None:
        """Mark or unmark the row under the cursor, and go on to the next."""
        if self.cursor is None:
            return
        keys = dict(self.marks)
        if self.cursor in keys:
            del keys[self.cursor]
        else:
            keys[self.cursor] = None
        self.set_marks(list(keys))
        self.action_move(1)

    def action_sort_next(self) -> None:
        """Sort by the next column to the right; after the last, as given."""
        names = [None, *(column.name for column in self.columns)]
        at = names.index(self.arrangement.sort) if self.arrangement.sort in names else 0
        self.set_sort(names[(at + 1) % len(names)], descending=self.arrangement.descending)

    def action_sort_by(self) -> None:
        """Choose the column of the order from a list."""
        from arena_tui.widgets.dialogs import Choice

        options = [(column.name, column.title) for column in self.columns]

        def sort(name: str | None) -> None:
            if name:
                self.set_sort(name, descending=self.arrangement.descending)

        self.app.push_screen(Choice("Sort by", options, self.arrangement.sort), sort)

    def action_sort_turn(self) -> None:
        """Turn the order round."""
        self.set_sort(self.arrangement.sort, descending=not self.arrangement.descending)

    def on_click(self, event: events.Click) -> None:
        """Sort by a clicked heading; move to a clicked row; open a row clicked twice."""
        if event.y == 0:
            x = event.x if event.x < self._held() else event.x + self.scroll_offset.x
            name = painting.column_at(self.columns, self._widths, x)
            if name is not None:
                same = self.arrangement.sort == name
                self.set_sort(name, descending=not self.arrangement.descending if same else False)
            return
        at = event.y - 1 + self.scroll_offset.y
        if at < len(self._shown.lines) and (key := self._shown.lines[at].key) is not None:
            if event.chain > 1 and key == self.cursor:
                self.action_open()
            self.put_cursor(key)

    def _reveal(self) -> None:
        line = self._shown.place.get(self.cursor or "")
        if line is not None and self.size.height > 1:
            top, height = self.scroll_offset.y, self.scrollable_content_region.height - 1
            if line < top:
                self.scroll_to(y=line, animate=False, immediate=True)
            elif line >= top + height:
                self.scroll_to(y=line - height + 1, animate=False, immediate=True)

    # -- painting ------------------------------------------------------------------------------------------

    def _style(self, name: str) -> Style:
        if name not in self._styles:
            self._styles[name] = self.get_component_rich_style(f"table--{name}", partial=True)
        return self._styles[name]

    def render_line(self, y: int) -> Strip:
        """Paint one line of the widget.

        Parameters
        ----------
        y : int
            Line of the widget; 0 is the header.

        Returns
        -------
        Strip
            The painted cells.
        """
        left, width = self.scroll_offset.x, self.scrollable_content_region.width
        base = self.rich_style
        if y == 0:
            strip = self._header()
        else:
            at = y - 1 + self.scroll_offset.y
            if not self._shown.lines and y == 2:
                strip = Strip([Segment("  " + self.empty, base + self._style("empty"))])
            elif at >= len(self._shown.lines):
                strip = Strip([])
            elif (key := self._shown.lines[at].key) is not None:
                strip = self._body(self._rows[key], base)
            else:
                strip = Strip([Segment(" " + self._shown.lines[at].text, base + self._style("group"))])
        back = base + self._style("header") if y == 0 else base
        if y and self._shown.place.get(self.cursor or "") == y - 1 + self.scroll_offset.y:
            back = base + self._style("cursor")
        return painting.scrolled(strip, min(width, self._held()), left, width, back)

    def _held(self) -> int:
        """Cells of the gutter and of the columns that stay when the others scroll."""
        return painting.span(self._widths[: self._pinned]) + painting.GAP if self._pinned else 0

    def _header(self) -> Strip:
        base = self.rich_style + self._style("header")
        return painting.heading(
            self.columns, self._widths, self.arrangement, base, self.rich_style + self._style("sorted")
        )

    def _body(self, row: Row, base: Style) -> Strip:
        on_cursor = row.key == self.cursor
        back = base + self._style("cursor") if on_cursor else base
        sign, style = ("●", None) if self._mark_sign is None else self._mark_sign(row.key)
        mark = Segment(sign if row.key in self.marks else " ", back + (style or self._style("mark")))
        gutter = painting.gutter(mark, self._style("live"), back, on_cursor=on_cursor)
        return Strip([*gutter, *painting.body(row, self.columns, self._widths, self._style, back)])

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Repaint: the cursor line is brighter with the focus."""
        self._styles = {}
        super().watch_has_focus(_has_focus)
        self.refresh(Region(0, 0, self.size.width, self.size.height))
