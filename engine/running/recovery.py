"""What earlier engines left in a campaign folder, and what is to be done about each run."""

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import EngineError
from engine.running import attempts, layout, records, store
from engine.running.active import INTERRUPTED
from engine.running.executors import Executor
from engine.running.reader import Campaign
from engine.running.records import RunKey


@dataclass(slots=True)
class Survey:
    """The state of every run before an engine begins.

    ``waiting`` have still to be made, in order; ``ended`` have their results; ``left`` have an attempt that
    runs, or that a keeper has closed; ``lost`` had a keeper that died (with how many processes of it were
    ended just now); ``damaged`` are the files that were moved aside.
    """

    waiting: list[RunKey] = field(default_factory=list)
    ended: dict[RunKey, str] = field(default_factory=dict)
    left: list[tuple[RunKey, int]] = field(default_factory=list)
    lost: list[tuple[RunKey, int, int]] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)


def survey(campaign: Campaign, executor: Executor) -> Survey:
    """Look at every run of a campaign that this engine now owns.

    Parameters
    ----------
    campaign : Campaign
        The campaign.
    executor : Executor
        Tells whether submitted attempts are alive.

    Returns
    -------
    Survey
        Nothing was started; damaged records were moved aside and what dead keepers left was cleaned up.
    """
    found = Survey()
    planned = set(campaign.spec.grid())
    for run in campaign.runs:
        key = run.key
        if run.attempt == 0:
            found.waiting.append(key)
            continue
        if run.segment is not None:
            found.ended[key] = run.status
            continue
        folder = layout.attempt_folder(campaign.folder, key, run.attempt)
        found.damaged += attempts.set_aside_damage(campaign.folder, folder)
        state = attempts.examine(folder, executor.alive)
        if state is attempts.Found.ENDED:
            if _unfinished_business(folder):
                found.waiting.append(key)
            else:
                found.ended[key] = run.status
        elif state is attempts.Found.LOST:
            found.lost.append((key, run.attempt, attempts.clean_up(folder)))
            found.waiting.append(key)
        else:
            found.left.append((key, run.attempt))
    # Runs beyond the grid are shown and kept, never started.
    found.waiting = [key for key in found.waiting if key in planned]
    return found


def _unfinished_business(folder: Path) -> bool:
    """Tell a run that went down with an engine (to be attempted again) from one stopped on request."""
    result = None
    with contextlib.suppress(EngineError):
        result = store.read_record(folder / layout.RESULT)
    status, by = (result or {}).get("status"), (result or {}).get("cancelled_by")
    return status == records.CANCELLED and by == INTERRUPTED
