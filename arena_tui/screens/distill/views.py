"""What is shown of one selection: ten views, one at a time."""

import textwrap
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.message import Message

from arena_tui.screens.distill import balance, beside, coverage, fidelity, rows, weights
from arena_tui.screens.distill.sheet import Sheet
from arena_tui.screens.distill.solving import Step
from arena_tui.widgets.chart import ChartView
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Table

PANES = {
    "facts": ("Selection", "J, its proof, how it was found"),
    "members": ("Members", "the selected tasks"),
    "constraints": ("Constraints", "values and bounds"),
    "map": ("Coverage map", "families, types, variables"),
    "cloud": ("Projection", "members among all tasks"),
    "balance": ("Balance", "shares beside the whole set's"),
    "fidelity": ("Fidelity", "MAE beside other selectors"),
    "beside": ("Beside another", "J, MAE, members, and @core50's"),
    "weights": ("Weights", "sensitivity to J's weights"),
    "search": ("Search", "J and bound over time"),
}
# These two are measured as soon as they are looked at; that takes seconds.
MEASURED = ("fidelity", "beside")
_OLDER = "It was made by a version that did not count this; select again (Enter takes its demand, then r)."


class SelectionViews(Vertical):
    """One selection; ``front`` chooses the view."""

    DEFAULT_CSS = """
    SelectionViews {
        & .pane { display: none; height: 1fr; }
        & .pane.front { display: block; }
        & VerticalScroll { scrollbar-size: 1 1; }
        & #state { height: auto; max-height: 2; color: $live; }
        & #search-words { height: auto; max-height: 100%; }
        & #figures { height: 1fr; min-height: 6; max-height: 15; }
        & #both { height: 1fr; min-height: 4; border-top: solid $quiet 60%; }
        & .notes { height: auto; max-height: 8; }
    }
    """

    class Fronted(Message):
        """Another view came to the front."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.pane = "facts"

    def compose(self) -> ComposeResult:
        """Lay out the views."""
        yield Plain("", id="state")
        with VerticalScroll(id="facts-pane", classes="pane"):
            yield Facts(id="facts")
        with Vertical(id="members-pane", classes="pane"):
            table = Table(rows.MEMBER_COLUMNS, empty="no member passes the filter", pinned=1, id="members")
            yield table
            yield FilterBar(table, hint="words, family:srsd, difficulty=hard, info>0.5")
        with Vertical(id="constraints-pane", classes="pane"):
            yield Table(rows.CONSTRAINT_COLUMNS, empty="no constraint", pinned=2, id="constraints")
        with Vertical(id="map-pane", classes="pane"):
            yield Facts(id="map-facts")
            yield Table(coverage.COLUMNS, empty="nothing counted", pinned=1, id="map")
        with Vertical(id="cloud-pane", classes="pane"):
            yield ChartView(id="cloud")
        with VerticalScroll(id="balance-pane", classes="pane"):
            yield Sheet(id="balance")
        with VerticalScroll(id="fidelity-pane", classes="pane"):
            yield Sheet(id="fidelity")
        with Vertical(id="beside-pane", classes="pane"):
            with VerticalScroll(classes="notes"):
                yield Facts(id="notes")
            yield Table(beside.FIGURE_COLUMNS, empty="not measured yet", id="figures")
            yield Table(beside.COLUMNS, empty="not measured yet", pinned=1, id="both")
        with VerticalScroll(id="weights-pane", classes="pane"):
            yield Sheet(id="weights")
        with Vertical(id="search-pane", classes="pane"):
            with VerticalScroll(id="search-words"):
                yield Facts(id="search-facts")
            yield ChartView(id="search")

    def on_mount(self) -> None:
        """Begin with the figures."""
        self.query_one("#map", Table).set_group("family", coverage.group_line)
        self.query_one("#both", Table).set_group("where")
        self.say("")
        self.front(self.pane)

    # -- which view ----------------------------------------------------------------------------------------

    def front(self, pane: str) -> None:
        """Bring a view to the front.

        Parameters
        ----------
        pane : str
            A key of ``PANES``.
        """
        self.pane = pane
        names = list(PANES)
        self.border_title = PANES[pane][0]
        self.border_subtitle = f"{names.index(pane) + 1} of {len(names)}"
        for name in names:
            self.query_one(f"#{name}-pane").set_class(name == pane, "front")
        self.post_message(self.Fronted())

    def turn(self, step: int) -> None:
        """Bring the next view, or the one before, to the front.

        Parameters
        ----------
        step : int
            1 or -1.
        """
        names = list(PANES)
        self.front(names[(names.index(self.pane) + step) % len(names)])

    def enter(self) -> None:
        """Let the keys go to the view in front."""
        pane = self.query_one(f"#{self.pane}-pane")
        target = pane if pane.can_focus else next((one for one in pane.query("*") if one.can_focus), None)
        if target is not None:
            self.screen.set_focus(target)

    def take_filter(self) -> None:
        """Type a filter over the members."""
        self.front("members")
        self.query_one(FilterBar).take_focus()

    # -- what is shown -------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Show a line above the view.

        Parameters
        ----------
        text : str
            Any text; an empty one takes the line away.
        """
        state = self.query_one("#state", Plain)
        state.show(text)
        state.display = bool(text)

    def show_nothing(self) -> None:
        """Say how a first selection is made."""
        self.query_one("#facts", Facts).show([("none yet", "say where the responses are (e), then r")])

    def show(self, name: str, document: Mapping[str, Any]) -> None:
        """Show a selection's manifest.

        Parameters
        ----------
        name : str
            Without ``@``.
        document : mapping
            The manifest.
        """
        self.query_one("#facts", Facts).show(rows.about(name, document))
        members = self.query_one("#members", Table)
        members.load(rows.member_rows(document))
        self.query_one(FilterBar).count(len(members.visible_keys), members.total)
        self.query_one("#constraints", Table).load(rows.constraint_rows(document))
        self.query_one("#cloud", ChartView).show(rows.cloud(document), legend=True)
        census = document.get("census")
        if census is None:
            self.query_one("#map-facts", Facts).show([("note", _OLDER)])
            self.query_one("#map", Table).load([])
            self.query_one("#balance", Sheet).show(
                lambda width: [[(line, "quiet")] for line in textwrap.wrap(_OLDER, width)]
            )
        else:
            self.query_one("#map-facts", Facts).show(coverage.summary(census))
            self.query_one("#map", Table).load(coverage.rows(census))
            self.query_one("#balance", Sheet).show(partial(balance.lines, census))

    def show_comparison(self, comparison: Mapping[str, Any] | None, other: str, why: str) -> None:
        """Show how the selection compares.

        Parameters
        ----------
        comparison : mapping or None
            As ``arena-tui distill compare --json`` prints it; None while there is none.
        other : str
            What to put beside it; the first there is when it was not compared.
        why : str
            Said while there is no comparison.
        """
        sheet, notes = self.query_one("#fidelity", Sheet), self.query_one("#notes", Facts)
        figures, both = self.query_one("#figures", Table), self.query_one("#both", Table)
        if comparison is None:
            sheet.show(lambda width: [[(line, "quiet")] for line in textwrap.wrap(why, width)])
            notes.show([("note", why)])
            figures.load([])
            both.load([])
            return
        sheet.show(partial(fidelity.lines, comparison))
        names = beside.other_names(comparison)
        if not names:
            notes.show([("note", "no other selection has members in this pool")])
            figures.load([])
            both.load([])
            return
        chosen = other if other in names else names[0]
        notes.show(beside.notes(comparison, chosen))
        figures.load(beside.figures(comparison, chosen))
        both.load(beside.member_rows(comparison, chosen))
        if self.pane == "beside":
            self.border_title = f"Beside {chosen}"

    def show_weights(self, study: Mapping[str, Any] | None, why: str) -> None:
        """Show how the selection depends on the weights.

        Parameters
        ----------
        study : mapping or None
            As ``arena-tui distill sensitivity --json`` prints it; None while there is none.
        why : str
            Said while there is none.
        """
        sheet = self.query_one("#weights", Sheet)
        if study is None:
            sheet.show(lambda width: [[(line, "quiet")] for line in textwrap.wrap(why, width)])
        else:
            sheet.show(partial(weights.lines, study))

    def show_search(self, facts: Sequence[tuple[str, object]], steps: Sequence[Step]) -> None:
        """Show a search that runs, or how it ended.

        Parameters
        ----------
        facts : sequence of (str, object)
            What is known.
        steps : sequence of Step
            Progress so far; without any there is no chart.
        """
        self.query_one("#search-facts", Facts).show(facts)
        chart = self.query_one("#search", ChartView)
        chart.display = bool(steps)
        chart.show(rows.trace(steps), legend=True)

    def as_text(self) -> str:
        """Write the view in front as text."""
        pane = self.query_one(f"#{self.pane}-pane")
        parts = [sheet.as_text() for sheet in pane.query(Sheet)]
        parts += [facts.as_text() for facts in pane.query(Facts)]
        parts += [table.as_tsv() for table in pane.query(Table)]
        return "\n".join(parts) if parts else self.query_one("#facts", Facts).as_text()

    @on(FilterBar.Changed)
    def _filtered(self, event: FilterBar.Changed) -> None:
        event.stop()
