"""A step of ``arena-tui distill`` in a process of its own: progress, result, refusal, and its end when asked.

In the console's own process a solver that branches for seconds would make the screen stand still.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from engine.errors import EngineError

_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Step:
    """One line of progress; ``incumbent`` and ``bound`` are None until there is one."""

    seconds: float
    phase: str
    incumbent: float | None
    bound: float | None


@dataclass(frozen=True, slots=True)
class Clashing:
    """Constraints that exclude each other, and their kinds: leaving out any one kind ends the clash."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]


@dataclass(slots=True)
class Solving:
    """One running step. ``clashing`` is set when the demand was refused because it cannot be met."""

    words: Sequence[str]
    clashing: Clashing | None = None
    cancelled: bool = False
    _process: "subprocess.Popen[str] | None" = field(default=None)

    def run(self, step: Callable[[Step], None]) -> dict[str, Any]:
        """Run the command to its end. Blocks; call it beside the loop.

        Parameters
        ----------
        step : callable
            Takes each step, on the calling thread.

        Returns
        -------
        dict
            The command's JSON.

        Raises
        ------
        EngineError
            With the command's own sentence when it refused, or when it was stopped.
        """
        # The result goes into a file: it is larger than what a pipe holds while progress is being read.
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
            code, said = self._watch(out, step)
            if self.cancelled:
                raise EngineError("stopped; nothing was saved")
            if code != 0:
                for lead in ("arena-tui: ", f"arena-tui distill {self.words[1]}: error: "):
                    said = said.removeprefix(lead)
                raise EngineError(said or f"distill {self.words[1]} ended with exit code {code}")
            out.seek(0)
            text = out.read()
        document: dict[str, Any] = json.loads(text)
        return document

    def _watch(self, out: IO[str], step: Callable[[Step], None]) -> tuple[int, str]:
        """Start the process and read its progress to the end; return exit code and last words."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "arena_tui", *self.words, "--json"],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = ""
        assert self._process.stderr is not None
        if self.cancelled:
            self.stop()
        for line in self._process.stderr:
            told = _told(line)
            if isinstance(told, Step):
                step(told)
            elif isinstance(told, Clashing):
                self.clashing = told
            elif line.strip():
                said = line.strip()
        return self._process.wait(), said

    def enough(self) -> None:
        """Ask the process to end with the best so far; without any it goes on until it has one."""
        process = self._process
        if process is None or process.stdin is None or process.poll() is not None:
            return
        try:
            process.stdin.write("enough\n")
            process.stdin.flush()
        except OSError:
            # It has just ended by itself.
            return

    def stop(self) -> None:
        """End the process; what it has found is lost."""
        self.cancelled = True
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()


def _told(line: str) -> Step | Clashing | None:
    """Understand a line of progress; None for what is meant for a person."""
    try:
        found = json.loads(line)
        if "clash" in found:
            return Clashing(tuple(found["clash"]), tuple(found["kinds"]))
        return Step(found["seconds"], found["phase"], found["incumbent"], found["bound"])
    except (ValueError, KeyError, TypeError):
        return None
