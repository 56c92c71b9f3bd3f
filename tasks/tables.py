"""Reads a user's own table and makes a task of it."""

import gzip
import hashlib
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tasks import cache, formula
from tasks.errors import TaskError
from tasks.randomness import Stream
from tasks.schema import OWN_FAMILY, Provenance, Sizes, Splits, Table, Task, Variable

LARGEST_TABLE_BYTES = 256 * 1024 * 1024
"""Text tables above this size are refused; Parquet holds the same rows in a fraction of it."""
MOST_UNPACKED_BYTES = 1024 * 1024 * 1024
"""Compressed and binary tables above this size in memory are refused."""
MOST_COLUMNS = 10_000
"""Wider tables are refused: no method here searches over so many features."""
FEWEST_ROWS = 3
FEWEST_TO_SPLIT = 10
"""Below this many rows all are training rows; from here on a tenth each is valid and ID test."""
_SUFFIXES = {".csv": ",", ".tsv": "\t", ".txt": None}


def read_columns(path: Path, only: Sequence[str] | None = None) -> dict[str, NDArray[np.float64]]:
    """Read a table of numbers.

    Parameters
    ----------
    path : pathlib.Path
        A ``.csv``, ``.tsv``, ``.parquet`` or ``.npz`` file; ``.gz`` may follow the first two. An npz holds
        one-dimensional arrays by column name, or ``X`` (n, d) and ``y`` (n,) (then named x0, x1, ... and y).
    only : sequence of str, optional
        The columns to read; what the others hold is then nobody's business. All when omitted.

    Returns
    -------
    dict of str to ndarray of float64, shape (n,)
        The columns in the file's order.

    Raises
    ------
    TaskError
        When the file is missing, too large, of another kind, empty, ragged, lacks a column, or holds anything
        but finite numbers; the sentence names the column and the row.
    """
    if not path.is_file():
        raise TaskError(f"there is no table {path}")
    kind = "".join(path.suffixes[-2:]).lower().removesuffix(".gz")
    kind = "." + kind.rsplit(".", 1)[-1] if "." in kind else kind
    if kind in _SUFFIXES:
        columns = _read_text(path, _SUFFIXES[kind], only)
    elif kind in (".parquet", ".pq"):
        columns = _read_parquet(path, only)
    elif kind == ".npz":
        columns = _read_npz(path)
        columns = {name: columns[name] for name in _wanted(path, tuple(columns), only)}
    else:
        raise TaskError(f"{path.name} is no CSV, TSV, Parquet or npz table; give one of these")
    if not columns or not len(next(iter(columns.values()))):
        raise TaskError(f"{path.name} holds no rows")
    for name, values in columns.items():
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
            raise TaskError(
                f"{path.name}: column {name!r} is empty, NaN or infinite in data row {bad[0] + 1}{more}; "
                "remove or fill such rows"
            )
    return columns


def _wanted(path: Path, names: Sequence[str], only: Sequence[str] | None) -> Sequence[str]:
    if len(names) > MOST_COLUMNS:
        raise TaskError(f"{path.name} has {len(names)} columns; at most {MOST_COLUMNS} are read, cut it")
    for name in only or ():
        if name not in names:
            listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
            raise TaskError(f"{path.name} has no column {name!r}; it has {listed}")
    return names if only is None else tuple(name for name in names if name in only)


_EMPTY = frozenset({"", "na", "n/a", "null", "none"})


def _numbers(path: Path, name: str, values: Sequence[object]) -> NDArray[np.float64]:
    """Return cells as numbers, to the last bit; empty ones are NaN."""
    numbers = np.empty(len(values))
    for row, cell in enumerate(values):
        try:
            # Python's own "1_000" would be a guess in a table.
            numbers[row] = float("_" if "_" in str(cell) else cell)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            if cell is not None and str(cell).strip().casefold() not in _EMPTY:
                raise TaskError(
                    f"{path.name}: column {name!r} holds {str(cell)[:40]!r} in data row {row + 1}, which is "
                    "no number; leave the column out with --features or convert it"
                ) from None
            numbers[row] = np.nan
    return numbers


def _read_text(
    path: Path, separator: str | None, only: Sequence[str] | None
) -> dict[str, NDArray[np.float64]]:
    import pandas as pd

    size = path.stat().st_size
    if size > LARGEST_TABLE_BYTES:
        raise TaskError(
            f"{path.name} has {size / 2**20:.0f} MB; text tables above {LARGEST_TABLE_BYTES // 2**20} MB are "
            "refused, convert it to Parquet or cut it"
        )
    if path.suffix.lower() == ".gz":
        _refuse_bomb(path)
    _check_heading(path, separator)
    try:
        # read as text: the parsers of pandas do not give every number to its last bit
        frame = pd.read_csv(
            path, sep=separator or r"\s+", skipinitialspace=True, dtype=str, keep_default_na=False
        )
    except pd.errors.EmptyDataError:
        raise TaskError(f"{path.name} is empty") from None
    except (ValueError, UnicodeDecodeError, OSError, EOFError) as error:
        raise TaskError(f"{path.name} cannot be read as a table: {_line(error)}") from error
    names = [str(name) for name in frame.columns]
    duplicated = [
        name for name in names if re.fullmatch(r".*\.\d+", name) and name.rsplit(".", 1)[0] in names
    ]
    if duplicated:
        raise TaskError(f"{path.name} names the column {duplicated[0].rsplit('.', 1)[0]!r} twice; rename one")
    return {name: _numbers(path, name, frame[name].tolist()) for name in _wanted(path, names, only)}


def _check_heading(path: Path, separator: str | None) -> None:
    """Refuse a table too wide to be split into columns at all, and one that is split at something else."""
    with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb") as file:
        line = file.readline()
    heading = line.decode(errors="replace").strip("\ufeff\r\n")
    found = len(heading.split(separator))
    if found > MOST_COLUMNS:
        raise TaskError(f"{path.name} has {found} columns; at most {MOST_COLUMNS} are read, cut it")
    if found > 1 or separator is None:
        return
    for other, its_name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars"), (",", "commas")):
        if other in heading:
            raise TaskError(
                f"{path.name} is split at {its_name}; write it with "
                f"{'commas' if separator == ',' else 'tabs'} between the columns and points in the numbers"
            )


def _refuse_bomb(path: Path) -> None:
    unpacked = 0
    try:
        with gzip.open(path, "rb") as packed:
            while block := packed.read(1 << 20):
                unpacked += len(block)
                if unpacked > LARGEST_TABLE_BYTES:
                    limit = LARGEST_TABLE_BYTES // 2**20
                    raise TaskError(
                        f"{path.name} unpacks to more than {limit} MB; cut it or convert it to Parquet"
                    )
    except (OSError, EOFError, zlib.error) as error:
        raise TaskError(f"{path.name} cannot be read as a table: {_line(error)}") from error


def _bearable(path: Path, size: int) -> None:
    if size > MOST_UNPACKED_BYTES:
        limit = MOST_UNPACKED_BYTES // 2**20
        raise TaskError(
            f"{path.name} holds {size // 2**20} MB of values; at most {limit} MB are read, cut it"
        )


def _read_parquet(path: Path, only: Sequence[str] | None) -> dict[str, NDArray[np.float64]]:
    import pandas as pd
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _bearable(path, 8 * file.metadata.num_rows * file.metadata.num_columns)
        frame = pd.read_parquet(path)
    except TaskError:
        raise
    except (ValueError, OSError) as error:
        raise TaskError(f"{path.name} cannot be read as Parquet: {_line(error)}") from error
    frame.columns = [str(name) for name in frame.columns]
    wanted = _wanted(path, list(frame.columns), only)
    return {name: _numbers(path, name, frame[name].tolist()) for name in wanted}


def _read_npz(path: Path) -> dict[str, NDArray[np.float64]]:
    columns: dict[str, NDArray[np.float64]] = {}
    try:
        with zipfile.ZipFile(path) as packed:
            _bearable(path, sum(entry.file_size for entry in packed.infolist()))
        with np.load(path, allow_pickle=False) as archive:
            for name in archive.files:
                values = np.asarray(archive[name], dtype=np.float64)
                if values.ndim == 2:
                    prefix = "x" if name == "X" else f"{name}"
                    columns.update({f"{prefix}{j}": values[:, j].copy() for j in range(values.shape[1])})
                elif values.ndim == 1:
                    columns[name] = values
                else:
                    raise TaskError(
                        f"{path.name}: the array {name!r} has {values.ndim} dimensions, not 1 or 2"
                    )
    except TaskError:
        raise
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise TaskError(f"{path.name} cannot be read as npz without pickles: {_line(error)}") from error
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise TaskError(f"{path.name} holds arrays of different lengths: {lengths}")
    return columns


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _chosen(
    path: Path, columns: dict[str, NDArray[np.float64]], target: str, features: Sequence[str] | None
) -> Table:
    names = tuple(features) if features is not None else tuple(name for name in columns if name != target)
    for name in (*names, target):
        if name not in columns:
            listed = ", ".join([*columns][:20]) + (", ..." if len(columns) > 20 else "")
            raise TaskError(f"{path.name} has no column {name!r}; it has {listed}")
    if target in names:
        raise TaskError(f"the target {target!r} cannot be a feature of itself")
    if not names:
        raise TaskError(f"{path.name} has no feature column beside the target {target!r}")
    X = np.column_stack([columns[name] for name in names])
    return Table(names, np.ascontiguousarray(X), columns[target])


def user_task(
    path: Path | str,
    target: str,
    *,
    features: Sequence[str] | None = None,
    ood: Path | str | None = None,
    truth: str | None = None,
    name: str | None = None,
) -> tuple[Task, Splits]:
    """Make a task of a user's own table.

    Parameters
    ----------
    path : path
        The table, see :func:`read_columns`.
    target : str
        Name of the target column.
    features : sequence of str, optional
        Feature columns in order; all other columns when omitted.
    ood : path, optional
        A table with the same columns whose rows are the OOD test split.
    truth : str, optional
        The ground truth as infix over the feature names, when it is known.
    name : str, optional
        The task's name; the file's stem when omitted.

    Returns
    -------
    tuple of Task and Splits
        The id is ``u`` and eight hexadecimal digits of the content's digest. From ten rows on, a tenth each
        (rounded down) is the valid and the ID split, chosen by the id's seed; below, all rows train.

    Raises
    ------
    TaskError
        When a file, a column, the formula or the number of rows cannot be used.
    """
    path = Path(path)
    only = None if features is None else (*features, target)
    whole = _chosen(path, read_columns(path, only), target, features)
    if whole.rows < FEWEST_ROWS:
        raise TaskError(f"{path.name} has {whole.rows} rows; at least {FEWEST_ROWS} are needed")
    if whole.y.min() == whole.y.max():
        raise TaskError(
            f"{path.name}: the target {target!r} is {whole.y[0]:g} in every row; errors are measured against "
            "its spread, so choose a target that varies"
        )
    outside = None
    if ood is not None:
        outside = _chosen(Path(ood), read_columns(Path(ood), (*whole.names, target)), target, whole.names)
    if truth is not None:
        formula.parse(truth, whole.names)
    digest = hashlib.sha256(cache.table_digest(whole, target).encode())
    for part in (cache.table_digest(outside, target) if outside else "", truth or ""):
        digest.update(b"\0" + part.encode())
    identifier = f"u{digest.hexdigest()[:8]}"
    held = whole.rows // 10 if whole.rows >= FEWEST_TO_SPLIT else 0
    order = Stream(identifier, "split").permutation(whole.rows)
    parts = [np.sort(rows) for rows in np.split(order, [whole.rows - 2 * held, whole.rows - held])]
    train, valid, inside = (
        Table(whole.names, np.ascontiguousarray(whole.X[rows]), whole.y[rows]) if len(rows) else None
        for rows in parts
    )
    assert train is not None
    splits = Splits(train, valid, inside, outside)
    task = Task(
        id=identifier,
        name=name or path.name.split(".")[0],
        family=OWN_FAMILY,
        subgroup=OWN_FAMILY,
        features=tuple(
            Variable(
                column, low=float(train.X[:, j].min()), high=float(train.X[:, j].max()), known="observed"
            )
            for j, column in enumerate(whole.names)
        ),
        target=Variable(target, low=float(train.y.min()), high=float(train.y.max()), known="observed"),
        formula=truth,
        source_formula=truth,
        provenance=Provenance(
            path.name,
            "the user's own",
            "unknown" if truth is None else "published",
            "unknown" if truth is None else "published",
            "observed",
            "imported",
        ),
        constants=(),
        sizes=Sizes(train.rows, *(part.rows if part else None for part in (valid, inside, outside))),
        ood_type="none" if outside is None else "given",
        duplicate_group=None,
        recipe={"rule": "table", "rows": whole.rows},
    )
    return task, splits
