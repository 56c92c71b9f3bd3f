"""A user's own tables inside a campaign: copied into ``data/``, so that the campaign stands by itself."""

import hashlib
import json
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.running import layout, store
from tasks.schema import OWN_FAMILY, Constant, Provenance, Sizes, Splits, Table, Task, Variable

_TASK = "task.json"


def save(campaign: Path, task: Task, splits: Splits) -> None:
    """Copy a user's task into a campaign; one that is there already is left as it is.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    task : Task
        The task.
    splits : Splits
        Its rows.
    """
    folder = campaign / layout.DATA / task.id
    if (folder / _TASK).exists():
        return
    # Beside its place until it is whole: neither a full disk nor a kill leaves a part of a table.
    draft = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        draft.mkdir(parents=True)
        for name, table in splits.named():
            with (draft / f"{name}.npz").open("wb") as file:
                np.savez(file, X=table.X, y=table.y)
        store.write_whole(
            draft / _TASK, (json.dumps(asdict(task), allow_nan=False, indent=1) + "\n").encode()
        )
        # What stands there without its task is a part that somebody left.
        shutil.rmtree(folder, ignore_errors=True)
        draft.replace(folder)
    except OSError as error:
        raise EngineError(store.disk_sentence(folder, error)) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def task(campaign: Path, identifier: str) -> Task:
    """Find a task of a campaign: its own copy of a user's table, else the catalogue's.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    identifier : str
        Task id.

    Returns
    -------
    Task
        The task.

    Raises
    ------
    EngineError
        When the campaign's copy is damaged.
    TaskError
        When there is no such task.
    """
    record = store.read_record(campaign / layout.DATA / identifier / _TASK)
    if record is None:
        from tasks import catalogue

        return catalogue.get(identifier)
    try:
        return _task_of(record)
    except (TypeError, KeyError, ValueError) as error:
        raise EngineError(f"{campaign / layout.DATA / identifier / _TASK} is damaged ({error})") from error


def splits(campaign: Path, identifier: str) -> Splits:
    """Read or make the rows of a campaign's task.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    identifier : str
        Task id.

    Returns
    -------
    Splits
        Its four splits.

    Raises
    ------
    EngineError
        When the campaign's copy is damaged.
    TaskError
        When the rows cannot be made.
    """
    found = task(campaign, identifier)
    folder = campaign / layout.DATA / identifier
    if not (folder / _TASK).exists():
        from tasks import materialize

        return materialize.splits(found)
    tables: dict[str, Table] = {}
    for name in ("train", "valid", "id", "ood"):
        path = folder / f"{name}.npz"
        if path.exists():
            try:
                with np.load(path, allow_pickle=False) as arrays:
                    tables[name] = Table(found.feature_names, arrays["X"], arrays["y"])
            except (OSError, ValueError, KeyError) as error:
                raise EngineError(f"{path} is damaged ({error})") from error
    if "train" not in tables:
        raise EngineError(f"{folder} has no training rows: add the table to the campaign again")
    return Splits(tables["train"], tables.get("valid"), tables.get("id"), tables.get("ood"))


def noise_key(found: Task, rows: Splits) -> str:
    """Tell what the label noise of a task derives from, beside condition and seed.

    Parameters
    ----------
    found : Task
        The task.
    rows : Splits
        Its rows.

    Returns
    -------
    str
        The id of a catalogue task; of a user's task, whose id covers its test rows too, the digest of the
        training rows alone (so that equal training rows get equal noise).
    """
    if found.family != OWN_FAMILY:
        return found.id
    digest = hashlib.sha256(np.ascontiguousarray(rows.train.X).tobytes())
    digest.update(np.ascontiguousarray(rows.train.y).tobytes())
    return digest.hexdigest()


def _task_of(record: Mapping[str, Any]) -> Task:
    values = dict(record)
    values["features"] = tuple(Variable(**feature) for feature in record["features"])
    values["target"] = Variable(**record["target"])
    values["provenance"] = Provenance(**record["provenance"])
    values["constants"] = tuple(Constant(**constant) for constant in record["constants"])
    values["sizes"] = Sizes(**record["sizes"])
    return Task(**values)
