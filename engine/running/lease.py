"""Which engine owns a campaign: a lock on this machine, and a lease with a heartbeat for other machines."""

import fcntl
import json
import os
import time
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.running import layout, liveness, store

HEARTBEAT_S = 5.0
# A lease of another machine counts as given up after this long without a heartbeat.
LEASE_S = 60.0


class Lease:
    """The ownership of a campaign by this process, from `take` to `release`.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    """

    def __init__(self, campaign: Path) -> None:
        self._campaign = campaign
        self._lock: int | None = None
        self._beaten = 0.0

    def take(self) -> None:
        """Become the campaign's engine.

        Raises
        ------
        EngineError
            When another live engine is.
        """
        control = self._campaign / layout.CONTROL
        try:
            control.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._campaign / layout.LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise EngineError(store.disk_sentence(control, error)) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise EngineError(_owned(self._campaign, owner(self._campaign) or {})) from None
        other = owner(self._campaign)
        if other is not None:
            os.close(lock)
            raise EngineError(_owned(self._campaign, other))
        self._lock = lock
        self.beat((), force=True)

    def beat(self, runs: tuple[str, ...], *, force: bool = False) -> None:
        """Say that this engine lives, and which runs it watches.

        Parameters
        ----------
        runs : tuple of str
            Run ids.
        force : bool
            Whether to write even when the last heartbeat is recent.
        """
        now = time.monotonic()
        if force or now - self._beaten >= HEARTBEAT_S:
            self._beaten = now
            record = {**liveness.myself(), "heartbeat": time.time(), "runs": list(runs)}
            store.write_whole(self._campaign / layout.LEASE, (json.dumps(record) + "\n").encode())

    def release(self) -> None:
        """Give the campaign up."""
        if self._lock is not None:
            (self._campaign / layout.LEASE).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None


def owner(campaign: Path) -> dict[str, Any] | None:
    """Find the live engine of a campaign.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.

    Returns
    -------
    dict or None
        Its lease; None when no engine is alive as far as can be known.
    """
    try:
        record = store.read_record(campaign / layout.LEASE)
    except EngineError:
        return None
    if record is None:
        return None
    alive = liveness.alive(record)
    if alive is None:
        beat = record.get("heartbeat")
        alive = isinstance(beat, (int, float)) and time.time() - beat < LEASE_S
    return record if alive else None


def refuse_if_owned(campaign: Path) -> None:
    """Say that a live engine has a campaign, before anything is announced or written.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.

    Raises
    ------
    EngineError
        When it has an owner.
    """
    record = owner(campaign)
    if record is not None:
        raise EngineError(_owned(campaign, record))


def _owned(campaign: Path, record: dict[str, Any]) -> str:
    who = f"engine {record['pid']} on {record['host']}" if "pid" in record else "another engine"
    return (
        f"{campaign} is owned by a live {who}: watch it with arena-tui monitor {campaign}, "
        "or end that engine first"
    )
