"""Duplicate groups for tasks whose table states none: equal data, or one formula up to renaming."""

import ast
from collections.abc import Sequence

from tasks import normal
from tasks.errors import TaskError


def groups(ids: Sequence[str], formulas: Sequence[str | None], data: Sequence[str | None]) -> tuple[str, ...]:
    """Group tasks that say the same thing.

    Parameters
    ----------
    ids : sequence of str
        N task ids.
    formulas : sequence of str or None
        Their formulas; two are the same when renaming variables and reordering terms makes them equal.
    data : sequence of str or None
        Digests of their rows; equal digests make one group, whatever the formulas.

    Returns
    -------
    tuple of str
        Per task the least id of its group; a task that has no equal is its own group.
    """
    leader = dict(zip(ids, ids, strict=True))

    def root(task: str) -> str:
        while leader[task] != task:
            task = leader[task]
        return task

    for keys in ([_shape(formula) for formula in formulas], data):
        first: dict[str, str] = {}
        for task, key in zip(ids, keys, strict=True):
            if key is None:
                continue
            one, other = root(first.setdefault(key, task)), root(task)
            leader[max(one, other)] = min(one, other)
    return tuple(root(task) for task in ids)


def _shape(formula: str | None) -> str | None:
    if formula is None:
        return None
    try:
        tree = ast.parse(formula.replace("^", "**"), mode="eval")
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}
        return normal.shape(formula.replace("^", "**"), tuple(sorted(names - {"pi", "np", "e"})))
    except (SyntaxError, ValueError, RecursionError, MemoryError, TaskError):
        # A formula that cannot be read equals nothing.
        return None
