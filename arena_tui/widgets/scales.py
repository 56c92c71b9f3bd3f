"""Where a value falls on an axis, how far an axis reaches, and where its ticks stand."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena_tui.widgets.drawing import Chart, Series

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_ROUNDING = 1e-12
_LEAST = 1e-290
# The last power of ten that is a double.
_LARGEST = 308


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps [low, high] to 0 ... last, evenly or in powers of ten."""

    low: float
    high: float
    last: int
    log: bool = False

    def place(self, value: float) -> int | None:
        """Return a value's place on the axis.

        Parameters
        ----------
        value : float
            A value in data units.

        Returns
        -------
        int or None
            0 at ``low`` and ``last`` at ``high``; clipped to the axis; None when the value has no place.
        """
        if not math.isfinite(value) or (self.log and value <= 0):
            return None
        low, high, here = self.low, self.high, value
        if self.log:
            low, high, here = math.log10(low), math.log10(high), math.log10(value)
        if high <= low:
            return self.last // 2
        # Halved, because the whole span of two large numbers may not be one.
        share = (here / 2 - low / 2) / (high / 2 - low / 2)
        return max(0, min(self.last, round(share * self.last)))


def limits(
    series: "Sequence[Series]", chart: "Chart"
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Find how far the axes must reach.

    Parameters
    ----------
    series : sequence of Series
        Cleaned series.
    chart : Chart
        Fixed limits and marks that must be seen.

    Returns
    -------
    tuple or None
        ((x low, x high), (y low, y high)); None when no series has a finite point.
    """
    xs: list[float] = []
    ys: list[float] = []
    for line in series:
        for x, y in zip(line.x, line.y, strict=False):
            if y is not None and math.isfinite(x) and (not chart.x_log or x > 0):
                xs.append(x)
                ys.append(y)
        for edge in (line.low, line.high):
            ys.extend(value for value in edge if value is not None and math.isfinite(value))
    if not xs:
        return None
    xs.extend(x for x, _ in chart.marks if math.isfinite(x))
    x_limits = chart.x_limits or _widened(min(xs), max(xs), log=chart.x_log)
    y_limits = chart.y_limits or _widened(min(ys), max(ys), log=chart.log)
    return x_limits, y_limits


def _widened(low: float, high: float, *, log: bool) -> tuple[float, float]:
    if log:
        bottom = min(math.floor(math.log10(low)), _LARGEST - 1)
        top = min(math.ceil(math.log10(high)), _LARGEST)
        return 10.0**bottom, 10.0 ** max(top, bottom + 1)
    if high > low:
        return low, high
    spread = abs(low) * 0.5 or 1.0
    return low - spread, high + spread


def ticks(low: float, high: float, count: int, *, log: bool) -> list[tuple[float, str]]:
    """Choose round values for an axis.

    Parameters
    ----------
    low, high : float
        The axis' ends.
    count : int
        About how many ticks are wanted.
    log : bool
        Powers of ten.

    Returns
    -------
    list of (float, str)
        Values, ascending, and how they are written.
    """
    if log:
        bottom, top = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        stride = max(1, math.ceil((top - bottom) / max(1, count)))
        powers = list(range(bottom, top + 1, stride))
        if top - powers[-1] > stride // 2:
            powers.append(top)
        return [(10.0**power, f"1e{power}") for power in powers]
    raw = (high - low) / max(1, count)
    # A range as narrow as the numbers' own rounding has no round values inside.
    if not math.isfinite(raw) or raw <= max(abs(low), abs(high), _LEAST) * _ROUNDING:
        return [(low, f"{low:.3g}")]
    scale = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * scale for factor in _STEPS if factor * scale >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    values = [(first + index) * step for index in range(2 * max(1, count) + 2)]
    return [
        (value, f"{0.0 if abs(value) < step * 1e-9 else value:.4g}")
        for value in values
        if value <= high + step * 1e-9
    ]
