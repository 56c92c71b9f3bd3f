"""Attempts at runs: making a new one, and telling what became of those an earlier engine left."""

import contextlib
import json
import os
import secrets
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.running import layout, liveness, process_tree, store
from engine.running.reader import attempts
from engine.running.records import RunKey

# How long a keeper may take from its start to its first record, on a busy machine.
_CLAIM_PATIENCE_S = 3.0
# A keeper of another machine that has left no sign for this long is taken for dead.
_SILENCE_S = 60.0


class Found(Enum):
    """What an earlier engine's attempt is now."""

    ENDED = "its result is there"
    CLOSED = "its keeper has written why it ended, its result is to be composed"
    ALIVE = "its keeper lives"
    LOST = "its keeper is gone without a word"


def create(campaign: Path, key: RunKey) -> tuple[int, Path]:
    """Make the folder of a run's next attempt; no attempt is ever written over.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    key : RunKey
        The run.

    Returns
    -------
    number : int
        The attempt's number.
    folder : pathlib.Path
        Its folder, made by this call alone.

    Raises
    ------
    EngineError
        When the disk is full.
    """
    number = max(attempts(campaign, key), default=0) + 1
    while True:
        folder = layout.attempt_folder(campaign, key, number)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except FileExistsError:
            number += 1
        except OSError as error:
            raise EngineError(store.disk_sentence(folder, error)) from error
        else:
            return number, folder


def new_mark() -> str:
    """Make a run's mark.

    Returns
    -------
    str
        32 random hexadecimal digits.
    """
    return secrets.token_hex(16)


def set_aside_damage(campaign: Path, folder: Path) -> list[str]:
    """Move the damaged whole-file records of an attempt out of the way; nothing is deleted.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    folder : pathlib.Path
        The attempt.

    Returns
    -------
    list of str
        Paths inside the campaign of what was damaged.
    """
    found = []
    for name in (layout.RESULT, layout.EXIT, layout.KEEPER):
        try:
            store.read_record(folder / name)
        except EngineError:
            store.set_aside(folder / name, campaign / layout.DAMAGED)
            found.append(str((folder / name).relative_to(campaign)))
    return found


def examine(folder: Path, submitted_alive: Callable[[Path], bool]) -> Found:
    """Tell what became of an attempt whose engine is gone. Its damage has been set aside before.

    Parameters
    ----------
    folder : pathlib.Path
        The attempt.
    submitted_alive : callable
        Tells of an attempt that was submitted to a queue whether its job still waits or runs.

    Returns
    -------
    Found
        An attempt whose keeper had not yet said a word is claimed by this call, so that a keeper that was
        only slow cannot start a worker any more.
    """
    if (folder / layout.RESULT).exists():
        return Found.ENDED
    if (folder / layout.EXIT).exists():
        return Found.CLOSED
    if (folder / layout.SUBMISSION).exists():
        alive: bool | None = submitted_alive(folder)
    else:
        alive = _keeper_alive(folder)
    if (folder / layout.EXIT).exists():
        return Found.CLOSED
    return Found.ALIVE if alive else Found.LOST


def _keeper_alive(folder: Path) -> bool:
    keeper = store.read_record(folder / layout.KEEPER)
    if keeper is None and _fresh(folder):
        deadline = time.monotonic() + _CLAIM_PATIENCE_S
        while keeper is None and time.monotonic() < deadline:
            time.sleep(0.05)
            keeper = store.read_record(folder / layout.KEEPER)
    if keeper is None:
        note = {"abandoned": True, "by": liveness.myself(), "at": time.time()}
        if store.write_new(folder / layout.KEEPER, (json.dumps(note) + "\n").encode()):
            return False
        keeper = store.read_record(folder / layout.KEEPER) or {}
    return _lives(keeper, folder)


def _lives(keeper: Mapping[str, Any], folder: Path) -> bool:
    alive = liveness.alive(keeper)
    # A keeper on another machine lives as long as its signs come.
    return _fresh(folder) if alive is None else alive


def _fresh(folder: Path) -> bool:
    newest = 0.0
    with contextlib.suppress(OSError):
        newest = folder.stat().st_mtime
    with contextlib.suppress(OSError):
        newest = max(newest, (folder / layout.TELEMETRY).stat().st_mtime)
    return time.time() - newest < _SILENCE_S


def keeper_of(folder: Path) -> Mapping[str, Any] | None:
    """Read who keeps an attempt.

    Parameters
    ----------
    folder : pathlib.Path
        The attempt.

    Returns
    -------
    mapping or None
        The keeper's record; None when there is none that can be read.
    """
    try:
        record = store.read_record(folder / layout.KEEPER)
    except EngineError:
        return None
    return None if record is None or record.get("abandoned") else record


def kept(folder: Path) -> bool:
    """Tell whether an attempt still has its keeper.

    Parameters
    ----------
    folder : pathlib.Path
        The attempt.

    Returns
    -------
    bool
        False once the keeper is gone; one of another machine lives as long as its signs come.
    """
    keeper = keeper_of(folder)
    return keeper is not None and _lives(keeper, folder)


def stop_keeper(folder: Path) -> bool:
    """Ask an attempt's keeper to end its run, when it lives on this machine.

    Parameters
    ----------
    folder : pathlib.Path
        The attempt.

    Returns
    -------
    bool
        Whether a living keeper was told.
    """
    keeper = keeper_of(folder)
    if keeper is None or not liveness.alive(keeper):
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(keeper["pid"]), signal.SIGTERM)
        return True
    return False


def clean_up(folder: Path) -> int:
    """End what a dead keeper left: its run's processes, unfinished files, and the scratch folder.

    Parameters
    ----------
    folder : pathlib.Path
        The attempt.

    Returns
    -------
    int
        How many processes were ended.
    """
    # What its writers had not finished, and the room kept for a last word that was not spoken.
    for path in folder.glob(".*"):
        with contextlib.suppress(OSError):
            path.unlink()
    keeper = keeper_of(folder)
    if keeper is None or not liveness.here(keeper) or not process_tree.available():
        return 0
    ended: set[int] = set()
    for _ in range(50):
        left = process_tree.marked(str(keeper.get("mark")))
        if not left:
            break
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                ended.add(pid)
        time.sleep(0.02)
    scratch = keeper.get("scratch")
    if isinstance(scratch, str):
        shutil.rmtree(scratch, ignore_errors=True)
    return len(ended)
