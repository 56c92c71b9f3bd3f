"""The processes below a keeper, read from ``/proc`` at a price that two hundred keepers can pay.

Standard library only and few imports: this is loaded by every keeper. The keeper is the subreaper of
everything below it, so that each of its descendants, wherever it forked or moved to, has a chain of living
parents that ends at the keeper. A process once seen outside can therefore never come inside.
"""

# pathlib would cost every one of two hundred keepers a megabyte and ten milliseconds.
# ruff: noqa: PTH110, PTH123, PTH208

import os

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")

# Where the fields of /proc/PID/stat stand behind the command's closing bracket (proc(5)).
_STATE, _PARENT, _USER, _SYSTEM, _CHILDREN_USER, _CHILDREN_SYSTEM = 0, 1, 11, 12, 13, 14
_THREADS, _STARTED, _RSS = 17, 19, 21


def available() -> bool:
    """Tell whether this system shows its processes below ``/proc``.

    Returns
    -------
    bool
        True on Linux.
    """
    return os.path.exists("/proc/self/stat")


def _stat(pid: int) -> list[bytes] | None:
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, 1024).rpartition(b")")[2].split()
    except OSError:
        return None
    finally:
        os.close(descriptor)


class Usage:
    """What the processes of a tree use together (CPU seconds, bytes, counts)."""

    __slots__ = ("cpu_s", "processes", "rss", "threads")

    def __init__(self) -> None:
        self.cpu_s = 0.0
        self.rss = 0
        self.processes = 0
        self.threads = 0


class ProcessTree:
    """The living descendants of one process, found again at every `refresh`.

    Parameters
    ----------
    root : int
        The keeper's own process id.
    """

    __slots__ = ("_foreign", "_root", "members")

    def __init__(self, root: int) -> None:
        self._root = root
        self._foreign: set[int] = set()
        self.members: dict[int, bytes] = {}

    def refresh(self) -> set[int]:
        """Look for new processes and forget the dead.

        Returns
        -------
        set of int
            The living descendants; zombies count as dead.
        """
        present = {int(name) for name in os.listdir("/proc") if name.isdigit()}
        self._foreign &= present
        self._drop_dead(present)
        unknown: dict[int, list[bytes]] = {}
        for pid in present - self._foreign - self.members.keys():
            fields = _stat(pid) if pid != self._root else None
            if fields:
                unknown[pid] = fields
        for pid in unknown:
            self._place(pid, unknown)
        return set(self.members)

    def _drop_dead(self, present: set[int]) -> None:
        for pid, started in list(self.members.items()):
            fields = _stat(pid) if pid in present else None
            # A different start time means that the number was given to somebody else.
            if fields is None or fields[_STATE] in (b"Z", b"X") or fields[_STARTED] != started:
                del self.members[pid]

    def _place(self, pid: int, unknown: dict[int, list[bytes]]) -> None:
        chain = [pid]
        while True:
            parent = int(unknown[chain[-1]][_PARENT])
            if parent == self._root or parent in self.members:
                for member in chain:
                    if unknown[member][_STATE] not in (b"Z", b"X"):
                        self.members[member] = unknown[member][_STARTED]
                return
            if parent == 0 or parent in self._foreign:
                self._foreign.update(chain)
                return
            # A parent that died while we were reading leaves its child in doubt until the next look.
            if parent not in unknown or parent in chain:
                return
            chain.append(parent)

    def usage(self) -> Usage:
        """Add up what the known members use.

        Returns
        -------
        Usage
            CPU includes what members' own ended children used; what the keeper itself has reaped is the
            keeper's to add.
        """
        total = Usage()
        ticks = 0
        for pid in self.members:
            fields = _stat(pid)
            if fields is None or fields[_STATE] in (b"Z", b"X"):
                continue
            ticks += int(fields[_USER]) + int(fields[_SYSTEM])
            ticks += int(fields[_CHILDREN_USER]) + int(fields[_CHILDREN_SYSTEM])
            total.rss += int(fields[_RSS]) * _PAGE
            total.threads += int(fields[_THREADS])
            total.processes += 1
        total.cpu_s = ticks / _TICKS
        return total

    def proportional(self) -> int:
        """Add up the members' memory with shared pages shared out (slower than `usage`).

        Returns
        -------
        int
            Bytes; a member whose share cannot be read counts with nothing.
        """
        total = 0
        for pid in self.members:
            try:
                with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
                    for line in file:
                        if line.startswith(b"Pss:"):
                            total += int(line.split()[1]) * 1024
                            break
            except OSError:
                continue
        return total


def marked(mark: str) -> list[int]:
    """Find the processes that carry a run's mark in their environment.

    Parameters
    ----------
    mark : str
        The value of ``ARENA_RUN_MARK``.

    Returns
    -------
    list of int
        Their process ids; those of other users cannot be seen.
    """
    wanted = f"ARENA_RUN_MARK={mark}".encode()
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            continue
    return found
