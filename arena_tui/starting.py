"""Starting a campaign's engine from the console: a process of its own, that outlives the console."""

import shlex
import subprocess
import sys
from collections.abc import Sequence

from engine.errors import EngineError

# Making splits and checking environments may take a while before the engine is detached.
_PATIENCE_S = 300.0


def command_line(words: Sequence[str]) -> str:
    """Write the command that does the same from a shell.

    Parameters
    ----------
    words : sequence of str
        What follows ``arena-tui``.

    Returns
    -------
    str
        Quoted for a POSIX shell.
    """
    return shlex.join(["arena-tui", *words])


def start(words: Sequence[str]) -> str:
    """Run ``arena-tui WORDS --detach``. Blocks until the engine is on its own; call it beside the loop.

    Parameters
    ----------
    words : sequence of str
        ``run`` and its arguments.

    Returns
    -------
    str
        What the command said.

    Raises
    ------
    EngineError
        With the command's own sentence when it refused.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", "arena_tui", *words, "--detach"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EngineError(
            f"the engine did not start within {_PATIENCE_S:.0f} s; try in a shell: {command_line(words)}"
        ) from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise EngineError(said[-1].removeprefix("arena-tui: ") if said else f"exit code {done.returncode}")
    said = done.stdout.strip().splitlines() or done.stderr.strip().splitlines()
    return said[-1] if said else "the engine runs on its own now"
