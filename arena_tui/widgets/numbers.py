"""How numbers are written on the screen: short, aligned, and never a small value as zero."""

import math

_MINUTE_S = 60
_HOUR_S = 3600
_DAY_S = 86400
_BINARY = 1024.0
_UNITS = ("B", "K", "M", "G", "T")
NOTHING = "–"


def nmse(value: float | None) -> str:
    """Write an error in at most seven cells.

    Parameters
    ----------
    value : float or None
        An NMSE; None when it is not available.

    Returns
    -------
    str
        ``0``, ``0.1234``, ``3.2e-07``, or a dash.
    """
    if value is None or math.isnan(value):
        return NOTHING
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e3:
        return f"{value:.3g}"
    return f"{value:.1e}"


def quality(value: float | None) -> str:
    """Write a quality between 0 and 1 with three decimals, or a dash.

    Parameters
    ----------
    value : float or None
        The quality phi.

    Returns
    -------
    str
        For example ``0.857``.
    """
    return NOTHING if value is None or math.isnan(value) else f"{value:.3f}"


def duration(seconds: float | None) -> str:
    """Write a time span in at most five cells.

    Parameters
    ----------
    seconds : float or None
        Seconds.

    Returns
    -------
    str
        ``9.5s``, ``42s``, ``12:07``, ``3h05``, ``2d04h``, or a dash.
    """
    if seconds is None or math.isnan(seconds):
        return NOTHING
    if seconds < 10 and seconds != int(seconds):
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < _MINUTE_S:
        return f"{whole}s"
    if whole < _HOUR_S:
        return f"{whole // _MINUTE_S}:{whole % _MINUTE_S:02d}"
    if whole < _DAY_S:
        return f"{whole // _HOUR_S}h{whole % _HOUR_S // _MINUTE_S:02d}"
    return f"{whole // _DAY_S}d{whole % _DAY_S // _HOUR_S:02d}h"


def size(count: float | None) -> str:
    """Write a number of bytes in at most five cells.

    Parameters
    ----------
    count : float or None
        Bytes.

    Returns
    -------
    str
        ``512B``, ``12M``, ``1.4G``, or a dash.
    """
    if count is None:
        return NOTHING
    value = float(count)
    for unit in _UNITS:
        if value < 999.5 or unit == _UNITS[-1]:
            return f"{value:.1f}{unit}" if value < 9.95 and unit in "GT" else f"{value:.0f}{unit}"
        value /= _BINARY
    return NOTHING


def percent(share: float | None) -> str:
    """Write a share as a whole per cent, or a dash.

    Parameters
    ----------
    share : float or None
        1.0 is 100 %.

    Returns
    -------
    str
        For example ``98%``.
    """
    return NOTHING if share is None or math.isnan(share) else f"{100 * share:.0f}%"
