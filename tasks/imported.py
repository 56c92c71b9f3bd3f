"""The store of imported tasks: one folder each with its record and its rows, kept until removed."""

import json
import os
import shutil
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from tasks import cache, locations
from tasks.errors import TaskError
from tasks.records import from_record
from tasks.schema import Splits, Table, Task


def folder() -> Path:
    """Return the folder of all imported tasks; an official replacement lies under its catalogue id."""
    return locations.data_folder() / "imported"


def stamp() -> tuple[str, int]:
    """Return what changes whenever a task is imported or removed: the folder and its modification time."""
    home = folder()
    try:
        return str(home), home.stat().st_mtime_ns
    except OSError:
        return str(home), 0


def save(task: Task, splits: Splits) -> Task:
    """Store an imported task and its rows; an earlier one under the same id is replaced.

    Parameters
    ----------
    task : Task
        Its id names the folder; its recipe is set here.
    splits : Splits
        The rows.

    Returns
    -------
    Task
        The task with the recipe ``imported`` and the digests of its tables.

    Raises
    ------
    TaskError
        When the store cannot be written.
    """
    digests = {name: cache.table_digest(table, task.target.name) for name, table in splits.named()}
    stored = replace(task, recipe={**task.recipe, "rule": "imported", "digests": digests})
    home = folder() / task.id
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{task.id}-", dir=home.parent))
    except OSError as error:
        raise TaskError(f"nothing can be kept in {home.parent}: {error.strerror or error}") from error
    try:
        for name, table in splits.named():
            cache.write_table(scratch / f"{name}.parquet", table, task.target.name)
        text = json.dumps(asdict(stored), indent=1, allow_nan=False)
        (scratch / "record.json").write_text(text, encoding="utf-8")
        remove(task.id)
        scratch.rename(home)
        os.utime(home.parent)
    except OSError as error:
        raise TaskError(f"{task.name} cannot be kept in {home.parent}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return stored


def remove(task_id: str) -> bool:
    """Remove an imported task; return whether there was one."""
    home = folder() / task_id
    if not home.is_dir():
        return False
    grave = Path(tempfile.mkdtemp(prefix=".old-", dir=home.parent))
    home.rename(grave / home.name)
    shutil.rmtree(grave, ignore_errors=True)
    return True


def tasks() -> tuple[Task, ...]:
    """Return the imported tasks in order of id, official replacements included.

    Raises
    ------
    TaskError
        When a record cannot be read.
    """
    if not folder().is_dir():
        return ()
    found = []
    for path in sorted(folder().glob("[!.]*/record.json")):
        try:
            found.append(from_record(json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise TaskError(f"the imported task in {path.parent} cannot be read; import it again") from error
    return tuple(found)


def generate(task: Task) -> Splits:
    """Return the stored rows of an imported task.

    Raises
    ------
    TaskError
        When a table is missing or its digest does not hold.
    """
    tables: dict[str, Table] = {}
    for name, digest in task.recipe["digests"].items():
        path = folder() / task.id / f"{name}.parquet"
        try:
            tables[name] = cache.read_table(path, task.feature_names, task.target.name)
        except (OSError, ValueError) as error:
            raise TaskError(f"{task.id} {task.name}: {path} cannot be read; import the task again") from error
        if cache.table_digest(tables[name], task.target.name) != digest:
            raise TaskError(f"{task.id} {task.name}: {path} has been changed; import the task again")
    return Splits(tables["train"], tables.get("valid"), tables.get("id"), tables.get("ood"))
