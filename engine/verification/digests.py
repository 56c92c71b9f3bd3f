"""Checks that a task's rows are the ones its recipe makes: cache, regeneration and the frozen manifest."""

import functools
import json
import math
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np

from engine.verification.report import SHOWN_ROWS, Finding, Row, number
from tasks import cache, materialize
from tasks.schema import Splits, Table, Task

REPRODUCED = 1e-12
"""Relative agreement of regenerated rows with stored ones; last bits may differ between processors."""
SUM_TOLERANCE = 1e-11
"""Relative agreement of a split's sums with the frozen ones for closed-form families."""
ODE_SUM_TOLERANCE = 1e-8
"""The same for ODE solutions, whose last bits grow along the trajectory."""


@functools.cache
def frozen() -> dict[str, Mapping[str, Any]]:
    """Return the frozen manifest by task id: digests of inputs that are exact everywhere, and sums of all."""
    with resources.files("tasks.catalogue").joinpath("frozen.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return {record["id"]: record for record in records}


def sums(table: Table) -> list[float]:
    """Return the exactly rounded sums of the magnitudes of all inputs and of all targets of a split."""
    return [math.fsum(np.abs(table.X).ravel().tolist()), math.fsum(np.abs(table.y).tolist())]


def against_frozen(task: Task, splits: Splits) -> list[Finding]:
    """Compare generated rows with the frozen manifest of this version of the generators."""
    record = frozen().get(task.id)
    if record is None:
        return [Finding("digest", None, "is not listed in the frozen manifest")]
    faults = []
    tolerance = ODE_SUM_TOLERANCE if task.recipe["rule"] == "lsr-synth" else SUM_TOLERANCE
    for name, table in splits.named():
        expected = record["inputs"].get(name)
        if expected is not None and cache.inputs_digest(table) != expected:
            faults.append(Finding("digest", name, "the inputs are not those of the frozen manifest"))
        for what, now, then in zip(("inputs", "targets"), sums(table), record["sums"][name], strict=True):
            if not math.isclose(now, then, rel_tol=tolerance):
                message = f"the {what} sum to {now!r} in magnitude, not to the frozen {then!r}"
                faults.append(Finding("digest", name, message))
    return faults


def _compared(name: str, stored: Table, fresh: Table) -> Finding | None:
    if stored.X.shape != fresh.X.shape:
        return Finding(
            "reproducible", name, f"holds {stored.rows} rows where regeneration gives {fresh.rows}"
        )
    both = np.column_stack([stored.X, stored.y]), np.column_stack([fresh.X, fresh.y])
    with np.errstate(all="ignore"):
        bad = ~(np.abs(both[0] - both[1]) <= REPRODUCED * np.abs(both[1])).all(axis=1)
    bad &= ~(both[0] == both[1]).all(axis=1)
    where = np.flatnonzero(bad)
    if not len(where):
        return None
    rows = tuple(Row(int(row), number(stored.y[row]), number(fresh.y[row])) for row in where[:SHOWN_ROWS])
    return Finding(
        "reproducible", name, f"{len(where)} rows differ from their regeneration", len(where), rows=rows
    )


def cached_rows(task: Task) -> tuple[Splits, list[Finding]]:
    """Return a catalogue task's rows as cached, with what is wrong with them.

    The rows are generated anew. Without a cache they are cached and returned; with one, every stored table is
    checked against its manifest's digest and against the new rows, and returned as stored.

    Parameters
    ----------
    task : Task
        A task with a generating rule.

    Returns
    -------
    Splits
        The stored rows; new ones where a table cannot be read.
    list of Finding
        Damaged, missing or irreproducible tables.
    """
    fresh = materialize.generate(task)
    faults = against_frozen(task, fresh)
    manifest = cache.manifest(task)
    if manifest is None:
        cache.store(task, fresh)
        return fresh, faults
    tables: dict[str, Table] = {}
    for name, table in fresh.named():
        try:
            stored = cache.read_table(
                cache.folder(task) / f"{name}.parquet", task.feature_names, task.target.name
            )
        except (OSError, ValueError) as error:
            faults.append(Finding("digest", name, f"the cached table cannot be read ({error}); remove it"))
            tables[name] = table
            continue
        tables[name] = stored
        entry = manifest["tables"].get(name, {})
        if cache.table_digest(stored, task.target.name) != entry.get("sha256"):
            faults.append(Finding("digest", name, "the cached table is not the one its manifest records"))
        difference = _compared(name, stored, table)
        faults.extend([difference] if difference else [])
    return Splits(tables["train"], tables.get("valid"), tables.get("id"), tables.get("ood")), faults
