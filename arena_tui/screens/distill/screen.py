"""The Distill screen: ask for a core, watch J and its bound close in, look at what was selected."""

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input

from arena_tui.screens.distill import demand, rows
from arena_tui.screens.distill.solving import Solving, Step
from arena_tui.screens.frame import ConsoleScreen
from arena_tui.starting import command_line
from arena_tui.widgets.chart import ChartView
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

_PANES = {
    "facts": "Selection",
    "members": "Members",
    "constraints": "Constraints",
    "trace": "J and bound",
    "cloud": "Coverage",
}
_REMEMBERED = "distill.responses"


class DistillScreen(ConsoleScreen):
    """The demand and the saved selections on one side; one selection on the other."""

    CSS_PATH = "distill.tcss"
    ROOM: ClassVar[str] = "distill"
    HELP: ClassVar[str] = (
        "Select few tasks that stand for many. The selection maximizes J = coverage, information and balance "
        "under the paper's constraints, and says by how much at most it can be bettered (gap).\n\n"
        "Type where the probe responses are (a table or a campaign's folder), then Enter or r starts "
        "and x stops. It runs in a process of its own and is saved as @NAME, usable wherever tasks are "
        "named.\n\n"
        "v changes what is shown of the selection under the cursor: its figures, members, constraints, how J "
        "and the bound came together, and where it lies in descriptor space. MAE says how far the probes' "
        "mean scores on the selection are from those on the whole pool; without the fidelity bound it is "
        "large."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "solve", "Select"),
        Binding("x", "stop", "Stop"),
        Binding("v", "pane", "Next view"),
        Binding("e", "edit", "Edit the demand"),
        Binding("n", "campaign", "New campaign"),
        Binding("c", "copy", "Copy the command", show=False),
        Binding("y", "copy_table", "Copy what is shown", show=False),
        Binding("slash", "filter", "Filter members", show=False, key_display="/", priority=True),
        Binding("escape", "leave_line", "Back to the list", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._pane = "facts"
        self._kept: dict[str, Mapping[str, Any]] = {}
        self._solving: Solving | None = None
        self._steps: list[Step] = []

    def contents(self) -> ComposeResult:
        """Lay out the demand, the shelf and the views."""
        with Vertical(id="left"):
            with Vertical(id="demand", classes="panel") as box:
                box.border_title = "Demand"
                for field in demand.FIELDS:
                    with Horizontal(classes="field"):
                        yield Plain(field.title, classes="title")
                        yield Input(field.value, placeholder=field.hint, id=field.name)
            with Vertical(classes="panel") as shelf:
                shelf.border_title = "Selections"
                yield Table(
                    rows.SHELF_COLUMNS, empty="nothing distilled yet; r selects", pinned=1, id="shelf"
                )
        with Vertical(id="right", classes="panel"):
            yield Plain("", id="state")
            with VerticalScroll(id="facts-pane", classes="pane"):
                yield Facts(id="facts")
            with Vertical(id="members-pane", classes="pane"):
                table = Table(
                    rows.MEMBER_COLUMNS, empty="no member passes the filter", pinned=1, id="members"
                )
                yield table
                yield FilterBar(table, hint="words, family:srsd, difficulty=hard, info>0.5")
            with Vertical(id="constraints-pane", classes="pane"):
                yield Table(rows.CONSTRAINT_COLUMNS, empty="no constraint", pinned=2, id="constraints")
            with Vertical(id="trace-pane", classes="pane"):
                yield ChartView(id="trace")
            with Vertical(id="cloud-pane", classes="pane"):
                yield ChartView(id="cloud")

    def on_mount(self) -> None:
        """Fill in what is known and list the saved selections."""
        super().on_mount()
        self._front("facts")
        self.campaign_changed()
        self.query_one("#shelf", Table).focus()
        self._list(None)

    def on_unmount(self) -> None:
        """End a selection that still runs: nobody would see its answer."""
        if self._solving is not None:
            self._solving.stop()

    def campaign_changed(self) -> None:
        """Offer the open campaign, or what was used last, as the responses."""
        line = self.query_one("#responses", Input)
        if not line.value:
            line.value = str(self.campaign or self.console.recall(_REMEMBERED) or "")

    # -- saved selections ----------------------------------------------------------------------------------

    def _list(self, show: str | None) -> None:
        def read() -> "dict[str, dict[str, Any]]":
            from engine.distilling.manifest import kept

            return kept()

        self.ask(read, partial(self._listed, show), topic="shelf")

    def _listed(self, show: str | None, found: "dict[str, dict[str, Any]]") -> None:
        self._kept = dict(found)
        table = self.query_one("#shelf", Table)
        table.load([rows.shelf_row(name, document) for name, document in found.items()])
        if show is not None:
            table.put_cursor(show)
        self._show()

    @on(Table.Moved, "#shelf")
    def _moved(self) -> None:
        self._show()

    def _show(self) -> None:
        name = self.query_one("#shelf", Table).cursor
        document = self._kept.get(name or "")
        if name is None or document is None:
            self.query_one("#facts", Facts).show(
                [("", "No selection yet. Say where the responses are, then r.")]
            )
            return
        self.query_one("#facts", Facts).show(rows.about(name, document))
        members = self.query_one("#members", Table)
        members.load(rows.member_rows(document))
        self.query_one(FilterBar).count(len(members.visible_keys), members.total)
        self.query_one("#constraints", Table).load(rows.constraint_rows(document))
        self.query_one("#cloud", ChartView).show(rows.cloud(document), legend=True)

    # -- selecting -----------------------------------------------------------------------------------------

    def _values(self) -> dict[str, str]:
        return {field.name: self.query_one(f"#{field.name}", Input).value for field in demand.FIELDS}

    @on(Input.Submitted, ".field Input")
    def _submitted(self) -> None:
        self.action_solve()

    def action_solve(self) -> None:
        """Start a selection."""
        values = self._values()
        if self._solving is not None:
            self.console.tell("a selection is running; x stops it", "warning")
            return
        if not values["responses"].strip():
            self.console.tell("say where the responses are first", "warning")
            self.query_one("#responses", Input).focus()
            return
        self.console.remember(_REMEMBERED, values["responses"].strip())
        solving = self._solving = Solving(demand.words(values))
        self._steps = []
        self._front("trace")
        self.query_one("#state", Plain).show("starting")
        self.query_one("#trace", ChartView).show(rows.trace(()), legend=True)
        self.query_one("#shelf", Table).focus()
        loop_call = self.app.call_from_thread

        def work() -> "dict[str, Any]":
            return solving.run(lambda step: loop_call(self._step, step))

        self.ask(
            work,
            lambda _: self._solved(demand.saved_name(values)),
            topic="solve",
            failed=self._refused,
        )

    def _step(self, step: Step) -> None:
        if not self.is_attached:
            return
        self._steps.append(step)
        self.query_one("#state", Plain).show(rows.in_words(step))
        self.query_one("#trace", ChartView).show(rows.trace(self._steps), legend=True)

    def _solved(self, name: str) -> None:
        self._solving = None
        self.query_one("#state", Plain).show(f"saved as @{name}")
        self._front("facts")
        self._list(name)

    def _refused(self, error: Exception) -> None:
        self._solving = None
        self.query_one("#state", Plain).show("no selection")
        self.console.complain(error)

    def action_stop(self) -> None:
        """End the selection that runs."""
        if self._solving is None:
            self.console.tell("no selection is running")
            return
        solving = self._solving
        self.query_one("#state", Plain).show("stopping")
        self.ask(solving.stop, lambda _: None, topic="stop")

    def action_edit(self) -> None:
        """Go to the first line of the demand."""
        self.query_one("#responses", Input).focus()

    def action_leave_line(self) -> None:
        """Go back to the list of selections."""
        self.query_one("#shelf", Table).focus()

    # -- views ---------------------------------------------------------------------------------------------

    def _front(self, pane: str) -> None:
        self._pane = pane
        self.query_one("#right").border_title = _PANES[pane]
        for name in _PANES:
            self.query_one(f"#{name}-pane").set_class(name == pane, "front")

    def action_pane(self) -> None:
        """Show the next view."""
        names = list(_PANES)
        self._front(names[(names.index(self._pane) + 1) % len(names)])

    def action_filter(self) -> None:
        """Type a filter over the members."""
        self._front("members")
        self.query_one(FilterBar).take_focus()

    def action_campaign(self) -> None:
        """Open the form of a new campaign over the selection under the cursor."""
        name = self.query_one("#shelf", Table).cursor
        if name is not None:
            self.console.new_campaign(tasks=f"@{name}")

    def action_copy(self) -> None:
        """Copy the command that asks for this selection."""
        self.console.copy(command_line(demand.words(self._values())))

    def action_copy_table(self) -> None:
        """Copy the shown view as text."""
        if self._pane in ("members", "constraints"):
            self.console.copy(self.query_one(f"#{self._pane}", Table).as_tsv())
        else:
            self.console.copy(self.query_one("#facts", Facts).as_text())
