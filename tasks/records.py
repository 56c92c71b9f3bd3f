"""Turns the JSON form of a task into a task."""

from collections.abc import Mapping
from typing import Any

from tasks.schema import Constant, Provenance, Sizes, Task, Variable


def from_record(record: Mapping[str, Any]) -> Task:
    """Build a task from its record: the fields of :class:`tasks.schema.Task` as JSON.

    Parameters
    ----------
    record : mapping
        A line of the catalogue, or the record of an imported task.

    Returns
    -------
    Task
        The task.
    """
    return Task(
        id=record["id"],
        name=record["name"],
        family=record["family"],
        subgroup=record["subgroup"],
        features=tuple(Variable(**variable) for variable in record["features"]),
        target=Variable(**record["target"]),
        formula=record["formula"],
        source_formula=record["source_formula"],
        provenance=Provenance(**record["provenance"]),
        constants=tuple(Constant(**constant) for constant in record.get("constants", ())),
        sizes=Sizes(**record["sizes"]),
        ood_type=record["ood_type"],
        duplicate_group=record["duplicate_group"],
        recipe=record["recipe"],
        disputed=record.get("disputed"),
    )
