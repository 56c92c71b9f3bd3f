"""Work beside the event loop, on daemon threads: leaving the console never waits for a slow disk.

What is asked again and again under one topic (a chart while the cursor moves, a form while one types) runs
one at a time, and only the newest question that waits is asked next.
"""

import asyncio
import contextvars
import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

_Result = TypeVar("_Result")
_count = itertools.count(1)


def run(
    work: Callable[[], _Result],
    done: Callable[[_Result], object],
    failed: Callable[[Exception], object],
) -> None:
    """Call ``work`` on a thread of its own; its outcome comes back in the event loop.

    Parameters
    ----------
    work : callable
        Takes nothing and may block.
    done : callable
        Called in the loop with the result.
    failed : callable
        Called in the loop with the exception.
    """
    loop = asyncio.get_running_loop()
    # Textual finds the running application in the context; what comes back must be called in the same one.
    context = contextvars.copy_context()

    def deliver(call: Callable[[], object]) -> None:
        try:
            loop.call_soon_threadsafe(call, context=context)
        except RuntimeError:
            # The loop has closed: the console is gone, and nobody waits for this any more.
            return

    def body() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - whatever a reader raises becomes a message, not a crash
            caught = error
            deliver(lambda: failed(caught))
        else:
            deliver(lambda: done(result))

    threading.Thread(target=body, name=f"arena-background-{next(_count)}", daemon=True).start()


@dataclass(slots=True)
class _Topic:
    number: int = 0
    busy: bool = False
    waiting: Callable[[], None] | None = None


@dataclass(slots=True)
class Questions:
    """Questions by topic: one at a time each, the newest wins, and no answer comes to an older one."""

    _topics: dict[str, _Topic] = field(default_factory=dict)

    def ask(
        self,
        topic: str,
        work: Callable[[], _Result],
        done: Callable[[_Result], object],
        failed: Callable[[Exception], object],
    ) -> None:
        """Ask a question.

        Parameters
        ----------
        topic : str
            What it is about.
        work : callable
            Takes nothing and may block.
        done, failed : callable
            Called in the loop with the result or the exception, unless a newer question was asked meanwhile.
        """
        state = self._topics.setdefault(topic, _Topic())
        state.number += 1
        start = partial(self._start, state, state.number, work, done, failed)
        if state.busy:
            state.waiting = start
        else:
            start()

    def _start(
        self,
        state: _Topic,
        number: int,
        work: Callable[[], Any],
        done: Callable[[Any], object],
        failed: Callable[[Exception], object],
    ) -> None:
        state.busy = True
        run(work, partial(self._ended, state, number, done), partial(self._ended, state, number, failed))

    @staticmethod
    def _ended(state: _Topic, number: int, deliver: Callable[[Any], object], outcome: object) -> None:
        state.busy = False
        waiting, state.waiting = state.waiting, None
        if waiting is not None:
            waiting()
        if number == state.number:
            deliver(outcome)
