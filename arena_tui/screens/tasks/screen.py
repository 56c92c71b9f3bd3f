"""The Tasks screen: the full set to filter, one task with its splits drawn, selections to save and use."""

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.tasks import rows as task_rows
from arena_tui.widgets.chart import ChartView
from arena_tui.widgets.dialogs import Choice, Typed
from arena_tui.widgets.drawing import Chart
from arena_tui.widgets.expression import ExpressionView
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Row, Table
from tasks import catalogue
from tasks.schema import Task

if TYPE_CHECKING:
    from textual.timer import Timer

# A held key moves the cursor at once; what is beside it follows when the key rests this long.
_SETTLE_S = 0.08


class TasksScreen(ConsoleScreen):
    """All tasks on one side, the task under the cursor on the other."""

    CSS_PATH = "tasks.tcss"
    ROOM: ClassVar[str] = "tasks"
    HELP: ClassVar[str] = (
        "The tasks of the Full Task Set. Move with the arrows, filter with /, sort with s and S or a click "
        "on a heading.\n\n"
        "A filter is words that must occur (feynman chaos), without one (!feynman), in one column "
        "(family:feynman, difficulty=hard, core50:core50) or a comparison (d>3 ops<=10 train>1000).\n\n"
        "Marked tasks (Space, a for all that are shown) are a selection: w saves it as @name for use in "
        "campaigns, l marks the members of a saved or built-in set, n makes a new campaign of them.\n\n"
        "Difficulty, failure mode and winner are the published labels of the paper's pool."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/", priority=True),
        Binding("space", "table_mark", "Mark"),
        Binding("n", "campaign", "New campaign"),
        Binding("w", "save", "Save set"),
        Binding("l", "load", "Load set"),
        Binding("x", "feature", "Next feature"),
        Binding("a", "mark_shown", "Mark all shown", show=False),
        Binding("u", "unmark", "Unmark all", show=False),
        Binding("full_stop", "app.next_digits", "Digits shown", show=False, key_display="."),
        Binding("i", "app.turn_formula", "Formula in two dimensions or on one line", show=False),
        Binding("c", "copy_formula", "Copy the formula", show=False),
        Binding("y", "copy_table", "Copy the shown table", show=False),
        Binding("v", "turn", "Details / table on a small screen", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._feature = 0
        self._settling: Timer | None = None

    def contents(self) -> ComposeResult:
        """Lay out the table and the task."""
        table = Table(task_rows.COLUMNS, empty="no task passes the filter", pinned=2, id="tasks")
        with Vertical(id="catalogue", classes="panel") as left:
            left.border_title = "Tasks"
            yield table
            yield FilterBar(table, hint="words, family:feynman, difficulty=hard, d>3")
        with Vertical(id="task", classes="panel"):
            with VerticalScroll(id="about", can_focus=True):
                yield Facts(id="variables")
                yield Plain("formula", classes="heading")
                yield ExpressionView(id="formula")
                yield Plain("facts", classes="heading")
                yield Facts(id="facts")
            yield ChartView(id="cloud")

    def on_mount(self) -> None:
        """Read the catalogue."""
        super().on_mount()
        kept = self.console.recall("tasks.filter")
        if isinstance(kept, str) and kept:
            self.query_one(FilterBar).set_text(kept)
        self.ask(task_rows.rows, self._filled, topic="catalogue")

    def _filled(self, rows: list[Row]) -> None:
        table = self.query_one("#tasks", Table)
        table.load(rows)
        self._count()

    def _count(self) -> None:
        table = self.query_one("#tasks", Table)
        self.query_one(FilterBar).count(len(table.visible_keys), table.total)
        marked = f"{len(table.marks)} marked" if table.marks else ""
        self.query_one("#catalogue").border_subtitle = marked

    # -- one task ------------------------------------------------------------------------------------------

    @on(Table.Moved)
    def _moved(self) -> None:
        if self._settling is not None:
            self._settling.stop()
        self._settling = self.set_timer(_SETTLE_S, self._arrive)

    def _arrive(self) -> None:
        self._settling = None
        self._feature = 0
        key = self.query_one("#tasks", Table).cursor
        panel = self.query_one("#task")
        if key is None:
            panel.border_title = "no task"
            self.query_one(ChartView).show(Chart(()))
            return
        self.ask(lambda: catalogue.get(key), self._show_task, topic="task")

    def _show_task(self, task: Task) -> None:
        self.query_one("#task").border_title = task.id
        self.query_one("#variables", Facts).show(task_rows.variables(task))
        self.query_one(ExpressionView).text = task.formula or "not known: observed data"
        self.query_one("#facts", Facts).show(task_rows.facts(task))
        self._draw(task)

    def _draw(self, task: Task) -> None:
        from arena_tui.screens.tasks.scatter import cloud

        feature = self._feature
        name = f"{task.target.name} against {task.features[feature % len(task.features)].name}"

        def show(chart: Chart) -> None:
            view = self.query_one(ChartView)
            view.border_title = name
            view.show(chart, legend=True)

        self.ask(lambda: cloud(task.id, feature), show, topic="cloud", failed=self._no_cloud)

    def _no_cloud(self, error: Exception) -> None:
        self.query_one(ChartView).show(Chart(()))
        self.console.complain(error)

    def action_feature(self) -> None:
        """Draw the splits against the next feature."""
        self._feature += 1
        key = self.query_one("#tasks", Table).cursor
        if key is not None:
            self.ask(lambda: catalogue.get(key), self._draw, topic="task")

    def action_turn(self) -> None:
        """On a small screen, give the room to the details or back to the table."""
        self.toggle_class("-details")

    # -- selections ----------------------------------------------------------------------------------------

    @on(FilterBar.Changed)
    def _filtered(self, event: FilterBar.Changed) -> None:
        self.console.remember("tasks.filter", event.text)

    @on(Table.Marked)
    def _marked(self) -> None:
        self._count()

    def action_filter(self) -> None:
        """Type a filter."""
        self.query_one(FilterBar).take_focus()

    def action_table_mark(self) -> None:
        """Mark the task under the cursor."""
        self.query_one("#tasks", Table).action_mark()

    def action_mark_shown(self) -> None:
        """Mark every task that passes the filter, beside those already marked."""
        table = self.query_one("#tasks", Table)
        table.set_marks([*table.marks, *table.visible_keys])

    def action_unmark(self) -> None:
        """Mark nothing."""
        self.query_one("#tasks", Table).set_marks([])

    def _chosen(self) -> list[str]:
        table = self.query_one("#tasks", Table)
        return list(table.marks) or ([table.cursor] if table.cursor else [])

    def action_save(self) -> None:
        """Save the marked tasks under a name."""
        chosen = self._chosen()

        def save(name: str | None) -> None:
            if not name:
                return
            from tasks import selections

            self.ask(
                lambda: selections.save(name.lstrip("@"), chosen),
                lambda _: self.console.tell(f"{len(chosen)} tasks saved as @{name.lstrip('@')}"),
                topic="save",
            )

        self.app.push_screen(Typed("Save a selection", f"{len(chosen)} tasks; a name, used as @name:"), save)

    def action_load(self) -> None:
        """Mark the members of a set."""
        from tasks import selections

        def mark(name: str | None) -> None:
            if name:
                self.ask(
                    lambda: [task.id for task in selections.load(name.lstrip("@"))],
                    self.query_one("#tasks", Table).set_marks,
                    topic="load",
                )

        def offer(names: tuple[str, ...]) -> None:
            saved = set(names) - set(selections.BUILT_IN)
            options = [(f"@{name}", "yours" if name in saved else "built in") for name in names]
            self.app.push_screen(Choice("Mark the members of a set", options), mark)

        self.ask(selections.names, offer, topic="names")

    def action_campaign(self) -> None:
        """Start the form of a new campaign with these tasks."""
        self.console.new_campaign(tasks=",".join(self._chosen()))

    # -- copying -------------------------------------------------------------------------------------------

    def action_copy_formula(self) -> None:
        """Copy the ground truth with every digit."""
        self.console.copy(self.query_one(ExpressionView).text)

    def action_copy_table(self) -> None:
        """Copy the shown rows as tab-separated text."""
        self.console.copy(self.query_one("#tasks", Table).as_tsv())
