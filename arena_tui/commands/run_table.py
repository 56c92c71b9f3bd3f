"""Runs as a plain table for terminals and pipes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.running.records import Run

_EXPRESSION_WIDTH = 48


def run_table(runs: Iterable["Run"]) -> str:
    """Lay runs out as text.

    Parameters
    ----------
    runs : iterable of Run
        The runs.

    Returns
    -------
    str
        One line a run below a heading; no escape codes.
    """
    heading = ("METHOD", "TASK", "NAME", "SEED", "STATUS", "TIME", "CPU", "ID NMSE", "OOD NMSE", "EXPRESSION")
    rows = [heading, *(_cells(run) for run in runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heading) - 1)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    )


def _cells(run: "Run") -> tuple[str, ...]:
    from engine.running.summary import cpu_share, starved

    share = cpu_share(run)
    return (
        run.label,
        run.task,
        one_line(run.name),
        run.key.cell,
        run.status,
        "" if run.elapsed is None else f"{run.elapsed:.1f}/{run.budget:g}",
        "" if share is None else f"{100 * share:.0f}%{'!' if starved(run) else ''}",
        number(run.id_nmse),
        number(run.ood_nmse),
        shortened(run.expression or run.reason or ""),
    )


def number(value: float | None) -> str:
    """Write a number briefly.

    Parameters
    ----------
    value : float or None
        The number.

    Returns
    -------
    str
        Three significant digits; a dash for None.
    """
    return "-" if value is None else f"{value:.3g}"


def one_line(text: str) -> str:
    """Put foreign text on one line that a terminal shows and does not obey.

    Parameters
    ----------
    text : str
        A task's name, an expression, what a method said when it failed.

    Returns
    -------
    str
        White space as single blanks, control and other invisible characters as ``\ufffd``.
    """
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in " ".join(text.split()))


def shortened(text: str) -> str:
    """Cut a long text for a table's cell.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        One line.
    """
    line = one_line(text)
    return line if len(line) <= _EXPRESSION_WIDTH else f"{line[: _EXPRESSION_WIDTH - 3]}..."
