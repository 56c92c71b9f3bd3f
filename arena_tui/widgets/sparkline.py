"""A row of small bars for a resource over time."""

import math
from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"


def spark(values: Sequence[float | None], width: int, *, top: float | None = None) -> str:
    """Draw values as bars, the newest on the right.

    Parameters
    ----------
    values : sequence of float or None
        Values in time order; None or NaN is a gap.
    width : int
        Cells; several values share a cell by their maximum.
    top : float, optional
        The value of a full bar; the largest one by default.

    Returns
    -------
    str
        ``width`` cells; blank when there is nothing to draw.
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    if width <= 0 or not known:
        return " " * max(0, width)
    full = max(top if top is not None else max(known), 1e-300)
    per_cell = max(1.0, len(values) / width)
    cells = []
    for cell in range(min(width, len(values))):
        chunk = [
            value
            for value in values[
                int(cell * per_cell) : max(int((cell + 1) * per_cell), int(cell * per_cell) + 1)
            ]
            if value is not None and math.isfinite(value)
        ]
        level = min(1.0, max(0.0, *chunk) / full) if chunk else None
        cells.append(" " if level is None else _BARS[max(0, min(7, math.ceil(level * 8) - 1))])
    return "".join(cells).rjust(width)
