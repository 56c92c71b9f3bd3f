"""A task's facts as plain JSON values, for listings, files and DataFrames."""

from dataclasses import asdict
from typing import Any

from tasks import labels, normal
from tasks.schema import Task


def row(task: Task) -> dict[str, Any]:
    """Return the facts that fit one line of a listing."""
    label = labels.of(task.id)
    return {
        "id": task.id,
        "name": task.name,
        "family": task.family,
        "subgroup": task.subgroup,
        "features": len(task.features),
        "target": task.target.name,
        "formula": task.formula,
        "formula_type": task.formula_type,
        "complexity": task.complexity,
        "complexity_group": task.complexity_group,
        "variable_bin": task.variable_bin,
        "dummies": task.has_dummies,
        "ood_type": task.ood_type,
        "train": task.sizes.train,
        "valid": task.sizes.valid,
        "id_test": task.sizes.id,
        "ood_test": task.sizes.ood,
        "constants": task.provenance.constants,
        "data": task.provenance.data,
        "duplicate_group": task.duplicate_group,
        "core50": bool(label and label.core50),
        "disputed": task.disputed,
    }


def everything(task: Task) -> dict[str, Any]:
    """Return all facts of a task: the schema of paper 1, table 3, with computed and published labels."""
    label = labels.of(task.id)
    recipe = dict(task.recipe)
    return {
        **row(task),
        "variables": [asdict(variable) for variable in task.features],
        "target_variable": asdict(task.target),
        "source_formula": task.source_formula,
        "normalized": None if task.formula is None else normal.normalized(task.formula, task.feature_names),
        "tree": None if task.formula is None else normal.form(task.formula, task.feature_names),
        "named_constants": [asdict(constant) for constant in task.constants],
        "provenance": asdict(task.provenance),
        "recipe": recipe,
        "published_labels": None if label is None else asdict(label),
    }
