"""Rows of the run table: what a run's record says, in cells of a few letters."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from arena_tui.widgets import numbers
from arena_tui.widgets.numbers import NOTHING
from arena_tui.widgets.table import Column, Row
from engine.running import summary

if TYPE_CHECKING:
    from engine.running.records import Run

# A planned run that the engine was told to stop: no record holds it, and the next engine plans it again.
DROPPED = "dropped"
# status -> sign and short word, tone, place in the order of the status column.
STATUS: Mapping[str, tuple[str, str, int]] = {
    "running": ("▸ running", "live", 0),
    "starting": ("◌ start…", "live", 1),
    "ending": ("▹ ending", "live", 2),
    "interrupted": ("! cut off", "bad", 3),
    "crashed": ("✗ crashed", "bad", 4),
    "start failed": ("✗ nostart", "bad", 5),
    "memory": ("▲ memory", "bad", 6),
    "invalid output": ("? invalid", "bad", 7),
    "cancelled": ("– cancel", "quiet", 8),
    "timeout": ("◔ timeout", "fair", 9),
    "completed": ("✓ done", "good", 10),
    "planned": ("· planned", "quiet", 11),
    DROPPED: ("– dropped", "quiet", 12),
}
LIVE = ("running", "starting", "ending")
FAILED = ("interrupted", "crashed", "start failed", "memory", "invalid output")


class Elapsed(float):
    """Seconds since the fit began; knows the budget, to be shown beside it."""

    __slots__ = ("budget",)

    def __new__(cls, seconds: float, budget: float) -> Self:
        """Make a number of seconds with its budget."""
        value = super().__new__(cls, seconds)
        value.budget = budget
        return value

    budget: float


class CpuShare(float):
    """CPU seconds per second of wall time and thread; knows whether the run starved."""

    __slots__ = ("starved",)

    def __new__(cls, share: float, *, starved: bool) -> Self:
        """Make a share with its judgement."""
        value = super().__new__(cls, share)
        value.starved = starved
        return value

    starved: bool


def _status(value: object) -> str:
    return STATUS.get(str(value), (str(value), "", 0))[0]


def _time(value: object) -> str:
    if not isinstance(value, Elapsed):
        return NOTHING
    return f"{numbers.duration(value)}/{numbers.duration(value.budget)}"


def _nmse(value: object) -> str:
    return numbers.nmse(value if isinstance(value, float) else None)


def _nmse_tone(value: object) -> str:
    if not isinstance(value, float):
        return "quiet"
    return "good" if value < 1e-6 else ("fair" if value >= 1 else "")


def _quality(value: object) -> str:
    return numbers.quality(value if isinstance(value, float) else None)


def _cpu(value: object) -> str:
    return numbers.percent(value if isinstance(value, float) else None)


def _size(value: object) -> str:
    return numbers.size(value if isinstance(value, int) else None)


def _text(value: object) -> str:
    return "" if value is None else str(value)


COLUMNS = (
    Column(
        "status", "status", 9, show=_status,
        tone=lambda value: STATUS.get(str(value), ("", "", 0))[1],
        order=lambda value: STATUS.get(str(value), ("", "", 99))[2],
    ),
    Column("method", "method", 9, grow=2),
    Column("task", "task", 10, grow=3),
    Column("seed", "seed", 4, right=True),
    Column("time", "time", 9, right=True, grow=1, show=_time),
    Column("id", "ID", 7, right=True, show=_nmse, tone=_nmse_tone),
    Column("ood", "OOD", 7, right=True, show=_nmse, tone=_nmse_tone),
    Column("q", "q", 5, right=True, show=_quality),
    Column(
        "cpu", "CPU", 4, right=True, show=_cpu,
        tone=lambda value: "bad" if isinstance(value, CpuShare) and value.starved else "",
    ),
    Column("rss", "RSS", 4, right=True, show=_size),
    Column("found", "found", 5, right=True, show=_text),
    Column("try", "try", 3, right=True, show=_text),
    Column("condition", "condition", 9, show=_text),
    Column("taskid", "task id", 9, show=_text),
    Column("expression", "expression", 40, show=_text),
    Column("reason", "reason", 40, show=_text),
)  # fmt: skip


def quality_of(run: "Run") -> float | None:
    """Return the numerical quality of a run's final or latest evaluated expression.

    Parameters
    ----------
    run : Run
        A run as the reader gives it.

    Returns
    -------
    float or None
        q in [0, 1]; None before anything was evaluated.
    """
    from engine.running.checkpoints import run_quality
    from engine.running.records import Evaluation

    if run.final_status is None or run.final_status == "none":
        return 0.0 if run.ended else None
    return run_quality(
        Evaluation(
            status=run.final_status,
            id_nmse=run.id_nmse,
            ood_nmse=run.ood_nmse,
            id_status=run.id_status or "no split",
            ood_status=run.ood_status or "no split",
        )
    )


def row(run: "Run", *, dropped: bool = False) -> Row:
    """Make the row of one run.

    Parameters
    ----------
    run : Run
        A run as the reader gives it.
    dropped : bool
        Whether it was taken off the engine's list before it began.

    Returns
    -------
    Row
        Its key is the run's id.
    """
    share = None
    if (of_threads := summary.cpu_share(run)) is not None:
        share = CpuShare(of_threads, starved=summary.starved(run))
    return Row(
        run.id,
        {
            "status": DROPPED if dropped and run.status == "planned" else run.status,
            "method": run.label,
            "task": run.name,
            "seed": run.seed,
            "time": None if run.elapsed is None else Elapsed(run.elapsed, run.budget),
            "id": run.id_nmse,
            "ood": run.ood_nmse,
            "q": quality_of(run),
            "cpu": share,
            "rss": run.rss if run.rss is not None and not run.ended else run.peak_rss,
            "found": run.incumbents or None,
            "try": run.attempt or None,
            "condition": run.condition,
            "taskid": run.task,
            "expression": run.expression,
            "reason": run.reason,
        },
    )


def group_line(rows: Sequence[Row]) -> str:
    """Sum a group of runs up in one line.

    Parameters
    ----------
    rows : sequence of Row
        The group's rows.

    Returns
    -------
    str
        For example ``12 runs · 10 ended · 1 failed · median q 0.914``.
    """
    states = [str(row.values["status"]) for row in rows]
    ended = sum(state not in (*LIVE, "planned", DROPPED) for state in states)
    failed = sum(state in FAILED for state in states)
    qualities = sorted(q for row in rows if isinstance(q := row.values["q"], float))
    parts = [f"{len(rows)} runs", f"{ended} ended"]
    parts += [f"{failed} failed"] if failed else []
    if qualities:
        middle = len(qualities) // 2
        median = qualities[middle] if len(qualities) % 2 else (qualities[middle - 1] + qualities[middle]) / 2
        parts.append(f"median q {median:.3f}")
    return " · ".join(parts)
