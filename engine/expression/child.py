"""The far side of :mod:`engine.expression.children`: a nursery process that forks workers, and the workers.

The nursery imports what the workers will need, then only forks: a fresh worker costs milliseconds and starts
from the same state every time. It ends, and ends every worker, when the process that started it is gone.
"""

import contextlib
import ctypes
import importlib
import os
import pickle
import resource
import signal
import socket
import struct
import sys
from collections.abc import Sequence
from typing import Any

_LENGTH = struct.Struct("!Q")
# SymPy recurses once per level of an expression; the stack has room for the deepest we accept.
STACK = 120 * 2**20
RECURSION = 12_000
# linux/prctl.h
PR_SET_PDEATHSIG = 1


def send(link: socket.socket, value: Any) -> None:  # noqa: ANN401 - anything that can be pickled
    """Send one value over a link."""
    data = pickle.dumps(value)
    link.sendall(_LENGTH.pack(len(data)) + data)


def receive(link: socket.socket) -> Any:  # noqa: ANN401 - anything that can be pickled
    """Receive one value from a link.

    Raises
    ------
    EOFError
        When the other side is gone.
    """
    (length,) = _LENGTH.unpack(_exactly(link, _LENGTH.size))
    return pickle.loads(_exactly(link, length))  # noqa: S301 - both ends are this program


def _exactly(link: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = link.recv(min(count - len(parts), 1 << 20))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def nursery(link: socket.socket, preload: Sequence[str]) -> None:
    """Serve ``("fork", memory)`` and ``("kill", pid)`` until the parent closes the link."""
    for name in preload:
        module = importlib.import_module(name)
        with contextlib.suppress(AttributeError):
            module.preload()
    send(link, "ready")
    workers: set[int] = set()
    try:
        while True:
            try:
                request, argument = receive(link)
            except (EOFError, ConnectionError):
                return
            if request == "fork":
                _, descriptors, _, _ = socket.recv_fds(link, 1, 1)
                pid = os.fork()
                if pid == 0:
                    link.close()
                    _serve(socket.socket(fileno=descriptors[0]), argument)
                os.close(descriptors[0])
                workers.add(pid)
                send(link, pid)
            elif argument in workers:
                # The worker is our own child and not yet waited for, so the number is surely still its own.
                send(link, _end(argument))
                workers.discard(argument)
    finally:
        for pid in workers:
            _end(pid)


def _end(pid: int) -> int:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _serve(link: socket.socket, memory: int) -> None:
    """Answer jobs until the link closes; never returns."""
    try:
        _end_with_parent()
        _limit(memory)
        sys.setrecursionlimit(RECURSION)
        while True:
            function, arguments = receive(link)
            send(link, _answer(function, arguments))
    except (EOFError, ConnectionError):
        os._exit(0)
    except BaseException:  # noqa: BLE001 - a worker must never fall back into the nursery's loop
        os._exit(1)


def _answer(function: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    module, _, name = function.partition(":")
    try:
        work = getattr(importlib.import_module(module), name)
        return "ok", work(*arguments)
    except MemoryError:
        return "memory", "it needed more memory than is allowed"
    except RecursionError:
        return "error", "it is nested too deeply"
    except Exception as error:  # noqa: BLE001 - whatever a job raises is its answer
        return "error", f"{error}" or type(error).__name__


def _end_with_parent() -> None:
    """Ask the kernel to end this worker when the nursery is gone; Linux only, elsewhere the link says so."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _limit(memory: int) -> None:
    """Allow this process ``memory`` bytes beyond what it has; only Linux says how much that is."""
    try:
        with open("/proc/self/statm", encoding="ascii") as pages:  # noqa: PTH123 - one read needs no pathlib
            used = int(pages.read().split()[0]) * resource.getpagesize()
    except OSError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, resource.RLIM_INFINITY))


def main() -> None:
    """Run the nursery on the inherited descriptor that the command line names."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_STACK, (STACK, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nursery(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])


if __name__ == "__main__":
    main()
