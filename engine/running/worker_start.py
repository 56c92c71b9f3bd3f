"""How a keeper takes an attempt and starts its worker. Standard library only, few imports."""

# pathlib would cost every one of two hundred keepers a megabyte and ten milliseconds.
# ruff: noqa: PTH108, PTH118, PTH123

import json
import os
import resource
import signal
import time

from engine.running.job import Job
from engine.running.watch import Watch

RECORD_FD = 3
START_FAILED = 4
# Room kept on the disk from the start, so that a full disk cannot keep the reason from being written.
RESERVED_BYTES = 4096
RESERVED = ".exit.json"

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def become_subreaper() -> None:
    """Make every orphan below this process its child: none can leave the tree by forking twice."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    import ctypes

    try:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except (AttributeError, OSError):
        # Not Linux: only the worker's own session can then be ended for certain.
        return


def claim(job: Job) -> bool:
    """Make `keeper.json` unless it exists: of two keepers of one attempt only one starts a worker.

    Parameters
    ----------
    job : Job
        The job.

    Returns
    -------
    bool
        False when another keeper, or the engine that gave the attempt up, was first.
    """
    path = os.path.join(job.attempt, "keeper.json")
    with open("/proc/self/stat", "rb") as file:
        started = file.read().rpartition(b")")[2].split()[19].decode()
    record = {
        "host": job.host or os.uname().nodename,
        "boot_id": _boot_id(),
        "pid": os.getpid(),
        "started": started,
        "mark": job.mark,
        "scratch": job.scratch,
        "at": time.time(),
    }
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "wb") as new:
        new.write(json.dumps(record).encode() + b"\n")
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(temporary)
    return True


def _boot_id() -> str:
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


def reserve(watch: Watch) -> None:
    """Take the disk space of `exit.json` beforehand.

    Parameters
    ----------
    watch : Watch
        The run.
    """
    with open(os.path.join(watch.attempt, RESERVED), "wb") as file:
        file.write(b" " * RESERVED_BYTES)


def start(watch: Watch) -> int:
    """Start the worker in a session of its own.

    Parameters
    ----------
    watch : Watch
        The run.

    Returns
    -------
    int
        Its process id.
    """
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        try:
            _become_worker(watch, keeper)
        except BaseException as error:  # noqa: BLE001 - between fork and exec nobody else can report it
            os.write(watch.log, f"the worker could not be started: {error}\n".encode())
        os._exit(START_FAILED)
    return worker


def _become_worker(watch: Watch, keeper: int) -> None:
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    # Copies are made above the numbers they go to, so that none is overwritten before its turn.
    log, null, own = (_above(number) for number in (watch.log, null, watch.record))
    record = os.open(f"/proc/self/fd/{own}", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    record = _above(record)
    for source, target in ((null, 0), (log, 1), (log, 2), (record, RECORD_FD)):
        os.dup2(source, target, inheritable=True)
    os.chdir(watch.job.scratch)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    environment = {**watch.job.env, "ARENA_RUN_MARK": watch.job.mark, "ARENA_RECORD_FD": str(RECORD_FD)}
    argv = watch.job.argv
    os.execvpe(argv[0], argv, environment)  # noqa: S606 - no shell is wanted


def _above(descriptor: int) -> int:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
