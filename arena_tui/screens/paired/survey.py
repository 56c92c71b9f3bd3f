"""What the Paired screen reads: the studies that are known, and one study in full."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.reachability.records import PLAN, plan, read, units

if TYPE_CHECKING:
    from engine.reachability.report import Report

_DEPTH = 2  # folders below the current one in which studies are looked for


@dataclass(frozen=True, slots=True)
class Listed:
    """A study in the list: where it lies and how far it is."""

    folder: Path
    library: str
    tasks: int
    seeds: int
    arms: tuple[str, ...]
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Opened:
    """A study in full: its report, its units, and whether it is a knockout."""

    listed: Listed
    report: "Report"
    units: tuple[Mapping[str, Any], ...]


def find(remembered: Iterable[str]) -> list[Listed]:
    """List the studies below the current folder and those that were opened before.

    Parameters
    ----------
    remembered : iterable of str
        Folders; those that hold no study any more are left out.

    Returns
    -------
    list of Listed
        By folder.
    """
    places = {Path(word) for word in remembered}
    for depth in range(_DEPTH + 1):
        places |= {path.parent.resolve() for path in Path.cwd().glob("*/" * depth + PLAN)}
    return [listed(place) for place in sorted(places) if read(place / PLAN) is not None]


def listed(folder: Path) -> Listed:
    """Read a study's plan and count its finished units.

    Parameters
    ----------
    folder : pathlib.Path
        Output folder.

    Returns
    -------
    Listed

    Raises
    ------
    EngineError
        If the folder holds no study.
    """
    made = plan(folder)
    done = sum(1 for _ in (folder / "units").glob("*/*/*.json"))
    tasks, seeds, arms = len(made["tasks"]), len(made["seeds"]), tuple(made["arms"])
    title = str(made["library"]["title"]) + (" knockout" if "families" in made else "")
    return Listed(folder, title, tasks, seeds, arms, done, tasks * seeds * len(arms))


def read_study(folder: Path) -> Opened:
    """Read a study in full.

    Parameters
    ----------
    folder : pathlib.Path
        Output folder.

    Returns
    -------
    Opened
    """
    from engine.reachability.knockout import knockout_report
    from engine.reachability.report import report

    made = knockout_report(folder) if "families" in plan(folder) else report(folder)
    return Opened(listed(folder), made, tuple(units(folder)))
