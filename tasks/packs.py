"""Third-party task packs: distributions that register tasks by the entry point ``arena_tui.tasks``."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

from tasks.errors import TaskError
from tasks.schema import Splits, Task

GROUP = "arena_tui.tasks"
_loading: list[str] = []
_OWN_IDS = re.compile(r"[giu][0-9a-f]{4,8}")


@dataclass(frozen=True, slots=True)
class TaskPack:
    """What an entry point of the group ``arena_tui.tasks`` names, or returns when called without arguments.

    ``splits`` makes the four splits of any task of the pack; the recipes of its tasks have the rule ``pack``.
    Ids must be unique over all packs and must not look like the arena's own (``g0001``, ``i`` or ``u`` and
    hexadecimal digits); a prefix with a dash is usual.
    """

    name: str
    tasks: tuple[Task, ...]
    splits: Callable[[Task], Splits]


def _loaded(entry: metadata.EntryPoint) -> TaskPack:
    if _loading:
        raise TaskError(
            f"the task pack {_loading[-1]!r} asks the catalogue while it is being loaded; let it use "
            "tasks.catalogue.regenerated()"
        )
    _loading.append(entry.name)
    try:
        found = entry.load()
        pack = found() if callable(found) and not isinstance(found, TaskPack) else found
    except Exception as error:
        raise TaskError(f"the task pack {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
    finally:
        _loading.clear()
    if not isinstance(pack, TaskPack):
        raise TaskError(f"the task pack {entry.name!r} ({entry.value}) gives no tasks.packs.TaskPack")
    return pack


@functools.cache
def installed() -> tuple[TaskPack, ...]:
    """Return the task packs of this environment, in order of their entry points' names.

    Raises
    ------
    TaskError
        When a pack cannot be loaded, or when an id occurs twice or looks like one of the arena's own.
    """
    packs = tuple(
        _loaded(entry) for entry in sorted(metadata.entry_points(group=GROUP), key=lambda e: e.name)
    )
    seen: dict[str, str] = {}
    for pack in packs:
        for task in pack.tasks:
            if _OWN_IDS.fullmatch(task.id):
                raise TaskError(f"the task pack {pack.name!r} uses the id {task.id!r}, which is reserved")
            if task.id in seen:
                raise TaskError(
                    f"the task id {task.id!r} occurs in the packs {seen[task.id]!r} and {pack.name!r}"
                )
            seen[task.id] = pack.name
    return packs


def tasks() -> tuple[Task, ...]:
    """Return all tasks of all packs."""
    return tuple(task for pack in installed() for task in pack.tasks)


def generate(task: Task) -> Splits:
    """Return the splits of a pack's task, made by the pack."""
    for pack in installed():
        if any(member.id == task.id for member in pack.tasks):
            return pack.splits(task)
    raise TaskError(f"no installed task pack has the task {task.id!r}")
