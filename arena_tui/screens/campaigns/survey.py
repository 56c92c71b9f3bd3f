"""The campaigns a person may want: those opened before, and those in or under the current folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.screens.monitor.picture import Camera
from arena_tui.screens.monitor.progress import Progress, bar, measure
from arena_tui.widgets import numbers
from arena_tui.widgets.plain import place
from arena_tui.widgets.table import Column, Row
from tasks import locations

if TYPE_CHECKING:
    from arena_tui.screens.monitor.picture import Picture

_BAR = 12
_NAMED = 12
_SPEC = "campaign.toml"


@dataclass(frozen=True, slots=True)
class Known:
    """One campaign of the list; ``picture`` is None until it was read, ``problem`` says why it cannot be."""

    folder: Path
    picture: "Picture | None" = None
    progress: Progress | None = None
    problem: str | None = None

    @property
    def state(self) -> str:
        """What can be said in a word."""
        if self.problem is not None:
            return "broken"
        if self.picture is None or self.progress is None:
            return "reading…"
        if self.progress.finished:
            return "ended"
        return "running" if self.picture.owner else "resting"


def places(opened: Sequence[Path], here: Path) -> list[Path]:
    """List campaign folders without opening them.

    Parameters
    ----------
    opened : sequence of pathlib.Path
        Those that were opened before, the last one first.
    here : pathlib.Path
        The current folder: it, its folders, those of its ``campaigns``; and those of the data folder.

    Returns
    -------
    list of pathlib.Path
        Resolved, each once; vanished ones are left out.
    """
    found: dict[Path, None] = {folder: None for folder in opened if (folder / _SPEC).is_file()}
    for above in (here, here / "campaigns", locations.data_folder() / "campaigns"):
        try:
            inside = sorted(path for path in above.iterdir() if path.is_dir())
        except OSError:
            inside = []
        for folder in (above, *inside):
            if (folder / _SPEC).is_file():
                found.setdefault(folder.resolve(), None)
    return list(found)


class Survey:
    """Reads the listed campaigns one at each call, so that the list is there at once and fills up.

    Parameters
    ----------
    opened : callable
        Returns the folders that were opened before.
    """

    def __init__(self, opened: Callable[[], Sequence[Path]]) -> None:
        self._opened = opened
        self._known: dict[Path, Known] = {}
        self._cameras: dict[Path, Camera] = {}
        self._turn = 0

    @property
    def complete(self) -> bool:
        """Whether every campaign of the list has been read once."""
        return all(known.picture is not None or known.problem for known in self._known.values())

    @property
    def listed(self) -> int:
        """How many campaigns the list holds."""
        return len(self._known)

    def take(self) -> tuple[Known, ...]:
        """List the campaigns, and read the next one that may have changed.

        Returns
        -------
        tuple of Known
            In the order of ``places``.
        """
        listed = places(self._opened(), Path.cwd())
        self._known = {folder: self._known.get(folder, Known(folder)) for folder in listed}
        unread = [folder for folder in listed if self._known[folder].picture is None]
        moving = [
            folder for folder in listed if self._known[folder].state in ("running", "resting", "broken")
        ]
        if unread and not all(self._known[folder].problem for folder in unread):
            self._read(next(folder for folder in unread if not self._known[folder].problem))
        elif moving:
            self._turn += 1
            self._read(moving[self._turn % len(moving)])
        return tuple(self._known.values())

    def _read(self, folder: Path) -> None:
        from engine.errors import EngineError

        camera = self._cameras.setdefault(folder, Camera(folder))
        try:
            picture = camera.take()
        except (EngineError, OSError) as error:
            self._known[folder] = Known(folder, problem=str(error))
        else:
            self._known[folder] = Known(folder, picture, measure(picture.campaign))


def _tone(value: object) -> str:
    return {"running": "live", "ended": "good", "broken": "bad", "reading…": "quiet"}.get(str(value), "")


def _bar(value: object) -> str:
    return "".join(bar(value, _BAR)) if isinstance(value, float) else ""


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _count(value: object) -> str:
    return str(value) if value else ""


COLUMNS = (
    Column("name", "campaign", 18, grow=2),
    Column("state", "state", 8, tone=_tone),
    Column("share", "progress", _BAR, show=_bar),
    Column("ended", "ended", 5, right=True, show=_text),
    Column("total", "of", 5, right=True, show=_text),
    Column("live", "run", 4, right=True, show=_count, tone=lambda value: "live" if value else ""),
    Column("failed", "fail", 4, right=True, show=_count, tone=lambda value: "bad" if value else ""),
    Column(
        "left", "left", 6, right=True,
        show=lambda value: numbers.duration(value) if isinstance(value, float) else "",
    ),
    Column(
        "rate", "runs/h", 7, right=True, show=lambda value: f"{value:.3g}" if isinstance(value, float) else ""
    ),
    Column("methods", "methods", 16, grow=2, show=_text),
    Column("tasks", "tasks", 6, right=True, show=_text),
    Column("created", "made", 16, show=_text),
    Column("folder", "folder", 30, grow=3, show=_text),
)  # fmt: skip


def row(known: Known) -> Row:
    """Make the row of one campaign.

    Parameters
    ----------
    known : Known
        A campaign of the list.

    Returns
    -------
    Row
        Its key is the folder.
    """
    values: dict[str, object] = {
        "name": known.folder.name,
        "state": known.state,
        "folder": place(known.folder),
    }
    if known.picture is not None and known.progress is not None:
        spec, progress = known.picture.campaign.spec, known.progress
        values |= {
            "name": spec.name or known.folder.name,
            "share": progress.ended / progress.total if progress.total else 0.0,
            "ended": progress.ended,
            "total": progress.total,
            "live": progress.live,
            "failed": progress.failed,
            "left": progress.left_s if known.picture.owner else None,
            "rate": progress.per_hour if known.picture.owner else None,
            "methods": ",".join(spec.labels),
            "tasks": len(spec.tasks),
            "created": spec.created[:16].replace("T", " "),
        }
    return Row(str(known.folder), values)


def about(known: Known) -> list[tuple[str, object]]:
    """Describe a campaign.

    Parameters
    ----------
    known : Known
        A campaign of the list.

    Returns
    -------
    list of (str, object)
        Its state and its plan.
    """
    if known.problem is not None:
        return [("folder", place(known.folder)), ("problem", known.problem)]
    if known.picture is None or known.progress is None:
        return [("folder", place(known.folder)), ("state", "reading…")]
    spec, progress = known.picture.campaign.spec, known.progress
    limits, engine = spec.limits, known.picture.owner
    names = list(spec.task_names.values())
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    facts: list[tuple[str, object]] = [
        ("folder", place(known.folder)),
        ("made", spec.created[:16].replace("T", " ")),
        (
            "runs",
            f"{progress.total}: {progress.ended} ended, {progress.live} running, {progress.failed} failed",
        ),
        ("engine", f"process {engine.get('pid')} on {engine.get('host')}" if engine else "none runs it now"),
        ("preset", spec.preset),
        (
            "budget",
            f"{numbers.duration(limits.budget_s)}, checkpoints every {numbers.duration(limits.interval_s)}",
        ),
        ("workers", limits.workers),
        ("memory", numbers.size(limits.memory_bytes) if limits.memory_bytes else None),
        ("conditions", ", ".join(spec.conditions)),
        (f"{len(names)} tasks", ", ".join(names[:_NAMED]) + more),
        ("methods", ""),
    ]
    for entry in spec.methods:
        parts = [entry.method] if entry.label != entry.method else []
        parts += [f"seeds {', '.join(map(str, spec.seeds_of(entry.label)))}"]
        parts += [f"{entry.threads} threads"] if entry.threads != 1 else []
        parts += [f"{name}={value}" for name, value in entry.settings.items()]
        facts.append((entry.label, ", ".join(parts)))
    return facts
