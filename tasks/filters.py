"""Filters tasks by their facts."""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.errors import TaskError
from tasks.schema import Task


@dataclass(frozen=True, slots=True)
class Filter:
    """What a task must be; ``None`` lets all pass. ``features`` is a count or a range such as ``2-4``."""

    family: str | None = None
    subgroup: str | None = None
    formula_type: str | None = None
    complexity: str | None = None
    features: str | None = None
    ood_type: str | None = None
    constants: str | None = None
    text: str | None = None


def _bounds(features: str) -> tuple[int, int]:
    low, _, high = features.partition("-")
    try:
        return int(low), int(high or low)
    except ValueError:
        raise TaskError(f"{features!r} is no feature count; give a number or a range such as 2-4") from None


def matching(tasks: Sequence[Task], wanted: Filter) -> tuple[Task, ...]:
    """Return the tasks that pass a filter, in their order.

    Parameters
    ----------
    tasks : sequence of Task
        Where to look.
    wanted : Filter
        Conditions, all of which must hold. Family and subgroup match by their beginning; ``text`` is looked
        for in id, name and formula.

    Returns
    -------
    tuple of Task
        Possibly none.

    Raises
    ------
    TaskError
        When a condition names a family, subgroup, type or group that no task has.
    """
    least, most = _bounds(wanted.features) if wanted.features else (0, 10**6)
    for word, values in (
        (wanted.family, {task.family for task in tasks}),
        (wanted.subgroup, {task.subgroup for task in tasks}),
        (
            wanted.formula_type,
            {"polynomial", "rational", "trigonometric", "exponential_log", "mixed_elementary"},
        ),
        (wanted.complexity, {"simple", "moderate", "complex"}),
    ):
        known = values | {"unknown"}
        if word is not None and not any(value.casefold().startswith(word.casefold()) for value in known):
            raise TaskError(f"no task is {word!r}; there are {', '.join(sorted(values))}")

    def passes(task: Task) -> bool:
        begins = (
            (wanted.family, task.family),
            (wanted.subgroup, task.subgroup),
            (wanted.formula_type, task.formula_type),
            (wanted.complexity, task.complexity_group),
            (wanted.ood_type, task.ood_type),
            (wanted.constants, task.provenance.constants),
        )
        if any(word and not value.casefold().startswith(word.casefold()) for word, value in begins):
            return False
        if not least <= len(task.features) <= most:
            return False
        haystack = f"{task.id} {task.name} {task.formula or ''}".casefold()
        return wanted.text is None or wanted.text.casefold() in haystack

    return tuple(task for task in tasks if passes(task))
