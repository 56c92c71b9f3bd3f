"""A task's splits as clouds of points: target against one feature."""

from arena_tui.widgets.drawing import Chart, Series
from tasks import catalogue
from tasks.materialize import splits

_POINTS = 240


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
            )
        )
    # The wide cloud first, so that the training rows lie on top of it.
    return Chart(tuple(reversed(series)), x_title=task.features[column].name)
