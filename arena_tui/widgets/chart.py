"""A chart on the screen: draws again when its data, its size or the theme changes, and only then."""

from collections.abc import Sequence

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from arena_tui.theme import SERIES
from arena_tui.widgets.drawing import Chart, Picture, draw
from arena_tui.widgets.plain import fit, printable

# Without colour the series of a legend are told apart by these.
SIGNS = "●■▲◆▼★○□"


def series_style(variables: dict[str, str], index: int) -> Style:
    """Return the colour of a series in the current theme.

    Parameters
    ----------
    variables : dict of str to str
        ``app.theme_variables``.
    index : int
        The series' number; they repeat after eight.

    Returns
    -------
    rich.style.Style
        Its foreground.
    """
    return Style(color=Color.parse(variables.get(f"series-{index % SERIES}", "#888888")))


class ChartView(Widget):
    """Draws a ``Chart`` with an optional legend above it."""

    DEFAULT_CSS = """
    ChartView { background: $surface; height: 1fr; min-height: 3; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.chart = Chart(())
        self.legend = False
        self._drawn: tuple[tuple[int, int], Picture] | None = None

    def show(self, chart: Chart, *, legend: bool = False) -> None:
        """Show another chart.

        Parameters
        ----------
        chart : Chart
            What to draw.
        legend : bool
            Spend the first line on the names of the series.
        """
        self.chart, self.legend = chart, legend
        self._drawn = None
        self.refresh()

    def _picture(self) -> Picture:
        width, height = self.size.width, self.size.height - int(self.legend)
        if self._drawn is None or self._drawn[0] != (width, height):
            self._drawn = ((width, height), draw(self.chart, width, height))
        return self._drawn[1]

    def render_line(self, y: int) -> Strip:
        """Paint one line.

        Parameters
        ----------
        y : int
            Line of the widget.

        Returns
        -------
        Strip
            The painted cells.
        """
        base, width = self.rich_style, self.size.width
        if self.legend and y == 0:
            return Strip(self._names(base)).crop_extend(0, width, base)
        lines = self._picture().lines
        at = y - int(self.legend)
        if at >= len(lines):
            return Strip.blank(width, base)
        segments = [Segment(text, base + self._role(role)) for text, role in lines[at]]
        return Strip(segments).crop_extend(0, width, base)

    def _names(self, base: Style) -> Sequence[Segment]:
        segments: list[Segment] = []
        room = self.size.width
        named = [series for series in self.chart.series if series.name]
        for at, series in enumerate(named):
            sign = series.sign or SIGNS[series.colour % len(SIGNS)]
            text = f"{sign} {printable(series.name)}  "
            if len(text) > room:
                segments.append(Segment(fit(f"+{len(named) - at}", room), base))
                break
            segments.append(Segment(text, base + series_style(self.app.theme_variables, series.colour)))
            room -= len(text)
        return segments

    def _role(self, role: str) -> Style:
        variables = self.app.theme_variables
        if role.startswith("series"):
            return series_style(variables, int(role.removeprefix("series")))
        if role.startswith("band"):
            return series_style(variables, int(role.removeprefix("band"))) + Style(dim=True)
        name = {"mark": "fair", "note": "quiet"}.get(role, "quiet")
        return Style(color=Color.parse(variables.get(name, "#888888")))
