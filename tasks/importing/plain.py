"""A plain table of the user's, with or without an OOD table and a ground truth."""

from collections.abc import Sequence
from pathlib import Path

from tasks import tables
from tasks.importing.found import Facts, Found, build
from tasks.schema import OWN_FAMILY


def read(
    path: Path,
    target: str,
    *,
    features: Sequence[str] | None = None,
    ood: Path | None = None,
    truth: str | None = None,
    name: str | None = None,
) -> tuple[Found, ...]:
    """Read one table; see :func:`tasks.tables.user_task` for the parameters.

    Returns
    -------
    tuple of Found
        Exactly one.

    Raises
    ------
    TaskError
        When the table, a column or the formula cannot be used.
    """
    task, splits = tables.user_task(path, target, features=features, ood=ood, truth=truth, name=name)
    facts = Facts(
        task.name,
        OWN_FAMILY,
        OWN_FAMILY,
        task.features,
        task.target,
        truth,
        truth,
        path.name,
        "the user's own",
    )
    return (Found(task.name, path.name, build(facts, splits), splits),)
