"""The control spool: what people ask of a running campaign, as files, so that it works across machines."""

import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.running import journal, layout, store

STOP, RETRY, DRAIN = "stop", "retry", "drain"


@dataclass(frozen=True, slots=True)
class Wish:
    """One request: an action and the runs it is about (empty: all that it can be about)."""

    id: str
    action: str
    runs: tuple[str, ...]


def ask(campaign: Path, action: str, runs: Sequence[str]) -> Wish:
    """Put a request into the spool.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    action : str
        ``stop``, ``retry`` or ``drain``.
    runs : sequence of str
        Run ids.

    Returns
    -------
    Wish
        The request.

    Raises
    ------
    EngineError
        When the campaign's folder cannot be written.
    """
    folder = store.make_folder(campaign / layout.REQUESTS)
    # Names sort by time, so that requests are heeded in the order in which they were made.
    wish = Wish(f"{time.time_ns():020d}-{secrets.token_hex(4)}", action, tuple(runs))
    record = {"id": wish.id, "action": action, "runs": list(runs), "at": journal.now()}
    store.write_whole(folder / f"{wish.id}.json", (json.dumps(record) + "\n").encode())
    return wish


def pending(campaign: Path) -> tuple[Wish, ...]:
    """List the requests that no engine has answered yet.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.

    Returns
    -------
    tuple of Wish
        Oldest first; a broken request file is left aside.
    """
    folder = campaign / layout.REQUESTS
    try:
        names = sorted(
            path.name for path in folder.iterdir() if path.suffix == ".json" and path.name[0] != "."
        )
    except OSError:
        return ()
    wishes = []
    for name in names:
        if (campaign / layout.ACKNOWLEDGEMENTS / name).exists():
            continue
        try:
            record = store.read_record(folder / name)
        except EngineError:
            continue
        if record and record.get("action") in {STOP, RETRY, DRAIN}:
            runs = tuple(str(run) for run in record.get("runs") or ())
            wishes.append(Wish(name.removesuffix(".json"), str(record["action"]), runs))
    return tuple(wishes)


def acknowledge(campaign: Path, wish: Wish, answer: Sequence[str]) -> None:
    """Say what became of a request.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    wish : Wish
        The request.
    answer : sequence of str
        The runs it was applied to.
    """
    folder = store.make_folder(campaign / layout.ACKNOWLEDGEMENTS)
    record = {"id": wish.id, "action": wish.action, "applied": list(answer), "at": journal.now()}
    store.write_whole(folder / f"{wish.id}.json", (json.dumps(record) + "\n").encode())


def last_word(campaign: Path, run: str) -> str | None:
    """Find what was last asked, and done, about a run.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    run : str
        Run id.

    Returns
    -------
    str or None
        The action; None when nothing was ever asked. Names of acknowledgements begin with the time.
    """
    for path in sorted((campaign / layout.ACKNOWLEDGEMENTS).glob("*.json"), reverse=True):
        try:
            record = store.read_record(path)
        except EngineError:
            continue
        if record and run in (record.get("applied") or ()):
            return str(record.get("action"))
    return None


def answer(campaign: Path, wish: Wish) -> dict[str, Any] | None:
    """Read what became of a request.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    wish : Wish
        The request.

    Returns
    -------
    dict or None
        With ``applied``; None while no engine has answered.
    """
    return store.read_record(campaign / layout.ACKNOWLEDGEMENTS / f"{wish.id}.json")
