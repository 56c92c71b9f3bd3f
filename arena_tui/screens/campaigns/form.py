"""The form of a new campaign: checked while one types, with the command that does the same."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.suggester import Suggester
from textual.widgets import Input

from arena_tui import background, starting
from arena_tui.screens.campaigns import plan
from arena_tui.screens.campaigns.plan import FIELDS, Field, Verdict
from arena_tui.widgets.plain import Plain

if TYPE_CHECKING:
    from arena_tui.app import Console


class LastWord(Suggester):
    """Completes the last of several words with commas between.

    Parameters
    ----------
    words : sequence of str
        What may stand there.
    """

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._words = tuple(words)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the whole text with its last word completed, or None.

        Parameters
        ----------
        value : str
            What is typed.
        """
        before, comma, last = value.rpartition(",")
        if not last:
            return None
        found = next((word for word in self._words if word.startswith(last) and word != last), None)
        return None if found is None else f"{before}{comma}{found}"


def show_verdict(form: Screen[Any], fields: Sequence[Field], verdict: Verdict) -> None:
    """Write beside each field of a form what is said of it, and below them the summary and the command.

    Parameters
    ----------
    form : Screen
        Has an input and a note for each field, a summary and a command.
    fields : sequence of Field
        Its lines.
    verdict : Verdict
        What was found about them.
    """
    for line in fields:
        note = verdict.notes[line.name]
        beside = form.query_one(f"#note-{line.name}", Plain)
        beside.set_class(note.wrong, "wrong")
        beside.show(("✗ " if note.wrong else "✓ ") + note.text)
        form.query_one(f"#{line.name}", Input).set_class(note.wrong, "-invalid")
    summary = form.query_one("#summary", Plain)
    summary.set_class(not verdict.good, "wrong")
    summary.show(verdict.summary)
    form.query_one("#command", Plain).show(f"$ {starting.command_line(verdict.words)}")


class NewCampaign(ModalScreen[Path | None]):
    """Closes with the folder of the campaign that was started, or None."""

    CSS_PATH = "form.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012 - Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "Cancel"),
        Binding("ctrl+s", "start", "Start", priority=True),
        Binding("ctrl+y", "copy", "Copy the command", priority=True),
        # With priority, so that what is typed ahead goes into the field that was moved to.
        Binding("down,tab", "app.focus_next", "Next field", show=False, priority=True),
        Binding("up,shift+tab", "app.focus_previous", "Previous field", show=False, priority=True),
    ]

    def __init__(self, *, methods: str = "", tasks: str = "", settings: str = "") -> None:
        super().__init__()
        self._given = {"methods": methods, "tasks": tasks, "set": settings}
        self._verdict: Verdict | None = None
        self._questions = background.Questions()
        self._starting = False

    @property
    def console(self) -> "Console":
        """The application, by its own type."""
        return cast("Console", self.app)

    def compose(self) -> ComposeResult:
        """Lay out a line for each field, the summary and the command."""
        day = time.strftime("%Y%m%d-%H%M", time.localtime(self.console.now()))
        with Vertical() as box:
            box.border_title = "New campaign"
            with VerticalScroll(can_focus=False):
                for line in FIELDS:
                    value = self._given.get(line.name) or line.value
                    if line.name == "out":
                        value = f"campaigns/{day}"
                    with Horizontal(classes="field"):
                        yield Plain(line.title, classes="title")
                        yield Input(value, placeholder=line.hint, id=line.name)
                        yield Plain(line.hint, id=f"note-{line.name}", classes="note")
            yield Plain("", id="summary")
            yield Plain("", id="command")
            yield Plain(
                "^s  start      ^y  copy the command      →  complete      esc  cancel", classes="hint"
            )

    def on_mount(self) -> None:
        """Offer the names that may be typed, and check what is there."""
        self.query_one("#semantics", Input).suggester = LastWord(("yes", "no"))
        background.run(self._names, self._offer, self.console.complain)
        empty = next((name for name in ("methods", "tasks") if not self._given[name]), "out")
        self.query_one(f"#{empty}", Input).focus()
        self._check()

    @staticmethod
    def _names() -> tuple[Sequence[str], Sequence[str]]:
        from engine.methods import registry
        from tasks import catalogue, selections

        sets = [f"@{name}" for name in selections.names()]
        return registry.names(), [*sets, *(task.name for task in catalogue.full())]

    def _offer(self, names: tuple[Sequence[str], Sequence[str]]) -> None:
        if self.is_attached:
            self.query_one("#methods", Input).suggester = LastWord(names[0])
            self.query_one("#tasks", Input).suggester = LastWord(names[1])

    def _values(self) -> dict[str, str]:
        return {line.name: self.query_one(f"#{line.name}", Input).value for line in FIELDS}

    @on(Input.Changed)
    def _typed(self) -> None:
        self._check()

    @on(Input.Submitted)
    def _next(self) -> None:
        self.focus_next()

    def _check(self) -> None:
        values = self._values()
        self._questions.ask("check", lambda: plan.check(values), self._show, self.console.complain)

    def _show(self, verdict: Verdict) -> None:
        if not self.is_attached:
            return
        self._verdict = verdict
        show_verdict(self, FIELDS, verdict)

    def action_copy(self) -> None:
        """Copy the equivalent command."""
        if self._verdict is not None:
            self.console.copy(starting.command_line(self._verdict.words))

    def action_start(self) -> None:
        """Start the campaign with an engine of its own, and open it."""
        if not self._starting:
            values = self._values()
            self._questions.ask("check", lambda: plan.check(values), self._start, self.console.complain)

    def _start(self, verdict: Verdict) -> None:
        if self._starting or not self.is_attached:
            return
        self._show(verdict)
        if not verdict.good:
            wrong = next(line.name for line in FIELDS if verdict.notes[line.name].wrong)
            self.console.tell(f"{wrong}: {verdict.notes[wrong].text}", "warning")
            self.query_one(f"#{wrong}", Input).focus()
            return
        self._starting = True
        folder = Path(self._values()["out"]).expanduser().resolve()
        self.query_one("#summary", Plain).show("starting: making the tasks' data and the engine…")
        background.run(lambda: starting.start(verdict.words), lambda _: self._started(folder), self._refused)

    def _started(self, folder: Path) -> None:
        if self.is_attached:
            self.dismiss(folder)

    def _refused(self, error: Exception) -> None:
        self._starting = False
        self.console.complain(error)
        self._check()

    def action_give_up(self) -> None:
        """Close without a campaign."""
        self.dismiss(None)
