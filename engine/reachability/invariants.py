"""What a data profile may say: ranges and structural features, computed from training rows only (C.1).

A feature that cannot be told reliably is left out. Every sentence names a variable through a name that the
caller gives, so that the anonymous condition says the same of ``x1`` as the named one says of ``P``.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Our own thresholds: paper 2 names the kinds of features and gives no numbers.
BINS = 40
SCATTER = 0.15  # residual share of the target's spread within a bin that a curve of one variable may leave
MONOTONE = 0.995  # share of steps between bins that go one way
SATURATION = 0.2  # last slope over first slope
PARITY = 0.98  # correlation of y(v) with y(-v)
POWER_FIT = 0.995  # share of log-log variance that one power explains
LARGEST_SHARE = 1 / 3  # upper part of the range on which a power is read
PERIODIC = 0.5  # share of the detrended power in one peak
PADDING = 8  # a finer frequency grid than the range alone gives
CYCLES = 3  # least number of cycles over the range


def profile(names: Sequence[str], target: str, X: Array, y: Array) -> str:
    """State the ranges of the inputs and of the target, one a line.

    Parameters
    ----------
    names
        What to call the inputs.
    target
        What to call the target.
    X, y
        (n, d) and (n,) training rows.

    Returns
    -------
    str
    """
    rows = [(name, X[:, place]) for place, name in enumerate(names)] + [(target, y)]
    return "\n".join(f"- {name}: {values.min():.4g} to {values.max():.4g}" for name, values in rows)


def invariants(names: Sequence[str], target: str, X: Array, y: Array) -> tuple[str, ...]:
    """State the structural features that the training rows show reliably.

    Parameters
    ----------
    names
        What to call the inputs.
    target
        What to call the target.
    X, y
        (n, d) and (n,) training rows.

    Returns
    -------
    tuple of str
        One sentence each; none where nothing is reliable.
    """
    found: list[str] = []
    for place, name in enumerate(names):
        values = X[:, place]
        if np.ptp(values) <= 0.0:
            found.append(f"{name} is constant")
            continue
        curve = _curve(values, y)
        found += _equilibria(name, target, curve)
        found += _trend(name, target, curve)
        found += _power(name, target, curve)
        found += _parity(name, target, values, curve)
        found += _period(name, target, values, y)
    return tuple(found)


def _curve(values: Array, y: Array) -> tuple[Array, Array] | None:
    """Return bin centres and means if the target is nearly a function of this variable alone."""
    order = np.argsort(values, kind="stable")
    groups = [part for part in np.array_split(order, min(BINS, len(order) // 5)) if len(part)]
    if len(groups) < 8:
        return None
    centres = np.array([values[part].mean() for part in groups])
    means = np.array([y[part].mean() for part in groups])
    residual = y[order] - np.interp(values[order], centres, means)
    spread = float(y.std())
    if spread == 0.0 or float(residual.std()) > SCATTER * spread:
        return None
    return centres, means


def _equilibria(name: str, target: str, curve: tuple[Array, Array] | None) -> list[str]:
    if curve is None:
        return []
    centres, means = curve
    crossings = np.flatnonzero(np.sign(means[:-1]) * np.sign(means[1:]) < 0)
    if not 1 <= len(crossings) <= 3:
        return []
    share = means[crossings] / (means[crossings] - means[crossings + 1])
    where = centres[crossings] + share * (centres[crossings + 1] - centres[crossings])
    return [f"{target} crosses zero near {name} = {value:.3g}" for value in where.tolist()]


def _trend(name: str, target: str, curve: tuple[Array, Array] | None) -> list[str]:
    if curve is None:
        return []
    centres, means = curve
    steps = np.diff(means)
    up = float((steps > 0).mean())
    if max(up, 1.0 - up) < MONOTONE:
        return []
    word = "increases" if up >= MONOTONE else "decreases"
    slopes = np.abs(steps / np.diff(centres))
    third = max(1, len(slopes) // 3)
    first, last = float(slopes[:third].mean()), float(slopes[-third:].mean())
    level = " and levels off for large values" if first > 0.0 and last < SATURATION * first else ""
    return [f"{target} {word} with {name}{level}"]


def _power(name: str, target: str, curve: tuple[Array, Array] | None) -> list[str]:
    if curve is None:
        return []
    centres, means = curve
    upper = centres >= centres.max() - LARGEST_SHARE * np.ptp(centres)
    v, m = centres[upper], means[upper]
    if len(v) < 6 or v.min() <= 0.0 or not (np.all(m > 0.0) or np.all(m < 0.0)) or v.max() < 1.2 * v.min():
        return []
    logs, sizes = np.log(v), np.log(np.abs(m))
    if np.ptp(sizes) < 1e-3:
        return []
    slope, start = np.polyfit(logs, sizes, 1)
    left = sizes - (slope * logs + start)
    if float(left.var()) > (1.0 - POWER_FIT) * float(sizes.var()):
        return []
    return [f"for large {name}, the size of {target} grows about like {name}^{slope:.2g}"]


def _parity(name: str, target: str, values: Array, curve: tuple[Array, Array] | None) -> list[str]:
    if curve is None or values.min() >= 0.0 or values.max() <= 0.0:
        return []
    reach = min(-float(values.min()), float(values.max()))
    if reach < 0.5 * float(np.abs(values).max()):
        return []
    at = np.linspace(0.05 * reach, 0.95 * reach, BINS)
    right, left = np.interp(at, *curve), np.interp(-at, *curve)
    if right.std() == 0.0 or left.std() == 0.0:
        return []
    same = float(np.corrcoef(right, left)[0, 1])
    size = float(np.abs(right).max())
    if same > PARITY and float(np.abs(right - left).max()) < 0.1 * size:
        return [f"{target} is about even in {name}"]
    if same < -PARITY and float(np.abs(right + left).max()) < 0.1 * size:
        return [f"{target} is about odd in {name}"]
    return []


def _period(name: str, target: str, values: Array, y: Array) -> list[str]:
    order = np.argsort(values, kind="stable")
    v, distinct = np.unique(values[order], return_index=True)
    if len(v) < 64:
        return []
    grid = np.linspace(v[0], v[-1], min(1024, len(v)))
    signal = np.interp(grid, v, y[order][distinct])
    signal = signal - np.polyval(np.polyfit(grid, signal, 2), grid)
    power = np.abs(np.fft.rfft(signal * np.hanning(len(signal)), n=PADDING * len(signal))) ** 2
    first = PADDING  # one cycle over the range
    if power[first:].sum() == 0.0:
        return []
    peak = int(np.argmax(power[first:])) + first
    wide = 2 * PADDING
    share = float(power[max(first, peak - wide) : peak + wide + 1].sum() / power[first:].sum())
    if peak < CYCLES * PADDING or share < PERIODIC:
        return []
    step = float(grid[1] - grid[0])
    period = step * PADDING * len(signal) / peak
    return [f"{target} oscillates along {name} with a period of about {period:.3g}"]
