"""PMLB: a folder per dataset with a gzipped tab-separated table and metadata.yaml."""

import re
from pathlib import Path

from tasks import formula, tables
from tasks.errors import TaskError
from tasks.importing.arena import yaml_mapping
from tasks.importing.found import Facts, Found, build, inside, refuse_pickles
from tasks.importing.python_formula import expression
from tasks.schema import Variable

TARGET = "target"
_EQUATION = re.compile(r"^\W*(?:formula\W*)?([A-Za-z_]\w*)\s*=\s*(.+?)\s*$", re.IGNORECASE)


def _formula(text: str, names: tuple[str, ...]) -> str | None:
    """Return the first line of a description that is an equation over the features."""
    for line in text.splitlines():
        matched = _EQUATION.match(line)
        if matched is None:
            continue
        try:
            found = expression(matched[2], names, "metadata.yaml")
        except TaskError:
            continue
        if formula.used_names(found, names):
            return found
    return None


def read_folder(folder: Path) -> Found:
    """Read one PMLB dataset."""
    try:
        refuse_pickles(folder)
        files = sorted([*folder.glob("*.tsv.gz"), *folder.glob("*.tsv")])
        if len(files) != 1:
            raise TaskError(f"holds {len(files)} tsv tables, not one")
        inside(folder, files[0])
        head = files[0].read_bytes()[:64]
        if head.startswith(b"version https://git-lfs"):
            raise TaskError(f"{files[0].name} is a Git LFS pointer, not the table; fetch the file itself")
        metadata = yaml_mapping(inside(folder, folder / "metadata.yaml"))
        kind = metadata.get("task")
        if kind not in (None, "regression"):
            raise TaskError(f"metadata.yaml says that this is a {kind} dataset, not regression")
        task, splits = tables.user_task(files[0], TARGET, name=folder.name)
        described = {
            str(entry["name"]): entry.get("description")
            for entry in metadata.get("features") or []
            if isinstance(entry, dict) and "name" in entry
        }
        features = tuple(
            Variable(
                variable.name,
                str(described[variable.name]) if described.get(variable.name) else None,
                low=variable.low,
                high=variable.high,
                known="observed",
            )
            for variable in task.features
        )
        text = str(metadata.get("description") or "")
        found = _formula(text, task.feature_names)
        subgroup = next((part for part in ("feynman", "strogatz") if folder.name.startswith(part)), "pmlb")
        facts = Facts(
            folder.name,
            "srbench1.0" if subgroup != "pmlb" else "pmlb",
            subgroup,
            features,
            Variable(TARGET),
            found,
            found,
            "PMLB",
            "MIT",
        )
        notes = () if found else ("kept without a ground truth: the description holds no equation",)
        return Found(folder.name, folder.name, build(facts, splits), splits, notes)
    except TaskError as error:
        return Found(folder.name, folder.name, error=str(error))
    except OSError as error:
        return Found(folder.name, folder.name, error=f"cannot be read: {error}")


def read(path: Path) -> tuple[Found, ...]:
    """Read one PMLB dataset folder or all below a folder.

    Parameters
    ----------
    path : pathlib.Path
        A folder with metadata.yaml and a table, or one above such folders.

    Returns
    -------
    tuple of Found
        One per dataset; rows are cut 8:1:1 under the task's own seed, there is no OOD split.

    Raises
    ------
    TaskError
        When there is none.
    """
    if (path / "metadata.yaml").exists():
        return (read_folder(path),)
    folders = sorted({found.parent for found in path.glob("*/metadata.yaml")}) if path.is_dir() else []
    if not folders:
        raise TaskError(f"{path} holds no metadata.yaml, so it is no PMLB dataset")
    return tuple(read_folder(folder) for folder in folders)
