"""The Paired screen: studies of BANK, LLM and UNION pools, their views, and the way to a new one."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from arena_tui.feed import Feed
from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.paired import keys, rows, sessions
from arena_tui.screens.paired.paths import PathsScreen
from arena_tui.screens.paired.survey import Listed, Reader, Shelf
from arena_tui.screens.paired.views import Views
from arena_tui.widgets.dialogs import Question, Reading, Typed
from arena_tui.widgets.plain import place
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

_REMEMBERED = "paired.folders"
_MOST_REMEMBERED = 20
_RUNNING_S, _RESTING_S, _UNSEEN_S = 1.0, 5.0, 30.0


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
        self._wanted: Path | None = None
        self._entering = False
        self._stopping: set[Path] = set()

    def contents(self) -> ComposeResult:
        """Lay out the studies and the views."""
        with Vertical(id="list", classes="panel") as left:
            left.border_title = "Studies"
            yield Table(
                rows.STUDY_COLUMNS, empty="no study below this folder: n plans one", pinned=1, id="studies"
            )
        yield Views(id="side", classes="panel")

    def on_mount(self) -> None:
        """List the studies, and go on looking at them."""
        super().on_mount()
        self.set_focus(self.query_one("#studies", Table))
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
        self._views.opened = None
        self._hurry()

    def _hurry(self) -> None:
        if self._feed is not None:
            self._feed.hurry()

    def _take(self, found: tuple[Listed, ...]) -> None:
        if not self.is_attached or self._feed is None:
            return
        searched = any(one.session is not None for one in found)
        self._feed.interval = _UNSEEN_S if not self.is_current else _RUNNING_S if searched else _RESTING_S
        self._tell_ended(found)
        self._picture = found
        self._studies = {str(one.folder): one for one in found}
        table = self.query_one("#studies", Table)
        table.load([rows.study_row(one) for one in found])
        if self._wanted is not None and str(self._wanted) in self._studies:
            table.put_cursor(str(self._wanted))
            self._wanted = None
        self._read()
        if self._entering and found:
            self._entering = False
            self.action_enter()

    def _tell_ended(self, found: tuple[Listed, ...]) -> None:
        """Say which studies are not searched any more, unless somebody stopped them here."""
        for one in found:
            before = self._studies.get(str(one.folder))
            if before is None or before.session is None or one.session is not None:
                continue
            if one.folder in self._stopping:
                self._stopping.discard(one.folder)
            elif one.complete:
                self.console.tell(f"{place(one.folder)} is finished: {one.total} units")
            else:
                units = f"{one.done} of {one.total} units"
                self.console.tell(f"{place(one.folder)} has ended at {units}; w may say why", "warning")

    @property
    def _listed(self) -> Listed | None:
        """The study under the cursor."""
        return self._studies.get(self.query_one("#studies", Table).cursor or "")

    @on(Table.Moved, "#studies")
    def _moved(self) -> None:
        self._read()

    def _read(self) -> None:
        found = self._listed
        self._views.say("" if found is None else rows.state(found))
        if found is None:
            return
        opened = self._views.opened
        if opened is None or opened.folder != found.folder or opened.done < found.done:
            self.ask(lambda: self._reader.open(found.folder), self._views.show, topic="study")

    # -- views ---------------------------------------------------------------------------------------------

    @property
    def _views(self) -> Views:
        return self.query_one(Views)

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
        self._views.step(step)
        if self._inside:
            self._views.body().focus()

    def action_metric(self) -> None:
        """Show the next metric."""
        self._views.next_metric()

    def action_level(self) -> None:
        """Show the other level of language."""
        why = self._views.next_level()
        if why is not None:
            self.console.tell(why)

    def action_enter(self) -> None:
        """Go into the study, or open the paths of what is under the cursor."""
        if self._inside:
            self._drill()
        elif self._listed is not None:
            self._views.body().focus()
        else:
            # Typed ahead of the list: it holds as soon as there is one.
            self._entering = self._picture is None

    @on(Table.Opened)
    def _opened_row(self, event: Table.Opened) -> None:
        """Do what Enter does, for a double click."""
        if event.table.id == "studies":
            self._views.body().focus()
        else:
            self._drill()

    def _drill(self) -> None:
        drill = self._views.drill()
        if drill is not None:
            self.app.push_screen(PathsScreen(drill))

    def action_leave_study(self) -> None:
        """Go back to the list of studies."""
        self.query_one("#studies", Table).focus()

    def action_filter(self) -> None:
        """Type a filter over the front list."""
        self._views.filter()

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
        from arena_tui.screens.paired.study_form import remembered
        from arena_tui.screens.paired.study_plan import values_of

        typed = remembered(self.console).get(str(found.folder), {})
        self.ask(lambda: values_of(found.folder, typed), self._plan, topic="resume")

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
                self._stopping.add(found.folder)
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
                self.ask(lambda: Reader().open(folder), lambda _: self._open(folder), topic="open")

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
        if self._views.opened is not None:
            self.console.copy(self._views.as_text())

    def action_copy_table(self) -> None:
        """Copy the shown rows as tab-separated text; of a view without rows, the studies."""
        body = self._views.body()
        table = body if self._inside and isinstance(body, Table) else self.query_one("#studies", Table)
        self.console.copy(table.as_tsv())

    def action_export(self) -> None:
        """Write the study's tables as Parquet and LaTeX into its folder tables."""
        opened = self._views.opened
        if opened is None:
            return

        def write() -> str:
            from engine.reachability.report import write_files

            files = write_files(opened.report, opened.folder / "tables")
            return f"{len(files)} files, Parquet and LaTeX, in {place(opened.folder / 'tables')}"

        self.ask(write, self.console.tell, topic="export")
