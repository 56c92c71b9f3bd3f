"""The Paired screen: studies of BANK, LLM and UNION pools, their tables, and every unit's greedy path."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.paired import rows, survey
from arena_tui.screens.paired.survey import Listed, Opened
from arena_tui.widgets.dialogs import Typed
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

_PANES = ("tables", "units")
_REMEMBERED = "paired.folders"
_MOST_REMEMBERED = 20


class PairedScreen(ConsoleScreen):
    """Studies on one side; the tables, or the units, of the one under the cursor on the other."""

    CSS_PATH = "paired.tcss"
    ROOM: ClassVar[str] = "paired"
    HELP: ClassVar[str] = (
        "Library reachability: what a source of proposals adds beyond a fixed library. Each study compares "
        "arms on the same tasks, seeds, rows and starts: BANK (the library alone), LLM (proposals alone, "
        "with names and domain under L1, blind under L2), UNION (both pools searched from scratch).\n\n"
        "v changes between the study's tables and its units; a unit shows its formula, the greedy choices "
        "round by round, the verdict and its evidence, and what was dropped of the model's menu. o opens a "
        "folder, r reads again. A study is started or resumed with arena-tui paired run --tasks ... --out DIR"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "pane", "Units"),
        Binding("o", "open", "Open a folder"),
        Binding("r", "reload", "Read again"),
        Binding("slash", "filter", "Filter", show=False, key_display="/", priority=True),
        Binding("c", "copy", "Copy what is shown", show=False),
        Binding("y", "copy_table", "Copy the table", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._studies: dict[str, Listed] = {}
        self._opened: Opened | None = None
        self._units: dict[str, Mapping[str, Any]] = {}
        self._pane = "tables"

    def contents(self) -> ComposeResult:
        """Lay out the studies and the panes."""
        with Vertical(id="list", classes="panel") as left:
            left.border_title = "Studies"
            yield Table(
                rows.STUDY_COLUMNS, empty="no study below this folder; o opens one", pinned=1, id="studies"
            )
        with Vertical(id="side"):
            with VerticalScroll(id="tables", classes="panel pane") as tables:
                tables.border_title = "Tables"
                yield Plain("", id="words")
            with Vertical(id="units", classes="panel pane") as units:
                units.border_title = "Units"
                table = Table(rows.UNIT_COLUMNS, empty="no unit passes the filter", pinned=1, id="unit-table")
                yield table
                yield FilterBar(table, hint="words, arm=bank, strict=false")
                with VerticalScroll(id="unit"):
                    yield Facts(id="facts")

    def on_mount(self) -> None:
        """List the studies."""
        super().on_mount()
        self._front("tables")
        self.query_one("#studies", Table).focus()
        self.action_reload()

    def _folders(self) -> list[str]:
        kept = self.console.recall(_REMEMBERED)
        return [str(word) for word in kept] if isinstance(kept, list) else []

    def action_reload(self) -> None:
        """Read the list, and the study under the cursor, again."""
        folders = self._folders()
        self._opened = None
        self.ask(lambda: survey.find(folders), self._listed, topic="studies")

    def _listed(self, found: list[Listed]) -> None:
        self._studies = {str(one.folder): one for one in found}
        self.query_one("#studies", Table).load([rows.study_row(one) for one in found])
        self._read()

    @on(Table.Moved, "#studies")
    def _moved(self) -> None:
        self._read()

    def _read(self) -> None:
        found = self._studies.get(self.query_one("#studies", Table).cursor or "")
        if found is not None and (self._opened is None or self._opened.listed.folder != found.folder):
            self.ask(lambda: survey.read_study(found.folder), self._show, topic="study")

    def _show(self, opened: Opened) -> None:
        self._opened = opened
        self._units = {rows.unit_key(unit): unit for unit in opened.units}
        self.query_one("#words", Plain).show(rows.written(opened.report))
        table = self.query_one("#unit-table", Table)
        table.load([rows.unit_row(unit) for unit in opened.units])
        self.query_one(FilterBar).count(len(table.visible_keys), table.total)
        self._show_unit()

    @on(Table.Moved, "#unit-table")
    def _moved_unit(self) -> None:
        self._show_unit()

    def _show_unit(self) -> None:
        unit = self._units.get(self.query_one("#unit-table", Table).cursor or "")
        self.query_one("#facts", Facts).show([] if unit is None else rows.about(unit))

    # -- panes and folders ---------------------------------------------------------------------------------

    def _front(self, pane: str) -> None:
        self._pane = pane
        for name in _PANES:
            self.query_one(f"#{name}").set_class(name == pane, "front")

    def action_pane(self) -> None:
        """Change between tables and units."""
        self._front("units" if self._pane == "tables" else "tables")
        self.query_one("#unit-table" if self._pane == "units" else "#studies", Table).focus()

    def action_filter(self) -> None:
        """Type a filter over the units."""
        self._front("units")
        self.query_one(FilterBar).take_focus()

    def action_open(self) -> None:
        """Open the folder of a study."""

        def take(text: str | None) -> None:
            if text and text.strip():
                folder = Path(text.strip()).expanduser().resolve()
                self.ask(lambda: survey.listed(folder), self._remember, topic="open")

        self.app.push_screen(Typed("Open a paired study", "Its folder (the --out of paired run):"), take)

    def _remember(self, found: Listed) -> None:
        kept = [str(found.folder), *(word for word in self._folders() if word != str(found.folder))]
        self.console.remember(_REMEMBERED, kept[:_MOST_REMEMBERED])
        self.action_reload()

    # -- copying -------------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what the front pane shows."""
        if self._opened is None:
            return
        if self._pane == "tables":
            self.console.copy(rows.written(self._opened.report))
        else:
            self.console.copy(self.query_one("#facts", Facts).as_text())

    def action_copy_table(self) -> None:
        """Copy the shown rows as tab-separated text."""
        shown = "#unit-table" if self._pane == "units" else "#studies"
        self.console.copy(self.query_one(shown, Table).as_tsv())
