"""Writes a task as a folder that others can read: metadata.yaml, formula.py and one table per split."""

import ast
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tasks import cache, formula
from tasks.errors import TaskError
from tasks.schema import Splits, Table, Task

FILES = {"train": "train", "valid": "valid", "id": "id_test", "ood": "ood_test"}
"""File stem of each split in the released arena layout."""
KINDS = ("csv", "parquet")
_NUMPY_NAMES = {"abs": "np.abs", "pdiv": "pdiv", "pi": "np.pi"}
_PDIV = f'''

def pdiv(a, b):
    """Protected division: 1 where the denominator is at most {formula.PDIV_THRESHOLD} in magnitude."""
    return np.where(np.abs(b) > {formula.PDIV_THRESHOLD}, np.divide(a, b), 1.0)
'''


class _ToNumpy(ast.NodeTransformer):
    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        assert isinstance(node.func, ast.Name)
        spelled = _NUMPY_NAMES.get(node.func.id, f"np.{node.func.id}")
        return ast.Call(ast.parse(spelled, mode="eval").body, node.args, [])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "pi" and node.id not in self.names:
            return ast.parse("np.pi", mode="eval").body
        return node


def formula_source(task: Task) -> str:
    """Return the ground truth as the text of a Python file that computes it with NumPy."""
    assert task.formula is not None
    tree = formula.parse(task.formula, task.feature_names)
    body = ast.unparse(_ToNumpy(task.feature_names).visit(tree))
    helper = _PDIV if "pdiv(" in body else ""
    arguments = ", ".join(task.feature_names)
    return (
        f'"""Ground truth of {task.name}."""\n\nimport numpy as np\n{helper}\n\n'
        f"def formula({arguments}):\n    return {body}\n"
    )


def metadata(task: Task, splits: Splits, kind: str) -> dict[str, Any]:
    """Return the metadata of the released arena layout for a task whose tables are of a kind."""

    def described(variable: Any, values: np.ndarray[Any, Any]) -> dict[str, Any]:  # noqa: ANN401
        return {
            "name": variable.name,
            "description": variable.description,
            "unit": variable.unit,
            "dummy": variable.dummy,
            "train_range": [float(values.min()), float(values.max())],
        }

    return {
        "dataset": {
            "dataset_id": task.id,
            "name": task.name,
            "source_family": task.family,
            "subgroup": task.subgroup,
            "semantic_duplicate_group": task.duplicate_group,
            "formula": task.formula,
            "source_formula": task.source_formula,
            "provenance": {name: getattr(task.provenance, name) for name in task.provenance.__slots__},
            "ood_type": task.ood_type,
            "target": described(task.target, splits.train.y),
            "features": [
                described(variable, splits.train.X[:, j]) for j, variable in enumerate(task.features)
            ],
            "splits": {
                FILES[name]: {"file": f"{FILES[name]}.{kind}", "samples": table.rows}
                for name, table in splits.named()
            },
            "ground_truth_formula": {"file": "formula.py"},
        }
    }


def _write_csv(path: Path, table: Table, target: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(",".join((*table.names, target)) + "\n")
        for values in np.column_stack([table.X, table.y]).tolist():
            out.write(",".join(map(repr, values)) + "\n")


def write(task: Task, splits: Splits, folder: Path, kind: str) -> Mapping[str, Any]:
    """Write a task into a folder in the released arena layout.

    Parameters
    ----------
    task : Task
        The task.
    splits : Splits
        Its rows, possibly capped.
    folder : pathlib.Path
        Must not exist yet, or be empty.
    kind : str
        ``csv`` (every value to its last bit) or ``parquet``.

    Returns
    -------
    mapping
        What was written: file names with their rows.

    Raises
    ------
    TaskError
        When the folder holds something or cannot be written.
    """
    import yaml

    if kind not in KINDS:
        raise TaskError(f"{kind!r} is no table format; choose {' or '.join(KINDS)}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise TaskError(f"{folder} is not empty; name a new folder")
        written = {}
        for name, table in splits.named():
            path = folder / f"{FILES[name]}.{kind}"
            if kind == "csv":
                _write_csv(path, table, task.target.name)
            else:
                cache.write_table(path, table, task.target.name)
            written[path.name] = table.rows
        text = yaml.safe_dump(metadata(task, splits, kind), sort_keys=False, allow_unicode=True)
        (folder / "metadata.yaml").write_text(text, encoding="utf-8")
        if task.formula is not None:
            (folder / "formula.py").write_text(formula_source(task), encoding="utf-8")
    except OSError as error:
        reason = "the disk is full" if shutil.disk_usage(folder.anchor or "/").free == 0 else str(error)
        raise TaskError(f"{folder} cannot be written: {reason}") from error
    return {"task": task.id, "folder": str(folder), "files": written}
