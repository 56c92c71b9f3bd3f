"""The worker's record: one JSON object a line, one write a line, on a descriptor the keeper opened."""

import json
import math
import os
from typing import SupportsFloat

from adapters.interface import Clock, Equation

# One write(2) of this size to a file opened with O_APPEND is never interleaved with another on local disks.
LINE_LIMIT = 60_000
# A longer expression is beyond what any parser here accepts; its beginning is kept for audit.
KEPT_OF_LONG_TEXT = 2_000


def finite(value: SupportsFloat | None) -> float | None:
    """Return `value` as a finite float, or None: a record has no NaN and no infinity."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None


class Record:
    """Appends a run's lines to the inherited descriptor, incumbents only when their text changed."""

    def __init__(self, descriptor: int, clock: Clock) -> None:
        self._descriptor = descriptor
        self._clock = clock
        self._last_text: str | None = None

    def write(self, event: str, **values: object) -> None:
        """Append one line with the time since the search began."""
        line = {"event": event, "t": round(self._clock.elapsed(), 6), **values}
        data = (json.dumps(line, allow_nan=False, separators=(",", ":")) + "\n").encode()
        written = os.write(self._descriptor, data)
        if written != len(data):
            message = f"only {written} of {len(data)} bytes of a record line could be written"
            raise OSError(message)

    def incumbent(self, equation: Equation) -> None:
        """Append an incumbent unless its text is the previous one's."""
        if equation.text == self._last_text:
            return
        self._last_text = equation.text
        self.write("incumbent", **described(equation))

    def final(self, equation: Equation, predictions: str | None, stated: float) -> None:
        """Append the method's own final choice, with the time at which the method had stated it."""
        values = {"t": round(stated, 6), "train_predictions": predictions}
        self.write("final", **(described(equation) | values))

    def total(self, equations: list[Equation]) -> None:
        """Append as many of a method's other final models as fit one line."""
        models, room = [], LINE_LIMIT // 2
        for equation in equations:
            entry = {
                "text": equation.text,
                "score": finite(equation.score),
                "complexity": finite(equation.complexity),
            }
            room -= len(json.dumps(entry))
            if room < 0:
                break
            models.append(entry)
        self.write("total", total=models, count=len(equations))


def described(equation: Equation) -> dict[str, object]:
    """Return an equation's fields as a record line holds them."""
    text, native = equation.text, equation.native
    shortened: dict[str, object] = {}
    if len(text) + len(native) > LINE_LIMIT // 2:
        shortened = {"characters": len(text)}
        text = text if len(text) <= LINE_LIMIT // 2 else f"{text[:KEPT_OF_LONG_TEXT]} ..."
        native = f"{native[:KEPT_OF_LONG_TEXT]} ..."
    return {
        "text": text,
        "native": native,
        "score": finite(equation.score),
        "score_name": equation.score_name,
        "evaluations": None if equation.evaluations is None else int(equation.evaluations),
        **shortened,
    }
