"""Packed records of finished runs: two Parquet files a segment, read lazily and by run.

``segments/NAME-runs.parquet`` has one row per finished attempt with its result; ``NAME-logs.parquet`` has its
logs, a column each, in the same order and in row groups small enough to read one run alone.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.running import layout, store
from engine.running.records import Run, RunKey

RUNS_SUFFIX = "-runs.parquet"
LOGS_SUFFIX = "-logs.parquet"
LOGS = (layout.INCUMBENTS, layout.EVALUATIONS, layout.TELEMETRY)
# Ten runs to a row group: small enough to read one run fast, large enough to compress well.
_ROWS_IN_GROUP = 10


@dataclass(frozen=True, slots=True)
class Packed:
    """One finished attempt in a segment."""

    key: RunKey
    attempt: int
    result: dict[str, Any]
    segment: Path


def read_results(campaign: Path) -> dict[tuple[RunKey, int], Packed]:
    """Read the results of every segment of a campaign; no trajectory is touched.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.

    Returns
    -------
    dict
        By run and attempt.
    """
    folder = campaign / layout.SEGMENTS
    files = sorted(folder.glob(f"*{RUNS_SUFFIX}")) if folder.is_dir() else []
    if not files:
        return {}
    import pyarrow.parquet as pq

    packed: dict[tuple[RunKey, int], Packed] = {}
    for file in files:
        try:
            columns = pq.ParquetFile(file, memory_map=True).read().to_pydict()
        except (OSError, ValueError) as error:
            raise EngineError(f"{file} is damaged ({error}): restore it, or move it aside") from error
        for label, task, seed, condition, attempt, result in zip(
            *(columns[name] for name in ("label", "task", "seed", "condition", "attempt", "result")),
            strict=True,
        ):
            key = RunKey(label, task, seed, condition)
            packed[key, attempt] = Packed(key, attempt, json.loads(result), file)
    return packed


def read_log(segment: Path, run: str, attempt: int, log: str) -> bytes:
    """Read one log of one packed attempt.

    Parameters
    ----------
    segment : pathlib.Path
        The segment's ``-runs.parquet`` file.
    run : str
        Run id.
    attempt : int
        Attempt number.
    log : str
        ``incumbents.jsonl``, ``evaluations.jsonl`` or ``telemetry.jsonl``.

    Returns
    -------
    bytes
        The log as it was.
    """
    group, within = divmod(_rows(segment)[run, attempt], _ROWS_IN_GROUP)
    return _group(segment, group, log)[within]


@lru_cache(maxsize=64)
def _rows(segment: Path) -> dict[tuple[str, int], int]:
    """Tell in which row every attempt of a segment stands; a segment's files never change."""
    import pyarrow.parquet as pq

    columns = pq.ParquetFile(segment, memory_map=True).read(columns=["run", "attempt"]).to_pydict()
    return {pair: row for row, pair in enumerate(zip(columns["run"], columns["attempt"], strict=True))}


# Scorers read run after run: the neighbours in the group just read come for nothing.
@lru_cache(maxsize=8)
def _group(segment: Path, group: int, log: str) -> list[bytes]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(logs_file(segment), memory_map=True) as file:
        contents: list[bytes] = (
            file.read_row_group(group, columns=[log], use_threads=False).column(0).to_pylist()
        )
    return contents


def logs_file(segment: Path) -> Path:
    """Name the file with a segment's logs.

    Parameters
    ----------
    segment : pathlib.Path
        The segment's ``-runs.parquet`` file.

    Returns
    -------
    pathlib.Path
        Its ``-logs.parquet`` file.
    """
    return segment.with_name(segment.name.removesuffix(RUNS_SUFFIX) + LOGS_SUFFIX)


def pack(campaign: Path, runs: Iterable[Run], *, keep_live: bool = False) -> Path | None:
    """Write one segment of finished runs, and pack their live logs away once it reads back.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    runs : iterable of Run
        Candidates; those that have not ended, or are packed already, are left alone.
    keep_live : bool
        Whether to leave the live logs in place as well.

    Returns
    -------
    pathlib.Path or None
        The segment, None when there was nothing to pack.

    Raises
    ------
    EngineError
        When the segment cannot be written or does not read back; the live logs are then untouched.
    """
    chosen = sorted(
        (run for run in runs if run.ended and run.segment is None and run.folder), key=lambda r: r.key
    )
    if not chosen:
        return None
    folder = campaign / layout.SEGMENTS
    folder.mkdir(exist_ok=True)
    segment = folder / f"{secrets.token_hex(6)}{RUNS_SUFFIX}"
    # The logs go first: a segment exists for a reader once its runs file is there.
    _write_logs(logs_file(segment), chosen)
    _check_logs(logs_file(segment), chosen)
    _write_runs(segment, chosen)
    if not keep_live:
        for run in chosen:
            for log in LOGS:
                assert run.folder is not None
                (run.folder / log).unlink(missing_ok=True)
    return segment


def _bytes(run: Run, log: str) -> bytes:
    assert run.folder is not None
    try:
        return (run.folder / log).read_bytes()
    except FileNotFoundError:
        return b""


def _write_runs(path: Path, runs: Sequence[Run]) -> None:
    import pyarrow as pa

    names = ("run", "label", "task", "seed", "condition", "attempt", "result")
    rows: list[tuple[Any, ...]] = []
    for run in runs:
        assert run.folder is not None
        result = store.read_record(run.folder / layout.RESULT)
        if result is None:
            raise EngineError(f"{run.id} lost its result while it was being packed")
        text = json.dumps(result, allow_nan=False)
        rows.append((run.id, run.label, run.task, run.seed, run.condition, run.attempt, text))
    types = (pa.string(), pa.string(), pa.string(), pa.int64(), pa.string(), pa.int32(), pa.string())
    columns = [
        pa.array(list(values), kind) for values, kind in zip(zip(*rows, strict=True), types, strict=True)
    ]
    _write(
        path,
        pa.schema(list(zip(names, types, strict=True))),
        [pa.table(columns, names=list(names))],
        len(rows),
    )


def _write_logs(path: Path, runs: Sequence[Run]) -> None:
    import pyarrow as pa

    schema = pa.schema(
        [("run", pa.string()), ("attempt", pa.int32()), *((log, pa.large_binary()) for log in LOGS)]
    )

    def groups() -> Iterator[Any]:
        for start in range(0, len(runs), _ROWS_IN_GROUP):
            rows = [
                {"run": run.id, "attempt": run.attempt, **{log: _bytes(run, log) for log in LOGS}}
                for run in runs[start : start + _ROWS_IN_GROUP]
            ]
            yield pa.Table.from_pylist(rows, schema=schema)

    _write(path, schema, groups(), _ROWS_IN_GROUP)


def _write(path: Path, schema: Any, tables: Iterable[Any], rows_in_group: int) -> None:  # noqa: ANN401
    import pyarrow.parquet as pq

    temporary = path.with_name(f".{path.name}")
    try:
        with pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
            for table in tables:
                writer.write_table(table, row_group_size=rows_in_group)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise EngineError(store.disk_sentence(path, error)) from error


def _check_logs(path: Path, runs: Sequence[Run]) -> None:
    """Compare what was packed with the live logs, byte by byte, before any of them is removed."""
    import pyarrow.parquet as pq

    expected = iter(runs)
    with pq.ParquetFile(path, memory_map=True) as file:
        for group in range(file.num_row_groups):
            for row in file.read_row_group(group).to_pylist():
                run = next(expected)
                if any(row[log] != _bytes(run, log) for log in LOGS):
                    raise EngineError(f"{path} does not read back {run.id}: the live logs were kept")


def unpack(run: Run, folder: Path) -> None:
    """Write a packed run's logs back as live files.

    Parameters
    ----------
    run : Run
        A run that was read from a segment.
    folder : pathlib.Path
        Where its logs go.
    """
    assert run.segment is not None
    for log in LOGS:
        content = read_log(run.segment, run.id, run.attempt, log)
        if content:
            store.write_whole(folder / log, content)
