"""Makes the splits of a task: from its cache where its digests hold, else by its family's rule."""

import importlib

import numpy as np

from tasks import cache
from tasks.errors import TaskError
from tasks.randomness import Stream
from tasks.schema import Splits, Table, Task

RULES = {
    "classic": "tasks.generators.classic",
    "feynman": "tasks.generators.feynman",
    "imported": "tasks.imported",
    "first-principles": "tasks.generators.first_principles",
    "lsr-synth": "tasks.generators.lsr_synth",
    "lsr-transform": "tasks.generators.lsr_transform",
    "pack": "tasks.packs",
    "srsd": "tasks.generators.srsd",
    "strogatz": "tasks.generators.strogatz",
}
"""Module of each family's rule; only the one that is needed is imported."""


KEPT_ELSEWHERE = frozenset({"imported", "pack"})
"""Rules whose rows already lie on disk or belong to a pack, and are not cached again."""


def generate(task: Task) -> Splits:
    """Generate the splits of a catalogue task anew, without the cache.

    Parameters
    ----------
    task : Task
        A task whose recipe names a rule.

    Returns
    -------
    Splits
        The four splits; the same bits for the same task on every machine, up to the last bits of
        exp, log, powers and ODE solutions.

    Raises
    ------
    TaskError
        When the recipe's rule is unknown.
    """
    rule = task.recipe.get("rule")
    if rule not in RULES:
        raise TaskError(f"{task.id} {task.name} has no rule to generate its splits from (rule {rule!r})")
    splits: Splits = importlib.import_module(RULES[rule]).generate(task)
    return splits


def _cached(task: Task) -> Splits:
    whole = cache.read(task)
    if whole is None:
        whole = generate(task)
        cache.store(task, whole)
    return whole


def splits(task: Task, *, max_rows: int | None = None) -> Splits:
    """Return the splits of a task, generating and caching them when needed.

    Parameters
    ----------
    task : Task
        A task of the catalogue or an imported one.
    max_rows : int, optional
        Cap on the rows of each test split; a longer one keeps the rows that :func:`capped` chooses.
        Training and validation rows are never cut.

    Returns
    -------
    Splits
        The four splits.

    Raises
    ------
    TaskError
        When the task's rows cannot be made or read, or ``max_rows`` is below 1.
    """
    whole = generate(task) if task.recipe.get("rule") in KEPT_ELSEWHERE else _cached(task)
    if max_rows is None:
        return whole
    if max_rows < 1:
        raise TaskError(f"a cap of {max_rows} rows leaves nothing to test on; give at least 1")
    return Splits(
        whole.train,
        whole.valid,
        *(capped(task, name, getattr(whole, name), max_rows) for name in ("id", "ood")),
    )


def capped(task: Task, split: str, table: Table | None, most: int) -> Table | None:
    """Cap a test split: ``most`` rows drawn without replacement under the task's seed, kept in their order.

    Parameters
    ----------
    task : Task
        Gives the seed.
    split : str
        ``id`` or ``ood``; part of the seed.
    table : Table or None
        The whole split.
    most : int
        Rows to keep.

    Returns
    -------
    Table or None
        The split itself when it is short enough.
    """
    if table is None or table.rows <= most:
        return table
    rows = np.sort(Stream(task.id, "cap", split).permutation(table.rows)[:most])
    return Table(table.names, np.ascontiguousarray(table.X[rows]), table.y[rows])
