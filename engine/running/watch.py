"""What a keeper knows of its run, and the time it lives by. Standard library only, few imports."""

# pathlib would cost every one of two hundred keepers a megabyte and ten milliseconds.
# ruff: noqa: PTH118, PTH123

import json
import os
import signal
import time

from engine.running.job import Job
from engine.running.process_tree import ProcessTree

SIGNALS = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Clock:
    """The time a keeper lives by; a test injects a faster one.

    Parameters
    ----------
    factor : float
        How many seconds pass in one of the machine's.
    """

    __slots__ = ("_factor", "_start")

    def __init__(self, factor: float = 1.0) -> None:
        self._factor = factor
        self._start = time.monotonic()

    def now(self) -> float:
        """Tell the time.

        Returns
        -------
        float
            Seconds since this clock was made.
        """
        return (time.monotonic() - self._start) * self._factor

    def wait(self, seconds: float) -> int | None:
        """Sleep until a signal comes or the time is over.

        Parameters
        ----------
        seconds : float
            Of this clock.

        Returns
        -------
        int or None
            The signal's number.
        """
        caught = signal.sigtimedwait(SIGNALS, max(0.0, seconds / self._factor))
        return None if caught is None else caught.si_signo


class Watch:
    """What a keeper knows of its run so far."""

    __slots__ = (
        "attempt",
        "began",
        "began_at",
        "clock",
        "job",
        "last_look",
        "last_memory",
        "last_sample",
        "log",
        "oom_kills",
        "peak",
        "record",
        "seen",
        "stop",
        "telemetry",
        "tree",
        "worker",
        "worker_ended",
        "worker_status",
    )

    def __init__(self, job: Job, clock: Clock) -> None:
        self.job = job
        self.clock = clock
        self.attempt: str = job.attempt
        self.tree = ProcessTree(os.getpid())
        self.began: float | None = None
        self.began_at: float | None = None
        self.worker = 0
        self.worker_status: int | None = None
        self.worker_ended = 0.0
        self.stop = False
        self.peak = 0
        self.oom_kills = oom_kills()
        self.seen = 0
        self.last_sample = self.last_memory = self.last_look = clock.now()
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self.record = os.open(os.path.join(self.attempt, "incumbents.jsonl"), flags, 0o644)
        self.log = os.open(os.path.join(self.attempt, "worker.log"), flags, 0o644)
        self.telemetry = os.open(os.path.join(self.attempt, "telemetry.jsonl"), flags, 0o644)


def reap(watch: Watch) -> None:
    """Collect dead children, the worker's status among them.

    Parameters
    ----------
    watch : Watch
        The run.
    """
    while True:
        try:
            pid, status, used = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid == watch.worker:
            watch.worker_status = status
            watch.worker_ended = watch.clock.now()
            watch.peak = max(watch.peak, used.ru_maxrss * 1024)


def sample(watch: Watch) -> None:
    """Append one telemetry line.

    Parameters
    ----------
    watch : Watch
        A run whose fit has begun.
    """
    watch.last_sample = watch.clock.now()
    watch.tree.refresh()
    _curb_log(watch)
    usage = watch.tree.usage()
    watch.peak = max(watch.peak, usage.rss)
    assert watch.began is not None
    line = {
        "t": round(watch.last_sample - watch.began, 3),
        "at": round(time.time(), 3),
        "cpu_s": round(usage.cpu_s + reaped_cpu(), 3),
        "rss": usage.rss,
        "processes": usage.processes,
        "threads": usage.threads,
    }
    try:
        os.write(watch.telemetry, json.dumps(line).encode() + b"\n")
    except OSError:
        # A full disk costs samples, never the supervision.
        return


def _curb_log(watch: Watch) -> None:
    size = os.fstat(watch.log).st_size
    if size > watch.job.log_bytes:
        # The worker appends, so that it goes on at the new end.
        os.ftruncate(watch.log, 0)
        os.write(watch.log, f"[{size} bytes of earlier output were removed here]\n".encode())


def reaped_cpu() -> float:
    """Add up the CPU time of the children this keeper has collected.

    Returns
    -------
    float
        Seconds.
    """
    times = os.times()
    return times.children_user + times.children_system


def oom_kills() -> int:
    """Count the processes the kernel has ended for lack of memory since it booted.

    Returns
    -------
    int
        0 where the kernel does not tell.
    """
    try:
        with open("/proc/vmstat", "rb") as file:
            for line in file:
                if line.startswith(b"oom_kill "):
                    return int(line.split()[1])
    except OSError:
        return 0
    return 0
