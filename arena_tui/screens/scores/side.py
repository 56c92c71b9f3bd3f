"""The views of the Scores screen: which one is in front, what it is about, and what it asks the engine."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll

from arena_tui.screens.scores import axis_rows, evidence_words, noise_rows, pair_rows, rows, survey, task_rows
from arena_tui.screens.scores.front import MEASURES, Front, Laid, about_point
from arena_tui.screens.scores.hexagon import Hexagon
from arena_tui.screens.scores.keys import VIEWS
from arena_tui.screens.scores.listing import Listing
from arena_tui.screens.scores.strip import ViewStrip
from arena_tui.screens.scores.survey import Pair, Record, Relations, Scored
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.table import Row, Table

if TYPE_CHECKING:
    from engine.scoring.analysis import NoiseChange
    from engine.scoring.evidence import Evidence
    from engine.scoring.tradeoffs import Point

Ask = Callable[[Callable[[], object], Callable[..., object], str], None]
_NO_NOISE = "no noisy runs beside clean ones: arena-tui run --conditions clean,noise005"


class Side(Vertical):
    """Seven views about the method that the screen looks at; only the one in front is made."""

    def __init__(self, ask: Ask, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._ask = ask
        self.front = "profile"
        self._scored: Scored | None = None
        self._record: Record | None = None
        self._with_published = False
        self._everybody = False
        self._only: str | None = None
        self._measure = MEASURES[0]
        self._pairs: dict[str, tuple[Row, Pair]] = {}
        self._noise: dict[str, tuple[Row, list[NoiseChange]]] = {}
        self._relations: Relations | None = None
        self._laid: Laid | None = None
        self._points: dict[str, Point] = {}
        # What was asked about these scores before: going from method to method computes nothing anew.
        self._known: dict[tuple[str, ...], object] = {}

    def compose(self) -> ComposeResult:
        """Lay out the strip and the views."""
        yield ViewStrip(VIEWS)
        with Horizontal(id="profile", classes="view front"):
            with VerticalScroll(id="bars"):
                yield Facts(id="method")
            yield Hexagon(id="hexagon")
        yield Listing(task_rows.TASK_COLUMNS, hint="words, SYM<50, equal=0/3", pinned=2, id="tasks")
        yield Listing(rows.RUN_COLUMNS, hint="words, verdict=equivalent, SYM<50", pinned=2, id="runs")
        yield Listing(pair_rows.PAIR_COLUMNS, hint="axis=ood, other=bank, p<0.05", pinned=3, id="pairs")
        yield Listing(noise_rows.NOISE_COLUMNS, hint="words, condition=noise005, id<0", pinned=1, id="noise")
        yield Listing(axis_rows.AXIS_COLUMNS, hint="words", pinned=1, id="axes")
        yield Front(id="front")

    def on_mount(self) -> None:
        """Show the first view."""
        for name, _, _ in VIEWS:
            self.query_one(f"#{name}").add_class("view")
        self.bring(self.front)

    # -- which view ----------------------------------------------------------------------------------------

    @property
    def listing(self) -> Listing | None:
        """The table in front; None where the view has none."""
        widget = self.query_one(f"#{self.front}")
        if isinstance(widget, Front):
            return widget.listing
        return widget if isinstance(widget, Listing) else None

    def bring(self, name: str) -> None:
        """Bring a view to the front and make it.

        Parameters
        ----------
        name : str
            One of `VIEWS`.
        """
        self.front = name
        for other, _, _ in VIEWS:
            self.query_one(f"#{other}").set_class(other == name, "front")
        self.query_one(ViewStrip).front = name
        # A low screen gives a view more room than the profile, which is read along the methods.
        self.screen.set_class(name != "profile", "-deep")
        self._make()

    def take_focus(self, otherwise: Table | None) -> None:
        """Give the view in front the keys; the profile leaves them to the methods, where there are some."""
        listing = self.listing
        if listing is not None:
            listing.take_focus()
        else:
            (otherwise or self.query_one("#bars")).focus()

    def look(self, scored: Scored | None, record: Record | None, *, with_published: bool) -> None:
        """Be about another method, or other scores.

        Parameters
        ----------
        scored : Scored or None
            The campaign's scores.
        record : mapping or None
            The method under the cursor; a published one has no runs.
        with_published : bool
            Whether the paper's rows are shown.
        """
        if scored is not self._scored:
            self._known = {}
        self._scored, self._record, self._with_published = scored, record, with_published
        self._make()

    def forget(self) -> None:
        """Come from one campaign to another."""
        self._only, self._laid, self._relations = None, None, None
        self._pairs, self._noise, self._points = {}, {}, {}

    def widen(self) -> bool:
        """Show all methods, or only the one looked at; returns whether all are shown now."""
        self._everybody = not self._everybody
        self._make()
        return self._everybody

    def read(self, step: int) -> None:
        """Scroll what is told about a row, whatever has the focus.

        Parameters
        ----------
        step : int
            1 onwards, -1 back.
        """
        listing = self.listing
        told = self.query_one("#bars") if listing is None else listing.query_one(".about")
        told.scroll_relative(y=step * max(1, told.size.height - 1), animate=False)

    def next_measure(self) -> None:
        """Take the next cost of the Pareto view, if that is in front already."""
        if self.front == "front":
            self._measure = MEASURES[(MEASURES.index(self._measure) + 1) % len(MEASURES)]

    def open(self) -> str | None:
        """Go deeper from the row under the cursor.

        Returns
        -------
        str or None
            The id of a run that is to be seen on the Monitor; None when another view is in front now, or
            when there is nothing deeper.
        """
        listing = self.listing
        key = None if listing is None else listing.table.cursor
        if key is None:
            self.bring("tasks")
        elif self.front == "runs" or (self.front == "front" and self._measure == "task"):
            return key
        elif self.front == "tasks":
            self._only = key.rpartition("/")[2]
            self.bring("runs")
        return None

    def method(self) -> str | None:
        """Name the method of the row under the cursor, where the rows are methods.

        Returns
        -------
        str or None
            Its key in the table of methods.
        """
        listing = self.listing
        key = None if listing is None else listing.table.cursor
        if self.front == "noise":
            return key
        if self.front == "front" and self._measure != "task" and self._laid is not None:
            return f"{key} {self._laid.condition}"
        return None

    def back(self) -> bool:
        """Come back from one task's runs to all tasks, from another view to the profile.

        Returns
        -------
        bool
            False when there was nowhere to come back to.
        """
        if self.front == "profile":
            return False
        self.bring("tasks" if self.front == "runs" and self._only is not None else "profile")
        self._only = None
        return True

    # -- making the view in front --------------------------------------------------------------------------

    def _make(self) -> None:
        if not self.is_mounted:
            return
        scored, record = self._scored, self._record
        if scored is None:
            for listing in self.query(Listing):
                listing.show([], empty="not scored yet")
            self.query_one("#method", Facts).show([])
            self.query_one(Hexagon).show({})
            return
        made: Mapping[str, Callable[[Scored, str, str | None], None]] = {
            "profile": self._make_profile, "tasks": self._make_tasks, "runs": self._make_runs,
            "pairs": self._ask_pairs, "noise": self._ask_noise, "axes": self._ask_axes,
            "front": self._ask_front,
        }  # fmt: skip
        condition = str(record["condition"]) if record else "clean"
        label = None if record is None or self._everybody or "method" not in record else str(record["label"])
        made[self.front](scored, condition, label)

    def _make_profile(self, _scored: Scored, _condition: str, _label: str | None) -> None:
        record = self._record
        facts: Sequence[tuple[str, object]] = []
        if record is not None:
            facts = rows.about_method(record) if "method" in record else rows.about_published(record)
        self.query_one("#method", Facts).show(facts)
        self.query_one(Hexagon).show({} if record is None else {axis: record[axis] for axis in rows.AXES})

    def _make_tasks(self, scored: Scored, condition: str, label: str | None) -> None:
        tasks = [
            task
            for task in scored.scores.tasks
            if task.condition == condition and label in (None, task.label)
        ]
        found = task_rows.task_rows(tasks, scored.runs(condition, label))
        self.query_one("#tasks", Listing).show(
            found, self._whose(label, condition, "enter opens a task's runs")
        )

    def _make_runs(self, scored: Scored, condition: str, label: str | None) -> None:
        chosen = scored.runs(condition, label, self._only)
        note = "enter shows a run on the Monitor"
        if self._only is not None:
            name = next((run.name for run in chosen), self._only)
            note = f"{name} only, escape shows all tasks; {note}"
        self.query_one("#runs", Listing).show(
            [rows.run_row(run) for run in chosen], self._whose(label, condition, note)
        )

    def _whose(self, label: str | None, condition: str, more: str) -> str:
        return f"{label or 'all methods'}, {condition} labels; {more}"

    def _ask_pairs(self, scored: Scored, condition: str, label: str | None) -> None:
        def show(pairs: tuple[Pair, ...]) -> None:
            self._pairs = pair_rows.pair_rows(pairs, label)
            note = self._whose(label, condition, "method minus the other, over the tasks both have")
            self.query_one("#pairs", Listing).show(
                [row for row, _ in self._pairs.values()], note, empty="no other method shares a task with it"
            )

        self._learn(("pairs", condition), lambda: survey.pairs(scored, condition), show)

    def _ask_noise(self, scored: Scored, _condition: str, _label: str | None) -> None:
        def show(changes: "tuple[NoiseChange, ...]") -> None:
            self._noise = noise_rows.noise_rows(changes)
            found = [row for row, _ in self._noise.values()]
            if self._with_published:
                conditions = {one.condition for one in changes}
                found += noise_rows.published_noise_rows(scored.published, conditions)
            self.query_one("#noise", Listing).show(
                found, noise_rows.noise_note(changes), caution=noise_rows.too_few(changes), empty=_NO_NOISE
            )

        self._learn(("noise",), lambda: survey.noise(scored), show)

    def _ask_axes(self, scored: Scored, condition: str, _label: str | None) -> None:
        def show(relations: Relations) -> None:
            from engine.scoring.correlation import ENOUGH, LEAST

            self._relations = relations
            note = axis_rows.axis_note(relations, LEAST, ENOUGH)
            own = [record for record in scored.methods if record["condition"] == condition]
            if any(record[f"{axis}_n"] < record[f"{axis}_of"] for record in own for axis in rows.AXES):
                note += " Not every run has its scores yet (°)."
            self.query_one("#axes", Listing).show(
                axis_rows.axis_rows(relations.own), note, caution=axis_rows.methods_of(relations) < ENOUGH
            )

        self._learn(("axes", condition), lambda: survey.relations(scored, condition), show)

    def _ask_front(self, scored: Scored, condition: str, _label: str | None) -> None:
        names = {run.task: run.name for run in scored.scores.runs}
        under = self.query_one("#tasks", Listing).table.cursor or ""
        task = self._only or under.rpartition("/")[2]
        task = task if task in names else next(iter(names), "")
        measure = self._measure

        def show(points: "tuple[Point, ...]") -> None:
            self._laid = Laid(measure, condition, names.get(task, task), points)
            self._points = {point.name: point for point in points}
            self.query_one(Front).show(self._laid)

        key = ("front", condition, measure, task)
        self._learn(key, lambda: survey.trade_offs(scored, condition, measure, task), show)

    def _learn(self, key: tuple[str, ...], work: Callable[[], object], show: Callable[[Any], object]) -> None:
        """Show what is known already, or ask for it; the first word of the key is the view."""
        if key in self._known:
            show(self._known[key])
            return
        known = self._known
        listing = self.listing
        if listing is not None and not listing.table.total:
            listing.show([], empty="being worked out…")

        def keep(found: object) -> None:
            known[key] = found
            show(found)

        self._ask(work, keep, key[0])

    # -- the row under the cursor --------------------------------------------------------------------------

    def wants_evidence(self, listing: Listing) -> bool:
        """Tell whether a view's rows have judgments behind them."""
        return listing.id in ("tasks", "runs")

    def describe(self, listing: Listing, key: str, evidence: "Evidence | None") -> None:
        """Say what there is to say about a row.

        Parameters
        ----------
        listing : Listing
            The view.
        key : str
            The row's key.
        evidence : Evidence or None
            The campaign's judgments; None while they are being read.
        """
        made: Mapping[str | None, Callable[[str, Evidence | None], Sequence[tuple[str, object]]]] = {
            "tasks": self._about_task, "runs": self._about_run, "pairs": self._about_pair,
            "noise": self._about_noise, "axes": self._about_axis, "front-points": self._about_point,
        }  # fmt: skip
        listing.tell(key, made[listing.id](key, evidence))

    def _about_task(self, key: str, evidence: "Evidence | None") -> Sequence[tuple[str, object]]:
        label, _, task = key.rpartition("/")
        condition = str(self._record["condition"]) if self._record else "clean"
        if self._scored is None:
            return []
        for found in self._scored.scores.tasks:
            if (found.label, found.task, found.condition) == (label, task, condition):
                runs = self._scored.runs(condition, label, task)
                return evidence_words.about_task(
                    found, runs, None if evidence is None else evidence.of_seeds(runs)
                )
        return []

    def _about_run(self, key: str, evidence: "Evidence | None") -> Sequence[tuple[str, object]]:
        run = next((run for run in self._scored.scores.runs if run.id == key), None) if self._scored else None
        if run is None:
            return []
        if evidence is None:
            return evidence_words.about_run(run)
        return evidence_words.about_run(run, evidence.of_run(run), evidence.reference(run.task))

    def _about_pair(self, key: str, _evidence: object) -> Sequence[tuple[str, object]]:
        return pair_rows.about_pair(*self._pairs[key]) if key in self._pairs else []

    def _about_noise(self, key: str, _evidence: object) -> Sequence[tuple[str, object]]:
        return noise_rows.about_noise(self._noise[key][1]) if key in self._noise else []

    def _about_axis(self, key: str, _evidence: object) -> Sequence[tuple[str, object]]:
        if self._relations is None:
            return []
        return axis_rows.about_axis(key, self._relations, self._with_published)

    def _about_point(self, key: str, _evidence: object) -> Sequence[tuple[str, object]]:
        if self._laid is None or key not in self._points:
            return []
        return about_point(self._points[key], self._laid)

    def as_text(self) -> str:
        """Write what the view says about its row as plain text."""
        listing = self.listing
        facts: Any = self.query_one("#method", Facts) if listing is None else listing.facts
        return str(facts.as_text())
