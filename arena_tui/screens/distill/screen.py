"""The Distill screen: ask for a core, watch J and its bound close in, look at what was selected."""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from arena_tui.screens.distill import demand, form, rows, views, words
from arena_tui.screens.distill.form import DemandForm
from arena_tui.screens.distill.measuring import Studies
from arena_tui.screens.distill.solving import Solving, Step
from arena_tui.screens.distill.views import SelectionViews
from arena_tui.screens.frame import ConsoleScreen
from arena_tui.starting import command_line
from arena_tui.widgets.dialogs import Choice, Question
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

_REMEMBERED = "distill.responses"
_TICK_S = 1.0


class DistillScreen(ConsoleScreen):
    """The demand and the saved selections on one side; one selection on the other."""

    CSS_PATH = "distill.tcss"
    ROOM: ClassVar[str] = "distill"
    HELP: ClassVar[str] = words.HELP
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "solve", "Select"),
        Binding("x", "stop", "Stop"),
        Binding("v", "pane(1)", "Next view"),
        Binding("e", "edit", "Edit"),
        Binding("z", "wide", "Wide"),
        Binding("b", "beside", "Beside another"),
        Binding("n", "campaign", "New campaign"),
        Binding("w", "choose_pane", "List the views", show=False),
        Binding("V", "pane(-1)", "View before", show=False),
        Binding("o", "responses", "Known responses", show=False),
        Binding("l", "kinds", "Constraints to leave out", show=False),
        Binding("X", "drop", "Stop, keep nothing", show=False),
        Binding("enter", "take_demand", "Take its demand into the form", show=False),
        Binding("m", "measure", "Measure again", show=False),
        Binding("c", "copy", "Copy the command of the selection", show=False),
        Binding("C", "copy_demand", "Copy the command of the demand", show=False),
        Binding("y", "copy_table", "Copy what is shown", show=False),
        Binding("slash", "filter", "Filter members", show=False, key_display="/", priority=True),
        Binding("escape", "leave_line", "Back to the list", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[str, Mapping[str, Any]] = {}
        self._solving: Solving | None = None
        self._steps: list[Step] = []
        self._began = 0.0
        self._limit = ""
        self._other = "@core50"
        self._studies = Studies(self.ask, self._look)

    def contents(self) -> ComposeResult:
        """Lay out the demand, the shelf and the views."""
        with Vertical(id="left"):
            box = DemandForm(id="demand", classes="panel")
            box.border_title = "Demand"
            yield box
            with Vertical(id="shelf-box", classes="panel") as shelf:
                shelf.border_title = "Selections"
                yield Table(
                    rows.SHELF_COLUMNS, empty="nothing distilled yet; r selects", pinned=1, id="shelf"
                )
        yield SelectionViews(id="right", classes="panel")

    def on_mount(self) -> None:
        """Fill in what is known and list the saved selections."""
        super().on_mount()
        self.campaign_changed()
        self.set_focus(self.query_one("#shelf", Table))
        self.set_interval(_TICK_S, self._tick)
        self._list(None)

    def on_unmount(self) -> None:
        """End what still runs: nobody would see its answer."""
        if self._solving is not None:
            self._solving.stop()
        self._studies.stop()

    def campaign_changed(self) -> None:
        """Offer the open campaign, or what was used last, as the responses."""
        line = self.query_one("#responses", Input)
        if not line.value:
            line.value = str(self.campaign or self.console.recall(_REMEMBERED) or "")

    @property
    def _views(self) -> SelectionViews:
        return self.query_one(SelectionViews)

    @property
    def _form(self) -> DemandForm:
        return self.query_one(DemandForm)

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

    def _current(self) -> "tuple[str, Mapping[str, Any]] | None":
        name = self.query_one("#shelf", Table).cursor
        document = self._kept.get(name or "")
        return None if name is None or document is None else (name, document)

    def _show(self) -> None:
        current = self._current()
        if current is None:
            self._views.show_nothing()
            return
        self._views.show(*current)
        self._studies.recall(*current)
        self._look()

    def action_take_demand(self) -> None:
        """Take the demand of the selection under the cursor into the form."""
        current = self._current()
        if current is not None and self.focused is self.query_one("#shelf"):
            name, document = current
            asked = demand.options_of(document)
            self._form.fill({field.name: asked.get(field.name, "") for field in demand.FIELDS if asked})
            self.console.tell(
                f"the demand of @{name} is in the form" if asked else f"@{name} kept no command",
                "information",
            )

    # -- comparing -----------------------------------------------------------------------------------------

    @on(SelectionViews.Fronted)
    def _look(self) -> None:
        """Measure the selection when a view that needs it is in front."""
        current = self._current()
        if current is None:
            return
        if self._views.pane in views.MEASURED:
            self._studies.compare(*current, self._form.values["responses"], self._others())
        self._show_studies()

    def _others(self) -> list[str]:
        current = self._current()
        if current is None:
            return []
        name, document = current
        own = [
            f"@{other}"
            for other, held in self._kept.items()
            if other != name and demand.same_pool(held, document)
        ]
        return ["@core50", *own]

    def _show_studies(self) -> None:
        current = self._current()
        if current is not None:
            comparison, why = self._studies.comparison(*current)
            self._views.show_comparison(comparison, self._other, why)
            self._views.show_weights(*self._studies.weighing.of(*current))

    def action_beside(self) -> None:
        """Choose what the selection is put beside."""
        if self._current() is None:
            return

        def take(other: str | None) -> None:
            if other is not None:
                self._other = other
                self._views.front("beside")

        lines = {f"@{name}": f"{len(held['members'])} tasks" for name, held in self._kept.items()}
        options = [(word, lines.get(word, "published, 50 tasks")) for word in self._others()]
        self.app.push_screen(Choice("Put it beside", options, self._other), take)

    def action_measure(self) -> None:
        """Measure the selection under the cursor, or measure it again."""
        current = self._current()
        if current is None:
            return
        if self._views.pane == "weights":
            self._studies.weigh(*current, self._form.values["responses"])
            self._show_studies()
            return
        self._studies.comparing.forget(current[0])
        self._views.front(self._views.pane if self._views.pane in views.MEASURED else "fidelity")

    # -- selecting -----------------------------------------------------------------------------------------

    @on(DemandForm.Sourced)
    def _sourced(self) -> None:
        place = self._form.values["responses"]
        self.ask(lambda: form.described(place), self._form.describe, topic="responses")

    @on(Input.Submitted, ".field Input")
    def _submitted(self) -> None:
        self.action_solve()

    def action_solve(self) -> None:
        """Start a selection."""
        values = self._form.values
        if self._solving is not None:
            self.console.tell("a selection is running; x stops it", "warning")
            return
        if not values["responses"].strip():
            self.console.tell("say where the responses are first", "warning")
            self._go("#responses", "editing")
            return
        trouble = self._form.first_problem()
        if trouble is not None:
            self.console.tell(f"{trouble[0]}: {trouble[1]}", "warning")
            self._go(f"#{trouble[0]}", "editing")
            return
        name = demand.saved_name(values)
        if name in self._kept:
            question = (
                f"@{name} is a saved selection of {len(self._kept[name]['members'])} tasks.\n\nReplace it?"
            )
            self.app.push_screen(
                Question("Replace", question), lambda agreed: self._begin(values) if agreed else None
            )
        else:
            self._begin(values)

    def _begin(self, values: dict[str, str]) -> None:
        self.console.remember(_REMEMBERED, values["responses"].strip())
        solving = self._solving = Solving([*demand.words(values), "--progress"])
        self._steps, self._began, self._limit = [], time.monotonic(), values["time"].strip()
        self._views.front("search")
        self._go("#shelf")
        self._tick()
        loop_call = self.app.call_from_thread

        def work() -> "dict[str, Any]":
            return solving.run(lambda step: loop_call(self._step, step))

        self.ask(
            work,
            lambda _: self._solved(demand.saved_name(values)),
            topic="solve",
            failed=partial(self._refused, solving),
        )

    def _step(self, step: Step) -> None:
        if self.is_attached:
            self._steps.append(step)
            self._tick()

    def _tick(self) -> None:
        """Say how long things take: a branch of the solver may be silent for many seconds."""
        if self._solving is not None:
            step = self._steps[-1] if self._steps else None
            self._views.show_search(
                rows.progress(step, time.monotonic() - self._began, self._limit), self._steps
            )
            self._views.say("" if self._views.pane == "search" or step is None else rows.in_short(step))
        elif self._studies.busy:
            self._show_studies()

    def _solved(self, name: str) -> None:
        self._solving = None
        self._views.say("")
        self._views.show_search([("saved as", f"@{name}")], self._steps)
        self.console.tell(f"saved as @{name}")
        self._studies.forget(name)
        self._views.front("facts")
        self._list(name)

    def _refused(self, solving: Solving, error: Exception) -> None:
        self._solving = None
        self._views.say("")
        self._views.show_search(rows.refusal(str(error), solving.clashing), ())
        if solving.cancelled:
            self.console.tell("the selection was stopped; nothing was saved")
        else:
            self._views.front("search")
            self.console.complain(error)

    def action_stop(self) -> None:
        """End the selection and keep the best so far; else end a study."""
        if self._solving is not None and any(step.incumbent is not None for step in self._steps):
            self.ask(self._solving.enough, lambda _: None, topic="stop")
            self.console.tell("ending the selection; the best so far is kept")
        else:
            self.action_drop()

    def action_drop(self) -> None:
        """End what runs, without a result."""
        if self._solving is not None:
            self.ask(self._solving.stop, lambda _: None, topic="stop")
        elif self._studies.busy:
            self.ask(self._studies.stop, lambda _: None, topic="stop")
        else:
            self.console.tell("nothing is running")

    def action_edit(self) -> None:
        """Go to the first line of the demand."""
        self._go("#responses", "editing")

    def action_leave_line(self) -> None:
        """Go back to the list of selections."""
        self._go("#shelf")

    def _go(self, target: str, *classes: str) -> None:
        """Focus a line or the list; leave the whole width, and on a small screen show only what has focus."""
        self.remove_class("wide", "editing")
        self.add_class(*classes)
        widget = self.query_one(target)
        if widget.focusable:
            self.set_focus(widget)
        else:
            self.call_after_refresh(self.set_focus, widget)

    def action_responses(self) -> None:
        """Choose among the responses that are known: campaigns opened here, what was used last."""
        last = str(self.console.recall(_REMEMBERED) or "")
        places = dict.fromkeys([*(str(path) for path in self.console.known_campaigns()), last])
        options = [(place, Path(place).name) for place in places if place and Path(place).exists()]
        if not options:
            self.console.tell("no campaign was opened here yet; e types where the responses are", "warning")
            return

        def take(place: str | None) -> None:
            if place is not None:
                self._form.fill({"responses": place})

        self.app.push_screen(Choice("Responses", options, last), take)

    def action_kinds(self) -> None:
        """Choose which kinds of constraints are left out."""

        def take(without: str | None) -> None:
            if without is not None:
                self._form.fill({"without": without})

        self.app.push_screen(form.Kinds(self._form.values["without"]), take)

    # -- views ---------------------------------------------------------------------------------------------

    def action_pane(self, step: int) -> None:
        """Show the next view, or the one before."""
        inside = self.focused is not None and self._views in self.focused.ancestors
        self._views.turn(step)
        if inside:
            self._views.enter()

    def action_choose_pane(self) -> None:
        """Choose a view from a list."""
        names = {title: name for name, (title, _) in views.PANES.items()}

        def take(title: str | None) -> None:
            if title is not None:
                self._views.front(names[title])
                self._views.enter()

        shown = views.PANES[self._views.pane][0]
        self.app.push_screen(Choice("View", list(views.PANES.values()), shown), take)

    def action_wide(self) -> None:
        """Give the view the whole width, or half again."""
        self.toggle_class("wide")
        if self.has_class("wide"):
            self._views.enter()
        else:
            self._go("#shelf")

    def action_filter(self) -> None:
        """Type a filter over the members."""
        self._views.take_filter()

    def action_campaign(self) -> None:
        """Open the form of a new campaign over the selection under the cursor."""
        current = self._current()
        if current is not None:
            self.console.new_campaign(tasks=f"@{current[0]}")

    def action_copy(self) -> None:
        """Copy the command that found the selection under the cursor, or would."""
        current = self._current()
        words = current[1].get("command") if current is not None else None
        self.console.copy(command_line(words or demand.words(self._form.values)))

    def action_copy_demand(self) -> None:
        """Copy the command that asks for what is in the form."""
        self.console.copy(command_line(demand.words(self._form.values)))

    def action_copy_table(self) -> None:
        """Copy the shown view as text."""
        self.console.copy(self._views.as_text())
