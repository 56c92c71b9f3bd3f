"""How many cores a campaign may use, and whether its workers fit."""

import os
from collections.abc import Callable
from pathlib import Path

from engine.errors import EngineError
from engine.running.spec import CampaignSpec


def allowed_cores() -> tuple[int, ...]:
    """List the cores this process may run on, by its affinity mask.

    Returns
    -------
    tuple of int
        Core numbers.
    """
    try:
        return tuple(sorted(os.sched_getaffinity(0)))
    except AttributeError:
        return tuple(range(os.cpu_count() or 1))


def quota(root: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")) -> float | None:
    """Read the CPU quota of this process's control group.

    Parameters
    ----------
    root : pathlib.Path
        Where control groups are mounted.
    membership : pathlib.Path
        The file that says which group this process is in.

    Returns
    -------
    float or None
        Cores' worth of CPU time, the least of the group and those above it; None when there is no quota.
    """
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    found: list[float] = []
    for line in lines:
        _, controllers, path = (line + "::").split(":", 3)[:3]
        if controllers == "":
            found += _quotas_upwards(root, path, _version_2)
        elif "cpu" in controllers.split(","):
            found += _quotas_upwards(root / controllers, path, _version_1)
            found += _quotas_upwards(root / "cpu", path, _version_1)
    return min(found, default=None)


def _quotas_upwards(root: Path, path: str, read: Callable[[Path], float | None]) -> list[float]:
    folder = root / path.lstrip("/")
    found = []
    for level in (folder, *folder.parents):
        value = read(level)
        if value is not None:
            found.append(value)
        if level == root:
            break
    return found


def _version_2(folder: Path) -> float | None:
    try:
        words = (folder / "cpu.max").read_text(encoding="ascii").split()
        return None if words[0] == "max" else int(words[0]) / int(words[1])
    except (OSError, ValueError, IndexError):
        return None


def _version_1(folder: Path) -> float | None:
    try:
        limit = int((folder / "cpu.cfs_quota_us").read_text(encoding="ascii"))
        period = int((folder / "cpu.cfs_period_us").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return limit / period if limit > 0 and period > 0 else None


def cores() -> int:
    """Count the cores this process may keep busy: the affinity mask and the control group's quota.

    Returns
    -------
    int
        At least 1.
    """
    limit = quota()
    count = len(allowed_cores())
    return max(1, count if limit is None else min(count, int(limit)))


def check(spec: CampaignSpec, available: int | None = None) -> str | None:
    """Refuse a campaign whose workers would starve each other, unless it was told to go on.

    Parameters
    ----------
    spec : CampaignSpec
        The campaign.
    available : int, optional
        Cores; those of this process when omitted.

    Returns
    -------
    str or None
        A warning where more is asked for than there is, and that is wanted.

    Raises
    ------
    EngineError
        Where it is not wanted.
    """
    have = cores() if available is None else available
    threads = max(entry.threads for entry in spec.methods)
    wanted = spec.limits.workers * threads
    if wanted <= have:
        return None
    sentence = (
        f"{spec.limits.workers} workers x {threads} threads = {wanted} > {have} cores allowed here: "
        "runs would starve each other"
    )
    if spec.oversubscribe:
        return sentence
    raise EngineError(f"{sentence}; use fewer workers or threads, or say --oversubscribe")
