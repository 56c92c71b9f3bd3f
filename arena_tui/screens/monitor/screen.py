"""The Monitor: runs of one campaign as they go, their trajectories, what they found, and orders to them."""

import gc
import time
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical

from arena_tui import starting
from arena_tui.feed import Feed
from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.monitor import alarms, asking, keys, orders, rows, trajectories
from arena_tui.screens.monitor.detail import Resources, resources
from arena_tui.screens.monitor.picture import Camera, Picture
from arena_tui.screens.monitor.progress import Progress, ProgressLine, measure
from arena_tui.screens.monitor.side import Side
from arena_tui.screens.monitor.trajectories import MOST, View
from arena_tui.widgets.chart import SIGNS, series_style
from arena_tui.widgets.dialogs import Question, Reading
from arena_tui.widgets.drawing import Chart
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.masthead import Masthead
from arena_tui.widgets.table import Table
from engine.running.records import Run

if TYPE_CHECKING:
    from textual.timer import Timer

_REFRESH_S = (0.5, 1.0, 2.0, 5.0, 10.0)
_STALE_AFTER = 3.0
_AT_REST_S = 10.0
# A held key moves the cursor at once; what is beside it follows when the key rests this long.
_SETTLE_S = 0.08
_GROUPS = (None, "method", "task", "status")


class MonitorScreen(ConsoleScreen):
    """Run table on one side; trajectories, the run under the cursor and its log on the other."""

    CSS_PATH = "monitor.tcss"
    ROOM: ClassVar[str] = "monitor"
    HELP: ClassVar[str] = keys.HELP
    BINDINGS: ClassVar[list[BindingType]] = keys.BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._feed: Feed[Picture] | None = None
        self._picture: Picture | None = None
        self._runs: dict[str, Run] = {}
        self._view = View()
        self._pace = 1
        self._troubled = False
        self._drawn_for: object = None
        self._progress: Progress | None = None
        self._settling: Timer | None = None
        self._alarms = alarms.Alarms()

    def contents(self) -> ComposeResult:
        """Lay out the table and the three panes."""
        table = Table(
            rows.COLUMNS, empty="no run: open a campaign on screen 1, or change the filter", pinned=3,
            mark_sign=self._sign, id="table",
        )  # fmt: skip
        yield ProgressLine()
        with Container(id="split"):
            with Vertical(id="runs", classes="panel"):
                yield table
                yield FilterBar(table, hint="words, status:failed, method=pysr, q<0.5, id<1e-6")
            yield Side(id="side")

    # -- life ----------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Start reading the open campaign."""
        super().on_mount()
        self.query_one("#runs").border_title = "Runs"
        self._view = asking.recalled(self.console.recall("monitor.view"))
        group = self.console.recall("monitor.group")
        if group in _GROUPS:
            self.query_one("#table", Table).set_group(str(group) if group else None, rows.group_line)
        self.set_interval(1.0, self._note_age)
        self.campaign_changed()

    def on_unmount(self) -> None:
        """Stop reading."""
        if self._feed is not None:
            self._feed.close()

    def campaign_changed(self) -> None:
        """Read the other campaign instead."""
        if self._feed is not None:
            self._feed.close()
            self._feed = None
        self._picture, self._runs, self._drawn_for, self._progress = None, {}, None, None
        self._alarms = alarms.Alarms(on=self.console.recall("monitor.alarms") is not False)
        self.query_one("#table", Table).set_marks([])
        self.query_one("#table", Table).load([])
        self._recall_filter()
        if self.campaign is not None:
            self._feed = Feed(Camera(self.campaign).take, _REFRESH_S[self._pace], self._take, self._trouble)

    def _take(self, picture: Picture) -> None:
        if not self.is_attached:
            return
        first = self._picture is None
        self._picture, self._troubled = picture, False
        self._runs = {run.id: run for run in picture.campaign.runs}
        table = self.query_one("#table", Table)
        if picture.changed or first:
            self._progress = measure(picture.campaign)
            table.load(picture.rows)
            self.query_one(FilterBar).count(len(table.visible_keys), table.total)
        if self._feed is not None:
            # Nothing moves any more: look now and then, in case a run is retried from elsewhere.
            at_rest = self._progress is not None and self._progress.finished and picture.owner is None
            self._feed.interval = max(_REFRESH_S[self._pace], _AT_REST_S if at_rest else 0.0)
        self._tell_progress()
        for event in self._alarms.look(picture.campaign.runs):
            alarms.ring(self.console, event)
        if picture.changed or first:
            self._draw()
        if first:
            _settle_memory()

    def _trouble(self, error: Exception) -> None:
        if not self._troubled:
            self._troubled = True
            self.console.complain(error)
        self._tell_progress()

    def _note_age(self) -> None:
        if self._feed is not None and self._picture is not None:
            self._tell_progress()

    def _tell_progress(self) -> None:
        if self._picture is None or self._progress is None:
            return
        age = time.time() - self._picture.read_at
        stale = age > _STALE_AFTER + 2 * (self._feed.interval if self._feed else 0.0)
        note = "draining: nothing new starts" if self._picture.draining else ""
        if not self._picture.owner and not self._progress.finished:
            note = "no engine: R resumes"
        if stale or self._troubled:
            clock = time.strftime("%H:%M:%S", time.localtime(self._picture.read_at))
            note = f"not read since {clock}"
        self.query_one(ProgressLine).show(self._progress, narrow=self.size.width < 100, note=note)

    # -- the run under the cursor --------------------------------------------------------------------------

    def _sign(self, key: str) -> tuple[str, Style | None]:
        marks = list(self.query_one("#table", Table).marks)
        at = marks.index(key) if key in marks else 0
        if at >= MOST:
            return "+", None
        return SIGNS[at], series_style(self.app.theme_variables, at)

    def _chosen(self) -> list[Run]:
        """Return the marked runs, or the one under the cursor."""
        table = self.query_one("#table", Table)
        keys = list(table.marks) or ([table.cursor] if table.cursor else [])
        return [self._runs[key] for key in keys if key in self._runs]

    def _current(self) -> Run | None:
        return self._runs.get(self.query_one("#table", Table).cursor or "")

    @on(Table.Moved)
    def _moved(self) -> None:
        if self._settling is not None:
            self._settling.stop()
        self._settling = self.set_timer(_SETTLE_S, self._arrive)

    def _arrive(self) -> None:
        self._settling = None
        self.query_one(Side).hide_asked()
        self._draw()

    @on(Table.Marked)
    def _marked(self) -> None:
        self._draw()

    @on(Table.Opened)
    def _opened(self) -> None:
        self.action_zoom()

    @on(FilterBar.Changed)
    def _filtered(self, event: FilterBar.Changed) -> None:
        self.console.remember("monitor.filter", {"campaign": str(self.campaign), "text": event.text})

    def _recall_filter(self) -> None:
        """Bring back what was typed for this campaign; another one's filter would hide runs unasked."""
        kept = self.console.recall("monitor.filter")
        same = isinstance(kept, dict) and kept.get("campaign") == str(self.campaign)
        text = str(kept.get("text", "")) if isinstance(kept, dict) and same else ""
        if text != self.query_one(FilterBar).text:
            self.query_one(FilterBar).set_text(text)

    def _draw(self) -> None:
        """Show the run under the cursor, and ask for the chart, the telemetry and the log."""
        run, chosen = self._current(), self._chosen()
        self.query_one(Side).show_run(run)
        wanted = (run, tuple(chosen), self._view)
        if wanted == self._drawn_for:
            return
        self._drawn_for = wanted
        view, everything = self._view, list(self._runs.values())

        def show(chart: Chart) -> None:
            self.query_one(Side).show_chart(chart, asking.chart_title(self._view))

        self.ask(lambda: trajectories.chart(everything, chosen, run, view), show, topic="chart")
        if run is None:
            self.query_one(Side).show_about(Resources((), (), 1), "")
            return

        def about() -> tuple[Resources, str]:
            from engine.running import reader

            return resources(reader.telemetry(run), run.threads), reader.log_tail(run, 4000)

        self.ask(about, lambda found: self.query_one(Side).show_about(*found), topic="about")

    # -- keys ----------------------------------------------------------------------------------------------

    def action_pause(self) -> None:
        """Hold the order of the rows; reading goes on, and no run is delayed."""
        table = self.query_one("#table", Table)
        table.freeze(frozen=not table.frozen)
        self.query_one(Masthead).banner = "PAUSED" if table.frozen else ""
        if not table.frozen and self._picture is not None:
            table.load(self._picture.rows)

    def action_filter(self) -> None:
        """Type a filter."""
        self.query_one(FilterBar).take_focus()

    def action_mark(self) -> None:
        """Lay this run's trajectory over the others, or take it away."""
        self.query_one("#table", Table).action_mark()

    def action_mark_shown(self) -> None:
        """Lay all shown runs over one another."""
        table = self.query_one("#table", Table)
        table.set_marks([*table.marks, *table.visible_keys])
        if len(table.marks) > MOST:
            self.console.tell(f"{len(table.marks)} runs marked; the first {MOST} are drawn")

    def action_unmark(self) -> None:
        """Draw only the run under the cursor."""
        self.query_one("#table", Table).set_marks([])

    def action_view(self, what: str) -> None:
        """Draw another value, or in another way.

        Parameters
        ----------
        what : str
            ``metric`` (the next of q, ID, OOD, native score), ``log``, ``best`` (so far), ``bands`` (median
            and range of the seeds), ``budget`` (its mark) or ``front`` (Pareto front of the task).
        """
        self._view = asking.changed(self._view, what)
        self.console.remember("monitor.view", asdict(self._view))
        self._draw()

    def action_pane(self) -> None:
        """Bring the next pane to the front where only one fits."""
        self.query_one(Side).bring_next()

    def action_zoom(self) -> None:
        """Give the front pane the whole screen, or give it back."""
        self.toggle_class("-zoomed")

    def action_group(self) -> None:
        """Group the rows by the next of method, task, status, nothing."""
        table = self.query_one("#table", Table)
        at = _GROUPS.index(table.arrangement.group) if table.arrangement.group in _GROUPS else 0
        group = _GROUPS[(at + 1) % len(_GROUPS)]
        table.set_group(group, rows.group_line)
        self.console.remember("monitor.group", group)

    def action_pace(self, step: int) -> None:
        """Read more or less often.

        Parameters
        ----------
        step : int
            -1 more often, 1 less often.
        """
        self._pace = max(0, min(len(_REFRESH_S) - 1, self._pace + step))
        if self._feed is not None:
            self._feed.interval = _REFRESH_S[self._pace]
            self._feed.hurry()
        self.console.tell(f"reading every {_REFRESH_S[self._pace]:g} s")

    def action_alarms(self) -> None:
        """Ring and notify on failures and at the end, or not."""
        self._alarms.on = not self._alarms.on
        self.console.remember("monitor.alarms", self._alarms.on)
        self.console.tell(f"bell and notifications {'on' if self._alarms.on else 'off'}")

    # -- expressions ---------------------------------------------------------------------------------------

    def action_simplified(self) -> None:
        """Show the simplified form of this run's expression."""
        run = self._current()
        if run is not None and run.expression:
            self.console.tell("simplifying…")
            show = partial(self._reveal, run.id, "simplified")
            self.ask(lambda: asking.simplified(run), show, topic="simplified")

    def _reveal(self, run: str, part: str, found: tuple[str, str]) -> None:
        """Show what was asked for, unless the cursor has left its run."""
        if self.query_one("#table", Table).cursor == run:
            self.query_one(Side).reveal(part, *found)

    def action_truth(self) -> None:
        """Show the ground truth and how far this expression is from it."""
        run = self._current()
        if run is not None:
            self.ask(lambda: asking.truth(run), partial(self._reveal, run.id, "truth"), topic="truth")

    def action_copy(self) -> None:
        """Copy this run's expression with all digits."""
        run = self._current()
        if run is not None and (run.expression or run.native):
            self.console.copy(run.expression or run.native or "")

    def action_copy_table(self) -> None:
        """Copy the shown rows as tab-separated text."""
        self.console.copy(self.query_one("#table", Table).as_tsv())

    def action_whole_log(self) -> None:
        """Read the end of the worker's log."""
        run = self._current()
        if run is None:
            return

        def read() -> str:
            from engine.running import reader

            return reader.log_tail(run, 200_000)

        self.ask(
            read,
            lambda text: self.app.push_screen(Reading(f"Log of {run.id}", text or "nothing was written")),
            topic="whole log",
        )

    # -- orders --------------------------------------------------------------------------------------------

    def action_order(self, kind: str) -> None:
        """Ask before an order, then leave it in the campaign's spool.

        Parameters
        ----------
        kind : str
            ``stop``, ``retry`` or ``drain``.
        """
        folder = self.campaign
        if folder is None:
            return
        wanted = orders.fitting(kind, self._chosen())
        if not wanted and kind != "drain":
            self.console.tell(f"no chosen run can be {orders.DONE[kind]}", "warning")
            return

        def send(agreed: bool | None) -> None:
            if agreed:
                self.console.tell(f"asking for the {kind}…")
                self.ask(
                    lambda: orders.send(folder, kind, [run.id for run in wanted]),
                    self._sent,
                    topic=f"order {kind}",
                )

        self.app.push_screen(Question(orders.TITLES[kind], orders.sentence(kind, wanted)), send)

    def action_resume(self) -> None:
        """Start a detached engine that goes on with this campaign."""
        folder = self.campaign
        if folder is not None:
            self.console.tell("starting an engine…")
            self.ask(lambda: starting.start(["run", str(folder)]), self._sent, topic="resume")

    def _sent(self, answer: str) -> None:
        self.console.tell(answer)
        if self._feed is not None:
            self._feed.hurry()


def _settle_memory() -> None:
    """Let the collector pass over what stays: going through thousands of runs each time holds keys up."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
