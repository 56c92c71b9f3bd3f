"""Work beside the event loop, on daemon threads: leaving the console never waits for a slow disk."""

import asyncio
import contextvars
import itertools
import threading
from collections.abc import Callable
from typing import TypeVar

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
