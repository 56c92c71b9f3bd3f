"""EFF of a campaign's runs, computed once per attempt and kept: an ended run's trajectory never changes."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.models.journal import Journal, lines
from engine.running import reader
from engine.running.records import Run
from engine.scoring.search import efficiency

FILE = "tables/trajectories.jsonl"
VERSION = 1
IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Trajectory:
    """EFF of one run, or why there is none."""

    run: str
    attempt: int
    version: int
    checkpoints: int
    efficiency: float | None
    note: str | None


def trajectories(
    campaign: Path, runs: Iterable[Run], progress: Callable[[str, int, int], None]
) -> dict[str, Trajectory]:
    """Compute EFF of every ended run that has no record yet.

    Parameters
    ----------
    campaign : Path
        The campaign folder.
    runs : iterable of Run
        Ended runs.
    progress : callable
        Told (stage, done, total).

    Returns
    -------
    dict of str to Trajectory
        By run id.
    """
    known = {
        (str(line["run"]), int(line["attempt"])): Trajectory(**line)
        for line in lines(campaign / FILE)
        if line.get("version") == VERSION
    }
    journal = Journal(campaign / FILE)
    ended = list(runs)
    fresh = [run for run in ended if (run.id, run.attempt) not in known]
    for done, run in enumerate(fresh, 1):
        found = known[run.id, run.attempt] = _trajectory(run)
        # What blocks a run may still be mended or merged in, so only what is known is kept.
        if found.efficiency is not None:
            journal.append(asdict(found))
        progress("reading trajectories", done, len(fresh))
    return {run.id: known[run.id, run.attempt] for run in ended}


def _trajectory(run: Run) -> Trajectory:
    if run.final_source == IMPORTED:
        return Trajectory(run.id, run.attempt, VERSION, 0, None, "no trajectory (imported)")
    points = reader.checkpoints(run)
    value = efficiency([point.q for point in points])
    lost = sum(point.q is None for point in points)
    note = f"EFF blocked: {lost} of {len(points)} checkpoints unavailable" if value is None else None
    return Trajectory(run.id, run.attempt, VERSION, len(points), value, note)
