"""Results made elsewhere, read into a campaign of their own and from there scored as any other."""

import json
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.expression import ExpressionError, Node, evaluate, infix, parse
from engine.models.journal import Journal
from engine.running import layout, spec_file, store
from engine.running.records import UNFINISHED, RunKey
from engine.running.spec import LABEL, Block, CampaignSpec, Limits, MethodEntry, check
from engine.scoring import trajectories
from engine.scoring.foreign import ImportedRow
from engine.scoring.numeric import Nmse, nmse
from tasks import catalogue
from tasks.errors import TaskError
from tasks.materialize import splits
from tasks.schema import Splits, Task

# An imported run has no clock of ours: one minute with one checkpoint stands in the spec, and EFF is n/a.
_NO_CLOCK_S = 60.0


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made."""

    folder: Path
    runs: int
    planned: int
    unreadable: tuple[str, ...]


def import_results(
    rows: Sequence[ImportedRow], folder: Path, *, source: str, dialect: str = "infix"
) -> Imported:
    """Write a campaign of imported runs.

    Parameters
    ----------
    rows : sequence of ImportedRow
        One per run; a row of a run that never ended is planned only.
    folder : Path
        The new campaign.
    source : str
        Name of the file, for the record.
    dialect : str
        Syntax of the expressions.

    Returns
    -------
    Imported
        Counts, and one sentence for each expression that cannot be read (a result of its own: invalid).

    Raises
    ------
    EngineError
        When a task is unknown, a label or seed cannot be used, two rows mean one run, or the folder exists.
    """
    if not rows:
        raise EngineError(f"{source} holds no results")
    tasks = {row.task: _task(row.task, source) for row in rows}
    keys = [RunKey(row.label, tasks[row.task].id, row.seed, row.condition) for row in rows]
    repeated = (
        [key.id for key in dict.fromkeys(keys) if keys.count(key) > 1] if len(set(keys)) < len(keys) else []
    )
    if repeated:
        raise EngineError(f"{source} has {repeated[0]} more than once: one row per task, seed and condition")
    spec = _spec(rows, keys, tasks)
    _refuse_occupied(folder)
    # Beside its place until it is whole: an import that ends half way leaves no campaign.
    draft = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        store.make_folder(draft)
        made = _write(draft, spec, rows, keys, tasks, source, dialect)
        draft.replace(folder)
    except OSError as error:
        raise EngineError(store.disk_sentence(folder, error)) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return replace(made, folder=folder)


def _refuse_occupied(folder: Path) -> None:
    if (folder / layout.SPEC).exists():
        raise EngineError(f"{folder} is a campaign already: name a new folder with --out")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise EngineError(f"{folder} is not an empty folder: name a new one with --out")


def _write(
    folder: Path,
    spec: CampaignSpec,
    rows: Sequence[ImportedRow],
    keys: Sequence[RunKey],
    tasks: Mapping[str, Task],
    source: str,
    dialect: str,
) -> Imported:
    spec_file.write(folder, spec)
    unreadable: list[str] = []
    ended = 0
    cache: dict[str, Splits] = {}
    for row, key in zip(rows, keys, strict=True):
        if row.status in UNFINISHED:
            continue
        ended += 1
        task = tasks[row.task]
        final = _final(row, task, dialect, cache)
        if final["status"] == "unparsable":
            unreadable.append(f"{key.id}: {final['reason']}")
        attempt = layout.attempt_folder(folder, key, 1)
        attempt.mkdir(parents=True)
        store.write_whole(attempt / layout.RESULT, store.dump(_result(row, key, task, final, source)))
        if row.efficiency is not None:
            record = {"run": key.id, "attempt": 1, "version": trajectories.VERSION, "checkpoints": 0,
                      "efficiency": row.efficiency, "note": f"EFF as stated by {source}"}  # fmt: skip
            Journal(folder / trajectories.FILE).append(record)
    return Imported(folder, ended, len(rows) - ended, tuple(unreadable))


def _task(word: str, source: str) -> Task:
    try:
        return catalogue.get(word)
    except TaskError as error:
        raise EngineError(f"{source}: {error}") from error


def _spec(rows: Sequence[ImportedRow], keys: Sequence[RunKey], tasks: Mapping[str, Task]) -> CampaignSpec:
    for row in rows:
        if not LABEL.fullmatch(row.label):
            raise EngineError(f"the label {row.label!r} cannot name a folder: rename it in the file")
    names = {task.id: task.name for task in tasks.values()}
    labels = tuple(dict.fromkeys(key.label for key in keys))
    methods = {row.label: row.method for row in rows}
    # One block per label and condition with exactly its tasks; other seeds make other blocks.
    groups: dict[tuple[str, str, tuple[int, ...]], list[str]] = {}
    for label in labels:
        for condition in dict.fromkeys(key.condition for key in keys if key.label == label):
            seeds: dict[str, list[int]] = {}
            for key in keys:
                if key.label == label and key.condition == condition:
                    seeds.setdefault(key.task, []).append(key.seed)
            for task, own in seeds.items():
                groups.setdefault((label, condition, tuple(sorted(own))), []).append(task)
    blocks = tuple(
        Block((label,), tuple(ids), tuple(names[i] for i in ids), own, (condition,))
        for (label, condition, own), ids in groups.items()
    )
    return check(
        CampaignSpec(
            id=_campaign_id(keys),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            methods=tuple(MethodEntry(label, methods[label]) for label in labels),
            blocks=blocks,
            limits=Limits(_NO_CLOCK_S, _NO_CLOCK_S),
            name="imported",
        )
    )


def _campaign_id(keys: Sequence[RunKey]) -> str:
    """Return a campaign id that says nothing but which runs there are."""
    from engine.models.request import sha256

    return sha256([key.id for key in keys])[:16]


def _read(row: ImportedRow, task: Task, dialect: str) -> Node:
    names = task.feature_names
    try:
        return parse(row.expression, names, dialect)
    except ExpressionError:
        # Many result files number the columns whatever the task calls them.
        positional = tuple(f"x{index}" for index in range(len(names)))
        if dialect != "infix" or positional == names:
            raise
        return parse(row.expression, positional)


def _final(row: ImportedRow, task: Task, dialect: str, cache: dict[str, Splits]) -> dict[str, Any]:
    base: dict[str, Any] = {"source": trajectories.IMPORTED, "t": None, "text": None, "native": None}
    if not row.expression.strip():
        return {**base, "status": "none", "reason": "the file states no expression"}
    base |= {"text": row.expression, "native": row.expression}
    try:
        node = _read(row, task, dialect)
    except ExpressionError as error:
        return {**base, "status": "unparsable", "reason": str(error)}
    if task.id not in cache:
        cache.clear()
        cache[task.id] = splits(task)
    data = cache[task.id]
    errors = {name: _error(node, data, name) for name in ("train", "id", "ood")}
    present = [errors[name] for name in ("id", "ood") if errors[name].status != "no split"]
    bad = [error.reason for error in present if error.value is None]
    return {
        **base,
        "expression": infix(node, task.feature_names),
        "positional": infix(node, [f"x{index}" for index in range(len(task.feature_names))]),
        "status": "nonfinite" if bad and len(bad) == len(present) else "ok",
        "reason": "; ".join(filter(None, bad)) or None,
        "train_nmse": errors["train"].value,
        "id_nmse": errors["id"].value,
        "ood_nmse": errors["ood"].value,
        "id_status": errors["id"].status,
        "ood_status": errors["ood"].status,
        "denominator_id": errors["id"].denominator,
        "denominator_ood": errors["ood"].denominator,
        "native_gap": None,
        "native_gap_flag": False,
    }


def _error(node: Node, data: Splits, name: str) -> Nmse:
    table = getattr(data, name)
    if table is None:
        return nmse(None, [], data.train.y)
    return nmse(table.y, evaluate(node, table.X), data.train.y)


def _result(
    row: ImportedRow, key: RunKey, task: Task, final: Mapping[str, Any], source: str
) -> dict[str, Any]:
    status = row.status
    reason = row.reason
    if status == "completed" and final["status"] != "ok":
        status, reason = "invalid output", final["reason"]
    return {
        "schema": 1,
        "run": key.id,
        "label": key.label,
        "method": row.method,
        "task": task.id,
        "name": task.name,
        "seed": key.seed,
        "condition": key.condition,
        "attempt": 1,
        "status": status,
        "reason": reason,
        "budget_s": _NO_CLOCK_S,
        "interval_s": _NO_CLOCK_S,
        "fit_s": row.seconds,
        "cpu_s": None,
        "peak_rss": None,
        "exit_code": None,
        "signal": None,
        "threads": 1,
        "settings": {},
        "versions": {"imported": source},
        "incumbents": 0,
        "final": dict(final),
        "claimed": json.loads(json.dumps(row.claimed)) if row.claimed else None,
    }
