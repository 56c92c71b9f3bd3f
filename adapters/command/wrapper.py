"""Binds any executable: it reads a CSV table and prints an expression a line, each better than the last."""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.errors import AdapterError
from adapters.interface import Equation, Request

# What a program may print before an expression to state its own score: a number and a tab.
SEPARATOR = "\t"


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
        self.all: list[Equation] = []

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Write the table, run the program, publish what it prints; its standard error goes to the log."""
        table = Path("train.csv").absolute()
        header = ",".join([*self.request.features, self.request.target])
        np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt="%.17g")
        filled = [self._fill(word, table) for word in self.words]
        try:
            process = subprocess.Popen(filled, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            message = f"command: {filled[0]} cannot be started: {error.strerror}"
            raise AdapterError(message) from error
        assert process.stdout is not None
        with process, process.stdout as lines:
            for line in lines:
                equation = parse_line(line)
                if equation is not None:
                    self.last = equation
                    self.all.append(equation)
                    report(equation)
        if process.returncode != 0:
            message = f"command: {Path(filled[0]).name} ended with exit code {process.returncode}"
            raise AdapterError(message)

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
        """Return every line printed."""
        return self.all
