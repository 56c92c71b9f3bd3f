"""Rewrites the trees of E2ESR and TPSR from the model's own variables to the task's."""

import copy
from collections.abc import Sequence
from typing import Any


def relabelled(tree: Any, columns: Sequence[int]) -> Any:  # noqa: ANN401
    """Return a copy of a tree whose variables are columns of the task.

    Upstream renames one variable after the other, which goes wrong when names overlap; and its decoder may
    name variables the data do not have, which count as zero.

    Parameters
    ----------
    tree : Node or NodeList of symbolicregression.envs.generators
        Over x_0, x_1, ... of the selected columns.
    columns : sequence of int
        The task's column of each selected one.
    """
    tree = copy.deepcopy(tree)
    for root in getattr(tree, "nodes", [tree]):
        _relabel(root, columns)
    return tree


def _relabel(node: Any, columns: Sequence[int]) -> None:  # noqa: ANN401
    value = str(node.value)
    if value.startswith("x_"):
        index = int(value.removeprefix("x_"))
        node.value = f"x_{columns[index]}" if index < len(columns) else "0"
    for child in node.children:
        _relabel(child, columns)
