"""What scoring must know about a task: columns, declared domain, ground truth, and which splits exist."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.running import user_data
from tasks.errors import TaskError


@dataclass(frozen=True, slots=True)
class Reference:
    """One task as scoring sees it; ``formula`` is None without a ground truth."""

    task: str
    name: str
    features: tuple[str, ...]
    formula: str | None
    domain: tuple[tuple[str, float, float], ...]
    has_id: bool
    has_ood: bool


def references(campaign: Path, tasks: Iterable[str]) -> tuple[dict[str, Reference], dict[str, str]]:
    """Look the tasks of a campaign up.

    Parameters
    ----------
    campaign : Path
        The campaign folder, for users' own tables.
    tasks : iterable of str
        Task ids.

    Returns
    -------
    (dict of Reference, dict of str)
        Known tasks by id, and for each unknown one a sentence.
    """
    found: dict[str, Reference] = {}
    unknown: dict[str, str] = {}
    for identifier in tasks:
        try:
            task = user_data.task(campaign, identifier)
        except TaskError as error:
            unknown[identifier] = str(error)
            continue
        domain = tuple(
            (variable.name, float(variable.low), float(variable.high))
            for variable in task.features
            if variable.low is not None and variable.high is not None
        )
        found[identifier] = Reference(
            identifier,
            task.name,
            task.feature_names,
            task.formula,
            domain,
            has_id=bool(task.sizes.id),
            has_ood=bool(task.sizes.ood),
        )
    return found, unknown
