"""Result files of others, and our own: CSV, SRBench's tables, PySR's halls of fame, exported runs."""

import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.running.records import COMPLETED, ENDED, UNFINISHED

# PySR, model_selection="best": the highest score among models whose loss is at most this times the lowest.
PYSR_LOSS_FACTOR = 1.5

# Characters of one cell, in CSV files.
LONGEST_CELL = 10_000_000


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """One run as a result file states it."""

    label: str
    method: str
    task: str
    seed: int
    condition: str
    expression: str
    status: str = "completed"
    reason: str | None = None
    seconds: float | None = None
    efficiency: float | None = None
    claimed: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Defaults:
    """What the command line says where the file does not."""

    label: str | None = None
    task: str | None = None
    seed: int | None = None


def read_file(path: Path, kind: str, defaults: Defaults) -> list[ImportedRow]:
    """Read a result file.

    Parameters
    ----------
    path : Path
        CSV, TSV, JSON, JSON lines or Parquet, by its suffix.
    kind : str
        ``arena`` (runs of ``arena-tui export``), ``srbench``, ``pysr`` or ``csv``.
    defaults : Defaults
        Label, task and seed for files that lack them.

    Returns
    -------
    list of ImportedRow
        In the file's order.

    Raises
    ------
    EngineError
        When the file cannot be read or lacks a column.
    """
    try:
        records = list(_records(path))
    except (OSError, ValueError, csv.Error, RecursionError) as error:
        raise EngineError(f"{path} cannot be read: {error}") from error
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise EngineError(f"{path}, row {number} is {str(record)[:40]!r} and no record of named values")
    return _KINDS[kind](records, path, defaults)


def _records(path: Path) -> Iterable[dict[str, Any]]:
    suffix = path.suffix.lower()
    if suffix in {".json", ".jsonl", ".ndjson"}:
        text = path.read_text(encoding="utf-8")
        if suffix == ".json":
            found = json.loads(text)
            return found if isinstance(found, list) else [found]
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
    with path.open(encoding="utf-8-sig", newline="") as file:
        # The longest expression that is read at all is longer than what the module takes by default.
        csv.field_size_limit(LONGEST_CELL)
        return list(csv.DictReader(file, delimiter="\t" if suffix == ".tsv" else ","))


def _csv(records: list[dict[str, Any]], path: Path, defaults: Defaults) -> list[ImportedRow]:
    rows = []
    for number, record in enumerate(records, 1):
        label = _text(record, "label") or _text(record, "method") or defaults.label or path.stem
        rows.append(
            ImportedRow(
                label=label,
                method=_text(record, "method") or label,
                task=_text(record, "task") or defaults.task or _lacks(path, number, "task"),
                seed=_seed(record.get("seed"), defaults, path, number),
                condition=_text(record, "condition") or "clean",
                expression=_required(record, "expression", path, number),
                seconds=_number(record.get("seconds")),
            )
        )
    return rows


def _arena(records: list[dict[str, Any]], path: Path, defaults: Defaults) -> list[ImportedRow]:
    rows = []
    for number, record in enumerate(records, 1):
        rows.append(
            ImportedRow(
                label=_required(record, "label", path, number),
                method=_text(record, "method") or _required(record, "label", path, number),
                task=_required(record, "task", path, number),
                seed=_seed(record.get("seed"), defaults, path, number),
                condition=_text(record, "condition") or "clean",
                expression=_text(record, "expression"),
                status=_status(_text(record, "status") or COMPLETED, path, number),
                reason=_text(record, "reason") or None,
                seconds=_number(record.get("elapsed")),
                efficiency=_number(record.get("EFF")),
            )
        )
    return rows


def _srbench(records: list[dict[str, Any]], path: Path, defaults: Defaults) -> list[ImportedRow]:
    rows = []
    for number, record in enumerate(records, 1):
        label = _text(record, "algorithm") or defaults.label or path.stem
        model = _text(record, "symbolic_model") or _text(record, "simplified_symbolic_model")
        claimed = _number(record.get("r2_test"))
        rows.append(
            ImportedRow(
                label=label.replace(" ", "_"),
                method=label,
                task=_text(record, "dataset") or defaults.task or _lacks(path, number, "dataset"),
                seed=_seed(record.get("random_state"), defaults, path, number),
                condition=_srbench_noise(_number(record.get("target_noise"))),
                expression=model,
                seconds=_number(record.get("training time (s)") or record.get("time_time")),
                claimed=None if claimed is None else {"name": "r2_test", "value": claimed},
            )
        )
    return rows


def _pysr(records: list[dict[str, Any]], path: Path, defaults: Defaults) -> list[ImportedRow]:
    if defaults.task is None:
        raise EngineError(f"{path} is a hall of fame and names no task: give --task")
    models = [
        (int(_number(record.get("Complexity") or record.get("complexity")) or 0),
         _number(record.get("Loss") or record.get("loss")),
         _text(record, "Equation") or _text(record, "equation"))
        for record in records
    ]  # fmt: skip
    known = sorted((c, loss, text) for c, loss, text in models if loss is not None and text)
    if not known:
        raise EngineError(f"{path} has no row with Complexity, Loss and Equation")
    loss, text = _pysr_best(known)
    return [
        ImportedRow(
            label=defaults.label or "pysr",
            method="pysr",
            task=defaults.task,
            seed=defaults.seed or 0,
            condition="clean",
            expression=text,
            claimed={"name": "loss", "value": loss},
        )
    ]


def _pysr_best(models: list[tuple[int, float, str]]) -> tuple[float, str]:
    """Apply PySR's own rule: the steepest drop of log loss per node among the accurate models."""
    lowest = min(loss for _, loss, _ in models)
    best: tuple[float, float, str] | None = None
    previous: tuple[int, float] | None = None
    for complexity, loss, text in models:
        if previous is None:
            score = 0.0
        else:
            fall = math.log(max(loss, 1e-300)) - math.log(max(previous[1], 1e-300))
            score = -fall / max(1, complexity - previous[0])
        previous = complexity, loss
        if loss <= PYSR_LOSS_FACTOR * lowest and (best is None or score > best[0]):
            best = score, loss, text
    assert best is not None
    return best[1], best[2]


def _srbench_noise(level: float | None) -> str:
    from engine.running.conditions import canonical

    return "clean" if not level else canonical(repr(level))


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return "" if value is None else str(value).strip()


def _required(record: Mapping[str, Any], name: str, path: Path, number: int) -> str:
    if name not in record:
        return _lacks(path, number, name)
    return _text(record, name)


def _lacks(path: Path, number: int, name: str) -> str:
    raise EngineError(f"{path}, row {number}: there is no column {name!r}")


def _seed(value: object, defaults: Defaults, path: Path, number: int) -> int:
    if value is None or value == "":
        return defaults.seed or 0
    try:
        # Tables that went through a data frame write 520 as 520.0.
        seed = float(str(value))
        if not seed.is_integer():
            raise ValueError
    except ValueError:
        raise EngineError(f"{path}, row {number}: the seed {value!r} is no number, or no whole one") from None
    return int(seed)


def _status(word: str, path: Path, number: int) -> str:
    if word not in (*ENDED, *UNFINISHED):
        raise EngineError(f"{path}, row {number}: {word!r} is no status: {', '.join((*ENDED, *UNFINISHED))}")
    return word


def _number(value: object) -> float | None:
    try:
        found = float(str(value))
    except ValueError:
        return None
    return found if math.isfinite(found) else None


_KINDS: dict[str, Callable[[list[dict[str, Any]], Path, Defaults], list[ImportedRow]]] = {
    "arena": _arena,
    "srbench": _srbench,
    "pysr": _pysr,
    "csv": _csv,
}
