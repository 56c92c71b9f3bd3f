"""Probe responses: median log errors per task and probe, their spread over seeds, how many were valid."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.distilling.tables import first_column, read_table, require_columns
from engine.errors import EngineError

# SymbolicArena, appendix C.3: finite nonnegative NMSE becomes clip(log10(max(x, 1e-12)), -12, 12).
LOG_FLOOR = 1e-12
LOG_LIMIT = 12.0
# SymbolicArena, appendix C.3: each probe is scheduled with K = 3 seeds.
SCHEDULED_SEEDS = 3

MEDIANS = ("median_log_id_nmse", "median_log_ood_nmse")
SPREADS = ("iqr_log_id_nmse", "iqr_log_ood_nmse")
COLUMNS = ("task_id", "method", "valid_seeds", "scheduled_seeds", "timeout_seeds", *MEDIANS, *SPREADS)


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """Responses of P probes on N tasks; rows in the order of task ids, columns of probe names.

    Attributes
    ----------
    tasks, probes : tuple of str
        Task ids (N) and probe labels (P).
    valid, scheduled, timeouts : numpy.ndarray
        int64 (N, P): seeds with a valid evaluable output, seeds scheduled, seeds that reached the limit.
    id_median, ood_median, id_iqr, ood_iqr : numpy.ndarray
        float64 (N, P): median and interquartile range of clipped log10 NMSE over valid seeds; NaN without
        any.
    """

    tasks: tuple[str, ...]
    probes: tuple[str, ...]
    valid: NDArray[np.int64]
    scheduled: NDArray[np.int64]
    timeouts: NDArray[np.int64]
    id_median: NDArray[np.float64]
    ood_median: NDArray[np.float64]
    id_iqr: NDArray[np.float64]
    ood_iqr: NDArray[np.float64]

    @property
    def error(self) -> NDArray[np.float64]:
        """Mean of the ID and OOD medians, (N, P); NaN where no seed was valid."""
        return (self.id_median + self.ood_median) / 2

    def only(self, probes: Sequence[str]) -> "Responses":
        """Return the responses of some of the probes.

        Parameters
        ----------
        probes : sequence of str
            Labels to keep.

        Returns
        -------
        Responses
            The same tasks, fewer columns.

        Raises
        ------
        EngineError
            When a label is not there.
        """
        unknown = [probe for probe in probes if probe not in self.probes]
        if unknown:
            raise EngineError(f"no responses of probe {unknown[0]}; there are {', '.join(self.probes)}")
        columns = [self.probes.index(probe) for probe in sorted(probes)]
        rows = range(len(self.tasks))
        return self._cut(list(rows), columns)

    def of_tasks(self, tasks: Sequence[str]) -> "Responses":
        """Return the responses on some of the tasks, in id order.

        Parameters
        ----------
        tasks : sequence of str
            Ids to keep; each must be there.

        Returns
        -------
        Responses
            The same probes, fewer rows.
        """
        place = {task: row for row, task in enumerate(self.tasks)}
        return self._cut([place[task] for task in sorted(tasks)], list(range(len(self.probes))))

    def _cut(self, rows: list[int], columns: list[int]) -> "Responses":
        at = np.ix_(rows, columns)
        return Responses(
            tasks=tuple(self.tasks[row] for row in rows),
            probes=tuple(self.probes[column] for column in columns),
            valid=self.valid[at],
            scheduled=self.scheduled[at],
            timeouts=self.timeouts[at],
            id_median=self.id_median[at],
            ood_median=self.ood_median[at],
            id_iqr=self.id_iqr[at],
            ood_iqr=self.ood_iqr[at],
        )

    def frame(self) -> pd.DataFrame:
        """Return the long table that `read_responses` reads.

        Returns
        -------
        pandas.DataFrame
            One row per task and probe, columns `COLUMNS`.
        """
        tasks, probes = np.meshgrid(self.tasks, self.probes, indexing="ij")
        values = (
            tasks,
            probes,
            self.valid,
            self.scheduled,
            self.timeouts,
            self.id_median,
            self.ood_median,
            self.id_iqr,
            self.ood_iqr,
        )
        return pd.DataFrame({name: value.ravel() for name, value in zip(COLUMNS, values, strict=True)})


def clipped_log(nmse: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log10 NMSE clipped to [-12, 12] (SymbolicArena, C.3), NaN where it is unavailable.

    Parameters
    ----------
    nmse : numpy.ndarray
        float64 of any shape; available means finite and nonnegative.

    Returns
    -------
    numpy.ndarray
        float64 of the same shape.
    """
    usable = np.isfinite(nmse) & (nmse >= 0)
    logs = np.log10(np.maximum(np.where(usable, nmse, 1.0), LOG_FLOOR))
    return np.where(usable, np.clip(logs, -LOG_LIMIT, LOG_LIMIT), np.nan)


def from_frame(frame: pd.DataFrame, where: str) -> Responses:
    """Check a long table of responses and arrange it by task and probe.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns ``task_id``, ``method`` (or ``probe``), ``valid_seeds``, the medians and the interquartile
        ranges; ``scheduled_seeds`` (3 when absent) and ``timeout_seeds`` (0 when absent) are optional.
    where : str
        What the table is called in messages.

    Returns
    -------
    Responses
        Sorted by task id and probe.

    Raises
    ------
    EngineError
        Duplicate rows, a task that lacks a probe, a median missing although a seed was valid, impossible
        counts.
    """
    method = first_column(frame, ("method", "probe", "algorithm"), where)
    require_columns(frame, ("task_id", "valid_seeds", *MEDIANS, *SPREADS), where)
    frame = frame.assign(task_id=frame["task_id"].astype(str), method=frame[method].astype(str))
    if frame.empty:
        raise EngineError(f"{where} has no rows")
    if "scheduled_seeds" not in frame.columns:
        frame = frame.assign(scheduled_seeds=SCHEDULED_SEEDS)
    if "timeout_seeds" not in frame.columns:
        frame = frame.assign(timeout_seeds=0)
    twice = frame[frame.duplicated(["task_id", "method"])]
    if len(twice):
        raise EngineError(
            f"{where} has {len(twice)} duplicate rows, the first for task {twice.iloc[0]['task_id']} "
            f"and probe {twice.iloc[0]['method']}; keep one row per task and probe"
        )
    tasks = sorted(frame["task_id"].unique())
    probes = sorted(frame["method"].unique())
    _require_every_probe(frame, tasks, probes, where)
    frame = frame.sort_values(["task_id", "method"], kind="stable")
    frame = _with_numbers(frame, where)
    shape = (len(tasks), len(probes))

    def counts(name: str) -> NDArray[np.int64]:
        return np.asarray(frame[name].to_numpy(), dtype=np.int64).reshape(shape)

    def numbers(name: str) -> NDArray[np.float64]:
        column = np.asarray(frame[name].to_numpy(), dtype=np.float64).reshape(shape)
        return np.where(counts("valid_seeds") > 0, column, np.nan)

    return Responses(
        tasks=tuple(tasks),
        probes=tuple(probes),
        valid=counts("valid_seeds"),
        scheduled=counts("scheduled_seeds"),
        timeouts=counts("timeout_seeds"),
        id_median=numbers(MEDIANS[0]),
        ood_median=numbers(MEDIANS[1]),
        id_iqr=numbers(SPREADS[0]),
        ood_iqr=numbers(SPREADS[1]),
    )


def read_responses(path: Path) -> Responses:
    """Read a responses table from a file.

    Parameters
    ----------
    path : pathlib.Path
        ``.tsv``, ``.csv`` or ``.parquet``; see `from_frame`.

    Returns
    -------
    Responses
        Checked and sorted.

    Raises
    ------
    EngineError
        As `from_frame` and `read_table`.
    """
    return from_frame(read_table(path), path.name)


def _require_every_probe(frame: pd.DataFrame, tasks: list[str], probes: list[str], where: str) -> None:
    if len(frame) == len(tasks) * len(probes):
        return
    present = set(zip(frame["task_id"], frame["method"], strict=True))
    missing = [(task, probe) for task in tasks for probe in probes if (task, probe) not in present]
    task, probe = missing[0]
    raise EngineError(
        f"{where} lacks {len(missing)} of {len(tasks) * len(probes)} responses, the first of probe {probe} "
        f"on task {task}; give every probe on every task (a probe without valid output has valid_seeds 0)"
    )


def _with_numbers(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """Read the columns of numbers as such, text that spells them included; refuse what cannot be."""
    counts = ("valid_seeds", "scheduled_seeds", "timeout_seeds")
    read: dict[str, pd.Series[float]] = {}
    for name in (*counts, *MEDIANS, *SPREADS):
        column = pd.to_numeric(frame[name], errors="coerce")
        broken = frame[column.isna() & frame[name].notna()]
        if len(broken):
            raise EngineError(
                f"{where}: {name} of task {broken.iloc[0]['task_id']} is not a number: "
                f"{broken.iloc[0][name]!r}"
            )
        fractional = frame[column.isna() | (column % 1 != 0)] if name in counts else frame.iloc[:0]
        if len(fractional):
            raise EngineError(
                f"{where}: {name} of task {fractional.iloc[0]['task_id']} is no whole number: "
                f"{fractional.iloc[0][name]}"
            )
        read[name] = column
    frame = frame.assign(**read)
    impossible = frame[(frame["valid_seeds"] < 0) | (frame["valid_seeds"] > frame["scheduled_seeds"])]
    if len(impossible):
        row = impossible.iloc[0]
        raise EngineError(
            f"{where}: task {row['task_id']}, probe {row['method']} has {row['valid_seeds']:g} valid of "
            f"{row['scheduled_seeds']:g} scheduled seeds; add or correct the column scheduled_seeds"
        )
    for name in (*MEDIANS, *SPREADS):
        holes = frame[(frame["valid_seeds"] > 0) & ~np.isfinite(frame[name].astype(float))]
        if len(holes):
            row = holes.iloc[0]
            raise EngineError(
                f"{where}: {name} of task {row['task_id']}, probe {row['method']} is missing although "
                f"{row['valid_seeds']:g} seeds are valid ({len(holes)} such rows); correct the table"
            )
    return frame
