"""The keeper of one run: starts the worker, holds its limits, ends everything below it, says why it ended.

Started by the engine (or by a Slurm job) as a process of its own session, and alone with its run from then
on: it needs no engine. Standard library only and few imports, because a campaign may have two hundred.
"""

# pathlib would cost every one of two hundred keepers a megabyte and ten milliseconds.
# ruff: noqa: PTH123

import os
import signal
import sys
import time

from engine.running import keeper_ending, worker_start
from engine.running.job import read
from engine.running.watch import SIGNALS, Clock, Watch, reap, sample

STARTUP_POLL_S = 0.02
SIGN_S = 5.0
MEMORY_POLL_S = 0.25
TREE_LOOK_S = 1.0
HEAD_BYTES = 65_536
NOT_MINE = 17


def main(arguments: list[str], clock: Clock | None = None) -> int:
    """Keep one run.

    Parameters
    ----------
    arguments : list of str
        The path of the job file; ``-`` or nothing reads the job from standard input.
    clock : Clock, optional
        The machine's when omitted.

    Returns
    -------
    int
        0 when the run has ended and `exit.json` says why, 17 when somebody else keeps this attempt.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    if arguments and arguments[0] != "-":
        with open(arguments[0], "rb") as file:
            content = file.read()
    else:
        content = sys.stdin.buffer.read()
    job = read(content)
    if not worker_start.claim(job):
        return NOT_MINE
    worker_start.become_subreaper()
    if job.affinity:
        os.sched_setaffinity(0, job.affinity)
    watch = Watch(job, clock or Clock())
    worker_start.reserve(watch)
    watch.worker = worker_start.start(watch)
    try:
        cause = _wait_for_begin(watch) or _wait_for_end(watch)
    except Exception as error:  # noqa: BLE001 - whatever fails here, nothing may be left running
        sys.stderr.write(f"the keeper failed: {error!r}\n")
        cause = "keeper"
    ending = keeper_ending.end(watch, cause)
    keeper_ending.tidy(watch)
    keeper_ending.write_exit(watch, cause, ending)
    return 0


def _wait_for_begin(watch: Watch) -> str | None:
    """Wait for the fit-began line; the cause when the run ends before it."""
    shown = watch.clock.now()
    deadline = shown + watch.job.startup_s
    while True:
        if watch.clock.now() - shown >= SIGN_S:
            shown = watch.clock.now()
            _give_a_sign(watch)
        cause = _step(watch, min(STARTUP_POLL_S, deadline - watch.clock.now()))
        _look_for_begin(watch)
        if watch.began is not None:
            sample(watch)
            # The worker may be gone already: what it did counts as a fit all the same.
            return cause
        if cause:
            return cause
        if watch.clock.now() >= deadline:
            return "startup"


def _give_a_sign(watch: Watch) -> None:
    """Show other machines that this keeper lives: there are no samples before the fit begins."""
    try:
        os.utime(watch.attempt)
    except OSError:
        # Its folder was moved away: that is found out when the last word is to be written.
        return


def _look_for_begin(watch: Watch) -> None:
    size = os.fstat(watch.record).st_size
    if size <= watch.seen:
        return
    content = os.pread(watch.record, min(size, HEAD_BYTES), 0)
    watch.seen = size
    for line in content.split(b"\n")[:-1]:
        if b'"fit-began"' in line:
            watch.began, watch.began_at = watch.clock.now(), time.time()
            return


def _wait_for_end(watch: Watch) -> str:
    assert watch.began is not None
    deadline = watch.began + watch.job.budget_s
    while True:
        now = watch.clock.now()
        if now >= deadline:
            return "budget"
        due = min(deadline, watch.last_sample + watch.job.sample_s)
        if watch.job.memory_bytes:
            due = min(due, watch.last_memory + MEMORY_POLL_S)
        cause = _step(watch, due - now)
        if cause:
            return cause


def _step(watch: Watch, seconds: float) -> str | None:
    """Sleep, then see to signals, dead children, the memory cap and the next sample."""
    caught = watch.clock.wait(seconds)
    if caught in (signal.SIGTERM, signal.SIGINT):
        return "stop"
    reap(watch)
    if watch.worker_status is not None:
        return "exited"
    now = watch.clock.now()
    if watch.job.memory_bytes and now - watch.last_memory >= MEMORY_POLL_S:
        watch.last_memory = now
        if _over_memory(watch):
            return "memory"
    if watch.began is not None and now - watch.last_sample >= watch.job.sample_s:
        sample(watch)
    return None


def _over_memory(watch: Watch) -> bool:
    # New processes are looked for less often than the known ones are measured: the look costs more.
    if watch.last_memory - watch.last_look >= TREE_LOOK_S:
        watch.last_look = watch.last_memory
        watch.tree.refresh()
    used = watch.tree.usage().rss
    watch.peak = max(watch.peak, used)
    # Pages that forked children share are counted once for each: ask for the exact figure before acting.
    limit = watch.job.memory_bytes
    return limit is not None and used > limit and watch.tree.proportional() > limit
