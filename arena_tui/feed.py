"""Something read again and again: one daemon thread reads, the event loop gets each reading."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

_Reading = TypeVar("_Reading")


class Feed(Generic[_Reading]):
    """Calls ``read`` on a thread of its own until it is closed. Every delivery happens in the event loop.

    Parameters
    ----------
    read : callable
        Returns a reading; may block as long as the disk does, and may keep what it knows between calls.
    interval : float
        Seconds between the end of a reading and the next.
    deliver : callable
        Takes each reading.
    failed : callable
        Takes the exception of a reading that failed; the next may succeed.
    """

    def __init__(
        self,
        read: Callable[[], _Reading],
        interval: float,
        deliver: Callable[[_Reading], object],
        failed: Callable[[Exception], object],
    ) -> None:
        self.interval = interval
        self._read = read
        self._deliver = deliver
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._wake = threading.Event()
        self._closed = False
        threading.Thread(target=self._body, name="arena-feed", daemon=True).start()

    def hurry(self) -> None:
        """Read now instead of at the next tick."""
        self._wake.set()

    def close(self) -> None:
        """Stop reading. Returns at once; a reading under way is not waited for."""
        self._closed = True
        self._wake.set()

    def _body(self) -> None:
        while not self._closed:
            try:
                reading = self._read()
            except Exception as error:  # noqa: BLE001 - a folder may vanish under us; the next look may succeed
                self._send(partial(self._failed, error))
            else:
                self._send(partial(self._deliver, reading))
            self._wake.wait(self.interval)
            self._wake.clear()

    def _send(self, call: Callable[[], object]) -> None:
        if self._closed:
            return
        try:
            self._loop.call_soon_threadsafe(self._run_unless_closed, call, context=self._context)
        except RuntimeError:
            # The loop has closed: the console is gone.
            self._closed = True

    def _run_unless_closed(self, call: Callable[[], object]) -> None:
        if not self._closed:
            call()
