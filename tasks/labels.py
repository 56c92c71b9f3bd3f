"""The published labels of the paper's pool: difficulty, failure, winner, eligibility, membership."""

import functools
import json
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True)
class Labels:
    """What the published task list says about one task; facts of the paper's runs, not computed here."""

    difficulty: str
    failure_mode: str
    eligibility: str
    winning_probe: str
    core50: bool
    calibration_group: str | None


@functools.cache
def published() -> dict[str, Labels]:
    """Return the published labels of all 664 tasks by id."""
    with resources.files("tasks.catalogue").joinpath("labels.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return {record.pop("id"): Labels(**record) for record in records}


def of(task_id: str) -> Labels | None:
    """Return the published labels of a task, or ``None`` for a task outside the paper's pool."""
    return published().get(task_id)


@functools.cache
def core50() -> frozenset[str]:
    """Return the ids of the published Core50."""
    return frozenset(task for task, labels in published().items() if labels.core50)


@functools.cache
def calibration200() -> frozenset[str]:
    """Return the ids of the published calibration set (groups A, B and C; 140, 20 and 40 tasks)."""
    return frozenset(task for task, labels in published().items() if labels.calibration_group is not None)
