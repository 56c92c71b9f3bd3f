"""The form of a new study: checked while one types, with the command that does the same."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input

from arena_tui import background
from arena_tui.screens.campaigns.form import LastWord, show_verdict
from arena_tui.screens.campaigns.plan import Verdict
from arena_tui.screens.paired import sessions, study_plan
from arena_tui.screens.paired.study_plan import FIELDS
from arena_tui.starting import command_line
from arena_tui.widgets.plain import Plain

if TYPE_CHECKING:
    from arena_tui.app import Console


_REMEMBERED = "paired.forms"
_MOST_REMEMBERED = 20


def remembered(console: "Console") -> dict[str, dict[str, str]]:
    """Return what was typed for studies that were started here, by folder.

    Parameters
    ----------
    console : Console
        Whose memory is read.

    Returns
    -------
    dict
        Field name to text, by the study's folder.
    """
    kept = console.recall(_REMEMBERED)
    return {str(folder): dict(typed) for folder, typed in kept.items()} if isinstance(kept, dict) else {}


class NewStudy(ModalScreen[Path | None]):
    """Closes with the folder of the study that was started, or None.

    Parameters
    ----------
    values : mapping of str to str
        What is filled in already; a study's own values make the form go on with it.
    """

    CSS_PATH = "study_form.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012 - Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "Cancel"),
        Binding("ctrl+s", "start", "Start", priority=True),
        Binding("ctrl+y", "copy", "Copy the command", priority=True),
        # With priority, so that what is typed ahead goes into the field that was moved to.
        Binding("down,tab", "app.focus_next", "Next field", show=False, priority=True),
        Binding("up,shift+tab", "app.focus_previous", "Previous field", show=False, priority=True),
    ]

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__()
        self._given = values
        self._verdict: Verdict | None = None
        self._questions = background.Questions()
        self._starting = False

    @property
    def console(self) -> "Console":
        """The application, by its own type."""
        return cast("Console", self.app)

    def compose(self) -> ComposeResult:
        """Lay out a line for each field, the summary and the command."""
        day = time.strftime("%m%d-%H%M", time.localtime(self.console.now()))
        with Vertical() as box:
            box.border_title = "Go on with a study" if self._given else "New paired study"
            with VerticalScroll(can_focus=False):
                for line in FIELDS:
                    value = f"study-{day}" if line.name == "out" else line.value
                    with Horizontal(classes="field"):
                        yield Plain(line.title, classes="title")
                        yield Input(self._given.get(line.name, value), placeholder=line.hint, id=line.name)
                        yield Plain(line.hint, id=f"note-{line.name}", classes="note")
            yield Plain("", id="summary")
            yield Plain("", id="command")
            yield Plain(
                "^s  start      ^y  copy the command      →  complete      esc  cancel", classes="hint"
            )

    def on_mount(self) -> None:
        """Offer the names that may be typed, and check what is there."""
        from engine.reachability.arms import ARMS
        from engine.reachability.libraries import BUILT_IN

        for name, known in (
            ("kind", ("paired", "knockout")),
            ("arms", ARMS),
            ("library", tuple(BUILT_IN)),
            ("proposals", ("demonstration",)),
        ):
            self.query_one(f"#{name}", Input).suggester = LastWord(known)
        background.run(self._names, self._offer, self.console.complain)
        self.query_one("#workers" if self._given else "#tasks", Input).focus()
        self._check()

    @staticmethod
    def _names() -> Sequence[str]:
        from tasks import catalogue, selections

        return [*(f"@{name}" for name in selections.names()), *(task.name for task in catalogue.full())]

    def _offer(self, names: Sequence[str]) -> None:
        if self.is_attached:
            self.query_one("#tasks", Input).suggester = LastWord(names)

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
        self._questions.ask("check", lambda: study_plan.check(values), self._show, self.console.complain)

    def _show(self, verdict: Verdict) -> None:
        if not self.is_attached:
            return
        self._verdict = verdict
        show_verdict(self, FIELDS, verdict)

    def action_copy(self) -> None:
        """Copy the equivalent command."""
        if self._verdict is not None:
            self.console.copy(command_line(study_plan.words_of(self._values())))

    def action_start(self) -> None:
        """Start the study in a process of its own."""
        if not self._starting:
            values = self._values()
            self._questions.ask("check", lambda: study_plan.check(values), self._start, self.console.complain)

    def _start(self, verdict: Verdict) -> None:
        if self._starting or not self.is_attached:
            return
        self._show(verdict)
        if not verdict.good:
            wrong = next(line for line in FIELDS if verdict.notes[line.name].wrong)
            self.console.tell(f"{wrong.title}: {verdict.notes[wrong.name].text}", "warning")
            self.query_one(f"#{wrong.name}", Input).focus()
            return
        self._starting = True
        folder = Path(self._values()["out"].strip()).expanduser().resolve()
        self.query_one("#summary", Plain).show("starting…")
        background.run(
            lambda: sessions.start(verdict.words, folder),
            lambda said: self._started(folder, said),
            self._refused,
        )

    def _started(self, folder: Path, said: str) -> None:
        if self.is_attached:
            kept = remembered(self.console)
            kept.pop(str(folder), None)
            kept[str(folder)] = self._values()
            self.console.remember(_REMEMBERED, dict(list(kept.items())[-_MOST_REMEMBERED:]))
            self.console.tell(said)
            self.dismiss(folder)

    def _refused(self, error: Exception) -> None:
        self._starting = False
        self.console.complain(error)
        self._check()

    def action_give_up(self) -> None:
        """Close without a study."""
        self.dismiss(None)
