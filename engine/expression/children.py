"""Child processes for work that may hang, explode or crash: each job has a hard limit of time and memory.

A job is a function importable by name and arguments that can be pickled. Over its time the child is
killed and replaced in milliseconds; the caller always gets an :class:`Outcome`. The children run with a
fixed hash seed, one thread, and without the user's environment.

>>> with Children(count=2) as pool:
...     outcome = pool.run(math.factorial, 10, seconds=1.0)
"""

import atexit
import contextlib
import os
import queue
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import engine
from engine.expression.child import receive, send

Status = Literal["ok", "error", "timeout", "memory", "died"]

# What the workers of expressions need; a module's preload(), if any, is called once before the first fork.
PRELOAD = (
    *("sympy", "engine.expression.symbolic", "engine.expression.canonical"),
    *("engine.expression.simplify", "engine.expression.rewriting", "engine.expression.from_sympy"),
)
# Adds numba's compiled tree distance (seconds at the first start of a machine, then from a cache).
PRELOAD_DISTANCE = (*PRELOAD, "engine.expression.similarity", "engine.expression.distance")
MEMORY = 2 * 2**30
START_SECONDS = 120.0
_KEPT = ("PATH", "HOME", "NUMBA_CACHE_DIR", "LD_LIBRARY_PATH")
_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB", "NUMBA")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job.

    Attributes
    ----------
    status : str
        ``ok``; ``error`` (the function raised); ``timeout``; ``memory``; ``died`` (the child crashed).
    value : object
        What the function returned, where the status is ``ok``.
    reason : str
        One phrase for any other status.
    seconds : float
        Wall time.
    """

    status: Status
    value: Any
    reason: str
    seconds: float


class ChildrenError(RuntimeError):
    """The children themselves could not be started."""


class Children:
    """A pool of killable workers, started when first used; safe to use from several threads.

    Parameters
    ----------
    count : int
        How many jobs run at once.
    memory : int
        Bytes each worker may allocate beyond what it starts with.
    preload : sequence of str
        Modules imported once, before the workers are forked.
    """

    def __init__(self, count: int = 1, *, memory: int = MEMORY, preload: Sequence[str] = PRELOAD) -> None:
        self.count = count
        self.memory = memory
        self.preload = tuple(preload)
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)
        self._lock = threading.Lock()
        self._nursery: _Nursery | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, function: Callable[..., Any], *arguments: Any, seconds: float) -> Outcome:  # noqa: ANN401
        """Run one job; wait for a free child first.

        Parameters
        ----------
        function : callable
            A module-level function.
        *arguments : object
            Its arguments.
        seconds : float
            The limit on the job itself; starting a child does not count.

        Returns
        -------
        Outcome

        Raises
        ------
        ChildrenError
            When no child can be started, or the pool is closed.
        """
        name = f"{function.__module__}:{function.__qualname__}"
        if self._closed:
            raise ChildrenError("the pool of child processes is closed")
        worker = self._idle.get()
        kept: _Worker | None = None
        try:
            worker = worker or self._start()
            outcome = worker.run(name, arguments, seconds)
            if outcome.status in ("ok", "error"):
                kept = worker
            else:
                self._discard(worker)
        except BaseException:
            if worker is not None:
                self._discard(worker)
            raise
        finally:
            self._idle.put(kept)
        return outcome

    def map(
        self, function: Callable[..., Any], jobs: Iterable[Sequence[Any]], *, seconds: float
    ) -> Iterator[Outcome]:
        """Run many jobs, ``count`` at a time, and give their outcomes in the order of the jobs."""
        with ThreadPoolExecutor(self.count) as threads:
            yield from threads.map(lambda job: self.run(function, *job, seconds=seconds), jobs)

    def close(self) -> None:
        """End every child. The pool cannot be used afterwards."""
        with self._lock:
            self._closed = True
            if self._nursery is not None:
                self._nursery.close()
                self._nursery = None

    def _start(self) -> "_Worker":
        with self._lock:
            if self._closed:
                raise ChildrenError("the pool of child processes is closed")
            if self._nursery is None or not self._nursery.alive():
                self._nursery = _Nursery(self.preload)
            return self._nursery.fork(self.memory)

    def _discard(self, worker: "_Worker") -> None:
        worker.link.close()
        with self._lock:
            if self._nursery is not None:
                self._nursery.kill(worker.pid)


@dataclass(slots=True)
class _Worker:
    pid: int
    link: socket.socket

    def run(self, function: str, arguments: tuple[Any, ...], seconds: float) -> Outcome:
        start = time.monotonic()
        try:
            send(self.link, (function, arguments))
            ready, _, _ = select.select([self.link], [], [], seconds)
            if not ready:
                reason = f"it took longer than {seconds:g} s"
                return Outcome("timeout", None, reason, time.monotonic() - start)
            status, value = receive(self.link)
        except (EOFError, ConnectionError, BrokenPipeError):
            return Outcome("died", None, "the child process crashed", time.monotonic() - start)
        spent = time.monotonic() - start
        return Outcome("ok", value, "", spent) if status == "ok" else Outcome(status, None, str(value), spent)


class _Nursery:
    """The process that imports once and forks the workers."""

    def __init__(self, preload: Sequence[str]) -> None:
        self.link, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "engine.expression.child", str(theirs.fileno()), *preload],
                pass_fds=[theirs.fileno()],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.link.settimeout(START_SECONDS)
        try:
            receive(self.link)
        except (EOFError, OSError):
            self.close()
            raise ChildrenError(
                f"no child process can be started: {sys.executable} -m engine.expression.child ended at once"
            ) from None

    def alive(self) -> bool:
        return self.process.poll() is None

    def fork(self, memory: int) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                send(self.link, ("fork", memory))
                socket.send_fds(self.link, [b"f"], [theirs.fileno()])
                return _Worker(receive(self.link), ours)
            except (EOFError, OSError):
                ours.close()
                raise ChildrenError("the process that forks the children has ended") from None

    def kill(self, pid: int) -> None:
        with contextlib.suppress(EOFError, OSError):
            send(self.link, ("kill", pid))
            receive(self.link)

    def close(self) -> None:
        self.link.close()
        try:
            self.process.wait(5.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    root = str(Path(engine.__file__).parent.parent)
    paths = [root, *(path for path in sys.path if path and path != root)]
    fixed = {"PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(paths), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    return kept | fixed | {f"{name}_NUM_THREADS": "1" for name in _THREADS}


_shared_lock = threading.Lock()
_shared: list[Children] = []


def shared() -> Children:
    """Return the pool this process shares: two workers, ended at exit."""
    with _shared_lock:
        if not _shared:
            _shared.append(Children(count=min(2, os.cpu_count() or 1), preload=PRELOAD_DISTANCE))
            atexit.register(_shared[0].close)
        return _shared[0]
