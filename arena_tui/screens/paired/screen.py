"""The Paired screen: studies of BANK, LLM and UNION pools, their views, and the way to a new one."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget

from arena_tui.feed import Feed
from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.paired import keys, pages, rows, sessions, sheets
from arena_tui.screens.paired.lines import Lines
from arena_tui.screens.paired.listing import Listing
from arena_tui.screens.paired.paths import PathsScreen
from arena_tui.screens.paired.survey import Listed, Opened, Reader, Shelf
from arena_tui.widgets.dialogs import Question, Reading, Typed
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain, place
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.reachability.outcomes import Cell

_REMEMBERED = "paired.folders"
_MOST_REMEMBERED = 20
_RUNNING_S, _RESTING_S, _UNSEEN_S = 1.0, 5.0, 30.0
_LISTINGS = {
    "cells": (pages.CELL_COLUMNS, "no cell passes the filter", "words, cell:llm, union=false"),
    "gains": (pages.GAIN_COLUMNS, "no task differs under this metric", "words, net>0, domain:bio"),
    "conditions": (pages.CONDITION_COLUMNS, "no cell passes the filter", "words, family:log, target=false"),
}
_SCROLLED = ("outcomes", "retention", "report")


class PairedScreen(ConsoleScreen):
    """Studies on one side; a view of the one under the cursor on the other."""

    CSS_PATH = "paired.tcss"
    ROOM: ClassVar[str] = "paired"
    HELP: ClassVar[str] = keys.HELP
    BINDINGS: ClassVar[list[BindingType]] = keys.BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._feed: Feed[tuple[Listed, ...]] | None = None
        self._shelf = Shelf(self._folders)
        self._reader = Reader()
        self._picture: tuple[Listed, ...] | None = None
        self._studies: dict[str, Listed] = {}
        self._opened: Opened | None = None
        self._units: dict[str, Mapping[str, Any]] = {}
        self._view = "outcomes"
        self._metric = pages.METRICS[0]
        self._level = "l1"
        self._wanted: Path | None = None

    def contents(self) -> ComposeResult:
        """Lay out the studies and the views."""
        with Vertical(id="list", classes="panel") as left:
            left.border_title = "Studies"
            yield Table(
                rows.STUDY_COLUMNS, empty="no study below this folder: n plans one", pinned=1, id="studies"
            )
        with Vertical(id="side", classes="panel"):
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
        """List the studies, and go on looking at them."""
        super().on_mount()
        self._front()
        self.query_one("#studies", Table).focus()
        self._feed = Feed(self._shelf.look, _RESTING_S, self._take, self.console.complain)

    def on_unmount(self) -> None:
        """Stop looking."""
        if self._feed is not None:
            self._feed.close()

    def on_screen_suspend(self) -> None:
        """Look seldom while another screen is seen."""
        if self._feed is not None:
            self._feed.interval = _UNSEEN_S

    def on_screen_resume(self) -> None:
        """Look at once when a person comes back."""
        if self._feed is not None:
            self._feed.hurry()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Note whether the list of studies or a view has the keys."""
        self.set_class(event.widget.id != "studies", "-inside")

    # -- studies -------------------------------------------------------------------------------------------

    def _folders(self) -> list[str]:
        kept = self.console.recall(_REMEMBERED)
        return [str(word) for word in kept] if isinstance(kept, list) else []

    def action_reload(self) -> None:
        """Read the list, and the study under the cursor, again."""
        self._shelf.forget()
        self._opened = None
        self._hurry()

    def _hurry(self) -> None:
        if self._feed is not None:
            self._feed.hurry()

    def _take(self, found: tuple[Listed, ...]) -> None:
        if not self.is_attached or self._feed is None:
            return
        searched = any(one.session is not None for one in found)
        self._feed.interval = _UNSEEN_S if not self.is_current else _RUNNING_S if searched else _RESTING_S
        self._picture = found
        self._studies = {str(one.folder): one for one in found}
        table = self.query_one("#studies", Table)
        table.load([rows.study_row(one) for one in found])
        if self._wanted is not None and str(self._wanted) in self._studies:
            table.put_cursor(str(self._wanted))
            self._wanted = None
        self._read()

    @property
    def _listed(self) -> Listed | None:
        """The study under the cursor."""
        return self._studies.get(self.query_one("#studies", Table).cursor or "")

    @on(Table.Moved, "#studies")
    def _moved(self) -> None:
        self._read()

    def _read(self) -> None:
        found = self._listed
        self.query_one("#state", Plain).show("" if found is None else rows.state(found))
        if found is None:
            return
        opened = self._opened
        if opened is None or opened.folder != found.folder or opened.done < found.done:
            self.ask(lambda: self._reader.open(found.folder), self._show, topic="study")

    def _show(self, opened: Opened) -> None:
        self._opened = opened
        self._units = {rows.unit_key(unit): unit for unit in opened.units}
        known = pages.levels(opened)
        if known and self._level not in known:
            self._level = known[0]
        if self._view not in pages.views(opened):
            self._view = pages.views(opened)[0]
            self._front()
        self._paint()

    # -- views ---------------------------------------------------------------------------------------------

    def _front(self) -> None:
        for pane in self.query(".pane"):
            pane.set_class(pane.id == self._view, "front")
        self._name_view()

    def _name_view(self) -> None:
        names = pages.views(self._opened)
        words = [pages.TITLES[self._view]]
        if self._view in ("outcomes", "cells", "gains", "conditions"):
            words.append(pages.METRIC_NAMES[self._metric])
        if self._view in ("cells", "gains"):
            words.append(self._level.upper())
        panel = self.query_one("#side")
        panel.border_title = f"{names.index(self._view) + 1}/{len(names)} {' · '.join(words)}"

    def _paint(self) -> None:
        """Have the front view made, beside the loop."""
        opened, view, metric, level = self._opened, self._view, self._metric, self._level
        self._name_view()
        if opened is None:
            return
        if view in _SCROLLED:
            self.ask(lambda: pages.sheets_of(opened, view, metric), partial(self._say, view), topic="view")
        elif view == "units":
            self._list_units()
        else:
            self.ask(
                lambda: pages.listing_of(opened, view, metric, level), partial(self._list, view), topic="view"
            )

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
    def _moved_unit(self) -> None:
        self._show_unit()

    def _show_unit(self) -> None:
        unit = self._units.get(self.query_one("#unit-table", Table).cursor or "")
        self.query_one("#facts", Facts).show([] if unit is None else rows.about(unit))

    def _body(self) -> Widget:
        """Return what takes the keys of the front view."""
        if self._view == "units":
            return self.query_one("#unit-table")
        if self._view in _LISTINGS:
            return self.query_one(f"#{self._view}", Listing).table
        return self.query_one(f"#{self._view}")

    @property
    def _inside(self) -> bool:
        """Whether a view has the keys, and not the list of studies."""
        return self.has_class("-inside")

    def action_view(self, step: int) -> None:
        """Show the next or the previous view.

        Parameters
        ----------
        step : int
            1 or -1.
        """
        names = pages.views(self._opened)
        self._view = names[(names.index(self._view) + step) % len(names)]
        self._front()
        if self._inside:
            self._body().focus()
        self._paint()

    def action_metric(self) -> None:
        """Show the next metric."""
        names = pages.METRICS
        self._metric = names[(names.index(self._metric) + 1) % len(names)]
        self._paint()

    def action_level(self) -> None:
        """Show the other level of language."""
        known = pages.levels(self._opened) if self._opened is not None else ()
        if len(known) < 2:
            self.console.tell(
                "this study has one level of language only" if known else "this study asks no model"
            )
            return
        self._level = known[(known.index(self._level) + 1) % len(known)]
        self._paint()

    def action_enter(self) -> None:
        """Go into the study, or open the paths of what is under the cursor."""
        if not self._inside:
            if self._listed is not None:
                self._body().focus()
        elif isinstance(table := self._body(), Table) and table.cursor is not None:
            self._drill(table)

    @on(Table.Opened)
    def _opened_row(self, event: Table.Opened) -> None:
        """Do what Enter does, for a double click."""
        if event.table.id == "studies":
            self.action_enter()
        else:
            self._drill(event.table)

    def _drill(self, table: Table) -> None:
        opened, key = self._opened, table.cursor
        if opened is None or key is None:
            return
        seen = table.visible_keys
        cells: list[Cell] = []
        if self._view == "gains":
            shown = {pages.cell_of(one)[0] for one in seen}
            cells = [one for one in pages.differing(opened, self._level, self._metric) if one[0] in shown]
        else:
            cells = list(dict.fromkeys(pages.cell_of(self._cell_key(one)) for one in seen))
        levels = pages.levels(opened)
        level = self._level if levels else None
        if self._view == "units":
            arm = key.rpartition("/")[2]
            level = next((one for one in levels if arm.endswith(one)), level)
        cell = pages.cell_of(self._cell_key(key))
        self.app.push_screen(PathsScreen(opened, cells, cell, levels, level))

    def _cell_key(self, key: str) -> str:
        return key.rpartition("/")[0] if self._view == "units" else key

    def action_leave_study(self) -> None:
        """Go back to the list of studies."""
        self.query_one("#studies", Table).focus()

    def action_filter(self) -> None:
        """Type a filter over the front list; over the units where the view has none."""
        if self._view in _SCROLLED:
            self._view = "units"
            self._front()
            self._paint()
        self.query_one(f"#{self._view} FilterBar", FilterBar).take_focus()

    # -- starting and stopping -----------------------------------------------------------------------------

    def action_new(self) -> None:
        """Plan a new study."""
        self._plan({})

    def action_resume(self) -> None:
        """Go on with the study under the cursor: the form with what it was started with."""
        found = self._listed
        if found is None:
            return
        if found.session is not None:
            self.console.tell("it is running already")
            return
        from arena_tui.screens.paired.study_plan import values_of

        self.ask(lambda: values_of(found.folder), self._plan, topic="resume")

    def _plan(self, values: "Mapping[str, str]") -> None:
        from arena_tui.screens.paired.study_form import NewStudy

        def made(folder: Path | None) -> None:
            if folder is not None:
                self._wanted = folder
                self._remember(folder)

        self.app.push_screen(NewStudy(values), made)

    def action_stop(self) -> None:
        """End the process that searches the study under the cursor."""
        found = self._listed
        if found is None or found.session is None:
            self.console.tell("this study is not running")
            return

        def end(agreed: bool | None) -> None:
            if agreed:
                self.ask(lambda: sessions.stop(found.folder), self._stopped, topic="stop")

        text = f"{place(found.folder)}: {found.done} of {found.total} units"
        self.app.push_screen(
            Question("Stop the study", f"{text}\n\nEnd its process? Finished units stay."), end
        )

    def _stopped(self, said: str) -> None:
        self.console.tell(said)
        self._hurry()

    def action_said(self) -> None:
        """Read what the session that was started here said."""
        found = self._listed
        if found is None:
            return

        def read(text: str) -> None:
            if text:
                self.app.push_screen(Reading("What the session said", text))
            else:
                self.console.tell("nothing to complain of, or it was started in a shell")

        self.ask(lambda: sessions.said(found.folder), read, topic="said")

    def action_open(self) -> None:
        """Open the folder of a study."""

        def take(text: str | None) -> None:
            if text and text.strip():
                folder = Path(text.strip()).expanduser().resolve()
                self.ask(lambda: self._reader.open(folder), lambda _: self._open(folder), topic="open")

        self.app.push_screen(Typed("Open a paired study", "Its folder (the --out of paired run):"), take)

    def _open(self, folder: Path) -> None:
        self._wanted = folder
        self._remember(folder)

    def _remember(self, folder: Path) -> None:
        kept = [str(folder), *(word for word in self._folders() if word != str(folder))]
        self.console.remember(_REMEMBERED, kept[:_MOST_REMEMBERED])
        self.action_reload()

    # -- copying -------------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what the view shows."""
        if self._opened is None:
            return
        if self._view in _SCROLLED:
            self.console.copy(self.query_one(f"#{self._view} Lines", Lines).as_text())
        elif self._view == "units":
            self.console.copy(self.query_one("#facts", Facts).as_text())
        else:
            self.console.copy(self.query_one(f"#{self._view}", Listing).as_text())

    def action_copy_table(self) -> None:
        """Copy the shown rows as tab-separated text; of a view without rows, the studies."""
        body = self._body()
        table = body if self._inside and isinstance(body, Table) else self.query_one("#studies", Table)
        self.console.copy(table.as_tsv())
