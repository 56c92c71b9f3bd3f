"""The processes that search studies on this machine: found, started on their own, stopped."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from arena_tui.starting import command_line
from engine.errors import EngineError
from engine.reachability.records import PLAN

LOG = "session.log"
"""What the last session that was started here complained of; its tables the screen shows itself."""
_ACTIONS = ("run", "knockout")
# A study that is stopped has no time to hand back its semaphores; that is no news for the person.
_QUIET = "ignore::UserWarning:multiprocessing.resource_tracker"
_LOOK_S = 0.1
_PATIENCE_S = 300.0  # tasks' data may have to be made, and a plan is written before any search
_ENDING_S = 10.0


@dataclass(frozen=True, slots=True)
class Session:
    """A process that searches a study, and when it began (seconds since the epoch)."""

    pid: int
    began: float


def running() -> dict[Path, Session]:
    """Find the studies that are searched now, by whomever they were started.

    Returns
    -------
    dict of Path to Session
        By the study's folder; processes of this user on this machine only.
    """
    found = {}
    for process in psutil.process_iter(["cmdline", "create_time", "uids"]):
        facts = process.info
        out = _out(facts["cmdline"] or ())
        if out is None or (facts["uids"] and facts["uids"].real != os.getuid()):
            continue
        with suppress(psutil.Error, OSError):
            folder = (Path(process.cwd()) / Path(out).expanduser()).resolve()
            found[folder] = Session(process.pid, facts["create_time"])
    return found


def _out(words: Sequence[str]) -> str | None:
    """Return the folder that a command line of ``paired run`` writes to; None for other commands."""
    if not words or not Path(words[0]).name.startswith("python"):
        return None
    at = next(
        (place for place, word in enumerate(words[:-1]) if word == "paired" and words[place + 1] in _ACTIONS),
        None,
    )
    if at is None:
        return None
    rest = list(words[at + 2 :])
    for place, word in enumerate(rest):
        if word.startswith("--out="):
            return word.removeprefix("--out=")
        if word == "--out" and place + 1 < len(rest):
            return rest[place + 1]
    return None


def start(words: Sequence[str], folder: Path) -> str:
    """Run ``arena-tui WORDS`` in a session of its own. Blocks until its plan is written.

    Parameters
    ----------
    words : sequence of str
        ``paired`` and its arguments.
    folder : pathlib.Path
        The study's folder, as in the words.

    Returns
    -------
    str
        What to tell the person.

    Raises
    ------
    EngineError
        With the command's own sentence when it refused.
    """
    before = _written(folder)
    # The command takes a new folder only while it is empty: its words lie beside it until the plan is there.
    aside = folder.parent / f".{folder.name}.{os.getpid()}.log"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "arena_tui", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env={**os.environ, "PYTHONWARNINGS": _QUIET},
                start_new_session=True,
            )
    except OSError as error:
        raise EngineError(f"{folder.parent} cannot be written: {error.strerror}") from error
    # It is this process's child as long as the console lives: somebody has to take its exit code.
    threading.Thread(target=process.wait, name="arena-study", daemon=True).start()
    deadline = time.monotonic() + _PATIENCE_S
    while _written(folder) == before and process.poll() is None and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
    if _written(folder) == before:
        said = _last(aside)
        aside.unlink(missing_ok=True)
        if process.poll() is None:
            process.terminate()
            said = f"no plan within {_PATIENCE_S:.0f} s; try in a shell: {command_line(words)}"
        raise EngineError(said or f"it ended with exit code {process.returncode}")
    aside.replace(folder / LOG)
    return "the study runs on its own now; leaving the console does not end it"


def _written(folder: Path) -> int | None:
    try:
        return (folder / PLAN).stat().st_mtime_ns
    except OSError:
        return None


def _last(log: Path) -> str:
    """Return the last line of a log: the command's sentence."""
    try:
        lines = log.read_text("utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1].removeprefix("arena-tui: ") if lines else ""


def said(folder: Path) -> str:
    """Return what the last session that was started from a console complained of, oldest line first.

    Parameters
    ----------
    folder : pathlib.Path
        The study's folder.

    Returns
    -------
    str
        Empty if it said nothing or was started in a shell.
    """
    try:
        return (folder / LOG).read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""


def stop(folder: Path) -> str:
    """End the process that searches a study, by its id. Finished units stay.

    Parameters
    ----------
    folder : pathlib.Path
        The study's folder.

    Returns
    -------
    str
        What to tell the person.

    Raises
    ------
    EngineError
        If none runs on this machine.
    """
    session = running().get(folder.resolve())
    if session is None:
        raise EngineError("no process of yours on this machine searches this study")
    try:
        process = psutil.Process(session.pid)
        if process.create_time() != session.began:
            return "it had ended by itself"
        process.terminate()
        try:
            process.wait(_ENDING_S)
        except psutil.TimeoutExpired:
            process.kill()
    except psutil.NoSuchProcess:
        return "it had ended by itself"
    return "stopped; finished units are kept, and R goes on from there"
