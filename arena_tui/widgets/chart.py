"""A chart on the screen: draws again when its data, its size or the theme changes, and only then."""

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
# A chart gives one line of this many to names, and always one.
_LINES_A_NAME = 6


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
        self._drawn: tuple[tuple[int, int], list[list[tuple[str, str]]], Picture] | None = None

    def show(self, chart: Chart, *, legend: bool = False) -> None:
        """Show another chart.

        Parameters
        ----------
        chart : Chart
            What to draw.
        legend : bool
            Spend the first line on the names of the series, and more of a high chart where they need it.
        """
        self.chart, self.legend = chart, legend
        self._drawn = None
        self.refresh()

    def _picture(self) -> tuple[list[list[tuple[str, str]]], Picture]:
        size = (self.size.width, self.size.height)
        if self._drawn is None or self._drawn[0] != size:
            names = self._legend()
            self._drawn = (size, names, draw(self.chart, size[0], size[1] - len(names)))
        return self._drawn[1:]

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
        names, picture = self._picture()
        if y < len(names):
            segments = [Segment(text, base + self._role(role)) for text, role in names[y]]
        elif y - len(names) < len(picture.lines):
            segments = [
                Segment(text, base + self._role(role)) for text, role in picture.lines[y - len(names)]
            ]
        else:
            return Strip.blank(width, base)
        return Strip(segments).crop_extend(0, width, base)

    def _legend(self) -> list[list[tuple[str, str]]]:
        """Share the names of the series out to lines; what the height leaves no line for is counted."""
        if not self.legend:
            return []
        named = [series for series in self.chart.series if series.name]
        width, most = self.size.width, max(1, self.size.height // _LINES_A_NAME)
        lines: list[list[tuple[str, str]]] = [[]]
        room = width
        for at, series in enumerate(named):
            sign = series.sign or SIGNS[series.colour % len(SIGNS)]
            text = f"{sign} {printable(series.name)}  "
            more = f"+{len(named) - at - 1}" if at + 1 < len(named) else ""
            if len(text) > room and lines[-1] and len(lines) < most:
                lines.append([])
                room = width
            if len(text) + (len(more) if len(lines) == most else 0) > room:
                lines[-1].append((fit(f"+{len(named) - at}", room), "name"))
                break
            lines[-1].append((text, f"series{series.colour}"))
            room -= len(text)
        return lines

    def _role(self, role: str) -> Style:
        variables = self.app.theme_variables
        if role == "name":
            return Style()
        if role.startswith("series"):
            return series_style(variables, int(role.removeprefix("series")))
        if role.startswith("band"):
            return series_style(variables, int(role.removeprefix("band"))) + Style(dim=True)
        name = {"mark": "fair", "note": "quiet"}.get(role, "quiet")
        return Style(color=Color.parse(variables.get(name, "#888888")))
