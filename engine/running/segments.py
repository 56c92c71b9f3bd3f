"""Packed records of finished runs: two Parquet files a segment, read lazily and by run.

``segments/NAME-runs.parquet`` has one row per finished attempt with its result; ``NAME-lines.parquet`` has
the lines of its logs, sorted by run, so that one run's lines lie in one or two row groups.
"""

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.running import layout, store
from engine.running.records import Run, RunKey

RUNS_SUFFIX = "-runs.parquet"
LINES_SUFFIX = "-lines.parquet"
LOGS = (layout.INCUMBENTS, layout.EVALUATIONS, layout.TELEMETRY)
# About the lines of ten three-hour runs: small enough to read one run fast, large enough to compress well.
_ROWS_IN_GROUP = 5_000


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
            columns = pq.read_table(file, memory_map=True).to_pydict()
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
    import pyarrow.parquet as pq

    table = pq.read_table(
        lines_file(segment),
        columns=["line"],
        filters=[("run", "==", run), ("attempt", "==", attempt), ("log", "==", log)],
        memory_map=True,
    )
    return b"".join(table.column("line").to_pylist())


def lines_file(segment: Path) -> Path:
    """Name the file with a segment's log lines.

    Parameters
    ----------
    segment : pathlib.Path
        The segment's ``-runs.parquet`` file.

    Returns
    -------
    pathlib.Path
        Its ``-lines.parquet`` file.
    """
    return segment.with_name(segment.name.removesuffix(RUNS_SUFFIX) + LINES_SUFFIX)


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
    # The lines go first: a segment exists for a reader once its runs file is there.
    _write_lines(lines_file(segment), chosen)
    _write_runs(segment, chosen)
    for run in chosen:
        for log in LOGS:
            live = _bytes(run, log)
            if b"".join(_split(live)) != live or (
                live and read_log(segment, run.id, run.attempt, log) != live
            ):
                raise EngineError(
                    f"the segment {segment} does not read back {run.id}: the live logs were kept"
                )
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


def _split(content: bytes) -> list[bytes]:
    return content.splitlines(keepends=True) if b"\r" not in content else [content]


def _write_runs(path: Path, runs: Sequence[Run]) -> None:
    rows: dict[str, list[Any]] = {
        name: [] for name in ("label", "task", "seed", "condition", "attempt", "result")
    }
    for run in runs:
        assert run.folder is not None
        result = store.read_record(run.folder / layout.RESULT)
        if result is None:
            raise EngineError(f"{run.id} lost its result while it was being packed")
        values = (
            run.label,
            run.task,
            run.seed,
            run.condition,
            run.attempt,
            json.dumps(result, allow_nan=False),
        )
        for name, value in zip(rows, values, strict=True):
            rows[name].append(value)
    _write_table(path, rows)


def _write_lines(path: Path, runs: Sequence[Run]) -> None:
    rows: dict[str, list[Any]] = {"run": [], "attempt": [], "log": [], "line": []}
    for run in sorted(runs, key=lambda run: run.id):
        for log in LOGS:
            lines = _split(_bytes(run, log))
            rows["run"] += [run.id] * len(lines)
            rows["attempt"] += [run.attempt] * len(lines)
            rows["log"] += [log] * len(lines)
            rows["line"] += lines
    _write_table(path, rows)


def _write_table(path: Path, rows: dict[str, list[Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"seed": pa.int64(), "attempt": pa.int32(), "line": pa.binary()}
    table = pa.table({name: pa.array(values, types.get(name, pa.string())) for name, values in rows.items()})
    temporary = path.with_name(f".{path.name}")
    try:
        pq.write_table(table, temporary, compression="zstd", row_group_size=_ROWS_IN_GROUP)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise EngineError(store.disk_sentence(path, error)) from error


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
