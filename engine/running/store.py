"""How records reach the disk: whole files by temporary name and rename, logs line by line."""

import contextlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import EngineError


def dump(record: Mapping[str, Any]) -> bytes:
    """Write a record as one line of strict JSON (NaN and infinities are refused).

    Parameters
    ----------
    record : mapping
        What to write; non-finite numbers must have been replaced by null and a status.

    Returns
    -------
    bytes
        UTF-8, ending in a newline.
    """
    return (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode()


def write_whole(path: Path, content: bytes) -> None:
    """Put a whole file in place so that no reader ever sees a part of it.

    Parameters
    ----------
    path : pathlib.Path
        Where; an older file of that name stays whole until the new one replaces it.
    content : bytes
        The new content.

    Raises
    ------
    EngineError
        When the disk is full or the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        _remove(temporary)
        raise EngineError(disk_sentence(path, error)) from error


def _remove(temporary: Path) -> None:
    # On a read-only file system there is nothing to remove, and even asking is an error.
    with contextlib.suppress(OSError):
        temporary.unlink()


def write_new(path: Path, content: bytes) -> bool:
    """Put a whole file in place unless one of that name exists.

    Parameters
    ----------
    path : pathlib.Path
        Where.
    content : bytes
        The content.

    Returns
    -------
    bool
        False when a file of that name was there already; it is left as it was.

    Raises
    ------
    EngineError
        When the disk is full or the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError as error:
        raise EngineError(disk_sentence(path, error)) from error
    finally:
        _remove(temporary)
    return True


def make_folder(path: Path) -> Path:
    """Make a folder, and those above it, unless it is there.

    Parameters
    ----------
    path : pathlib.Path
        The folder.

    Returns
    -------
    pathlib.Path
        The same.

    Raises
    ------
    EngineError
        When it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EngineError(disk_sentence(path, error)) from error
    return path


def append(path: Path, record: Mapping[str, Any]) -> None:
    """Append one record to a log; a torn last line of an earlier writer is closed off first.

    Parameters
    ----------
    path : pathlib.Path
        The log.
    record : mapping
        What to append.

    Raises
    ------
    EngineError
        When the disk is full or the log cannot be written. What was there before stays.
    """
    line = dump(record)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            end = os.lseek(descriptor, 0, os.SEEK_END)
            if end and os.pread(descriptor, 1, end - 1) != b"\n":
                line = b"\n" + line
            written = os.write(descriptor, line)
            if written < len(line):
                os.ftruncate(descriptor, end)
                raise EngineError(f"{path} could not be written: the disk is full; free some space")
        finally:
            os.close(descriptor)
    except OSError as error:
        raise EngineError(disk_sentence(path, error)) from error


def disk_sentence(path: Path, error: OSError) -> str:
    """Say in one sentence why a record could not be written.

    Parameters
    ----------
    path : pathlib.Path
        The record.
    error : OSError
        What the system answered.

    Returns
    -------
    str
        The sentence for the user.
    """
    why = error.strerror or type(error).__name__
    return f"{path} could not be written ({why}): make room or choose another folder, then resume"


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines read from a log.

    ``damaged`` has, for every line that could not be read, how many good records stand before it; ``offset``
    is where to read on.
    """

    records: tuple[dict[str, Any], ...]
    offset: int
    damaged: tuple[int, ...]


def read_lines(path: Path, offset: int = 0, *, ended: bool = False) -> Lines:
    """Read the whole lines of a log from a byte offset on.

    Parameters
    ----------
    path : pathlib.Path
        The log; a missing one reads as empty.
    offset : int
        Where an earlier call left off.
    ended : bool
        Whether the writer is gone: an unfinished last line then counts as damaged (or as whole, if it
        reads) instead of being left for the next call.

    Returns
    -------
    Lines
        Records in order. A line that is not a JSON object is skipped and counted as damaged.
    """
    try:
        with path.open("rb") as file:
            file.seek(offset)
            content = file.read()
    except FileNotFoundError:
        return Lines((), offset, ())
    return split_lines(content, offset, ended=ended)


def split_lines(content: bytes, offset: int = 0, *, ended: bool = True) -> Lines:
    """Split bytes of a log into records, as `read_lines` does.

    Parameters
    ----------
    content : bytes
        Bytes of the log from ``offset`` on.
    offset : int
        Where they begin.
    ended : bool
        Whether an unfinished last line is to be read now.

    Returns
    -------
    Lines
        Records, the next offset and the damaged lines.
    """
    whole = len(content) if ended else content.rfind(b"\n") + 1
    records: list[dict[str, Any]] = []
    damaged: list[int] = []
    for line in content[:whole].split(b"\n"):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            damaged.append(len(records))
            continue
        if isinstance(record, dict):
            records.append(record)
        else:
            damaged.append(len(records))
    return Lines(tuple(records), offset + whole, tuple(damaged))


def read_record(path: Path) -> dict[str, Any] | None:
    """Read a whole-file record.

    Parameters
    ----------
    path : pathlib.Path
        The record.

    Returns
    -------
    dict or None
        None when there is no such file.

    Raises
    ------
    EngineError
        When the file is there and is not a JSON object (an empty file included).
    """
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise EngineError(f"{path} is damaged (not a JSON record)") from error
    if not isinstance(record, dict):
        raise EngineError(f"{path} is damaged (not a JSON object)")
    return record


def set_aside(path: Path, folder: Path) -> Path:
    """Move a damaged file out of the way without deleting it.

    Parameters
    ----------
    path : pathlib.Path
        The damaged file.
    folder : pathlib.Path
        Where damaged files are collected; made when missing.

    Returns
    -------
    pathlib.Path
        Where it lies now.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{secrets.token_hex(4)}-{path.parent.name}-{path.name}"
    path.replace(target)
    return target
