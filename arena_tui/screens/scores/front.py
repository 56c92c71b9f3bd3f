"""The Pareto view: accuracy against cost as a chart, and the same points as a table for who cannot see it."""

import math
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container

from arena_tui.screens.scores.listing import Listing
from arena_tui.screens.scores.rows import DASH
from arena_tui.theme import SERIES
from arena_tui.widgets import numbers
from arena_tui.widgets.chart import ChartView
from arena_tui.widgets.drawing import FLOOR, Chart, Series
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Column, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.scoring.tradeoffs import Measure, Point

MEASURES: "tuple[Measure, ...]" = ("size", "time", "cpu", "task")
# Above this ratio of the largest cost to the least the axis is in powers of ten.
_WIDE = 50.0
# Room left and right of the points on an even axis, as a share of their span.
_MARGIN = 0.04
_SIGNS = string.ascii_letters
_LEAST = FLOOR * (1.0 + 1e-9)
_BY_ERROR = ("size", "task")
_TITLES = {
    "size": "methods: median ID NMSE (low is good), median nodes",
    "time": "methods: ID score (high is good), mean search time",
    "cpu": "methods: ID score (high is good), mean CPU time",
    "task": "runs of {task}: ID NMSE (low is good), nodes",
}
_COSTS = {"size": "nodes", "time": "seconds", "cpu": "CPU s", "task": "nodes"}


@dataclass(frozen=True, slots=True)
class Laid:
    """Points by a measure, under one condition; ``task`` is the name of the task whose runs they are."""

    measure: "Measure"
    condition: str
    task: str
    points: "Sequence[Point]"

    @property
    def title(self) -> str:
        """What is drawn."""
        return f"{_TITLES[self.measure].format(task=self.task)}; {self.condition} labels; m: next"


class Front(Container):
    """Chart and table of the same points; letters name them in both."""

    DEFAULT_CSS = """
    Front {
        layout: vertical; height: 1fr;
        & > .drawn { height: 1fr; min-height: 7; }
        & > .drawn > Plain { height: auto; max-height: 2; padding: 0 1; color: $quiet; }
    }
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.listing = Listing(columns("size"), hint="words, front=yes, cost<20", pinned=2, id=f"{id}-points")
        self._chart = ChartView()
        self._title = Plain("")

    def compose(self) -> ComposeResult:
        """Lay out chart and table."""
        with Container(classes="drawn"):
            yield self._title
            yield self._chart
        yield self.listing

    def show(self, laid: Laid) -> None:
        """Show other points.

        Parameters
        ----------
        laid : Laid
            What is drawn and listed.
        """
        self._title.show(laid.title)
        self._chart.show(chart(laid))
        self.listing.table.columns = columns(laid.measure)
        self.listing.show(point_rows(laid), empty="no run with a score and a cost")


def columns(measure: "Measure") -> tuple[Column, ...]:
    """Return the table's columns: accuracy and cost are written and named as the measure has them."""
    by_error = measure in _BY_ERROR
    return (
        Column("sign", "", 2),
        Column("name", "run" if measure == "task" else "method", 12, grow=1),
        Column("accuracy", "ID NMSE" if by_error else "ID", 8, right=True,
               show=_nmse if by_error else _score),
        Column("cost", _COSTS[measure], 8, right=True, show=_cost),
        Column("runs", "runs", 7, right=True),
        Column("front", "front", 5, tone=lambda value: "good" if value == "yes" else "quiet"),
        Column("beaten", "no better than", 18, grow=1),
    )  # fmt: skip


def point_rows(laid: Laid) -> list[Row]:
    """Make the rows of points, the cheapest first."""
    return [
        Row(
            point.name,
            {
                "sign": _sign(at),
                "name": point.name,
                "accuracy": _height(point, laid),
                "cost": point.cost,
                "runs": f"{point.runs}/{point.of}",
                "front": "yes" if point.front else "no",
                "beaten": point.beaten_by or "",
            },
        )
        for at, point in enumerate(laid.points)
    ]


def about_point(point: "Point", laid: Laid) -> list[tuple[str, object]]:
    """Describe a point and its place against the front."""
    unit = {"cpu": "CPU s, start-up too"}.get(laid.measure, _COSTS[laid.measure])
    if laid.measure in _BY_ERROR:
        accuracy = f"ID NMSE {_nmse(_height(point, laid))}"
    else:
        accuracy = f"ID score {point.accuracy:.2f} of 100"
    where = "on the front: nothing here is at least as accurate for less"
    if not point.front:
        where = f"not on the front: {point.beaten_by or 'another'} is at least as accurate and costs no more"
    counted = "the run itself" if laid.measure == "task" else f"{point.runs} of {point.of} scored runs"
    return [
        (point.name, ""),
        ("", where),
        ("accuracy", accuracy),
        (unit, _cost(point.cost)),
        ("over", counted),
    ]


def chart(laid: Laid) -> Chart:
    """Draw the front as stairs and every point as its letter.

    Parameters
    ----------
    laid : Laid
        The points.

    Returns
    -------
    Chart
        Those on the front lie over the others.
    """
    by_error = laid.measure in _BY_ERROR
    spots = [(point, point.cost, _height(point, laid)) for point in laid.points]
    series = []
    stairs = [(cost, height) for point, cost, height in spots if point.front]
    if len(stairs) > 1:
        series.append(Series("", [x for x, _ in stairs], [y for _, y in stairs], colour=7, step=True))
    letters = [
        Series(point.name, [cost], [height], colour=at % (SERIES - 1), points=True, sign=_sign(at))
        for at, (point, cost, height) in enumerate(spots)
    ]
    order = sorted(range(len(letters)), key=lambda at: spots[at][0].front)
    costs = [cost for _, cost, _ in spots]
    span = max(costs, default=0.0) - min(costs, default=0.0)
    wide = bool(costs) and min(costs) > 0 and max(costs) / min(costs) > _WIDE
    around = None if wide or span <= 0 else (min(costs) - _MARGIN * span, max(costs) + _MARGIN * span)
    return Chart(
        [*series, *(letters[at] for at in order)],
        log=by_error,
        x_title=_COSTS[laid.measure],
        y_limits=None if by_error else (0.0, 100.0),
        x_limits=around,
        x_log=wide,
    )


def _sign(at: int) -> str:
    return _SIGNS[at] if at < len(_SIGNS) else "•"


def _height(point: "Point", laid: Laid) -> float:
    """Return where a point stands; the smallest errors a hair above the floor, to keep their letter."""
    if laid.measure not in _BY_ERROR:
        return point.accuracy
    return max(math.pow(10.0, point.accuracy), _LEAST)


def _nmse(value: object) -> str:
    if not isinstance(value, float):
        return DASH
    return "≤1e-12" if value <= _LEAST else numbers.nmse(value)


def _score(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else DASH


def _cost(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else DASH
