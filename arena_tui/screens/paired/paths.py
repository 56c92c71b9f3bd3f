"""The drill-down: one task and seed, the arms' greedy paths side by side, their formulas with all digits."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.paired import rows, side_by_side
from arena_tui.screens.paired.lines import Lines, written
from arena_tui.widgets.expression import ExpressionView
from arena_tui.widgets.facts import Facts
from arena_tui.widgets.plain import Plain

if TYPE_CHECKING:
    from arena_tui.screens.paired.side_by_side import Compared
    from arena_tui.screens.paired.views import Drill

_MOST_ARMS = 3


class PathsScreen(ConsoleScreen):
    """Lies over the Paired screen; Escape goes back to it."""

    CSS_PATH = "paths.tcss"
    ROOM: ClassVar[str] = "paired"
    HELP: ClassVar[str] = (
        "One task and seed: what BANK, LLM and UNION chose, round by round. Every search begins with the "
        "first-order terms and adds the candidate that lowers the training error most; a is the chosen "
        "atom's constant as it was fitted in that round, and an arrow leads to its value in the saved "
        "formula.\n\n"
        "◆ marks the round in which arms part that had come the same way. Under a choice of UNION stands "
        "whether the library lists the atom, or only the proposals; '= LLM round 2' says where another arm "
        "chose the same one.\n\n"
        "Left and right choose an arm (▸), c copies its formula with all digits, y copies everything, . "
        "changes how many digits are shown, l changes the level of language, n and p go through the list "
        "this was opened from, Escape goes back to it"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back"),
        Binding("n", "step(1)", "Next"),
        Binding("p", "step(-1)", "Previous"),
        Binding("l", "level", "Level"),
        Binding("full_stop", "app.next_digits", "Digits", key_display="."),
        Binding("i", "app.turn_formula", "Formula in two dimensions or on one line", show=False),
        Binding("c", "copy", "Copy formula"),
        Binding("y", "copy_all", "Copy all", show=False),
        Binding("right,tab", "arm(1)", "Next arm", show=False, priority=True),
        Binding("left,shift+tab", "arm(-1)", "Previous arm", show=False, priority=True),
    ]

    def __init__(self, drill: "Drill") -> None:
        super().__init__()
        self._opened = drill.opened
        self._cells = drill.cells
        self._at = drill.cells.index(drill.cell)
        self._levels = drill.levels
        self._level = drill.level
        self._compared: Compared | None = None
        self._arm = 0

    def contents(self) -> ComposeResult:
        """Lay out the title, the paths and the formulas."""
        with Vertical(classes="panel") as panel:
            panel.border_title = "Greedy paths"
            yield Plain("", id="where", classes="heading")
            with VerticalScroll(id="all"):
                yield Lines(id="paths")
                for place in range(_MOST_ARMS):
                    yield Plain("", id=f"arm-{place}", classes="heading formula")
                    yield ExpressionView(id=f"formula-{place}")
                yield Plain("truth", id="arm-truth", classes="heading formula")
                yield ExpressionView(id="truth")
                yield Facts(id="facts")

    def on_mount(self) -> None:
        """Show the first task and seed."""
        super().on_mount()
        self.query_one("#all").focus()
        self.watch(self.app, "look", lambda _look: self._paint(), init=False)
        self._ask()

    def _ask(self) -> None:
        opened, cell, level = self._opened, self._cells[self._at], self._level
        self.ask(lambda: side_by_side.compare(opened, cell, level), self._show, topic="paths")

    def _show(self, compared: "Compared") -> None:
        self._compared = compared
        self._arm = min(self._arm, max(0, len(compared.branches) - 1))
        self._paint()
        self.query_one("#all").scroll_home(animate=False)

    def _paint(self) -> None:
        compared = self._compared
        if compared is None:
            return
        self.query_one("#where", Plain).show(
            f"{self._title(compared)} · {self._at + 1} of {len(self._cells)}"
        )
        chosen, digits = self._arm, self.console.look.digits
        self.query_one("#paths", Lines).show(partial(side_by_side.folded, compared, chosen, digits))
        for place in range(_MOST_ARMS):
            one = compared.branches[place] if place < len(compared.branches) else None
            text = "" if one is None or one.unit is None else one.unit.get("expression") or ""
            head, view = (
                self.query_one(f"#arm-{place}", Plain),
                self.query_one(f"#formula-{place}", ExpressionView),
            )
            head.display = view.display = bool(text)
            if one is not None:
                head.show(f"{'▸ ' if place == chosen else '  '}{one.arm.upper()} found")
            view.text = text
        truth = self.query_one("#truth", ExpressionView)
        truth.text = compared.truth or ""
        truth.display = self.query_one("#arm-truth").display = bool(compared.truth)
        self.query_one("#facts", Facts).show(self._facts(compared))

    def _title(self, compared: "Compared") -> str:
        level = f" · {self._level.upper()}" if self._level else ""
        return f"{compared.name}, seed {compared.seed}{level} · {compared.domain}"

    @staticmethod
    def _facts(compared: "Compared") -> list[tuple[str, object]]:
        return [pair for one in compared.branches if one.unit is not None for pair in rows.origin(one.unit)]

    # -- actions -------------------------------------------------------------------------------------------

    def action_back(self) -> None:
        """Go back to the study."""
        self.dismiss(None)

    def action_step(self, step: int) -> None:
        """Go to the next or the previous task and seed of the list.

        Parameters
        ----------
        step : int
            1 or -1.
        """
        at = self._at + step
        if 0 <= at < len(self._cells):
            self._at = at
            self._ask()
        else:
            self.console.tell("that was the last one" if step > 0 else "that was the first one")

    def action_level(self) -> None:
        """Show the other level of language."""
        if len(self._levels) < 2 or self._level is None:
            self.console.tell("this study has one level only")
            return
        self._level = self._levels[(self._levels.index(self._level) + 1) % len(self._levels)]
        self._ask()

    def action_arm(self, step: int) -> None:
        """Choose the next or the previous arm.

        Parameters
        ----------
        step : int
            1 or -1.
        """
        if self._compared is not None and self._compared.branches:
            self._arm = (self._arm + step) % len(self._compared.branches)
            self._paint()

    def action_copy(self) -> None:
        """Copy the chosen arm's formula with all digits."""
        branches = () if self._compared is None else self._compared.branches
        unit = branches[self._arm].unit if branches else None
        text = None if unit is None else unit.get("expression")
        if text:
            self.console.copy(str(text))
        else:
            self.console.tell("this arm has no formula", "warning")

    def action_copy_all(self) -> None:
        """Copy the paths and all formulas, with all digits."""
        compared = self._compared
        if compared is None:
            return
        whole = written(partial(side_by_side.folded, compared, self._arm, None))
        parts = [self._title(compared), whole]
        parts += [
            f"{one.arm.upper()} = {one.unit['expression']}"
            for one in compared.branches
            if one.unit is not None and one.unit.get("expression")
        ]
        parts += [f"truth = {compared.truth}"] if compared.truth else []
        parts.append(self.query_one("#facts", Facts).as_text())
        self.console.copy("\n\n".join(parts))
