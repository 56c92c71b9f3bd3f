"""Turns words on a command line into tasks, and keeps the user's named selections."""

import contextlib
import json
import os
import re
from collections.abc import Sequence

from tasks import catalogue, labels, locations
from tasks.errors import TaskError
from tasks.schema import Task

LSR_SYNTH = frozenset({"bio_pop_growth", "chem_react", "matsci", "phys_osc"})
CLASSIC = frozenset({"nguyen", "keijzer", "korns", "vladislavleva"})
BUILT_IN = (
    "full",
    "core50",
    "calibration200",
    "lsr-synth",
    "lsr-transform",
    "srsd",
    "feynman",
    "strogatz",
    "first-principles",
    "classic",
    "imported",
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def _folder_file(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise TaskError(
            f"{name!r} cannot name a selection; use up to 64 letters, digits, dots, dashes and underscores"
        )
    return f"{name}.json"


def _built_in(name: str) -> tuple[Task, ...]:
    tasks = catalogue.full()
    match name:
        case "full":
            return tasks
        case "core50" | "calibration200":
            members = labels.core50() if name == "core50" else labels.calibration200()
            return tuple(task for task in tasks if task.id in members)
        case "lsr-synth":
            return tuple(task for task in tasks if task.subgroup in LSR_SYNTH)
        case "lsr-transform":
            return tuple(task for task in tasks if task.subgroup == "lsrtransform")
        case "first-principles":
            return tuple(task for task in tasks if task.subgroup == "firstprinciples")
        case "imported":
            return tuple(task for task in catalogue.further() if task.disputed is None)
        case "classic":
            return tuple(task for task in tasks if task.subgroup in CLASSIC)
        case _:
            return tuple(task for task in tasks if name in (task.family, task.subgroup))


def names() -> tuple[str, ...]:
    """Return the names usable after ``@``: the built-in sets, then the saved selections in order of name."""
    folder = locations.data_folder() / "selections"
    saved = sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []
    return (*BUILT_IN, *saved)


def save(name: str, ids: Sequence[str]) -> None:
    """Save a selection under a name.

    Parameters
    ----------
    name : str
        Usable as ``@name`` afterwards; an earlier selection of this name is replaced.
    ids : sequence of str
        Task ids in order.

    Raises
    ------
    TaskError
        When the name is built in or holds other characters than letters, digits, dots, dashes, underscores;
        when an id is unknown; when there is nothing to save.
    """
    file = _folder_file(name)
    if name in BUILT_IN:
        raise TaskError(f"@{name} is built in; choose another name for your selection")
    if not ids:
        raise TaskError(f"the selection @{name} would be empty; loosen the filters")
    members = list(dict.fromkeys(catalogue.get(task).id for task in ids))
    folder = locations.data_folder() / "selections"
    scratch = folder / f".{file}.{os.getpid()}.new"
    text = json.dumps({"schema": 1, "name": name, "tasks": members}, indent=1)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(folder / file)
    except OSError as error:
        with contextlib.suppress(OSError):
            scratch.unlink()
        raise TaskError(f"the selection cannot be saved in {folder}: {error.strerror or error}") from error


def load(name: str) -> tuple[Task, ...]:
    """Return the tasks of a built-in set or a saved selection.

    Parameters
    ----------
    name : str
        The name without ``@``.

    Returns
    -------
    tuple of Task
        In the set's order.

    Raises
    ------
    TaskError
        When there is no such selection or its file cannot be read.
    """
    if name in BUILT_IN:
        return _built_in(name)
    path = locations.data_folder() / "selections" / _folder_file(name)
    try:
        members = json.loads(path.read_text(encoding="utf-8"))["tasks"]
    except FileNotFoundError:
        listed = ", ".join(f"@{known}" for known in names())
        raise TaskError(f"there is no selection @{name}; known are {listed}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TaskError(f"the selection file {path} cannot be read; save @{name} again") from error
    return tuple(catalogue.get(task) for task in members)


def resolve(words: Sequence[str]) -> tuple[Task, ...]:
    """Turn words into tasks.

    Parameters
    ----------
    words : sequence of str
        Ids, unique names, ``@set``, or several of them with commas between.

    Returns
    -------
    tuple of Task
        In the order named, each once.

    Raises
    ------
    TaskError
        When a word is unknown or ambiguous, or when nothing is named.
    """
    chosen: dict[str, Task] = {}
    for word in (part.strip() for text in words for part in text.split(",")):
        if not word:
            continue
        tasks = load(word[1:]) if word.startswith("@") else (catalogue.get(word),)
        chosen.update((task.id, task) for task in tasks if task.id not in chosen)
    if not chosen:
        raise TaskError("no task is named; give ids, names or a set such as @core50")
    return tuple(chosen.values())
