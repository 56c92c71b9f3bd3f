"""The journal of one engine: one file a process, appended to, read by people and by the console."""

from datetime import UTC, datetime
from pathlib import Path

from engine.running import liveness, store


def now() -> str:
    """Tell the time as records hold it.

    Returns
    -------
    str
        UTC, ISO 8601, milliseconds.
    """
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Journal:
    """Appends to ``events-HOST-PID.jsonl``.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    """

    def __init__(self, campaign: Path) -> None:
        me = liveness.myself()
        self.path = campaign / f"events-{me['host']}-{me['pid']}.jsonl"

    def write(self, event: str, **facts: object) -> None:
        """Append one event.

        Parameters
        ----------
        event : str
            What happened.
        **facts : object
            About what.

        Raises
        ------
        EngineError
            When the disk is full.
        """
        store.append(self.path, {"at": now(), "event": event, **facts})
