"""Reads PySR's hall of fame: the file that a Julia search rewrites after every iteration."""

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FILE_NAME = "hall_of_fame.csv"
# The search writes the file and then its copy, so that one of the two is always whole.
COPY_NAME = "hall_of_fame.csv.bak"
# PySR 2.7.2, sr.py, idx_model_selection: "best" looks among the expressions with at most this loss.
LOSS_TOLERANCE = 1.5
_JULIA_FLOAT = re.compile(r"(?<![\w.])(\d+\.?\d*|\.\d+)f([-+]?\d+)")
_VARIABLE = re.compile(r"\bx(\d+)\b")


@dataclass(frozen=True, slots=True)
class Member:
    """One expression of the front."""

    complexity: float
    loss: float
    equation: str


def read(folder: Path) -> tuple[Member, ...]:
    """Return the front that a run's folder holds, empty when there is none yet.

    PySR's own reader prefers the copy. A copy that is only the beginning of the file is being written, and
    the file is taken.

    Parameters
    ----------
    folder : pathlib.Path
        The run's folder, or the folder of such folders.
    """
    for place in [folder, *sorted(path for path in folder.glob("*/") if path.is_dir())]:
        copy, original = _text(place / COPY_NAME), _text(place / FILE_NAME)
        members = parse(original if original.startswith(copy) else copy)
        if members:
            return members
    return ()


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def parse(text: str) -> tuple[Member, ...]:
    """Return the members of a file's text; a last line without its end is torn and left out.

    Parameters
    ----------
    text : str
        Comma-separated with the columns Complexity, Loss and Equation.
    """
    members = []
    whole = text[: text.rfind("\n") + 1]
    for row in csv.DictReader(whole.splitlines()):
        try:
            complexity, loss = float(row["Complexity"]), float(row["Loss"])
        except (KeyError, TypeError, ValueError):
            continue
        equation = (row.get("Equation") or "").strip()
        if equation and math.isfinite(complexity) and not math.isnan(loss):
            members.append(Member(complexity, loss, equation))
    return tuple(members)


def scores(members: Sequence[Member]) -> list[float]:
    """Return PySR's score of each member: the fall of the log-loss per unit of complexity.

    Parameters
    ----------
    members : sequence of Member
        In order of complexity, as PySR writes them.
    """
    values: list[float] = []
    last: Member | None = None
    for member in members:
        if last is None:
            values.append(0.0)
        elif member.loss > 0 and last.loss > 0:
            values.append(-math.log(member.loss / last.loss) / (member.complexity - last.complexity))
        else:
            values.append(math.inf)
        last = member
    return values


def select(members: Sequence[Member], rule: str) -> Member | None:
    """Return the member that PySR's ``model_selection`` picks.

    Parameters
    ----------
    members : sequence of Member
        The front.
    rule : str
        ``best``, ``accuracy`` or ``score``.
    """
    if not members:
        return None
    values = scores(members)
    if rule == "accuracy":
        return min(members, key=lambda member: member.loss)
    chosen = list(range(len(members)))
    if rule == "best":
        limit = LOSS_TOLERANCE * min(member.loss for member in members)
        chosen = [index for index in chosen if members[index].loss <= limit]
    return members[max(chosen, key=lambda index: values[index])]


def plain_numbers(equation: str) -> str:
    """Write Julia's single-precision literals (``1.0f-3``) as ordinary numbers."""
    return _JULIA_FLOAT.sub(r"\1e\2", equation)


def in_task(equation: str, replacements: Sequence[str] = (), factor: float = 1.0) -> str:
    """Write an equation of the file over the task's columns.

    Parameters
    ----------
    equation : str
        As in the file, over x0, x1, ...
    replacements : sequence of str
        What x0, x1, ... stand for when the search saw scaled or engineered columns; empty when they are
        the task's own.
    factor : float
        What the target was divided by.
    """
    text = plain_numbers(equation)
    if replacements:
        text = _VARIABLE.sub(lambda found: f"({replacements[int(found.group(1))]})", text)
    return text if factor == 1.0 else f"({factor!r}) * ({text})"
