"""The Campaigns screen: every known campaign with its progress, and the way to a new one."""

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from arena_tui import starting
from arena_tui.feed import Feed
from arena_tui.screens.campaigns import survey
from arena_tui.screens.campaigns.survey import Known, Survey
from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.monitor import orders
from arena_tui.widgets.dialogs import Question, Typed
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain, place
from arena_tui.widgets.table import Table
from engine.errors import EngineError

_WELCOME = "n plans a new campaign.\n\nIn a shell, arena-tui quickstart makes a first one."
_FILLING_S = 0.02
_RESTING_S = 2.0
_UNSEEN_S = 30.0


class CampaignsScreen(ConsoleScreen):
    """All campaigns on one side, the one under the cursor in words on the other."""

    CSS_PATH = "campaigns.tcss"
    ROOM: ClassVar[str] = "campaigns"
    HELP: ClassVar[str] = (
        "A campaign is a folder: methods, tasks, seeds, a budget, and every record of its runs. Listed are "
        "the campaigns opened here before and those in the current folder and its folder campaigns.\n\n"
        "n plans a new one, Enter opens one on the Monitor, o opens a folder by its path. A campaign that is "
        "resting has no engine: R starts one that goes on where the last one left off. Engines are processes "
        "of their own; leaving the console ends none."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new", "New campaign"),
        Binding("enter", "open", "Open"),
        Binding("o", "open_path", "Open a folder"),
        Binding("slash", "filter", "Filter", key_display="/", priority=True),
        Binding("R", "resume", "Resume"),
        Binding("d", "drain", "Drain: start nothing new", show=False),
        Binding("c", "copy", "Copy the folder's path", show=False),
        Binding("y", "copy_table", "Copy the shown table", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._feed: Feed[tuple[Known, ...]] | None = None
        self._known: dict[str, Known] = {}

    def contents(self) -> ComposeResult:
        """Lay out the list and the description."""
        table = Table(survey.COLUMNS, empty="no campaign yet: n plans one", pinned=1, id="table")
        with Vertical(id="list", classes="panel") as left:
            left.border_title = "Campaigns"
            yield table
            yield FilterBar(table, hint="words, state:running, failed>0")
        with Vertical(id="about", classes="panel") as right:
            right.border_title = "Campaign"
            with VerticalScroll():
                yield Plain(_WELCOME, id="welcome")
                yield Facts(id="words")

    def on_mount(self) -> None:
        """Start listing."""
        super().on_mount()
        self._describe()
        self._survey = Survey(self.console.known_campaigns)
        self._feed = Feed(self._survey.take, _FILLING_S, self._take, self.console.complain)

    def on_unmount(self) -> None:
        """Stop reading."""
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

    def _take(self, listed: tuple[Known, ...]) -> None:
        if not self.is_attached or self._feed is None:
            return
        seen = _RESTING_S if self.is_current else _UNSEEN_S
        self._feed.interval = seen if self._survey.complete else _FILLING_S
        known = {str(one.folder): one for one in listed}
        if known == self._known and self.query_one(Table).total == len(known):
            return
        self._known = known
        table = self.query_one(Table)
        table.load([survey.row(one) for one in listed])
        self.query_one(FilterBar).count(len(table.visible_keys), table.total)
        self._describe()

    @on(Table.Moved)
    def _moved(self) -> None:
        self._describe()

    def _describe(self) -> None:
        known = self._known.get(self.query_one(Table).cursor or "")
        self.set_class(known is None, "-empty")
        self.query_one("#words", Facts).show(survey.about(known) if known else [])

    @on(Table.Opened)
    def _opened(self, event: Table.Opened) -> None:
        self.console.open_campaign(Path(event.key))

    # -- actions -------------------------------------------------------------------------------------------

    def action_new(self) -> None:
        """Plan a new campaign."""
        self.console.new_campaign()

    def action_open(self) -> None:
        """Open the campaign under the cursor on the Monitor."""
        self.query_one(Table).action_open()

    def action_open_path(self) -> None:
        """Open a campaign by its folder."""

        def check(text: str) -> Path:
            folder = Path(text).expanduser().resolve()
            if not (folder / "campaign.toml").is_file():
                raise EngineError(f"{folder} holds no campaign.toml")
            return folder

        def go(text: str | None) -> None:
            if text is not None:
                self.console.open_campaign(check(text))

        self.app.push_screen(Typed("Open a campaign", "Its folder:", check=check), go)

    def action_filter(self) -> None:
        """Type a filter."""
        self.query_one(FilterBar).take_focus()

    def action_resume(self) -> None:
        """Start a detached engine for the campaign under the cursor."""
        key = self.query_one(Table).cursor
        if key is not None:
            self.console.tell("starting an engine…")
            self.ask(lambda: starting.start(["run", key]), self.console.tell, topic="resume")

    def action_drain(self) -> None:
        """Let a campaign's running runs finish and start nothing new."""
        key = self.query_one(Table).cursor
        if key is None:
            return

        def send(agreed: bool | None) -> None:
            if agreed:
                self.ask(lambda: orders.send(Path(key), "drain", []), self.console.tell, topic="drain")

        self.app.push_screen(Question("Drain", f"{place(Path(key))}\n\n{orders.sentence('drain', [])}"), send)

    def action_copy(self) -> None:
        """Copy the folder's path."""
        key = self.query_one(Table).cursor
        if key is not None:
            self.console.copy(key)

    def action_copy_table(self) -> None:
        """Copy the shown rows as tab-separated text."""
        self.console.copy(self.query_one(Table).as_tsv())
