"""Recorded runs (task, method, seed, NMSE per split): what calibration and probe selection start from."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from engine.distilling.responses import MEDIANS, Responses, clipped_log, from_frame
from engine.distilling.tables import first_column, read_table, whole_numbers
from engine.errors import EngineError

SPLITS = ("train_nmse", "id_nmse", "ood_nmse")


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Recorded runs in one long table.

    Attributes
    ----------
    frame : pandas.DataFrame
        Columns ``task_id``, ``method``, ``seed``, ``family``, ``timeout``, ``train_nmse``, ``id_nmse``,
        ``ood_nmse`` (NaN where unavailable), sorted by task, method and seed.
    source : str
        File or campaign they came from.
    """

    frame: pd.DataFrame
    source: str

    @property
    def methods(self) -> tuple[str, ...]:
        """Labels of the methods, sorted."""
        return tuple(sorted(self.frame["method"].unique()))

    @property
    def tasks(self) -> tuple[str, ...]:
        """Task ids, sorted."""
        return tuple(sorted(self.frame["task_id"].unique()))


def read_records(path: Path) -> Records:
    """Read runs from a campaign folder or from a table.

    Parameters
    ----------
    path : pathlib.Path
        A campaign; or a long table with ``task_id`` (or ``cal_id``), ``method`` (or ``algorithm``,
        ``label``), the NMSE of the splits, optionally ``seed`` and ``family``; or a wide table with one
        ``METHOD_id_nmse`` and ``METHOD_ood_nmse`` column per method.

    Returns
    -------
    Records
        One row per run.

    Raises
    ------
    EngineError
        When columns are missing, a run occurs twice, or the campaign still has unfinished runs.
    """
    if path.is_dir():
        return _from_campaign(path)
    frame = read_table(path)
    if "id_nmse" not in frame.columns and any(str(name).endswith("_id_nmse") for name in frame.columns):
        frame = _lengthen(frame, path.name)
    return _checked(frame, path.name)


def load_responses(path: Path) -> Responses:
    """Read probe responses from a campaign, a responses table or a table of runs.

    Parameters
    ----------
    path : pathlib.Path
        See `read_records` and `engine.distilling.responses.from_frame`.

    Returns
    -------
    Responses
        Medians and interquartile ranges over each probe's valid seeds.

    Raises
    ------
    EngineError
        When the source cannot be used.
    """
    if not path.is_dir():
        frame = read_table(path)
        if MEDIANS[0] in frame.columns:
            return from_frame(frame, path.name)
    return summarize(read_records(path))


def summarize(records: Records) -> Responses:
    """Summarize runs over seeds (SymbolicArena, C.3).

    Parameters
    ----------
    records : Records
        Runs; a run is valid when its ID and OOD NMSE are both finite and nonnegative.

    Returns
    -------
    Responses
        Per task and method; the number of scheduled seeds is the number of recorded runs.

    Raises
    ------
    EngineError
        When a method lacks runs on a task.
    """
    frame = records.frame
    logs = pd.DataFrame(
        {
            "id": clipped_log(frame["id_nmse"].to_numpy(dtype=np.float64)),
            "ood": clipped_log(frame["ood_nmse"].to_numpy(dtype=np.float64)),
        },
        index=frame.index,
    )
    usable = logs.notna().all(axis=1)
    keyed = pd.concat([frame[["task_id", "method", "timeout"]], logs.where(usable)], axis=1).assign(
        valid=usable
    )
    grouped = keyed.groupby(["task_id", "method"], sort=True)
    table = pd.DataFrame(
        {
            "valid_seeds": grouped["valid"].sum(),
            "scheduled_seeds": grouped["valid"].size(),
            "timeout_seeds": grouped["timeout"].sum(),
            "median_log_id_nmse": grouped["id"].median(),
            "median_log_ood_nmse": grouped["ood"].median(),
            "iqr_log_id_nmse": grouped["id"].quantile(0.75) - grouped["id"].quantile(0.25),
            "iqr_log_ood_nmse": grouped["ood"].quantile(0.75) - grouped["ood"].quantile(0.25),
        }
    ).reset_index()
    return from_frame(table, records.source)


def _lengthen(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    task = first_column(frame, ("task_id", "cal_id"), where)
    methods = [str(name).removesuffix("_id_nmse") for name in frame.columns if str(name).endswith("_id_nmse")]
    parts = []
    for method in methods:
        if f"{method}_ood_nmse" not in frame.columns:
            raise EngineError(f"{where} has {method}_id_nmse but not {method}_ood_nmse")
        status = frame.get(f"{method}_result_status", pd.Series("", index=frame.index))
        part = {
            "task_id": frame[task],
            "method": method,
            "train_nmse": frame.get(f"{method}_train_nmse", pd.Series(np.nan, index=frame.index)),
            "id_nmse": frame[f"{method}_id_nmse"],
            "ood_nmse": frame[f"{method}_ood_nmse"],
            "timeout": status.isin(["timed_out", "timeout"]),
        }
        if "family" in frame.columns:
            part["family"] = frame["family"]
        parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)


def _checked(frame: pd.DataFrame, where: str) -> Records:
    task = first_column(frame, ("task_id", "cal_id"), where)
    method = first_column(frame, ("method", "algorithm", "label"), where)
    table = pd.DataFrame({"task_id": frame[task].astype(str), "method": frame[method].astype(str)})
    table["seed"] = whole_numbers(frame, "seed", where) if "seed" in frame.columns else 0
    table["family"] = frame["family"].astype(str) if "family" in frame.columns else ""
    table["timeout"] = frame["timeout"].astype(bool) if "timeout" in frame.columns else False
    for name in SPLITS:
        values = frame[name] if name in frame.columns else pd.Series(np.nan, index=frame.index)
        table[name] = pd.to_numeric(values, errors="coerce")
        broken = frame[table[name].isna() & values.notna()]
        if len(broken):
            raise EngineError(f"{where}: {name} of task {broken.iloc[0][task]} is not a number")
    if "id_nmse" not in frame.columns or "ood_nmse" not in frame.columns:
        raise EngineError(f"{where} has neither log medians nor the columns id_nmse and ood_nmse")
    if table.empty:
        raise EngineError(f"{where} has no rows")
    twice = table[table.duplicated(["task_id", "method", "seed"])]
    if len(twice):
        row = twice.iloc[0]
        raise EngineError(
            f"{where} holds task {row['task_id']}, method {row['method']}, seed {row['seed']} twice; "
            "keep one row per task, method and seed"
        )
    return Records(table.sort_values(["task_id", "method", "seed"], ignore_index=True), where)


def _from_campaign(folder: Path) -> Records:
    from engine.running.reader import read_campaign
    from engine.running.records import CLEAN, ENDED, TIMEOUT

    runs = read_campaign(folder).runs
    waiting = [run for run in runs if run.status not in ENDED]
    if waiting:
        raise EngineError(
            f"{folder} has {len(waiting)} of {len(runs)} runs unfinished, the first {waiting[0].id}; "
            "let the campaign finish before distilling from it"
        )
    rows = [
        {
            "task_id": run.key.task,
            "method": run.key.label,
            "seed": run.key.seed,
            "timeout": run.status == TIMEOUT,
            "train_nmse": run.train_nmse,
            "id_nmse": run.id_nmse,
            "ood_nmse": run.ood_nmse,
        }
        for run in runs
        if run.key.condition == CLEAN
    ]
    if not rows:
        raise EngineError(f"{folder} holds no clean runs to distill from")
    return _checked(pd.DataFrame(rows), str(folder))
