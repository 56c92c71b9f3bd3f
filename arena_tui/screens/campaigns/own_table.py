"""A table of one's own as the new campaign's form sees it: read once, however often it is checked."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from engine.errors import EngineError
from tasks.errors import TaskError


@dataclass(frozen=True, slots=True)
class OwnTable:
    """Columns in the file's order, and the number of rows."""

    columns: tuple[str, ...]
    rows: int


def look(path: Path) -> OwnTable:
    """Read a table, or remember it while the file is the same.

    Parameters
    ----------
    path : pathlib.Path
        CSV, TSV, Parquet or npz.

    Returns
    -------
    OwnTable
        Its columns and rows.

    Raises
    ------
    TaskError
        When it cannot be read, is too short, or holds anything but finite numbers.
    """
    try:
        state = path.stat()
    except OSError:
        raise TaskError(f"there is no table {path}") from None
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)
def _read(path: Path, _changed: int, _size: int) -> OwnTable:
    from tasks import tables

    columns = tables.read_columns(path)
    rows = len(next(iter(columns.values())))
    if rows < tables.FEWEST_ROWS:
        raise TaskError(f"{path.name} has {rows} rows; at least {tables.FEWEST_ROWS} are needed")
    return OwnTable(tuple(columns), rows)


def features(path: Path, target: str) -> tuple[str, ...]:
    """Name the columns from which a target is to be predicted.

    Parameters
    ----------
    path : pathlib.Path
        The table.
    target : str
        A column, or nothing yet.

    Returns
    -------
    tuple of str
        All others.

    Raises
    ------
    EngineError
        When the target is no column, or there is no other.
    TaskError
        As ``look``.
    """
    columns = look(path).columns
    if target not in columns:
        raise EngineError(f"name one of {', '.join(columns)}")
    others = tuple(name for name in columns if name != target)
    if not others:
        raise EngineError("is the only column: there is nothing to predict it from")
    return others
