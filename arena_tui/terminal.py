"""The terminal is given back as it was found, on every way out that can run code."""

import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Mouse reports (normal, button, any motion, focus, SGR, urxvt), bracketed paste and in-band resizes off, the
# keyboard protocol popped, line wrap on, alternate screen left, cursor shown, colours reset.
RESTORE = (
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?2048l"
    "\x1b[<u\x1b[?7h\x1b[?1049l\x1b[?25h\x1b[0m"
)
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def usable() -> str | None:
    """Say why the console cannot be shown here.

    Returns
    -------
    str or None
        One sentence that names the headless commands, or None when there is a terminal.
    """
    if os.environ.get("TEXTUAL_DRIVER"):
        # Served to a browser: the pipes are the screen.
        return None
    for stream, what in ((sys.stdin, "input"), (sys.stdout, "output")):
        if stream is None or not stream.isatty():
            return (
                f"the console needs a terminal, and standard {what} is not one; "
                "without one use arena-tui run, status, checkpoints, score or export (all take --json)"
            )
    if os.environ.get("TERM", "") in ("", "dumb"):
        return (
            "the console needs a terminal that can place text, and TERM is "
            f"{os.environ.get('TERM') or 'not set'}; use arena-tui run, status, score or export instead"
        )
    return None


@contextmanager
def kept() -> Iterator[None]:
    """Keep the terminal's modes, and bring them back whatever happens inside."""
    out = sys.__stdout__
    if out is None or not out.isatty():
        yield
        return
    descriptor = out.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        yield
    finally:
        try:
            os.write(descriptor, RESTORE.encode())
            termios.tcsetattr(descriptor, termios.TCSANOW, before)
        except (OSError, termios.error):
            # The terminal itself is gone (SIGHUP): there is nothing left to restore.
            pass


def on_ending_signals(leave: Callable[[int], object]) -> None:
    """Leave in good order when a signal asks for the end.

    Parameters
    ----------
    leave : callable
        Called with the signal's number, in the event loop.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    for number in ENDING:
        loop.add_signal_handler(number, leave, number)


def reset() -> int:
    """Bring back a terminal that a killed console left in its modes.

    Returns
    -------
    int
        0.
    """
    import subprocess

    sys.stdout.write(RESTORE)
    sys.stdout.flush()
    if sys.stdin.isatty():
        subprocess.run(["stty", "sane"], check=False)
    return 0
