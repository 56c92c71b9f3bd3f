"""Optional studies on top of finished paired studies: their folders, and what they have in common."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.reachability.records import SCHEMA, plan, read, units, write

STUDY = "study.json"
"""The plan of an optional study; a paired study's own is ``paired.json``."""
Unit = Mapping[str, Any]
Cell = tuple[str, int]


def kind_of(folder: Path) -> str | None:
    """Return which optional study a folder holds, None if it holds none."""
    made = read(folder / STUDY)
    return None if made is None else str(made.get("kind"))


def study_plan(folder: Path, kind: str) -> dict[str, Any]:
    """Read the plan of an optional study.

    Parameters
    ----------
    folder
        Its folder.
    kind
        Which study it should be.

    Returns
    -------
    dict

    Raises
    ------
    EngineError
        If the folder holds none of that kind.
    """
    made = read(folder / STUDY)
    if made is None or made.get("kind") != kind:
        raise EngineError(f"{folder} holds no {kind} study; name the folder of one")
    return made


def lay_out(folder: Path, kind: str, made: Mapping[str, Any], fixed: Sequence[str]) -> None:
    """Write an optional study's plan, or check that the folder's is the same study.

    Parameters
    ----------
    folder
        Output folder.
    kind
        Which study.
    made
        Plan.
    fixed
        Entries of the plan that may not change.

    Raises
    ------
    EngineError
        For a folder in use for something else.
    """
    before = read(folder / STUDY)
    if before is None and folder.exists() and any(folder.iterdir()):
        raise EngineError(f"{folder} is not empty and holds no {kind} study; name a new folder")
    if before is not None:
        for part in ("kind", *fixed):
            if before.get(part) != {"kind": kind, **made}.get(part):
                raise EngineError(f"{folder} holds a study with another {part}; name another folder")
    write(folder / STUDY, {"schema": SCHEMA, "kind": kind, **made})


def of_domain(folders: Sequence[Path], domain: str) -> tuple[str, ...]:
    """List the tasks of a domain in paired studies.

    Parameters
    ----------
    folders
        Folders of ``paired run``.
    domain
        As the plan names it, such as ``bio_pop_growth``.

    Returns
    -------
    tuple of str
        Ids.

    Raises
    ------
    EngineError
        If no task there is of that domain.
    """
    tasks = {task["id"]: str(task["domain"]) for folder in folders for task in plan(folder)["tasks"]}
    found = tuple(identifier for identifier, its in tasks.items() if its == domain)
    if not found:
        known = ", ".join(sorted(set(tasks.values())))
        raise EngineError(f"no task there is of the domain {domain!r}; the domains are {known}")
    return found


def cells_of(folders: Sequence[Path], tasks: Sequence[str] | None) -> dict[Cell, list[Unit]]:
    """Collect the finished units of paired studies by task and seed.

    Parameters
    ----------
    folders
        Folders of ``paired run``.
    tasks
        Ids to keep; None for all.

    Returns
    -------
    dict
        Units of each (task id, seed), in the order of folders and arms.

    Raises
    ------
    EngineError
        If a folder holds no paired study, or nothing is left.
    """
    found: dict[Cell, list[Unit]] = {}
    for folder in folders:
        made = plan(folder)
        order = {arm: place for place, arm in enumerate(made["arms"])}
        for unit in sorted(units(folder), key=lambda unit: order.get(unit["arm"], len(order))):
            if tasks is None or unit["task"] in tasks:
                found.setdefault((unit["task"], unit["seed"]), []).append(unit)
    if not found:
        raise EngineError(f"{', '.join(map(str, folders))}: no finished unit of these tasks; run them first")
    return dict(sorted(found.items()))
