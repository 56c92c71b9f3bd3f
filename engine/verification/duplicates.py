"""Finds tasks that say the same thing: equal data, equal formulas after renaming, and the recorded groups."""

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.expression import ExpressionError
from engine.expression.canonical import canonical_tree
from engine.expression.children import Children
from tasks import normal
from tasks.schema import Task

TREE_SECONDS = 5.0
"""Limit on building one canonical tree."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of two or more task ids: by equal tables, by formula up to renaming, and as recorded."""

    data: tuple[tuple[str, ...], ...]
    formula: tuple[tuple[str, ...], ...]
    recorded: tuple[tuple[str, ...], ...]


def _grouped(pairs: Iterable[tuple[Hashable, str]]) -> tuple[tuple[str, ...], ...]:
    members: dict[Hashable, list[str]] = defaultdict(list)
    for key, task in pairs:
        members[key].append(task)
    return tuple(sorted(tuple(sorted(group)) for group in members.values() if len(group) > 1))


def canonical_keys(tasks: Sequence[Task]) -> dict[str, Hashable]:
    """Return a key for every task with a formula; equal keys mean equal formulas after renaming variables.

    Our own normalized form is built first and its variables renamed; the engine's canonical tree of that text
    then also knows that, for instance, sin is odd. Where no tree can be built in time, the normalized form is
    the key.

    Parameters
    ----------
    tasks : sequence of Task
        The tasks.

    Returns
    -------
    dict of str to hashable
        Keys by task id.
    """
    keys: dict[str, Hashable] = {}
    known: dict[str, Hashable] = {}
    with Children(1) as children:
        for task in tasks:
            if task.formula is None:
                continue
            shape = normal.shape(task.formula, task.feature_names)
            if shape not in known:
                text, names = normal.renamed(task.formula, task.feature_names)
                try:
                    tree = canonical_tree(text, names, children=children, seconds=TREE_SECONDS)
                    known[shape] = (tree.labels, tree.sizes)
                except ExpressionError:
                    known[shape] = shape
            keys[task.id] = known[shape]
    return keys


def groups(tasks: Sequence[Task], digests: Mapping[str, Mapping[str, str]]) -> Groups:
    """Group tasks.

    Parameters
    ----------
    tasks : sequence of Task
        The tasks, in any order.
    digests : mapping of str to mapping
        Digest of the values of each split by task id; column names must not enter it.

    Returns
    -------
    Groups
        Two tasks share a data group when all splits have equal values, and a formula group when their
        canonical formulas are the same after renaming variables.
    """
    shapes = [(key, task) for task, key in canonical_keys(tasks).items()] if len(tasks) > 1 else []
    data = [(tuple(sorted(digests[task.id].items())), task.id) for task in tasks if digests.get(task.id)]
    recorded = [(task.duplicate_group, task.id) for task in tasks if task.duplicate_group is not None]
    return Groups(_grouped(data), _grouped(shapes), _grouped(recorded))


def _pairs(found: Iterable[tuple[str, ...]]) -> set[tuple[str, str]]:
    return {pair for group in found for pair in itertools.combinations(group, 2)}


def compared(found: Groups) -> dict[str, Any]:
    """Compare recomputed formula groups with the recorded ones.

    Parameters
    ----------
    found : Groups
        From :func:`groups`.

    Returns
    -------
    dict
        Counts of pairs that are in both, only recorded (the same law with other constants or with constants
        in the place of variables) and only recomputed (the same formula under another name), and the groups.
    """
    recorded, recomputed = _pairs(found.recorded), _pairs(found.formula)
    return {
        "data_groups": [list(group) for group in found.data],
        "formula_groups": len(found.formula),
        "recorded_groups": len(found.recorded),
        "pairs_in_both": len(recorded & recomputed),
        "pairs_only_recorded": len(recorded - recomputed),
        "pairs_only_recomputed": len(recomputed - recorded),
        "only_recomputed": [list(group) for group in found.formula if _pairs([group]) - recorded],
    }


def closed(found: Groups) -> dict[str, int]:
    """Return a group number for every task that shares data or formula with another, transitively.

    Parameters
    ----------
    found : Groups
        From :func:`groups`.

    Returns
    -------
    dict of str to int
        Numbers from 0 in order of the groups' first ids; a distilled set takes at most one task per number.
    """
    parent: dict[str, str] = {}

    def root(task: str) -> str:
        parent.setdefault(task, task)
        while parent[task] != task:
            task = parent[task]
        return task

    for group in (*found.data, *found.formula):
        for task in group[1:]:
            first, second = sorted((root(group[0]), root(task)))
            parent[second] = first
    roots = sorted({root(task) for task in parent})
    return {task: roots.index(root(task)) for task in sorted(parent)}
