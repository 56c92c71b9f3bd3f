"""Whether a process that left its name in a record is still alive: host, boot, pid and start time agree."""

import os
import socket
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def host() -> str:
    """Name this machine.

    Returns
    -------
    str
        The host name.
    """
    return socket.gethostname()


@cache
def boot_id() -> str:
    """Name this boot of this machine.

    Returns
    -------
    str
        The kernel's boot id; the boot time where the kernel has none.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        import psutil

        return f"boot-{psutil.boot_time():.0f}"


def start_time(pid: int) -> str | None:
    """Tell when a process of this machine started, in the kernel's own units.

    Parameters
    ----------
    pid : int
        Process id.

    Returns
    -------
    str or None
        None when there is no such process, or only its unreaped remains.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return _start_time_elsewhere(pid)
    return None if fields[0] in {b"Z", b"X"} else fields[19].decode()


def _start_time_elsewhere(pid: int) -> str | None:
    if Path("/proc/self/stat").exists():
        return None
    import psutil

    try:
        return f"{psutil.Process(pid).create_time():.3f}"
    except psutil.Error:
        return None


def myself() -> dict[str, Any]:
    """Describe this process as a record holds it.

    Returns
    -------
    dict
        host, boot_id, pid and started.
    """
    return {"host": host(), "boot_id": boot_id(), "pid": os.getpid(), "started": start_time(os.getpid())}


def here(record: Mapping[str, Any]) -> bool:
    """Tell whether a record was written on this machine since it booted.

    Parameters
    ----------
    record : mapping
        With host and boot_id.

    Returns
    -------
    bool
        True when both are this machine's.
    """
    return record.get("host") == host() and record.get("boot_id") == boot_id()


def alive(record: Mapping[str, Any]) -> bool | None:
    """Tell whether the process a record describes is alive.

    Parameters
    ----------
    record : mapping
        With host, boot_id, pid and started.

    Returns
    -------
    bool or None
        None when it ran on another machine, where nobody here can know.
    """
    if record.get("host") != host():
        return None
    if record.get("boot_id") != boot_id():
        return False
    pid = record.get("pid")
    return isinstance(pid, int) and start_time(pid) is not None and start_time(pid) == record.get("started")
