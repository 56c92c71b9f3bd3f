"""``arena-tui methods ...`` as a child process whose lines are shown while they come."""

import asyncio
import contextvars
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial


class Child:
    """One such process. Its lines and its end are delivered in the event loop; ``end`` stops it.

    Parameters
    ----------
    words : sequence of str
        What follows ``arena-tui``.
    line : callable
        Takes each line of its output.
    ended : callable
        Takes its exit code.
    """

    def __init__(
        self, words: Sequence[str], line: Callable[[str], object], ended: Callable[[int], object]
    ) -> None:
        self._line, self._ended = line, ended
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "arena_tui", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        threading.Thread(target=self._read, name="arena-install", daemon=True).start()

    def end(self) -> None:
        """Stop it and what it started; an installation begins anew the next time."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)

    def _read(self) -> None:
        if self._process.stdout is not None:
            for line in self._process.stdout:
                self._send(partial(self._line, line.rstrip("\n")))
        code = self._process.wait()
        self._send(partial(self._ended, code))

    def _send(self, call: Callable[[], object]) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call, context=self._context)
