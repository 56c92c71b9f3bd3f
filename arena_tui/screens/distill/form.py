"""The demand as a form: its lines, the hint of the one that is typed in, what the responses hold."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input

from arena_tui.screens.distill import demand
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Column, Row, Table


class DemandForm(Vertical):
    """The lines of a demand; below them a hint for the line with the caret."""

    DEFAULT_CSS = """
    DemandForm {
        height: auto;
        & .field { height: 1; }
        & .title { width: 11; color: $quiet; }
        & .field Input { width: 1fr; }
        & .field Input.-invalid, & .field Input.-invalid:focus { border: none; color: $bad; }
        & #hint { color: $quiet; height: auto; max-height: 3; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, so that what is typed ahead goes into the field that was moved to.
        Binding("down,tab", "app.focus_next", "Next line", show=False, priority=True),
        Binding("up,shift+tab", "app.focus_previous", "Line before", show=False, priority=True),
    ]

    class Sourced(Message):
        """Another source of responses was typed."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._described = ""

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        for field in demand.FIELDS:
            with Horizontal(classes="field"):
                yield Plain(field.name, classes="title")
                yield Input(field.value, placeholder=field.empty, id=field.name)
        yield Plain("", id="hint")

    @property
    def values(self) -> dict[str, str]:
        """What is typed, by field name."""
        return {field.name: self.query_one(f"#{field.name}", Input).value for field in demand.FIELDS}

    def fill(self, values: Mapping[str, str]) -> None:
        """Type values into the lines that are named; the others stay.

        Parameters
        ----------
        values : mapping of str to str
            By field name.
        """
        for field in demand.FIELDS:
            if field.name in values:
                self.query_one(f"#{field.name}", Input).value = values[field.name]

    def describe(self, text: str) -> None:
        """Say what the responses hold, while no line has the caret or the first one has.

        Parameters
        ----------
        text : str
            Any text; empty says nothing.
        """
        self._described = text
        focused = self.screen.focused
        if focused is None or focused.id == "responses" or self not in focused.ancestors:
            self._say(text)

    def _say(self, text: str) -> None:
        hint = self.query_one("#hint", Plain)
        hint.show(text)
        hint.display = bool(text)

    def on_mount(self) -> None:
        """Spend no line on a hint before there is one."""
        self._say("")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the whole hint of the line with the caret, or what is wrong with it."""
        self._remark(event.widget.id or "")

    def _remark(self, name: str) -> None:
        hints = {field.name: field.hint for field in demand.FIELDS}
        trouble = demand.problem(name, self.query_one(f"#{name}", Input).value) if name in hints else ""
        self._say(f"✗ {trouble}" if trouble else hints.get(name, ""))

    def first_problem(self) -> tuple[str, str] | None:
        """Return the first line that cannot be used, and why.

        Returns
        -------
        tuple of str or None
            Field and sentence.
        """
        found = ((name, demand.problem(name, text)) for name, text in self.values.items())
        return next(((name, trouble) for name, trouble in found if trouble), None)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        name = event.input.id or ""
        event.input.set_class(bool(demand.problem(name, event.value)), "-invalid")
        if name == "responses":
            self.post_message(self.Sourced())
        elif event.input.has_focus:
            self._remark(name)

    def on_descendant_blur(self) -> None:
        """Go back to what the responses hold."""
        self._say(self._described)


class Kinds(ModalScreen[str | None]):
    """The kinds of constraints, each with what it demands; Space leaves one out or takes it in again."""

    DEFAULT_CSS = """
    Kinds {
        align: center middle; background: $background 60%;
        & > Vertical {
            width: 78; max-width: 100%; height: auto; max-height: 100%; padding: 1 2;
            background: $surface; border: round $primary;
            border-title-color: $primary; border-title-style: bold;
        }
        & Table { height: 10; }
        & .hint { color: $quiet; margin-top: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "turn", "Leave out or take in"),
        Binding("enter", "accept", "Accept"),
        Binding("escape,q", "give_up", "Cancel"),
    ]

    def __init__(self, without: str) -> None:
        super().__init__()
        self._out = {word.strip() for word in without.split(",") if word.strip()}

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical() as box:
            box.border_title = "Constraints"
            yield Table(
                (
                    Column("held", "", 2, tone=lambda value: "good" if value == "✓" else "bad"),
                    Column("kind", "kind", 10),
                    Column("line", "what it demands of 50 tasks", 30, grow=1),
                )
            )
            yield Plain("space  leave out / take in      ⏎  accept      esc  cancel", classes="hint")

    def on_mount(self) -> None:
        """Fill the list."""
        self._load()
        self.query_one(Table).focus()

    def _load(self) -> None:
        self.query_one(Table).load(
            [
                Row(kind, {"held": "✗" if kind in self._out else "✓", "kind": kind, "line": line})
                for kind, line in demand.KINDS
            ]
        )

    def action_turn(self) -> None:
        """Leave the kind under the cursor out, or take it in again."""
        kind = self.query_one(Table).cursor
        if kind is not None:
            self._out ^= {kind}
            self._load()

    def action_accept(self) -> None:
        """Close with the kinds that are left out."""
        self.dismiss(",".join(kind for kind, _ in demand.KINDS if kind in self._out))

    @on(Table.Opened)
    def _opened(self) -> None:
        self.action_accept()

    def action_give_up(self) -> None:
        """Close without a change."""
        self.dismiss(None)


def described(place: str) -> str:
    """Say what a source of responses holds. Blocks; call it beside the loop.

    Parameters
    ----------
    place : str
        A table or a campaign's folder.

    Returns
    -------
    str
        Tasks and probes, or why it cannot be read.
    """
    from engine.distilling.records import load_responses
    from engine.errors import EngineError

    path = Path(place).expanduser()
    if not path.exists():
        return f"there is no {path.name or 'file'} here" if place.strip() else ""
    try:
        found = load_responses(path)
    except EngineError as error:
        return str(error)
    return f"{len(found.tasks)} tasks, {len(found.probes)} probes: {', '.join(found.probes)}"
