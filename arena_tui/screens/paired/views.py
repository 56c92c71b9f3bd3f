"""The views of one study: outcomes, cells, gains, retention, units, all tables."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget

from arena_tui.screens.paired import pages, rows, sheets
from arena_tui.screens.paired.lines import Lines
from arena_tui.screens.paired.listing import Listing
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena_tui.screens.frame import ConsoleScreen
    from arena_tui.screens.paired.survey import Opened
    from engine.reachability.outcomes import Cell

_LISTINGS = {
    "cells": (pages.CELL_COLUMNS, "no cell passes the filter", "words, cell:llm, union=false"),
    "gains": (pages.GAIN_COLUMNS, "no task differs under this metric", "words, net>0, domain:bio"),
    "conditions": (pages.CONDITION_COLUMNS, "no cell passes the filter", "words, family:log, target=false"),
}
_SCROLLED = ("outcomes", "retention", "report")


@dataclass(frozen=True, slots=True)
class Drill:
    """Whose greedy paths are asked for: a cell, the cells of its list, the level of language if any."""

    opened: "Opened"
    cells: "tuple[Cell, ...]"
    cell: "Cell"
    levels: tuple[str, ...]
    level: str | None


class Views(Vertical):
    """Shows one view of a study at a time; ``metric`` and ``level`` hold for all that have them."""

    def __init__(self, *, id: str, classes: str) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.opened: Opened | None = None
        self._view = "outcomes"
        self._metric = pages.METRICS[0]
        self._level = "l1"
        self._units: dict[str, Mapping[str, Any]] = {}

    def compose(self) -> ComposeResult:
        """Lay out the line of state and the views."""
        yield Plain("", id="state")
        for name in _SCROLLED:
            with VerticalScroll(id=name, classes="pane"):
                yield Lines()
        for name, (columns, empty, hint) in _LISTINGS.items():
            yield Listing(columns, empty=empty, hint=hint, id=name, classes="pane")
        with Vertical(id="units", classes="pane"):
            table = Table(rows.UNIT_COLUMNS, empty="no unit passes the filter", pinned=1, id="unit-table")
            yield table
            yield FilterBar(table, hint="words, arm=bank, strict=false")
            with VerticalScroll(id="unit"):
                yield Facts(id="facts")

    def on_mount(self) -> None:
        """Show the first view."""
        self._front()

    # -- what the screen asks ------------------------------------------------------------------------------

    def say(self, state: str) -> None:
        """Say how far the study is.

        Parameters
        ----------
        state : str
            A sentence.
        """
        self.query_one("#state", Plain).show(state)

    def show(self, opened: "Opened") -> None:
        """Show a study, in the view that is in front if it has that.

        Parameters
        ----------
        opened : Opened
            The study.
        """
        self.opened = opened
        self._units = {rows.unit_key(unit): unit for unit in opened.units}
        known = pages.levels(opened)
        if known and self._level not in known:
            self._level = known[0]
        if self._view not in pages.views(opened):
            self._view = pages.views(opened)[0]
        self._front()
        self._paint()

    def step(self, step: int) -> None:
        """Show the next or the previous view.

        Parameters
        ----------
        step : int
            1 or -1.
        """
        names = pages.views(self.opened)
        self._view = names[(names.index(self._view) + step) % len(names)]
        self._front()
        self._paint()

    def next_metric(self) -> None:
        """Show the next metric."""
        names = pages.METRICS
        self._metric = names[(names.index(self._metric) + 1) % len(names)]
        self._paint()

    def next_level(self) -> str | None:
        """Show the other level of language.

        Returns
        -------
        str or None
            Why there is none.
        """
        known = pages.levels(self.opened) if self.opened is not None else ()
        if len(known) < 2:
            return "this study has one level of language only" if known else "this study asks no model"
        self._level = known[(known.index(self._level) + 1) % len(known)]
        self._paint()
        return None

    def body(self) -> Widget:
        """Return what takes the keys of the front view."""
        if self._view == "units":
            return self.query_one("#unit-table")
        if self._view in _LISTINGS:
            return self.query_one(f"#{self._view}", Listing).table
        return self.query_one(f"#{self._view}")

    def filter(self) -> None:
        """Type a filter over the front list; over the units where the view has none."""
        if self._view in _SCROLLED:
            self._view = "units"
            self._front()
            self._paint()
        self.query_one(f"#{self._view} FilterBar", FilterBar).take_focus()

    def drill(self) -> Drill | None:
        """Return whose paths the cursor is on; None where a view lists nothing."""
        opened, table = self.opened, self.body()
        if opened is None or not isinstance(table, Table) or table.cursor is None:
            return None
        seen = [self._cell(key) for key in table.visible_keys]
        if self._view == "gains":
            tasks = {task for task, _ in seen}
            differing = pages.differing(opened, self._level, self._metric)
            seen = [cell for cell in differing if cell[0] in tasks]
        levels = pages.levels(opened)
        level = self._level if levels else None
        if self._view == "units":
            level = next((one for one in levels if table.cursor.endswith(one)), level)
        return Drill(opened, tuple(dict.fromkeys(seen)), self._cell(table.cursor), levels, level)

    def _cell(self, key: str) -> "Cell":
        return pages.cell_of(key.rpartition("/")[0] if self._view == "units" else key)

    def as_text(self) -> str:
        """Write what the view shows."""
        if self._view in _SCROLLED:
            return self.query_one(f"#{self._view} Lines", Lines).as_text()
        if self._view == "units":
            return self.query_one("#facts", Facts).as_text()
        return self.query_one(f"#{self._view}", Listing).as_text()

    # -- painting ------------------------------------------------------------------------------------------

    def _front(self) -> None:
        for pane in self.query(".pane"):
            pane.set_class(pane.id == self._view, "front")
        self._name_view()

    def _name_view(self) -> None:
        names = pages.views(self.opened)
        knockout = self.opened is not None and self.opened.knockout
        words = [pages.TITLES[self._view]]
        if self._view in ("cells", "gains", "conditions") or (self._view == "outcomes" and not knockout):
            words.append(pages.METRIC_NAMES[self._metric])
        if self._view in ("cells", "gains"):
            words.append(self._level.upper())
        self.border_title = f"{names.index(self._view) + 1}/{len(names)} {' · '.join(words)}"

    def _paint(self) -> None:
        """Have the front view made, beside the loop."""
        opened, view, metric, level = self.opened, self._view, self._metric, self._level
        self._name_view()
        if opened is None:
            return
        ask = cast("ConsoleScreen", self.screen).ask
        if view in _SCROLLED:
            ask(lambda: pages.sheets_of(opened, view, metric), partial(self._say, view), topic="view")
        elif view in _LISTINGS:
            made = partial(pages.listing_of, opened, view, metric, level)
            ask(made, partial(self._list, view), topic="view")
        else:
            self._list_units()

    def _say(self, view: str, parts: list[sheets.Part]) -> None:
        self.query_one(f"#{view} Lines", Lines).show(partial(sheets.folded, tuple(parts)))

    def _list(self, view: str, made: tuple[list[sheets.Part], list[Any]]) -> None:
        self.query_one(f"#{view}", Listing).show(*made)

    def _list_units(self) -> None:
        table = self.query_one("#unit-table", Table)
        table.load([rows.unit_row(unit) for unit in self._units.values()])
        self.query_one("#units FilterBar", FilterBar).count(len(table.visible_keys), table.total)
        self._show_unit()

    @on(Table.Moved, "#unit-table")
    def _show_unit(self) -> None:
        unit = self._units.get(self.query_one("#unit-table", Table).cursor or "")
        self.query_one("#facts", Facts).show([] if unit is None else rows.about(unit))
