"""Composition of a set of tasks, beside the paper's table 4, and why published labels differ from ours."""

import ast
import functools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks.classification import (
    EXPONENTIAL,
    PAPER_COMPLEXITY,
    PAPER_TYPES,
    TRIGONOMETRIC,
    complexity_group,
    operator_count,
)
from tasks.schema import Task

PAPER_TASKS = 664
"""Size of the Full Task Set (paper 1, 3.1)."""
PAPER_CORE50 = 50
"""Size of Core50 (paper 1, C.5)."""
PAPER_FAMILIES = {
    "llm-srbench": 240,
    "srsd": 232,
    "srbench1.0": 133,
    "keijzer": 15,
    "srbench2025/firstprinciples": 12,
    "nguyen": 12,
    "korns": 12,
    "vladislavleva": 8,
}
"""Tasks per source (paper 1, table 4)."""
CORE50_FAMILIES = {
    "llm-srbench": 16,
    "srsd": 15,
    "srbench1.0": 9,
    "nguyen": 3,
    "srbench2025/firstprinciples": 2,
    "korns": 2,
    "keijzer": 2,
    "vladislavleva": 1,
}
"""Tasks of Core50 per source (paper 1, C.5)."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of table 4: category to our count, and to the paper's where it applies to this set."""

    name: str
    ours: Mapping[str, int]
    paper: Mapping[str, int] | None


def composition(tasks: Sequence[Task], *, whole: bool) -> tuple[Dimension, ...]:
    """Count tasks by source, formula type, complexity, variable-count bin and OOD type.

    Parameters
    ----------
    tasks : sequence of Task
        The set.
    whole : bool
        Whether the set is the Full Task Set, which the paper's counts describe.

    Returns
    -------
    tuple of Dimension
        In the order of table 4, then the two dimensions that it does not show.
    """

    def counted(values: Sequence[str], order: Mapping[str, int] | None) -> Mapping[str, int]:
        counts = Counter(values)
        names = [*(order or {}), *sorted(set(counts) - set(order or {}))]
        return {name: counts.get(name, 0) for name in names if order is not None or counts.get(name)}

    rows = (
        ("source", [task.family for task in tasks], PAPER_FAMILIES),
        ("formula type", [task.formula_type for task in tasks], PAPER_TYPES),
        ("complexity", [task.complexity_group for task in tasks], PAPER_COMPLEXITY),
        ("variables", [task.variable_bin for task in tasks], None),
        ("OOD type", [task.ood_type for task in tasks], None),
        ("constants known", [task.provenance.constants for task in tasks], None),
        ("data", [task.provenance.data for task in tasks], None),
    )
    return tuple(
        Dimension(name, counted(values, paper), paper if whole else None) for name, values, paper in rows
    )


def quantile_boundaries(tasks: Sequence[Task]) -> tuple[int, int]:
    """Return the operator counts at the one third and two thirds quantiles of a set (paper 1, B.3)."""
    counts = sorted(count for task in tasks if (count := task.complexity) is not None)
    return counts[(len(counts) - 1) // 3], counts[2 * (len(counts) - 1) // 3]


def confusion(pairs: Sequence[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return a confusion table: published label to our label to count."""
    table: dict[str, dict[str, int]] = {}
    for published, ours in sorted(pairs):
        row = table.setdefault(published, {})
        row[ours] = row.get(ours, 0) + 1
    return table


@functools.lru_cache(maxsize=2048)
def _calls(text: str) -> frozenset[str] | None:
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return None
    return frozenset(
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    )


CLASSIC_HELPER = "np.sqrt(np.abs(x1))"
"""What the published list gives for all 47 classic tasks: the last helper of their source file."""
HELPER_CAUSE = "published text is the last helper of the source file, not the formula"
VARIABLE_CAUSE = "published text is a helper variable, not the formula"


def _names_helpers(task: Task, published_text: str) -> bool:
    """Whether a short published text is written over variables that the task does not have."""
    assert task.formula is not None
    names = set(re.findall(r"[A-Za-z_]\w*", task.formula))
    return bool(set(re.findall(r"[A-Za-z_]\w*", published_text)) - names - {"np", "pi", "A", "B"}) and (
        len(published_text) < 48
    )


def cause_of_other_complexity(task: Task, published_text: str) -> str:
    """Say why the operator count of a published text falls into another group than that of our source form.

    Parameters
    ----------
    task : Task
        The task.
    published_text : str
        The published expression.

    Returns
    -------
    str
        The cause; empty when the groups agree.
    """
    if complexity_group(operator_count(published_text)) == task.complexity_group:
        return ""
    if published_text == CLASSIC_HELPER:
        return HELPER_CAUSE
    if task.provenance.constants in ("drawn", "derived", "inferred") and task.family == "llm-srbench":
        return "the published text has another term than the ground truth that makes the data"
    if _names_helpers(task, published_text):
        return VARIABLE_CAUSE
    return "the two source forms write the same law with other numbers of operators"


def cause_of_difference(task: Task, published_text: str, published_type: str) -> str:
    """Say why a published formula type differs from the one computed here.

    Parameters
    ----------
    task : Task
        The task.
    published_text : str
        The expression from which the published label was taken.
    published_type : str
        The published label.

    Returns
    -------
    str
        The cause, one of a few phrases; empty when the labels agree.
    """
    if task.formula_type == published_type:
        return ""
    assert task.formula is not None
    names = set(re.findall(r"[A-Za-z_]\w*", task.formula))
    if published_text == CLASSIC_HELPER:
        return HELPER_CAUSE
    calls = _calls(published_text) or frozenset()
    if names & {"tanh", "sinh", "cosh"} and published_type in ("trigonometric", "mixed_elementary"):
        return "published label counts hyperbolic functions as trigonometric"
    if not calls & (TRIGONOMETRIC | EXPONENTIAL | {"exp2"}) and published_type in (
        "trigonometric",
        "exponential_log",
        "mixed_elementary",
    ):
        return "published label matched letters of a name (tan in distance, log in log_period)"
    if _names_helpers(task, published_text):
        return VARIABLE_CAUSE
    if ("/" in published_text) != ("/" in task.formula):
        return "a division is written in one source form and not in the other"
    if "exp2" in calls:
        return "published text writes a power of two as a function"
    return "the two texts write the law with different functions"
