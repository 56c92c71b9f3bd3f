"""What a paired study leaves on disk: one folder, one small file for each finished unit, written whole.

``paired.json`` is the plan, ``proposals.jsonl`` and ``calls.jsonl`` the questions and every attempt to have
them answered, ``units/TASK/SEED/ARM.json`` the finished units, ``results.parquet`` all units in one table,
``not-run.json`` what the last session could not run and why, ``gp/`` the attempts of GP arms, ``votes/`` and
``votes-calls.jsonl`` the votes on saved formulas.
"""

import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import EngineError

SCHEMA = 1
PLAN = "paired.json"
RESULTS = "results.parquet"
NOT_RUN = "not-run.json"


@dataclass(frozen=True, slots=True, order=True)
class UnitKey:
    """The unit of resuming: task x seed x arm."""

    task: str
    seed: int
    arm: str


def unit_file(folder: Path, key: UnitKey) -> Path:
    """Return where a unit's record lies."""
    return folder / "units" / key.task / str(key.seed) / f"{key.arm}.json"


def write(path: Path, record: Mapping[str, Any]) -> None:
    """Write a JSON object so that the file is there whole or not at all.

    Parameters
    ----------
    path
        Where.
    record
        NaN and infinities in it are written as null.

    Raises
    ------
    EngineError
        When the disk refuses.
    """
    text = json.dumps(_finite(record), allow_nan=False, ensure_ascii=False, indent=1, sort_keys=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError as error:
        raise EngineError(f"{path.name} cannot be written in {path.parent}: {error.strerror}") from error


def read(path: Path) -> dict[str, Any] | None:
    """Read a JSON object; None where there is no file or it is damaged."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def units(folder: Path) -> Iterator[dict[str, Any]]:
    """Read all finished units of a study, by task, seed and arm.

    Parameters
    ----------
    folder
        Output folder.

    Yields
    ------
    dict
        Unit records; a damaged file counts as not finished.
    """
    for path in sorted((folder / "units").glob("*/*/*.json")):
        record = read(path)
        if record is not None and record.get("schema") == SCHEMA:
            yield record


def plan(folder: Path) -> dict[str, Any]:
    """Read the plan of a study; its ``not_run`` is what the last session could not run, with reasons.

    Parameters
    ----------
    folder
        Output folder.

    Returns
    -------
    dict

    Raises
    ------
    EngineError
        If the folder holds none.
    """
    found = read(folder / PLAN)
    if found is None:
        raise EngineError(f"{folder} holds no paired study (no readable {PLAN}); name the folder of one")
    return {**found, "not_run": (read(folder / NOT_RUN) or {}).get("cells", [])}


def compact(folder: Path) -> Path:
    """Write all finished units as one Parquet table.

    Parameters
    ----------
    folder
        Output folder.

    Returns
    -------
    Path
        ``results.parquet``; nested fields are JSON texts in it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {
            name: json.dumps(value) if isinstance(value, dict | list) else value
            for name, value in record.items()
        }
        for record in units(folder)
    ]
    names = sorted({name for row in rows for name in row})
    table = pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])
    path = folder / RESULTS
    new = path.with_suffix(".new")
    pq.write_table(table, new)
    new.replace(path)
    return path


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value
