"""The Full Task Set as data: one JSON line per task, read lazily and looked up by id or unique name."""

import difflib
import functools
import json
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

from tasks.errors import TaskError
from tasks.schema import Constant, Provenance, Sizes, Task, Variable

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


def from_record(record: Mapping[str, Any]) -> Task:
    """Build a task from its catalogue record (the fields of :class:`tasks.schema.Task` as JSON)."""
    return Task(
        id=record["id"],
        name=record["name"],
        family=record["family"],
        subgroup=record["subgroup"],
        features=tuple(Variable(**variable) for variable in record["features"]),
        target=Variable(**record["target"]),
        formula=record["formula"],
        source_formula=record["source_formula"],
        provenance=Provenance(**record["provenance"]),
        constants=tuple(Constant(**constant) for constant in record.get("constants", ())),
        sizes=Sizes(**record["sizes"]),
        ood_type=record["ood_type"],
        duplicate_group=record["duplicate_group"],
        recipe=record["recipe"],
        disputed=record.get("disputed"),
    )


@functools.cache
def full() -> tuple[Task, ...]:
    """Return the Full Task Set, ordered by id.

    Returns
    -------
    tuple of Task
        664 tasks, g0001 to g0664.
    """
    return tuple(sorted((from_record(record) for record in _records()), key=lambda task: task.id))


@functools.cache
def _indexes() -> tuple[Mapping[str, Task], Mapping[str, tuple[Task, ...]]]:
    by_name: dict[str, tuple[Task, ...]] = {}
    for task in full():
        by_name[task.name.casefold()] = (*by_name.get(task.name.casefold(), ()), task)
    return {task.id: task for task in full()}, by_name


def get(key: str) -> Task:
    """Return the task with this id or unique name (case does not matter).

    Parameters
    ----------
    key : str
        For instance ``g0633`` or ``Nguyen-1``.

    Returns
    -------
    Task
        The task of the Full Task Set.

    Raises
    ------
    TaskError
        When nothing has this id or name (close matches are listed) or when several tasks have this name
        (all are listed).
    """
    by_id, by_name = _indexes()
    word = key.strip()
    task = by_id.get(word.lower())
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
