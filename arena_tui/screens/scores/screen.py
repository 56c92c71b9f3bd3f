"""The Scores screen: six axes of every method, and views of what is behind and between them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.scores import keys, rows, survey, to_monitor
from arena_tui.screens.scores.listing import Listing
from arena_tui.screens.scores.side import Side
from arena_tui.screens.scores.strip import ViewStrip
from arena_tui.screens.scores.survey import Record, Scored
from arena_tui.widgets.dialogs import Choice, Question, Typed
from arena_tui.widgets.masthead import Masthead
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from engine.scoring.evidence import Evidence

_NOT_SCORED = "not scored yet; e scores this campaign"
_NO_CAMPAIGN = "no campaign is open; screen 1 opens one"
_TICK_S = 0.5
# Heading and border of the list of methods.
_FRAME = 3


class ScoresScreen(ConsoleScreen):
    """Methods on one side; one of seven views about the one under the cursor on the other."""

    CSS_PATH = "scores.tcss"
    ROOM: ClassVar[str] = "scores"
    HELP: ClassVar[str] = keys.HELP
    BINDINGS: ClassVar[list[BindingType]] = keys.BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._scored: Scored | None = None
        self._methods: dict[str, Record] = {}
        self._published = False
        self._scoring: Path | None = None
        self._stage: str | None = None
        self._evidence: Evidence | None = None
        self._fresh = 0

    def contents(self) -> ComposeResult:
        """Lay out the methods and the views."""
        with Vertical(id="list", classes="panel") as left:
            left.border_title = "Methods"
            yield Table(rows.METHOD_COLUMNS, empty=_NOT_SCORED, pinned=1, id="methods")
        yield Side(self._asked, id="side")

    @property
    def _side(self) -> Side:
        return self.query_one(Side)

    @property
    def _table(self) -> Table:
        return self.query_one("#methods", Table)

    def on_mount(self) -> None:
        """Read what an earlier scoring left."""
        super().on_mount()
        self.set_focus(self._table)
        self.set_interval(_TICK_S, self._tell_stage)
        self.campaign_changed()

    def campaign_changed(self) -> None:
        """Show the tables of another campaign."""
        self._scored = self._scoring = self._stage = self._evidence = None
        self._fresh = 0
        self._side.forget()
        self._paint()
        self.action_reload()

    def action_reload(self) -> None:
        """Read the campaign's tables again."""
        folder = self.campaign
        if folder is not None:
            self.ask(lambda: survey.read(folder), self._take, topic="scores")

    def _take(self, scored: Scored | None) -> None:
        if scored is None or scored.folder == self.campaign:
            self._scored, self._evidence, self._fresh = scored, None, 0
            self._paint()
            self._look_for_ended()

    def on_screen_resume(self) -> None:
        """See whether runs have ended meanwhile; a campaign that was complete is not read again for it."""
        if self._scored is not None and any(run.state == "missing" for run in self._scored.scores.runs):
            self._look_for_ended()

    def _look_for_ended(self) -> None:
        scored = self._scored
        if scored is not None and self._stage is None:
            self.ask(lambda: survey.ended_since(scored), self._take_fresh, topic="ended since")

    def _take_fresh(self, count: int) -> None:
        self._fresh = count
        self._tell_stage()

    # -- scoring -------------------------------------------------------------------------------------------

    def action_score(self) -> None:
        """Score the campaign beside the loop."""
        folder = self.campaign
        if folder is None:
            self.console.tell("no campaign is open")
        elif self._stage is not None:
            self.console.tell("this campaign is being scored already")
        elif (replaced := survey.replaced(self._scored)) is not None:
            text = f"{replaced} Scoring here asks the deterministic judge, and its tables take their place. "
            text += "Every judgment is kept, and arena-tui score brings the other tables back."
            self.app.push_screen(Question("Score again", text), partial(self._agreed, folder))
        else:
            self._agreed(folder, True)

    def _agreed(self, folder: Path, agreed: bool | None) -> None:
        if agreed:
            self._scoring, self._stage = folder, "reading"
            self._tell_stage()
            told = partial(self._told, folder)
            self.ask(lambda: survey.compute(folder, told), self._finished, topic="score", failed=self._failed)

    def _told(self, folder: Path, stage: str, done: int, total: int) -> None:
        # Called on the thread that scores; the tick paints it.
        if folder == self._scoring:
            self._stage = f"{stage}: {done} of {total}"

    def _finished(self, scored: Scored) -> None:
        self._scoring = self._stage = None
        self._take(scored)
        self.console.tell(f"scored {len(scored.scores.runs)} runs")

    def _failed(self, error: Exception) -> None:
        self._scoring = self._stage = None
        self._tell_stage()
        self.console.complain(error)

    def _tell_stage(self) -> None:
        judged = f"judge: {self._scored.scores.judge}" if self._scored else ""
        fresh = f"{self._fresh} ended since: e" if self._fresh else ""
        self.query_one("#list").border_subtitle = self._stage or judged
        # The masthead is there on every size, the border is not.
        self.query_one(Masthead).banner = self._stage or fresh
        if self._stage and not self._methods:
            self._table.empty = f"scoring; {self._stage}"
            self._table.refresh()

    # -- exporting -----------------------------------------------------------------------------------------

    def action_export(self) -> None:
        """Ask what to write and where."""
        if self.campaign is None:
            self.console.tell("no campaign is open")
        else:
            self.app.push_screen(Choice("Export", survey.EXPORTS), partial(self._ask_where, self.campaign))

    def _ask_where(self, folder: Path, kind: str | None) -> None:
        if kind is not None:
            text = f"Write {kind} of {folder.name} into this folder:"
            suggested = str(folder.parent / f"{folder.name}-{kind}")
            self.app.push_screen(Typed("Export", text, suggested), partial(self._export, folder, kind))

    def _export(self, folder: Path, kind: str, out: str | None) -> None:
        if out:
            self.console.tell(f"writing {kind}…")
            work = partial(survey.export_as, folder, kind, Path(out), self._published)
            self.ask(work, partial(self._exported, out), topic="export")

    def _exported(self, out: str, written: list[Path]) -> None:
        self.console.tell(f"wrote {len(written)} files into {out}")

    # -- painting ------------------------------------------------------------------------------------------

    def _paint(self) -> None:
        found = self._scored
        self._methods = {rows.method_key(record): record for record in found.methods} if found else {}
        rivals = list(self._methods.values())
        shown = [rows.method_row(record, rivals) for record in rivals]
        if found and self._published:
            conditions = {record["condition"] for record in found.methods}
            theirs = [one for one in found.published if one["condition"] in conditions]
            shown += [rows.published_row(one) for one in theirs]
            self._methods |= {rows.published_key(one): one for one in theirs}
        self._table.empty = _NOT_SCORED if self.campaign else _NO_CAMPAIGN
        self._table.load(shown)
        self.query_one("#list").styles.height = max(2, len(shown)) + _FRAME
        self._paint_views()
        self._tell_stage()

    @on(Table.Moved, "#methods")
    def _moved(self) -> None:
        self._paint_views()

    def _paint_views(self) -> None:
        record = self._methods.get(self._table.cursor or "")
        self._side.look(self._scored, record, with_published=self._published)

    def _asked(self, work: Callable[[], object], done: Callable[..., object], topic: str) -> None:
        self.ask(work, done, topic=f"side {topic}")

    @on(Listing.Looked)
    def _looked(self, event: Listing.Looked) -> None:
        """Describe the row under a view's cursor; its judgments follow when they have been read."""
        event.stop()
        scored = self._scored
        if scored is None or event.key is None:
            event.listing.tell(event.key, [])
            return
        self._side.describe(event.listing, event.key, self._evidence)
        if self._evidence is None and self._side.wants_evidence(event.listing):
            self.ask(lambda: survey.evidence(scored.folder), self._read_evidence, topic="evidence")

    def _read_evidence(self, found: "Evidence") -> None:
        self._evidence = found
        listing = self._side.listing
        if listing is not None and listing.table.cursor is not None:
            self._side.describe(listing, listing.table.cursor, found)

    # -- views ---------------------------------------------------------------------------------------------

    def action_view(self, name: str) -> None:
        """Bring a view to the front.

        Parameters
        ----------
        name : str
            One of `keys.VIEWS`.
        """
        self._side.bring(name)
        self._side.take_focus(self._table)

    def action_turn(self, step: int) -> None:
        """Bring the next view to the front, or the one before.

        Parameters
        ----------
        step : int
            1 or -1.
        """
        names = [name for name, _, _ in keys.VIEWS]
        self.action_view(names[(names.index(self._side.front) + step) % len(names)])

    @on(ViewStrip.Chosen)
    def _chosen(self, event: ViewStrip.Chosen) -> None:
        self.action_view(event.name)

    @on(Table.Opened)
    def _opened(self, event: Table.Opened) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Go deeper: from a method to its tasks, to their runs, to a run on the Monitor."""
        if self._table.has_focus:
            self.action_view("tasks")
            return
        method = self._side.method()
        if method is not None:
            self._table.put_cursor(method)
            self.action_view("tasks")
            return
        run = self._side.open()
        if run is not None:
            to_monitor.see(self.console, run)
        else:
            self._side.take_focus(self._table)

    def action_back(self) -> None:
        """Come back: from the whole screen, from one task to all, from a view to the methods."""
        if self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        elif not self._side.back():
            self._table.focus()
        else:
            self._side.take_focus(self._table)

    def action_zoom(self) -> None:
        """Give the view the whole screen, or give it back."""
        self.toggle_class("-zoomed")
        if self.has_class("-zoomed"):
            self._side.take_focus(None)

    def action_method(self, step: int) -> None:
        """Go to the next method, or the one before.

        Parameters
        ----------
        step : int
            1 or -1.
        """
        self._table.action_move(step)

    def action_everybody(self) -> None:
        """Show all methods, or the one under the cursor, in the views that list."""
        self.console.tell("all methods" if self._side.widen() else "the method under the cursor")

    def action_read(self, step: int) -> None:
        """Scroll what is told about the row under the cursor.

        Parameters
        ----------
        step : int
            1 onwards, -1 back.
        """
        self._side.read(step)

    def action_measure(self) -> None:
        """Take the next cost of the Pareto view."""
        self._side.next_measure()
        self.action_view("front")

    def action_published(self) -> None:
        """Show or hide the paper's rows."""
        self._published = not self._published
        self._paint()

    def action_filter(self) -> None:
        """Type a filter over the rows of the view; over the runs where it has none."""
        if self._side.listing is None:
            self._side.bring("runs")
        if self._side.listing is not None:
            self._side.listing.filter()

    # -- copying -------------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what the view says."""
        self.console.copy(self._side.as_text())

    def action_copy_table(self) -> None:
        """Copy the shown rows as tab-separated text."""
        listing = self._side.listing
        table = self._table if listing is None or self._table.has_focus else listing.table
        self.console.copy(table.as_tsv())
