"""Binds any executable: it reads a CSV table and prints an expression a line, each better than the last."""

import os
import selectors
import shlex
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.errors import AdapterError
from adapters.interface import Equation, Request

# What a program may print before an expression to state its own score: a number and a tab.
SEPARATOR = "\t"
# Longer lines are beyond what any parser here accepts; their rest is not kept in memory.
LINE_BYTES = 1 << 20
# A program may print faster than anyone can evaluate: behind the first burst only the newest line of each
# pause is published.
BURST, PER_SECOND = 200, 20.0
# Published expressions that are kept for the list of all models.
KEPT = 1_000


def parse_line(line: str) -> Equation | None:
    """Return the expression of one printed line, None for blank lines and lines that begin with ``#``.

    Parameters
    ----------
    line : str
        ``expression``, or ``score<TAB>expression``.
    """
    line = line.strip()
    if not line or line.startswith("#"):
        return None
    before, separator, after = line.partition(SEPARATOR)
    if separator:
        try:
            return Equation(after.strip(), after.strip(), float(before), "score")
        except ValueError:
            pass
    return Equation(line, line)


def printed(descriptor: int, pause: Callable[[], float | None]) -> Iterator[str | None]:
    """Yield the lines that arrive on a descriptor, and None whenever a pause is over before the next one.

    Parameters
    ----------
    descriptor : int
        The reading end of a pipe.
    pause : callable
        Seconds to wait at most for more; None waits for good.
    """
    buffer, too_long = b"", False
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while True:
            if not selector.select(pause()):
                yield None
                continue
            chunk = os.read(descriptor, 1 << 16)
            *lines, buffer = (buffer + chunk).split(b"\n") if chunk else (buffer, b"")
            for line in lines:
                if not too_long:
                    yield line.decode(errors="replace")
                too_long = False
            if not chunk:
                return
            if len(buffer) > LINE_BYTES:
                if not too_long:
                    yield buffer.decode(errors="replace")
                buffer, too_long = b"", True


class Command:
    """A program in another language, started once per run in the worker's own session."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        self.request = request
        words = shlex.split(settings["command"])
        if not words:
            message = "command: no program is set; use --set command.command='PROGRAM {csv} ...'"
            raise AdapterError(message)
        self.words = words
        self.last: Equation | None = None
        self.all: deque[Equation] = deque(maxlen=KEPT)

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Write the table, run the program, publish what it prints; its standard error goes to the log."""
        table = Path("train.csv").absolute()
        header = ",".join([*self.request.features, self.request.target])
        np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt="%.17g")
        filled = [self._fill(word, table) for word in self.words]
        try:
            process = subprocess.Popen(filled, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        except OSError as error:
            message = f"command: {filled[0]} cannot be started: {error.strerror}"
            raise AdapterError(message) from error
        assert process.stdout is not None
        with process, process.stdout as output:
            self._publish(output.fileno(), report)
        if process.returncode != 0:
            message = f"command: {Path(filled[0]).name} ended with exit code {process.returncode}"
            raise AdapterError(message)

    def _publish(self, descriptor: int, report: Callable[[Equation], None]) -> None:
        room, counted, waiting = float(BURST), time.monotonic(), False

        def pause() -> float | None:
            return 1 / PER_SECOND if waiting else None

        for line in printed(descriptor, pause):
            equation = None if line is None else parse_line(line)
            if equation is not None:
                self.last, waiting = equation, True
            now = time.monotonic()
            room, counted = min(BURST, room + (now - counted) * PER_SECOND), now
            if waiting and self.last is not None and room >= 1:
                room, waiting = room - 1, False
                self.all.append(self.last)
                report(self.last)
        if waiting and self.last is not None:
            self.all.append(self.last)
            report(self.last)

    def _fill(self, word: str, table: Path) -> str:
        request = self.request
        values = {
            "csv": str(table),
            "npz": str(table.with_suffix(".npz")),
            "seed": str(request.seed),
            "budget": f"{request.budget_s:g}",
            "threads": str(request.threads),
            "evaluations": str(request.evaluation_limit or ""),
            "features": ",".join(request.features),
            "target": request.target,
        }
        for name, value in values.items():
            word = word.replace(f"{{{name}}}", value)
        return word

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Refuse: a printed expression has no native predictor to compare with."""
        raise NotImplementedError

    def get_optimal_equation(self) -> Equation | None:
        """Return the last line printed."""
        return self.last

    def get_total_equations(self) -> list[Equation]:
        """Return the latest of what was published."""
        return list(self.all)
