"""Lengths of time as people write them: ``20s``, ``5m``, ``3h``, ``1h30m``, or plain seconds."""

import math
import re

from engine.errors import EngineError

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|min|m|h|d)")


def seconds(value: str | float, what: str) -> float:
    """Read a positive length of time.

    Parameters
    ----------
    value : str or float
        ``20s``, ``90``, ``1h30m``; a plain number counts seconds.
    what : str
        The setting's name, for the error.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    EngineError
        When it cannot be read, or is not positive and finite.
    """
    number = math.nan
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
    elif isinstance(value, str):
        text = value.strip().lower().replace(" ", "")
        if re.fullmatch(r"\d+(?:\.\d+)?", text):
            number = float(text)
        elif text and _PART.sub("", text) == "":
            number = sum(float(amount) * _UNITS[unit] for amount, unit in _PART.findall(text))
    if not math.isfinite(number):
        raise EngineError(f"{what} {value!r} is not a length of time: write for example 20s, 5m or 3h")
    if number <= 0:
        raise EngineError(f"{what} {value!r} must be longer than nothing: write for example 20s, 5m or 3h")
    return number


def text(length: float) -> str:
    """Write a length of time briefly.

    Parameters
    ----------
    length : float
        Seconds.

    Returns
    -------
    str
        For example ``20 s``, ``1 min 30 s``, ``3 h``, ``2 d 4 h``.
    """
    if length < 60:
        return f"{length:.3g} s"
    left = round(length)
    words = []
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, left = divmod(left, size)
        if count:
            words.append(f"{count} {unit}")
    return " ".join(words[:2])
