"""Reading and writing the tables that distillation takes in and gives out: TSV, CSV or Parquet."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from engine.errors import EngineError
from engine.running import store

SEPARATORS = {".tsv": "\t", ".txt": "\t", ".csv": ","}


def read_table(path: Path) -> pd.DataFrame:
    """Read one table.

    Parameters
    ----------
    path : pathlib.Path
        A ``.tsv``, ``.csv`` or ``.parquet`` file with a header.

    Returns
    -------
    pandas.DataFrame
        Its columns as they stand; identifiers are text.

    Raises
    ------
    EngineError
        When the file is absent, unreadable or of another kind.
    """
    if not path.is_file():
        raise EngineError(f"{path} does not exist; give a .tsv, .csv or .parquet table")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        if path.suffix in SEPARATORS:
            # Only an empty field is missing: a task named "NA" or "nan" keeps its name.
            return pd.read_csv(path, sep=SEPARATORS[path.suffix], keep_default_na=False, na_values=[""])
    except (ValueError, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise EngineError(f"{path} cannot be read as a table: {first}") from error
    raise EngineError(f"{path.name} is not a .tsv, .csv or .parquet table")


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write one table, of the kind its name says.

    Parameters
    ----------
    frame : pandas.DataFrame
        The rows.
    path : pathlib.Path
        ``.tsv``, ``.csv`` or ``.parquet``.

    Raises
    ------
    EngineError
        When the name has another ending, or the file cannot be written; an older one then stays as it was.
    """
    if path.suffix == ".parquet":
        content = frame.to_parquet(None, index=False)
    elif path.suffix in SEPARATORS:
        text = frame.to_csv(None, sep=SEPARATORS[path.suffix], index=False, lineterminator="\n")
        content = text.encode()
    else:
        raise EngineError(f"{path.name} is not a .tsv, .csv or .parquet name")
    store.make_folder(path.parent)
    store.write_whole(path, content)


def require_columns(frame: pd.DataFrame, needed: Iterable[str], where: str) -> None:
    """Check that a table has the columns that are about to be read.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.
    needed : iterable of str
        Column names.
    where : str
        What the table is called in the message.

    Raises
    ------
    EngineError
        Naming the missing columns and those that are there.
    """
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise EngineError(
            f"{where} lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)} "
            f"(it has {', '.join(map(str, frame.columns))})"
        )


def first_column(frame: pd.DataFrame, spellings: Sequence[str], where: str) -> str:
    """Return the first of several spellings of a column that a table has.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.
    spellings : sequence of str
        Column names in order of preference.
    where : str
        What the table is called in the message.

    Returns
    -------
    str
        The column's name.

    Raises
    ------
    EngineError
        When none is there.
    """
    for name in spellings:
        if name in frame.columns:
            return name
    raise EngineError(
        f"{where} lacks a column {' or '.join(spellings)} (it has {', '.join(map(str, frame.columns))})"
    )


def whole_numbers(frame: pd.DataFrame, column: str, where: str) -> list[int]:
    """Return a column of whole numbers.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.
    column : str
        Its column.
    where : str
        What the table is called in the message.

    Returns
    -------
    list of int
        One per row.

    Raises
    ------
    EngineError
        Naming the first value that is none.
    """
    values = pd.to_numeric(frame[column], errors="coerce")
    broken = frame[column][~(values % 1 == 0)]
    if len(broken):
        raise EngineError(
            f"{where}: {column} in row {broken.index[0] + 1} is no whole number: {broken.iloc[0]!r}"
        )
    return [int(value) for value in values]


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, for manifests.

    Parameters
    ----------
    path : pathlib.Path
        An existing file.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    return hashlib.sha256(path.read_bytes()).hexdigest()
