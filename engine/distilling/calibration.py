"""Mining calibration tasks from two probes' responses (SymbolicArena, C.1)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling.records import Records
from engine.distilling.responses import clipped_log
from engine.errors import EngineError

# SymbolicArena, C.1.
HIGH_DISAGREEMENT = 140
ONE_SIDED = 20
MODERATE = 40
# Not recoverable from the paper: which "intermediate regions" the moderate group comes from. Ours takes it
# evenly spaced in rank between the median of G and the high group, so that it covers the region instead of
# its edge.
MODERATE_FROM = 0.5
GROUPS = {"A": "high disagreement", "B": "one-sided", "C": "moderate gap"}


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many tasks each group takes."""

    high: int = HIGH_DISAGREEMENT
    one_sided: int = ONE_SIDED
    moderate: int = MODERATE


@dataclass(frozen=True, slots=True)
class Audited:
    """Why a task is in the calibration set.

    ``id_gap`` and ``ood_gap`` are second minus first probe in log10 NMSE, None where a probe has no result;
    ``G`` is the mean of their absolute values; ``rank`` counts from 1 within its group's order.
    """

    task: str
    group: str
    rank: int
    id_gap: float | None
    ood_gap: float | None
    G: float | None
    why: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """A mined calibration set: the two probes, the audited tasks by group and rank, and how many had a G."""

    probes: tuple[str, str]
    members: tuple[Audited, ...]
    comparable: int
    one_sided: int

    def group(self, name: str) -> tuple[str, ...]:
        """Return the ids of one group, sorted.

        Parameters
        ----------
        name : str
            ``A``, ``B`` or ``C``.

        Returns
        -------
        tuple of str
            Task ids.
        """
        return tuple(sorted(member.task for member in self.members if member.group == name))


def mine(records: Records, first: str, second: str, sizes: Sizes) -> Calibration:
    """Mine calibration tasks from two probes.

    Parameters
    ----------
    records : Records
        One run of each probe per task.
    first, second : str
        The probes; a positive gap is an advantage of the first (in the paper PySR, with LLM-SR as the
        second).
    sizes : Sizes
        Of the three groups.

    Returns
    -------
    Calibration
        Ties in G go to the lower task id.

    Raises
    ------
    EngineError
        When a probe is missing or there are fewer candidates than a group asks for.
    """
    ids, logs = _gather(records, (first, second))
    valid = np.asarray(~np.isnan(logs).any(axis=2))
    both = np.asarray(valid.all(axis=1))
    gaps = logs[:, 1] - logs[:, 0]
    disagreement = np.abs(gaps).mean(axis=1)
    order = [int(row) for row in np.lexsort((np.arange(len(ids)), -disagreement)) if both[row]]
    lonely = [int(row) for row in np.flatnonzero(valid.sum(axis=1) == 1)]
    # The clearest one-sided tasks first: those that the successful probe fits best.
    best = np.where(valid, logs.mean(axis=2), np.inf).min(axis=1)
    lonely.sort(key=lambda row: (best[row], ids[row]))
    _require(
        len(order) - sizes.high - sizes.moderate >= 0,
        "comparable tasks",
        len(order),
        sizes.high + sizes.moderate,
    )
    _require(len(lonely) >= sizes.one_sided, "one-sided tasks", len(lonely), sizes.one_sided)
    high = order[: sizes.high]
    rest = order[sizes.high :]
    region = rest[: max(sizes.moderate, int(len(order) * (1 - MODERATE_FROM)) - sizes.high)]
    # (2k + 1) / (2m): the middles of m equal stretches of the region.
    moderate = [region[(2 * k + 1) * len(region) // (2 * sizes.moderate)] for k in range(sizes.moderate)]
    names = (first, second)
    members = [
        _audit(ids, gaps, disagreement, row, "A", rank, f"rank {rank} of {len(order)} by G")
        for rank, row in enumerate(high, 1)
    ]
    for rank, row in enumerate(lonely[: sizes.one_sided], 1):
        who = names[int(valid[row].argmax())]
        other = names[1 - int(valid[row].argmax())]
        members.append(
            _audit(
                ids,
                gaps,
                disagreement,
                row,
                "B",
                rank,
                f"only {who} has finite errors, mean log10 NMSE {best[row]:.3f}; {other} has none",
            )
        )
    place = {row: rank for rank, row in enumerate(order, 1)}
    members += [
        _audit(ids, gaps, disagreement, row, "C", rank, f"rank {place[row]} of {len(order)} by G")
        for rank, row in enumerate(moderate, 1)
    ]
    return Calibration((first, second), tuple(members), len(order), len(lonely))


def _gather(records: Records, probes: tuple[str, str]) -> tuple[list[str], NDArray[np.float64]]:
    frame = records.frame
    unknown = [probe for probe in probes if probe not in records.methods]
    if unknown:
        raise EngineError(
            f"{records.source} has no runs of probe {unknown[0]}; it has {', '.join(records.methods)}"
        )
    ids = list(records.tasks)
    place = {task: row for row, task in enumerate(ids)}
    logs = np.full((len(ids), 2, 2), np.nan)
    for column, probe in enumerate(probes):
        own = frame[frame["method"] == probe]
        if own["task_id"].duplicated().any():
            raise EngineError(
                f"{records.source} has several runs of {probe} per task; calibration mining takes one"
            )
        rows = [place[task] for task in own["task_id"]]
        for split, name in enumerate(("id_nmse", "ood_nmse")):
            logs[rows, column, split] = clipped_log(own[name].to_numpy(dtype=np.float64))
    return ids, logs


def _require(holds: bool, what: str, there: int, asked: int) -> None:
    if not holds:
        raise EngineError(f"there are {there} {what} but {asked} are asked for; ask for smaller groups")


def _audit(
    ids: list[str],
    gaps: NDArray[np.float64],
    disagreement: NDArray[np.float64],
    row: int,
    group: str,
    rank: int,
    why: str,
) -> Audited:
    def number(value: np.float64) -> float | None:
        return None if np.isnan(value) else float(value)

    return Audited(
        ids[row], group, rank, number(gaps[row, 0]), number(gaps[row, 1]), number(disagreement[row]), why
    )
