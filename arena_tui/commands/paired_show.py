"""What the commands of ``arena-tui paired`` print: tables, progress, and what could not run."""

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.reachability.report import Report
    from engine.reachability.study import Progress

PIPED_WIDTH = 160  # columns of a table that goes to a file
MOST_REASONS = 5


def show(made: "Report", *, as_json: bool) -> None:
    """Print a report: tables and notes on the terminal, or one JSON object."""
    if as_json:
        tables = {
            table.key: {
                "caption": table.caption,
                "rows": [dict(zip(table.heads, row, strict=True)) for row in table.rows],
            }
            for table in made.tables
        }
        print_json({"title": made.title, "tables": tables, "notes": list(made.notes)})
        return
    from rich.console import Console
    from rich.table import Table

    console = Console() if sys.stdout.isatty() else Console(width=PIPED_WIDTH)
    console.print(made.title, style="bold", markup=False)
    for table in made.tables:
        shown = Table(*table.heads, title=table.caption, title_justify="left")
        for row in table.rows:
            shown.add_row(*("" if value is None else str(value) for value in row))
        console.print(shown)
    for note in made.notes:
        console.print(note, markup=False)


def print_json(value: object) -> None:
    """Print plain JSON."""
    print(json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False))


def progress(now: "Progress") -> None:
    """Rewrite one line of the terminal: how far, and how long still."""
    left = "" if now.left_s is None else f", about {_duration(now.left_s)} left"
    print(f"\r\x1b[K{now.done} of {now.total} units ({now.last}){left}", end="", file=sys.stderr, flush=True)
    if now.done == now.total:
        print(file=sys.stderr)


def tell_not_run(rows: Iterable[tuple[str, int, str, str]]) -> None:
    """Say on stderr what could not run: rows of (task, seed, what, reason), one line for each reason."""
    cells: dict[tuple[str, str], list[str]] = {}
    for task, seed, what, reason in rows:
        cells.setdefault((what, reason), []).append(f"{task}, seed {seed}")
    for (what, reason), where in list(cells.items())[:MOST_REASONS]:
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        print(f"not run: {what} on {where[0]}{more}: {reason}", file=sys.stderr)
    if len(cells) > MOST_REASONS:
        print(f"not run for {len(cells) - MOST_REASONS} more reasons", file=sys.stderr)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
