"""The cache of materialized splits: one folder per task with Parquet tables and a manifest of digests."""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks import locations
from tasks.errors import TaskError
from tasks.randomness import SCHEME
from tasks.schema import Splits, Table, Task

GENERATOR = 1
"""Version of the generators; raised whenever a rule's rows change, so that old caches are left aside."""


def recipe_digest(task: Task) -> str:
    """Return the digest of everything the rows of a task depend on (SHA-256, hexadecimal)."""
    facts = {
        "generator": GENERATOR,
        "scheme": SCHEME,
        "id": task.id,
        "features": [asdict(variable) for variable in task.features],
        "target": task.target.name,
        "formula": task.formula,
        "sizes": asdict(task.sizes),
        "recipe": task.recipe,
    }
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def table_digest(table: Table, target: str) -> str:
    """Return the digest of a table's column names and values (SHA-256 over little-endian float64 columns)."""
    digest = hashlib.sha256(json.dumps([*table.names, target]).encode())
    for column in (*table.X.T, table.y):
        digest.update(np.ascontiguousarray(column, dtype="<f8").tobytes())
    return digest.hexdigest()


def inputs_digest(table: Table) -> str:
    """Return the digest of a table's features alone: names and values (SHA-256)."""
    digest = hashlib.sha256(json.dumps(list(table.names)).encode())
    for column in table.X.T:
        digest.update(np.ascontiguousarray(column, dtype="<f8").tobytes())
    return digest.hexdigest()


def values_digest(table: Table) -> str:
    """Return the digest of a table's values alone, whatever its columns are called (SHA-256)."""
    digest = hashlib.sha256(f"{table.X.shape}".encode())
    for column in (*table.X.T, table.y):
        digest.update(np.ascontiguousarray(column, dtype="<f8").tobytes())
    return digest.hexdigest()


def folder(task: Task) -> Path:
    """Return where the splits of a task are cached, made or not."""
    return locations.cache_folder() / "tasks" / f"{task.id}-{recipe_digest(task)[:16]}"


def write_table(path: Path, table: Table, target: str) -> None:
    """Write rows as a Parquet file; random float64 columns hardly compress, so they are stored plainly."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # arrays are made from their buffers: pyarrow.array imports pandas, which takes longer than all else
    columns = [
        pa.Array.from_buffers(pa.float64(), table.rows, [None, pa.py_buffer(np.ascontiguousarray(column))])
        for column in (*table.X.T, table.y)
    ]
    frame = pa.Table.from_arrays(columns, names=[*table.names, target])
    pq.write_table(frame, path, compression="none", use_dictionary=False, write_statistics=False)


def read_table(path: Path, names: tuple[str, ...], target: str) -> Table:
    """Read rows of a cached Parquet file; the columns must be exactly the named ones."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, memory_map=True) as file:
        frame = file.read()
    if frame.column_names != [*names, target]:
        raise ValueError(f"{path.name} has the columns {frame.column_names}")
    columns = [_values(frame.column(index)) for index in range(len(names) + 1)]
    X = np.empty((frame.num_rows, len(names)), dtype=np.float64)
    for index in range(len(names)):
        X[:, index] = columns[index]
    return Table(names, X, columns[-1])


def _values(column: Any) -> NDArray[np.float64]:  # noqa: ANN401 - pyarrow is untyped
    if str(column.type) != "double" or column.null_count:
        raise ValueError("a column holds something else than float64 values")
    parts = [
        np.frombuffer(chunk.buffers()[1], dtype=np.float64, count=len(chunk), offset=8 * chunk.offset)
        for chunk in column.chunks
        if len(chunk)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def write(task: Task, splits: Splits) -> Mapping[str, Any]:
    """Store splits atomically and return their manifest; a folder that another process made first is kept."""
    home = folder(task)
    home.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{home.name}-", dir=home.parent))
    try:
        tables = {}
        for name, table in splits.named():
            write_table(scratch / f"{name}.parquet", table, task.target.name)
            tables[name] = {"rows": table.rows, "sha256": table_digest(table, task.target.name)}
        manifest = {
            "schema": 1,
            "task": task.id,
            "name": task.name,
            "generator": GENERATOR,
            "seed_scheme": SCHEME,
            "recipe_sha256": recipe_digest(task),
            "columns": [*task.feature_names, task.target.name],
            "tables": tables,
        }
        text = json.dumps(manifest, indent=1, allow_nan=False)
        (scratch / "manifest.json").write_text(text, encoding="utf-8")
        # whoever renames first wins: all processes have made the same rows
        with contextlib.suppress(OSError):
            scratch.rename(home)
    finally:
        if scratch.exists():
            shutil.rmtree(scratch, ignore_errors=True)
    return manifest


def store(task: Task, splits: Splits) -> None:
    """Put splits in the cache in place of what is there.

    Raises
    ------
    TaskError
        When the cache cannot be written.
    """
    try:
        forget(task)
        write(task, splits)
    except OSError as error:
        reason = error.strerror or error
        raise TaskError(
            f"the rows of {task.id} cannot be cached below {locations.cache_folder()} ({reason}); "
            "make room there or set ARENA_HOME to another folder"
        ) from error


def manifest(task: Task) -> Mapping[str, Any] | None:
    """Return the manifest of a cached task, or ``None`` when there is none that can be read."""
    try:
        text = (folder(task) / "manifest.json").read_text(encoding="utf-8")
        found: Mapping[str, Any] = json.loads(text)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("task") == task.id else None


def read(task: Task) -> Splits | None:
    """Return cached splits whose digests hold, or ``None`` when they are missing or damaged."""
    stored = manifest(task)
    if stored is None:
        return None
    tables: dict[str, Table] = {}
    for name, entry in stored["tables"].items():
        try:
            table = read_table(folder(task) / f"{name}.parquet", task.feature_names, task.target.name)
        except (OSError, ValueError):
            return None
        if table_digest(table, task.target.name) != entry["sha256"]:
            return None
        tables[name] = table
    if "train" not in tables:
        return None
    return Splits(tables["train"], tables.get("valid"), tables.get("id"), tables.get("ood"))


def forget(task: Task) -> None:
    """Remove the cached splits of a task."""
    home = folder(task)
    grave = Path(f"{home.parent}/.{home.name}-{os.getpid()}-{threading.get_ident()}-old")
    # another process may be quicker: then there is nothing left to remove
    with contextlib.suppress(FileNotFoundError):
        home.rename(grave)
    shutil.rmtree(grave, ignore_errors=True)
