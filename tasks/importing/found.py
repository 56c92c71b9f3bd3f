"""What an importer finds: tasks with their rows, or one sentence why not."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tasks import cache
from tasks.errors import TaskError
from tasks.schema import Provenance, Sizes, Splits, Table, Task, Variable

PICKLES = (".pkl", ".pickle", ".joblib", ".npy", ".pt")
"""File endings whose readers can run code; such files are never opened."""


@dataclass(frozen=True, slots=True)
class Found:
    """A task that an importer read, with notes for its user, or the sentence why it could not be read."""

    name: str
    place: str
    task: Task | None = None
    splits: Splits | None = None
    notes: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a source says about a task beside its rows."""

    name: str
    family: str
    subgroup: str
    features: tuple[Variable, ...]
    target: Variable
    formula: str | None
    source_formula: str | None
    source: str
    licence: str = "not stated"
    duplicate_group: str | None = None
    dataset_id: str | None = None


def inside(root: Path, path: Path) -> Path:
    """Return a path if it stays below ``root`` with all links followed.

    Raises
    ------
    TaskError
        When it climbs out.
    """
    resolved = path.resolve()
    if not resolved.is_relative_to(root.resolve()):
        raise TaskError(f"{path.name} leads out of {root.name}, to a place that this import may not read")
    return resolved


def refuse_pickles(folder: Path) -> None:
    """Raise when a folder holds pickled files.

    Raises
    ------
    TaskError
        Names the first of them.
    """
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in PICKLES:
            raise TaskError(
                f"{folder.name} holds {path.name}; pickles and object arrays are refused because "
                "reading them can run code, so convert it to CSV or Parquet"
            )


def ordered(columns: Mapping[str, object], facts: Facts, place: str) -> None:
    """Raise when a table's columns are not exactly the declared features and the target.

    Raises
    ------
    TaskError
        Names missing and surplus columns.
    """
    declared = [*(variable.name for variable in facts.features), facts.target.name]
    missing = [name for name in declared if name not in columns]
    surplus = [name for name in columns if name not in declared]
    if missing or surplus:
        parts = [f"lacks {', '.join(missing)}"] if missing else []
        parts += [f"has {', '.join(surplus)} undeclared"] if surplus else []
        raise TaskError(f"{place} {' and '.join(parts)}; its metadata declares {', '.join(declared)}")


def build(facts: Facts, splits: Splits) -> Task:
    """Make the task of what a source says and of its rows.

    Parameters
    ----------
    facts : Facts
        From the source's metadata.
    splits : Splits
        Its rows.

    Returns
    -------
    Task
        The id is ``i`` and eight hexadecimal digits of the digest of name, formula and rows.
    """
    digest = hashlib.sha256(f"{facts.family}/{facts.subgroup}/{facts.name}\0{facts.formula}".encode())
    for name, table in splits.named():
        digest.update(f"\0{name}\0{cache.table_digest(table, facts.target.name)}".encode())
    known = "published" if facts.formula is not None else "unknown"
    return Task(
        id=f"i{digest.hexdigest()[:8]}",
        name=facts.name,
        family=facts.family,
        subgroup=facts.subgroup,
        features=facts.features,
        target=facts.target,
        formula=facts.formula,
        source_formula=facts.source_formula,
        provenance=Provenance(facts.source, facts.licence, known, known, "observed", "imported"),
        constants=(),
        sizes=Sizes(
            splits.train.rows,
            *(part.rows if part else None for part in (splits.valid, splits.id, splits.ood)),
        ),
        ood_type="none" if splits.ood is None else "given",
        duplicate_group=facts.duplicate_group,
        recipe={"rule": "imported", "dataset_id": facts.dataset_id},
    )


def table(columns: Mapping[str, object], facts: Facts) -> Table:
    """Return named columns as a table in the declared order."""
    import numpy as np

    names = tuple(variable.name for variable in facts.features)
    values = [np.asarray(columns[name], dtype=np.float64) for name in names]
    return Table(
        names,
        np.ascontiguousarray(np.column_stack(values)),
        np.asarray(columns[facts.target.name], dtype=np.float64),
    )
