"""The Full Task Set as data: one JSON line per task, read lazily and looked up by id or unique name."""

import difflib
import functools
import json
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

from tasks import imported, packs
from tasks.errors import TaskError
from tasks.records import from_record
from tasks.schema import Task

FILES = (
    "lsr_synth.jsonl",
    "lsr_transform.jsonl",
    "srsd.jsonl",
    "feynman.jsonl",
    "strogatz.jsonl",
    "first_principles.jsonl",
    "classic.jsonl",
)
"""The catalogue's files, one per split rule."""


def _records() -> Iterator[Mapping[str, Any]]:
    folder = resources.files(__name__)
    for name in FILES:
        with folder.joinpath(name).open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)


@functools.cache
def regenerated() -> tuple[Task, ...]:
    """Return the Full Task Set as it ships, ordered by id, whatever the user imported."""
    return tuple(sorted((from_record(record) for record in _records()), key=lambda task: task.id))


@functools.lru_cache(maxsize=8)
def _tasks(stamp: tuple[str, int]) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
    """Return the Full Task Set and the user's further tasks; ``stamp`` changes when the store does."""
    own = {task.id: task for task in regenerated()}
    stored = imported.tasks() if stamp[1] else ()
    official = {task.id: task for task in stored if task.id in own}
    further = (*(task for task in stored if task.id not in own), *packs.tasks())
    return tuple(official.get(task.id, task) for task in regenerated()), further


def full() -> tuple[Task, ...]:
    """Return the Full Task Set, ordered by id.

    Returns
    -------
    tuple of Task
        664 tasks, g0001 to g0664; those whose official data the user imported stand in place of ours.
    """
    return _tasks(imported.stamp())[0]


def further() -> tuple[Task, ...]:
    """Return the tasks beyond the Full Task Set: imported ones, then those of installed packs."""
    return _tasks(imported.stamp())[1]


@functools.lru_cache(maxsize=8)
def _indexes(stamp: tuple[str, int]) -> tuple[Mapping[str, Task], Mapping[str, tuple[Task, ...]]]:
    own, more = _tasks(stamp)
    by_name: dict[str, tuple[Task, ...]] = {}
    for task in (*own, *more):
        by_name[task.name.casefold()] = (*by_name.get(task.name.casefold(), ()), task)
    return {task.id: task for task in (*own, *more)}, by_name


def get(key: str) -> Task:
    """Return the task with this id or unique name (case does not matter).

    Parameters
    ----------
    key : str
        For instance ``g0633`` or ``Nguyen-1``.

    Returns
    -------
    Task
        A task of the Full Task Set, an imported one or one of an installed pack.

    Raises
    ------
    TaskError
        When nothing has this id or name (close matches are listed) or when several tasks have this name
        (all are listed).
    """
    by_id, by_name = _indexes(imported.stamp())
    word = key.strip()
    task = by_id.get(word) or by_id.get(word.lower())
    if task is not None:
        return task
    candidates = by_name.get(word.casefold(), ())
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        listed = ", ".join(f"{task.id} ({task.subgroup})" for task in candidates)
        raise TaskError(f"the task name {word!r} is ambiguous; name one of {listed}")
    known = {**{i: i for i in by_id}, **{name: tasks[0].name for name, tasks in by_name.items()}}
    close = [known[match] for match in difflib.get_close_matches(word.casefold(), known, n=4, cutoff=0.6)]
    hint = f"; did you mean {', '.join(close)}?" if close else "; see `arena-tui tasks list`"
    raise TaskError(f"there is no task {word!r}{hint}")
