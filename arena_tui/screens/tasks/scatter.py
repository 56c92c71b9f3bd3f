"""A task's splits as clouds of points: target against one feature."""

from arena_tui.widgets.chart import SIGNS
from arena_tui.widgets.drawing import Chart, Series
from tasks import catalogue
from tasks.materialize import splits

_POINTS = 240
# An outlier this many times farther out than the middle 96 % is drawn at the edge.
_FLAT = 8.0


def cloud(task_id: str, feature: int) -> Chart:
    """Draw the splits of a task against one of its features.

    Parameters
    ----------
    task_id : str
        A task's id.
    feature : int
        A feature's column.

    Returns
    -------
    Chart
        Points of train, ID and OOD; of a long split evenly spaced rows.

    Raises
    ------
    TaskError
        When the rows cannot be made.
    """
    task = catalogue.get(task_id)
    column = feature % len(task.features)
    series = []
    for colour, (name, table) in enumerate(
        (name, table) for name, table in splits(task).named() if name != "valid"
    ):
        stride = max(1, table.rows // _POINTS)
        series.append(
            Series(
                name,
                [float(value) for value in table.X[::stride, column]],
                [float(value) for value in table.y[::stride]],
                colour=colour,
                points=True,
                sign=SIGNS[colour],
            )
        )
    # The wide cloud first, so that the training rows lie on top of it.
    return Chart(tuple(reversed(series)), x_title=task.features[column].name, y_limits=_middle(series))


def _middle(series: list[Series]) -> tuple[float, float] | None:
    """Leave outliers at the edge when they would press everything else flat; None keeps the full range."""
    values = sorted(y for line in series for y in line.y if y is not None)
    low, high = values[len(values) // 50], values[-1 - len(values) // 50]
    spread = high - low
    if spread <= 0 or values[-1] - values[0] < _FLAT * spread:
        return None
    return low - 0.1 * spread, high + 0.1 * spread
