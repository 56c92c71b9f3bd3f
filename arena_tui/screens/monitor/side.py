"""Beside the runs: the chart, the run under the cursor, the end of its log."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll

from arena_tui.screens.monitor.detail import Resources, RunDetail
from arena_tui.widgets.chart import ChartView
from arena_tui.widgets.plain import Plain

if TYPE_CHECKING:
    from arena_tui.widgets.drawing import Chart
    from engine.running.records import Run

_PANES = ("plot", "found", "log")


class Side(Vertical):
    """Three panes; where the screen's style shows one only, it is the one marked ``front``."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._shown: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out the panes."""
        with Vertical(id="plot", classes="panel front"):
            yield ChartView(id="chart")
        with Vertical(id="found", classes="panel") as found:
            found.border_title = "Run"
            yield RunDetail(id="detail")
        with Vertical(id="log", classes="panel") as log:
            log.border_title = "Log"
            with VerticalScroll(id="tail"):
                yield Plain("")

    def show_run(self, run: "Run | None") -> None:
        """Show a run's state and expression.

        Parameters
        ----------
        run : Run or None
            The run under the cursor.
        """
        self.query_one(RunDetail).show_run(run)
        if run is None or run.id != self._shown:
            # From here on it stays at its end until somebody scrolls up to read.
            self.query_one("#tail", VerticalScroll).anchor()
        self._shown = run.id if run else None
        self.query_one("#found").border_title = f"Run {run.label} {run.name} {run.key.cell}" if run else "Run"

    def show_chart(self, chart: "Chart", title: str) -> None:
        """Show trajectories or a front.

        Parameters
        ----------
        chart : Chart
            What to draw.
        title : str
            For the pane's border.
        """
        self.query_one("#plot").border_title = title
        self.query_one(ChartView).show(chart, legend=len(chart.series) > 0)

    def show_about(self, used: Resources, log: str) -> None:
        """Show what a run used, and the end of its log.

        Parameters
        ----------
        used : Resources
            From its telemetry.
        log : str
            Its last letters.
        """
        self.query_one(RunDetail).show_resources(used)
        self.query_one("#tail > Plain", Plain).show(log.rstrip("\n") or "nothing was written")

    def reveal(self, part: str, text: str, note: str) -> None:
        """Show what was asked for about the run, in front.

        Parameters
        ----------
        part : str
            ``simplified`` or ``truth``.
        text, note : str
            The expression, and what there is to say about it.
        """
        self.query_one(RunDetail).reveal(part, text, note)
        self.bring("found")

    def hide_asked(self) -> None:
        """Hide the simplified form and the truth: they are another run's."""
        detail = self.query_one(RunDetail)
        detail.set_shown("simplified", shown=False)
        detail.set_shown("truth", shown=False)

    def bring(self, pane: str) -> None:
        """Bring a pane to the front.

        Parameters
        ----------
        pane : str
            ``plot``, ``found`` or ``log``.
        """
        for name in _PANES:
            self.query_one(f"#{name}").set_class(name == pane, "front")

    def bring_next(self) -> None:
        """Bring the next pane to the front."""
        front = next((name for name in _PANES if self.query_one(f"#{name}").has_class("front")), _PANES[0])
        self.bring(_PANES[(_PANES.index(front) + 1) % len(_PANES)])
