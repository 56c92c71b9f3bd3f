"""What the Paired screen reads: the studies that are known and how far they are, and one study in full."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_tui.screens.paired import sessions
from arena_tui.screens.paired.sessions import Session
from engine.reachability.records import PLAN, RESULTS, SCHEMA, plan, read

if TYPE_CHECKING:
    from engine.reachability.outcomes import Outcomes
    from engine.reachability.report import Report

_DEPTH = 2  # folders below the current one in which studies are looked for
_DISCOVERY_S = 30.0  # between looks for new folders
_UNITS = "units/*/*/*.json"


@dataclass(frozen=True, slots=True)
class Listed:
    """A study in the list: where it lies, how far it is, and who searches it now."""

    folder: Path
    library: str
    tasks: int
    seeds: int
    arms: tuple[str, ...]
    done: int
    total: int
    session: Session | None = None
    left_s: float | None = None

    @property
    def complete(self) -> bool:
        """Whether every unit has a result."""
        return self.done >= self.total


@dataclass(frozen=True, slots=True)
class Opened:
    """A study in full; ``units`` by task, seed and arm."""

    folder: Path
    done: int
    plan: Mapping[str, Any]
    report: "Report"
    outcomes: "Outcomes"

    @property
    def knockout(self) -> bool:
        """Whether its arms are the conditions of a knockout."""
        return "families" in self.plan

    @property
    def units(self) -> list[Mapping[str, Any]]:
        """All units on disk."""
        return list(self.outcomes.units.values())

    @property
    def names(self) -> dict[str, str]:
        """Names of the tasks by id."""
        return {task["id"]: task["name"] for task in self.plan["tasks"]}


class Shelf:
    """The studies below the current folder and those opened before. One thread at a time may use it.

    Parameters
    ----------
    remembered : callable
        Returns the folders that were opened before.
    """

    def __init__(self, remembered: Callable[[], Iterable[str]]) -> None:
        self._remembered = remembered
        self._found: set[Path] = set()
        self._discovered: float | None = None
        self._counts: dict[Path, tuple[object, int]] = {}

    def forget(self) -> None:
        """Look for folders and count units anew at the next look."""
        self._discovered = None
        self._counts = {}

    def look(self) -> tuple[Listed, ...]:
        """List the studies, by folder.

        Returns
        -------
        tuple of Listed
            Folders that hold no study any more are left out.
        """
        now = time.monotonic()
        if self._discovered is None or now - self._discovered > _DISCOVERY_S:
            self._discovered = now
            self._found = {
                path.parent.resolve()
                for depth in range(_DEPTH + 1)
                for path in Path.cwd().glob("*/" * depth + PLAN)
            }
        places = self._found | {Path(word) for word in self._remembered()}
        searched = sessions.running()
        return tuple(
            self._listed(folder, made, searched.get(folder))
            for folder in sorted(places)
            if (made := read(folder / PLAN)) is not None and _is_plan(made)
        )

    def _listed(self, folder: Path, made: Mapping[str, Any], session: Session | None) -> Listed:
        tasks, seeds, arms = len(made["tasks"]), len(made["seeds"]), tuple(made["arms"])
        title = str(made["library"]["title"]) + (" knockout" if "families" in made else "")
        total = tasks * seeds * len(arms)
        done = self._count(folder, session)
        left = None if session is None else _left(folder, session, total - done)
        return Listed(folder, title, tasks, seeds, arms, done, total, session, left)

    def _count(self, folder: Path, session: Session | None) -> int:
        """Count the finished units; of a study at rest only when its plan or its results changed."""
        state = (
            None if session is None else time.monotonic(),
            *map(_written, (folder / PLAN, folder / RESULTS)),
        )
        known = self._counts.get(folder)
        if known is None or known[0] != state:
            known = self._counts[folder] = (state, sum(1 for _ in folder.glob(_UNITS)))
        return known[1]


def _is_plan(made: Mapping[str, Any]) -> bool:
    """Tell a study's plan from another program's file of the same name."""
    listed = all(isinstance(made.get(name), list) for name in ("tasks", "seeds", "arms"))
    return listed and isinstance(made.get("library"), dict) and "title" in made["library"]


def _written(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _left(folder: Path, session: Session, missing: int) -> float | None:
    """Estimate the seconds left from what this session finished so far."""
    finished = sum(1 for path in folder.glob(_UNITS) if (_written(path) or 0.0) > session.began)
    return (time.time() - session.began) / finished * missing if finished else None


class Reader:
    """Reads studies in full; a unit that did not change is not read again. One thread at a time."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[float | None, Mapping[str, Any]]] = {}

    def open(self, folder: Path) -> Opened:
        """Read a study.

        Parameters
        ----------
        folder : pathlib.Path
            Its folder.

        Returns
        -------
        Opened

        Raises
        ------
        EngineError
            If the folder holds no study.
        """
        from engine.reachability.knockout import knockout_tabulated
        from engine.reachability.outcomes import Outcomes
        from engine.reachability.report import tabulated

        made = plan(folder)
        kept: dict[Path, tuple[float | None, Mapping[str, Any]]] = {}
        for path in sorted(folder.glob(_UNITS)):
            stamp = _written(path)
            known = self._kept.get(path)
            if known is None or known[0] != stamp:
                record = read(path)
                if record is None or record.get("schema") != SCHEMA:
                    continue
                known = (stamp, record)
            kept[path] = known
        self._kept = kept
        records = [record for _, record in kept.values()]
        report = (knockout_tabulated if "families" in made else tabulated)(made, records)
        return Opened(folder, len(records), made, report, Outcomes(records, made))
