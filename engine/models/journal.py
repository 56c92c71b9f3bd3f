"""Append-only JSON lines: one writer, every line written whole, a cut last line skipped when read."""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.errors import EngineError


class Journal:
    """An append-only file of JSON objects, safe to use from several threads of one process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def append(self, line: Mapping[str, Any]) -> None:
        """Write one object as one line, in a single write to the end of the file.

        Parameters
        ----------
        line : mapping
            A JSON object; NaN and infinity are refused.

        Raises
        ------
        EngineError
            When the file cannot be written.
        """
        data = (json.dumps(line, allow_nan=False, ensure_ascii=False) + "\n").encode()
        with self._lock:
            try:
                self._write(data)
            except OSError as error:
                raise EngineError(
                    f"{self.path} cannot be written ({error.strerror or error}): make room or choose another "
                    "folder; what is in it already is kept"
                ) from error

    def _write(self, data: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_APPEND | os.O_CREAT | os.O_RDWR, 0o644)
        try:
            # A line that a crash cut short must not swallow this one.
            end = os.lseek(descriptor, 0, os.SEEK_END)
            if end and os.pread(descriptor, 1, end - 1) != b"\n":
                data = b"\n" + data
            os.write(descriptor, data)
        finally:
            os.close(descriptor)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read the whole objects of a journal in order; damaged lines are skipped.

    Parameters
    ----------
    path : Path
        The file; a missing one has no lines.

    Yields
    ------
    dict
        One object a line.

    Raises
    ------
    EngineError
        When the file is there and cannot be read.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise EngineError(f"{path} cannot be read ({error.strerror or error})") from error
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value
