"""Where a task's OOD rows may lie, by its family's rule."""

from tasks.generators import ranges
from tasks.outside import Outside, linear
from tasks.schema import Table, Task


def intervals(task: Task, train: Table) -> tuple[Outside, ...] | None:
    """Return the outside intervals of every feature.

    Parameters
    ----------
    task : Task
        The task.
    train : Table
        Its training split: SRSD and Feynman tasks measure from the observed training extremes.

    Returns
    -------
    tuple of Outside or None
        One per feature; ``None`` for families whose OOD rows are not drawn from intervals.
    """
    recipe, names = task.recipe, task.feature_names
    match recipe.get("rule"):
        case "srsd" | "feynman":
            return tuple(ranges.outside_training([recipe["sampling"][name] for name in names], train))
        case "lsr-transform":
            samplings = [recipe["sampling"][name] for name in names]
            return tuple(linear(sampling["low"], sampling["high"], guard=False) for sampling in samplings)
        case "classic" if recipe["test_is"] != "ood":
            specs = [recipe["train"][name] for name in names]
            return tuple(linear(spec["low"], spec["high"]) for spec in specs)
        case _:
            return None
