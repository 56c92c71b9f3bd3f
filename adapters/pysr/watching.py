"""A process beside a Julia search that reads its hall of fame and writes the incumbents.

While Julia runs, Python threads of the same process may never get their turn; so the file is read by a
process of its own, which ends when the search does: its standard input is then closed.
"""

import json
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adapters.interface import Clock, Equation, Request
from adapters.pysr.hall_of_fame import in_task, read
from adapters.pysr.hall_of_fame import select as chosen
from adapters.record import Record

POLL_S = 0.5
_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from adapters.pysr.watching import main; main(sys.argv[2])"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a hall of fame is to be read; see `adapters.pysr.hall_of_fame.in_task`."""

    rule: str
    replacements: Sequence[str] = field(default_factory=tuple)
    factor: float = 1.0

    def equation(self, folder: Path) -> Equation | None:
        """Return the front's choice over the task's columns, None when there is none yet."""
        member = chosen(read(folder), self.rule)
        if member is None:
            return None
        return Equation(
            text=in_task(member.equation, self.replacements, self.factor),
            native=member.equation,
            score=member.loss,
            score_name="loss",
            complexity=member.complexity,
        )

    def front(self, folder: Path) -> list[Equation]:
        """Return the whole front over the task's columns."""
        return [
            Equation(
                in_task(m.equation, self.replacements, self.factor),
                m.equation,
                m.loss,
                "loss",
                None,
                m.complexity,
            )
            for m in read(folder)
        ]


def watch(folder: Path, reading: Reading, request: Request) -> "subprocess.Popen[bytes]":
    """Start the process.

    Parameters
    ----------
    folder : pathlib.Path
        Where the search writes.
    reading : Reading
        How to read it.
    request : Request
        Its clock has begun.

    Returns
    -------
    subprocess.Popen
        Close its ``stdin`` and wait for it when the search has ended; see `stop`.
    """
    root = str(Path(__file__).resolve().parents[2])
    record = int(os.environ["ARENA_RECORD_FD"])
    told = {
        "folder": str(folder.absolute()),
        "rule": reading.rule,
        "replacements": list(reading.replacements),
        "factor": reading.factor,
        "began": request.clock.began,
        "record": record,
    }
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _CODE, root, json.dumps(told)], stdin=subprocess.PIPE, pass_fds=[record]
    )


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Let the process read a last time and wait for it."""
    assert process.stdin is not None
    process.stdin.close()
    process.wait()


def main(told: str) -> None:
    """Read the file every half second until standard input is closed, and once more."""
    values = json.loads(told)
    reading = Reading(values["rule"], tuple(values["replacements"]), values["factor"])
    record = Record(values["record"], Clock(values["began"]))
    folder = Path(values["folder"])
    ended = False
    while not ended:
        readable, _, _ = select.select([sys.stdin.buffer], [], [], POLL_S)
        ended = bool(readable)
        equation = reading.equation(folder)
        if equation is not None:
            record.incumbent(equation)
