"""What every screen has: masthead, key bar, questions answered off the loop, the too-small note."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Input

from arena_tui import background, screens
from arena_tui.widgets.keybar import KeyBar
from arena_tui.widgets.masthead import Masthead
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from arena_tui.app import Console

_Result = TypeVar("_Result")


class ConsoleScreen(Screen[None]):
    """A numbered screen of the console; the conventions are in ``arena_tui.screens``."""

    DEFAULT_CSS = """
    ConsoleScreen {
        background: $background; layers: base note;
        & > #room { height: 1fr; }
        & > #too-small {
            display: none; layer: note; dock: top; width: 100%; height: 100%; background: $background;
            content-align: center middle; text-align: center; color: $warning;
        }
        &.-tiny > #too-small, &.-flat > #too-small { display: block; }
        &.-tiny > #room, &.-flat > #room, &.-tiny > Masthead, &.-flat > Masthead { display: none; }
        & .panel {
            border: round $quiet 60%; border-title-color: $foreground; border-title-style: bold;
            border-subtitle-color: $quiet; background: $surface; padding: 0 1;
        }
        & .panel:focus-within, & .panel:focus { border: round $primary; border-title-color: $primary; }
        & VerticalScroll, & .panel {
            scrollbar-background: $surface; scrollbar-color: $panel-lighten-2;
            scrollbar-corner-color: $surface;
        }
        & .quiet { color: $quiet; }
        & .heading { color: $primary; text-style: bold; }
        & Input { border: none; height: 1; padding: 0 1; background: $panel; }
        & Input:focus { border: none; background: $cursor-line-blurred; }
        & Input.-invalid { color: $bad; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "Next pane, where the arrows then scroll", show=False),
        Binding("shift+tab", "app.focus_previous", "Previous pane", show=False),
        Binding("ctrl+c,super+c", "screen.copy_text", "Copy what the mouse has selected", show=False),
    ]
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-tiny"), (32, "-slim"), (60, "-narrow"), (100, "-medium"), (140, "-wide"),
    ]  # fmt: skip
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-flat"), (8, "-low"), (20, "-short"), (30, "-tall"),
    ]  # fmt: skip
    # Only where nothing has it yet: a focus asked for while the screen is made would take typed letters away.
    AUTO_FOCUS: ClassVar[str | None] = "Table"
    ROOM: ClassVar[str] = ""
    HELP: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self._questions = background.Questions()

    @property
    def console(self) -> "Console":
        """The application, by its own type."""
        return cast("Console", self.app)

    @property
    def campaign(self) -> Path | None:
        """Folder of the open campaign."""
        return self.console.campaign

    def contents(self) -> ComposeResult:
        """Yield the widgets between masthead and key bar."""
        yield Plain("")

    def compose(self) -> ComposeResult:
        """Lay out the frame around the contents."""
        yield Masthead([(entry.key, entry.name, entry.title) for entry in screens.ENTRIES], self.ROOM)
        with Container(id="room"):
            yield from self.contents()
        yield KeyBar()
        yield Plain("terminal too small", id="too-small")

    def on_masthead_chosen(self, event: Masthead.Chosen) -> None:
        """Go to the screen whose name was clicked."""
        self.console.action_room(event.name)

    def on_mount(self) -> None:
        """Follow the open campaign."""
        self.watch(self.app, "campaign", self._follow_campaign, init=False)
        self._name_campaign()
        self._recall_order()

    def on_screen_suspend(self) -> None:
        """Remember the order of the rows when a person goes elsewhere."""
        self._remember_order()

    def on_unmount(self) -> None:
        """Remember the order of the rows when the console ends."""
        self._remember_order()

    def _recall_order(self) -> None:
        kept = self.console.recall(f"{self.ROOM}.order")
        for table in self.query(Table):
            order = kept.get(table.id or "") if isinstance(kept, dict) else None
            if isinstance(order, list) and order[0] in [column.name for column in table.columns]:
                table.set_sort(str(order[0]), descending=order[-1] is True)

    def _remember_order(self) -> None:
        chosen = {
            table.id: [table.arrangement.sort, table.arrangement.descending]
            for table in self.query(Table)
            if table.id and table.arrangement.sort
        }
        self.console.remember(f"{self.ROOM}.order", chosen)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Leave ``/`` to a line that is being typed; elsewhere it comes before what is typed ahead.

        Parameters
        ----------
        action : str
            The action's name.
        parameters : tuple
            Its parameters.

        Returns
        -------
        bool or None
            False when it must not run now.
        """
        return action != "filter" or not isinstance(self.focused, Input)

    def _follow_campaign(self) -> None:
        self._name_campaign()
        self.campaign_changed()

    def _name_campaign(self) -> None:
        self.query_one(Masthead).place = self.campaign.name if self.campaign else ""

    def campaign_changed(self) -> None:
        """Follow another campaign; a screen that shows one overrides this."""

    def ask(
        self,
        work: Callable[[], _Result],
        done: Callable[[_Result], object],
        *,
        topic: str,
        failed: Callable[[Exception], object] | None = None,
    ) -> None:
        """Have something read or computed beside the loop.

        Parameters
        ----------
        work : callable
            Blocks as long as it likes, on a daemon thread.
        done : callable
            Takes the result, in the loop; not called when a newer question was asked under the topic.
        topic : str
            What the question is about.
        failed : callable, optional
            Takes the exception; by default it becomes a toast.
        """

        def guarded(call: Callable[[Any], object], outcome: object) -> None:
            if self.is_attached:
                self.console.guarded(partial(call, outcome))

        self._questions.ask(
            topic, work, partial(guarded, done), partial(guarded, failed or self.console.complain)
        )
