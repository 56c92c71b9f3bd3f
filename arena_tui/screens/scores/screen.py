"""The Scores screen: six axes of every method, the runs behind them, and paired comparisons."""

from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.scores import rows, survey
from arena_tui.screens.scores.survey import Record, Scored
from arena_tui.widgets.dialogs import Choice, Typed
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Table

_PANES = ("profile", "runs", "pairs")
_NOT_SCORED = "not scored yet; e scores this campaign"
_TICK_S = 0.5


class ScoresScreen(ConsoleScreen):
    """Methods on one side; the profile, the runs or the comparisons on the other."""

    CSS_PATH = "scores.tcss"
    ROOM: ClassVar[str] = "scores"
    HELP: ClassVar[str] = (
        "ID and OOD: numerical quality. SYM: agreement with the reference expression, 1 when judged "
        "equivalent. MIN: reference size over own size. EFF: how early a run came near its own best. STAB: "
        "agreement of seeds. Scores are 0 to 100, higher is better; ¹ and ² mark the best and "
        "second of the campaign; a degree sign says that not every run (task, for STAB) has a score: the "
        "profile counts them.\n\n"
        "e scores what is new with the deterministic judge; what was judged before is kept. v changes "
        "between the profile of the method under the cursor, its runs, and paired comparisons of all "
        "methods. p shows the paper's own rows, marked as published. x writes tables, figures or a bundle "
        "into a folder, as arena-tui export does."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "score", "Score"),
        Binding("v", "pane", "Runs"),
        Binding("p", "published", "Published"),
        Binding("x", "export", "Export"),
        Binding("slash", "filter", "Filter the runs", show=False, key_display="/", priority=True),
        Binding("r", "reload", "Read again", show=False),
        Binding("c", "copy", "Copy what is shown", show=False),
        Binding("y", "copy_table", "Copy the table", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._scored: Scored | None = None
        self._methods: dict[str, Record] = {}
        self._runs: dict[str, Record] = {}
        self._pane = "profile"
        self._published = False
        self._scoring: Path | None = None
        self._stage: str | None = None

    def contents(self) -> ComposeResult:
        """Lay out the methods and the panes."""
        with Vertical(id="list", classes="panel") as left:
            left.border_title = "Methods"
            yield Table(rows.METHOD_COLUMNS, empty=_NOT_SCORED, pinned=1, id="methods")
        with Vertical(id="side"):
            with VerticalScroll(id="profile", classes="panel pane") as profile:
                profile.border_title = "Profile"
                yield Facts(id="method")
            with Vertical(id="runs", classes="panel pane") as below:
                below.border_title = "Runs"
                table = Table(rows.RUN_COLUMNS, empty="no run passes the filter", pinned=2, id="run-table")
                yield table
                yield FilterBar(table, hint="words, verdict=equivalent, SYM<0.5")
                with VerticalScroll(id="run"):
                    yield Facts(id="facts")
            with VerticalScroll(id="pairs", classes="panel pane") as pairs:
                pairs.border_title = "Paired comparisons"
                yield Plain("", id="words")

    def on_mount(self) -> None:
        """Read what an earlier scoring left."""
        super().on_mount()
        self._front("profile")
        self.query_one("#methods", Table).focus()
        self.set_interval(_TICK_S, self._tell_stage)
        self.campaign_changed()

    def campaign_changed(self) -> None:
        """Show the tables of another campaign."""
        self._scored = self._scoring = self._stage = None
        self._paint()
        self.action_reload()

    def action_reload(self) -> None:
        """Read the campaign's tables again."""
        folder = self.campaign
        if folder is not None:
            self.ask(lambda: survey.read(folder), self._take, topic="scores")

    def _take(self, scored: Scored | None) -> None:
        if scored is None or scored.folder == self.campaign:
            self._scored = scored
            self._paint()

    # -- scoring -------------------------------------------------------------------------------------------

    def action_score(self) -> None:
        """Score the campaign beside the loop."""
        folder = self.campaign
        if folder is None:
            self.console.tell("no campaign is open")
        elif self._stage is not None:
            self.console.tell("this campaign is being scored already")
        else:
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
        self.console.tell(f"scored {len(scored.runs)} runs")

    def _failed(self, error: Exception) -> None:
        self._scoring = self._stage = None
        self._tell_stage()
        self.console.complain(error)

    def _tell_stage(self) -> None:
        judged = f"judge: {self._scored.judge}" if self._scored else ""
        self.query_one("#list").border_subtitle = self._stage or judged

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
            work = partial(survey.export_as, folder, kind, Path(out), self._published)
            self.ask(work, partial(self._exported, out), topic="export")

    def _exported(self, out: str, written: list[Path]) -> None:
        self.console.tell(f"wrote {len(written)} files into {out}")

    # -- painting ------------------------------------------------------------------------------------------

    def _paint(self) -> None:
        found = self._scored
        self._methods = {rows.method_key(record): record for record in found.methods} if found else {}
        self._runs = {str(record["run"]): record for record in found.runs} if found else {}
        rivals = list(self._methods.values())
        shown = [rows.method_row(record, rivals) for record in rivals]
        if found and self._published:
            conditions = {record["condition"] for record in found.methods}
            shown += [rows.published_row(one) for one in found.published if one["condition"] in conditions]
        self.query_one("#methods", Table).load(shown)
        self.query_one("#words", Plain).show(found.comparisons if found else "")
        self._paint_method()
        self._tell_stage()

    @on(Table.Moved, "#methods")
    def _moved(self) -> None:
        self._paint_method()

    def _paint_method(self) -> None:
        record = self._methods.get(self.query_one("#methods", Table).cursor or "")
        self.query_one("#method", Facts).show([] if record is None else rows.about_method(record))
        chosen = [
            rows.run_row(run)
            for run in self._runs.values()
            if record is None or (run["label"], run["condition"]) == (record["label"], record["condition"])
        ]
        table = self.query_one("#run-table", Table)
        table.load(chosen)
        self.query_one(FilterBar).count(len(table.visible_keys), table.total)
        self._paint_run()

    @on(Table.Moved, "#run-table")
    def _moved_run(self) -> None:
        self._paint_run()

    def _paint_run(self) -> None:
        record = self._runs.get(self.query_one("#run-table", Table).cursor or "")
        self.query_one("#facts", Facts).show([] if record is None else rows.about_run(record))

    # -- panes ---------------------------------------------------------------------------------------------

    def _front(self, pane: str) -> None:
        self._pane = pane
        for name in _PANES:
            self.query_one(f"#{name}").set_class(name == pane, "front")

    def action_pane(self) -> None:
        """Change between profile, runs and comparisons."""
        self._front(_PANES[(_PANES.index(self._pane) + 1) % len(_PANES)])
        self.query_one("#run-table" if self._pane == "runs" else "#methods", Table).focus()

    def action_published(self) -> None:
        """Show or hide the paper's rows."""
        self._published = not self._published
        self._paint()

    def action_filter(self) -> None:
        """Type a filter over the runs."""
        self._front("runs")
        self.query_one(FilterBar).take_focus()

    def action_copy(self) -> None:
        """Copy what the front pane shows."""
        if self._pane == "pairs":
            self.console.copy(self._scored.comparisons if self._scored else "")
        else:
            shown = self.query_one("#method" if self._pane == "profile" else "#facts", Facts)
            self.console.copy(shown.as_text())

    def action_copy_table(self) -> None:
        """Copy the shown rows as tab-separated text."""
        shown = "#run-table" if self._pane == "runs" else "#methods"
        self.console.copy(self.query_one(shown, Table).as_tsv())
