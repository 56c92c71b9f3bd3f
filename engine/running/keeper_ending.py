"""How a keeper ends a run: everything below it, its files, and the reason. Standard library only."""

# pathlib would cost every one of two hundred keepers a megabyte and ten milliseconds.
# ruff: noqa: PTH105, PTH108, PTH112, PTH114, PTH118, PTH123, PTH208

import errno
import json
import os
import signal
import time

from engine.running.watch import SIGNALS, Watch, oom_kills, reap, reaped_cpu
from engine.running.worker_start import RESERVED, START_FAILED

TREE_POLL_S = 0.05
# How long to go on killing what does not die (a process in an uninterruptible system call).
KILL_PATIENCE_S = 5.0
TAIL_BYTES = 262_144
# Less room than this for one more record, and the disk counts as full: no line of a record is longer.
PROBE_BYTES = 65_536


class Ending:
    """How a run was ended: by which signal, with how many others beside the worker."""

    __slots__ = ("by", "cpu_s", "fit_ended", "left", "strays")

    def __init__(self) -> None:
        self.by: str | None = None
        self.strays = 0
        self.left = 0
        self.cpu_s = 0.0
        self.fit_ended = False


def end(watch: Watch, cause: str) -> Ending:
    """End everything below this keeper, gently where that is still owed, and wait until it is gone.

    Parameters
    ----------
    watch : Watch
        The run.
    cause : str
        ``exited``, ``budget``, ``startup``, ``memory``, ``stop`` or ``keeper`` (it failed itself).

    Returns
    -------
    Ending
        What it took.
    """
    ending = Ending()
    ending.fit_ended = _fit_ended_in_budget(watch)
    grace = watch.clock.now() + watch.job.grace_s
    if cause == "budget" and watch.began is not None:
        grace = watch.began + watch.job.budget_s + watch.job.grace_s
    alive = watch.tree.refresh()
    ending.cpu_s = watch.tree.usage().cpu_s + reaped_cpu()
    ending.strays = len(alive - {watch.worker})
    if cause == "budget" and ending.fit_ended:
        # The method has returned in time and only its interpreter is still closing down.
        _wait_until_gone(watch, grace)
        alive = watch.tree.refresh()
    elif cause not in ("memory", "exited"):
        if alive:
            ending.by = "SIGTERM"
        _signal(alive, signal.SIGTERM)
        _wait_until_gone(watch, grace)
        alive = watch.tree.refresh()
    if alive and watch.worker_status is None:
        ending.by = "SIGKILL"
    ending.left = _kill(watch)
    return ending


def _signal(pids: set[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def _wait_until_gone(watch: Watch, deadline: float) -> None:
    """Wait for the worker and then for what is below it; a second stop request cuts the grace short."""
    while watch.clock.now() < deadline:
        reap(watch)
        if watch.worker_status is not None and not watch.tree.refresh():
            return
        if watch.clock.wait(min(TREE_POLL_S, deadline - watch.clock.now())) == signal.SIGINT:
            return


def _kill(watch: Watch) -> int:
    patience = time.monotonic() + KILL_PATIENCE_S
    while True:
        alive = watch.tree.refresh()
        if watch.worker_status is None:
            alive.add(watch.worker)
        if not alive:
            return 0
        _signal(alive, signal.SIGKILL)
        signal.sigtimedwait(SIGNALS, 0.005)
        reap(watch)
        if time.monotonic() > patience:
            return len(watch.tree.refresh())


def _fit_ended_in_budget(watch: Watch) -> bool:
    size = os.fstat(watch.record).st_size
    content = os.pread(watch.record, TAIL_BYTES, max(0, size - TAIL_BYTES))
    for line in content.split(b"\n"):
        if b'"final"' not in line and b'"fit-ended"' not in line:
            continue
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if record.get("event") in ("final", "fit-ended"):
            t = record.get("t")
            if isinstance(t, (int, float)) and t <= watch.job.budget_s:
                return True
    return False


def tidy(watch: Watch) -> None:
    """Keep the method's own files and remove the scratch folder.

    Parameters
    ----------
    watch : Watch
        The run.
    """
    import shutil

    scratch, native = watch.job.scratch, os.path.join(watch.job.scratch, "native")
    if os.path.isdir(native) and not os.path.islink(native) and os.listdir(native):
        try:
            shutil.move(native, os.path.join(watch.attempt, "native"))
        except OSError as error:
            with open(os.path.join(watch.attempt, "worker.log"), "ab") as log:
                log.write(f"native files could not be kept: {error}\n".encode())
    shutil.rmtree(scratch, ignore_errors=True)


def write_exit(watch: Watch, cause: str, ending: Ending) -> None:
    """Write `exit.json`, whose presence closes the attempt.

    Parameters
    ----------
    watch : Watch
        The run.
    cause : str
        See `end`.
    ending : Ending
        What `end` found.
    """
    status, reason = verdict(watch, cause, ending)
    full = status in ("crashed", "start failed") and _disk_is_full(watch.attempt)
    if full:
        reason = f"{reason}; the disk was full"
    code = watch.worker_status
    signalled = os.WTERMSIG(code) if code is not None and os.WIFSIGNALED(code) else None
    ended = watch.worker_ended if watch.worker_status is not None else watch.clock.now()
    record = {
        "schema": 1,
        "status": status,
        "reason": reason,
        "cause": cause,
        "disk_full": full,
        "exit_code": os.WEXITSTATUS(code) if code is not None and os.WIFEXITED(code) else None,
        "signal": signalled,
        "ended_by": ending.by,
        "fit_began": watch.began_at,
        # A worker may be gone before its first line was seen: time does not run backwards.
        "elapsed_s": None if watch.began is None else max(0.0, round(ended - watch.began, 6)),
        "wall_s": round(watch.clock.now(), 6),
        "cpu_s": round(max(ending.cpu_s, reaped_cpu()), 3),
        "peak_rss": watch.peak,
        "strays": ending.strays,
        "left": ending.left,
        "budget_s": watch.job.budget_s,
        "grace_s": watch.job.grace_s,
        "memory_bytes": watch.job.memory_bytes,
        "ended": time.time(),
    }
    reserved = os.path.join(watch.attempt, RESERVED)
    content = json.dumps(record).encode() + b"\n"
    # Written into the reserved blocks, then cut to length: on a full disk there is no room to ask for.
    descriptor = os.open(reserved, os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, content)
        os.ftruncate(descriptor, len(content))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(reserved, os.path.join(watch.attempt, "exit.json"))


def _disk_is_full(attempt: str) -> bool:
    """Tell whether a run that failed had no room for its records: that is then not the method's failure."""
    probe = os.path.join(attempt, ".probe")
    try:
        descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            os.unlink(probe)
            return os.write(descriptor, b" " * PROBE_BYTES) < PROBE_BYTES
        finally:
            os.close(descriptor)
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT)


def verdict(watch: Watch, cause: str, ending: Ending) -> tuple[str, str | None]:
    """Say what the run ended as, and why.

    Parameters
    ----------
    watch : Watch
        The run.
    cause : str
        ``exited``, ``budget``, ``startup``, ``memory`` or ``stop``.
    ending : Ending
        How it was ended.

    Returns
    -------
    status : str
        As in `engine.running.records`.
    reason : str or None
        One sentence; None for an ordinary completion.
    """
    job = watch.job
    others = f"; {ending.strays} further processes ended" if ending.strays else ""
    if cause == "memory":
        limit, peak = (job.memory_bytes or 0) / 2**20, watch.peak / 2**20
        return "memory", f"limit {limit:.0f} MiB, peak {peak:.0f} MiB{others}"
    if cause == "stop":
        return "cancelled", f"stopped on request (by {ending.by or 'its own exit'}){others}"
    if cause == "keeper":
        return "crashed", f"its keeper failed, see worker.log{others}"
    if cause == "startup":
        return "start failed", f"no fit began within {job.startup_s:g} s{others}"
    if cause == "budget":
        if ending.fit_ended:
            late = f"the fit ended in time, its process was ended by {ending.by}" if ending.by else None
            return "completed", f"{late}{others}" if late else (others.removeprefix("; ") or None)
        ended = f"ended by {ending.by}" if ending.by else "ended by itself"
        return "timeout", f"budget of {job.budget_s:g} s used up, {ended}{others}"
    return _verdict_of_exit(watch, others)


def _verdict_of_exit(watch: Watch, others: str) -> tuple[str, str | None]:
    code = watch.worker_status
    assert code is not None
    failed = "crashed" if watch.began is not None else "start failed"
    when = "" if watch.began is not None else " before a fit began"
    if os.WIFSIGNALED(code):
        if os.WTERMSIG(code) == signal.SIGKILL and oom_kills() > watch.oom_kills:
            peak = watch.peak / 2**20
            return "memory", f"killed by the kernel, which was out of memory; peak {peak:.0f} MiB{others}"
        return failed, f"killed (signal {os.WTERMSIG(code)}, not by us){when}{others}"
    number = os.WEXITSTATUS(code)
    if number == 0 and watch.began is not None:
        return "completed", others.removeprefix("; ") or None
    if number == START_FAILED:
        return "start failed", f"failed (exit {number}){when}{others}"
    return failed, f"failed (exit {number}){when}{others}"
