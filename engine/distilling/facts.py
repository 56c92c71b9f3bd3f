"""What distillation needs to know about a task, from the catalogue or from a table of one's own."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from engine.distilling.tables import first_column, read_table, whole_numbers
from engine.errors import EngineError


@dataclass(frozen=True, slots=True)
class PublishedLabels:
    """Labels published with a pool: difficulty, failure mode, winning probe, limited quota or not."""

    difficulty: str
    failure: str
    winner: str
    limited: bool


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """Static facts about one task; nothing in here depends on any method's response.

    ``duplicate_group`` is the task's own id when it has no duplicates; ``rows`` is the size of its training
    split.
    """

    id: str
    name: str
    family: str
    subgroup: str
    features: int
    rows: int
    formula: str | None
    formula_type: str
    dummy: bool
    duplicate_group: str
    labels: PublishedLabels | None = None


def from_catalogue(ids: Sequence[str] | None = None) -> tuple[TaskFacts, ...]:
    """Read the facts of catalogue tasks.

    Parameters
    ----------
    ids : sequence of str, optional
        Task ids; the whole Full Task Set when omitted.

    Returns
    -------
    tuple of TaskFacts
        In id order.
    """
    from tasks import catalogue, labels

    tasks = catalogue.full() if ids is None else tuple(catalogue.get(task) for task in sorted(set(ids)))
    facts = []
    for task in tasks:
        own = labels.of(task.id)
        facts.append(
            TaskFacts(
                id=task.id,
                name=task.name,
                family=task.family,
                subgroup=task.subgroup,
                features=len(task.features),
                rows=task.sizes.train,
                formula=task.formula,
                formula_type=task.formula_type,
                dummy=task.has_dummies,
                duplicate_group=task.duplicate_group or task.id,
                labels=None
                if own is None
                else PublishedLabels(
                    own.difficulty, own.failure_mode, own.winning_probe, own.eligibility == "limited_quota"
                ),
            )
        )
    return tuple(facts)


def read_facts(path: Path) -> tuple[TaskFacts, ...]:
    """Read facts about tasks that are not in the catalogue.

    Parameters
    ----------
    path : pathlib.Path
        Table with ``task_id``, ``name``, ``family``, ``subgroup``, ``n_features``; optionally ``n_train``,
        ``formula``, ``formula_type``, ``dummy``, ``data_sha256`` (digest of the rows), ``duplicate_group``
        and the four published labels ``difficulty``, ``failure_mode``, ``winning_probe``, ``eligibility``.
        The published task list's own spellings (``source_return_expression``, ``operator_group``,
        ``semantic_duplicate_group``) are understood too.

    Returns
    -------
    tuple of TaskFacts
        In id order.

    Raises
    ------
    EngineError
        When a column is missing or an id occurs twice.
    """
    frame = read_table(path)
    where = path.name
    columns = {
        name: first_column(frame, (name,), where) for name in ("task_id", "name", "family", "subgroup")
    }
    features = first_column(frame, ("n_features", "features"), where)
    optional = {
        "formula": ("formula", "source_return_expression"),
        "type": ("formula_type", "operator_group"),
        "group": ("duplicate_group", "semantic_duplicate_group"),
        "rows": ("n_train", "rows"),
        "dummy": ("dummy",),
        "data": ("data_sha256",),
    }
    found = {
        key: next((name for name in spellings if name in frame.columns), None)
        for key, spellings in optional.items()
    }
    labelled = all(
        name in frame.columns for name in ("difficulty", "failure_mode", "winning_probe", "eligibility")
    )
    facts = []
    counts = whole_numbers(frame, features, where)
    sizes = whole_numbers(frame, found["rows"], where) if found["rows"] else [0] * len(frame)
    rows = frame.to_dict("records")
    for row, count, size in zip(rows, counts, sizes, strict=True):
        text = {key: _text(row.get(name)) if name else "" for key, name in found.items()}
        subgroup = str(row[columns["subgroup"]])
        task = str(row[columns["task_id"]])
        facts.append(
            TaskFacts(
                id=task,
                name=str(row[columns["name"]]),
                family=str(row[columns["family"]]),
                subgroup=subgroup,
                features=count,
                rows=size,
                formula=text["formula"] or None,
                formula_type=text["type"] or "unknown",
                dummy=text["dummy"].lower() in ("1", "true", "1.0")
                if found["dummy"]
                else "dummy" in subgroup,
                duplicate_group=text["group"] or task,
                labels=PublishedLabels(
                    str(row["difficulty"]),
                    str(row["failure_mode"]),
                    str(row["winning_probe"]),
                    str(row["eligibility"]) == "limited_quota",
                )
                if labelled
                else None,
            )
        )
    facts.sort(key=lambda fact: fact.id)
    for one, two in itertools.pairwise(facts):
        if one.id == two.id:
            raise EngineError(f"{where} holds task {one.id} twice; keep one row per task")
    if found["group"] is None:
        facts = _grouped(facts, {str(row["task_id"]): _text(row.get("data_sha256")) for row in rows})
    return tuple(facts)


def _grouped(facts: list[TaskFacts], data: dict[str, str]) -> list[TaskFacts]:
    from engine.distilling.duplicates import groups

    found = groups(
        [fact.id for fact in facts],
        [fact.formula for fact in facts],
        [data.get(fact.id) or None for fact in facts],
    )
    return [replace(fact, duplicate_group=group) for fact, group in zip(facts, found, strict=True)]


def _text(value: object) -> str:
    return "" if value is None or pd.isna(value) else str(value)  # type: ignore[call-overload]
