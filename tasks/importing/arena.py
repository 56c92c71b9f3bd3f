"""The released arena layout: a folder with metadata.yaml, formula.py and one CSV (or Parquet) per split.

``dataset.name`` is family, subgroup and basename with double underscores between (the subgroup may be left
out); ``dataset.splits`` and ``dataset.ground_truth_formula`` name the files.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tasks import tables
from tasks.errors import TaskError
from tasks.importing.found import Facts, Found, build, inside, ordered, refuse_pickles, table
from tasks.importing.python_formula import formula_of
from tasks.schema import Splits, Table, Variable

SPLIT_FILES = {"train": "train", "valid": "valid", "id": "id_test", "ood": "ood_test"}
MEANINGLESS = frozenset({"meaningless", "irrelevant variable", "distractor"})
"""Descriptions by which a release marks distractors."""
LARGEST_METADATA = 4 * 1024 * 1024


def yaml_mapping(path: Path) -> Mapping[str, Any]:
    """Read a YAML file of plain values.

    Raises
    ------
    TaskError
        When it is too large, no YAML, holds tags, or is no mapping.
    """
    import yaml

    if path.stat().st_size > LARGEST_METADATA:
        raise TaskError(f"{path.name} is larger than {LARGEST_METADATA // 2**20} MB, which is no metadata")
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise TaskError(f"{path.name} is not plain YAML: {' '.join(str(error).split())[:160]}") from error
    if not isinstance(content, dict):
        raise TaskError(f"{path.name} holds no mapping")
    return content


def _variable(entry: Any, what: str) -> Variable:  # noqa: ANN401 - YAML holds anything
    if isinstance(entry, str):
        return Variable(entry)
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise TaskError(f"metadata.yaml gives {what} without a name")
    limits = entry.get("train_range")
    ends = limits if isinstance(limits, list) and len(limits) == 2 else (None, None)
    low, high = (float(e) if isinstance(e, int | float) and math.isfinite(e) else None for e in ends)
    text = entry.get("description")
    unit = entry.get("unit")
    return Variable(
        entry["name"],
        description=text if isinstance(text, str) else None,
        unit=unit if isinstance(unit, str) else None,
        dummy=bool(entry.get("dummy")) or str(text).strip().casefold() in MEANINGLESS,
        low=low,
        high=high,
        known="unknown" if low is None or high is None else "observed",
    )


def _text(content: Mapping[str, Any], *keys: str) -> str | None:
    return next((str(content[key]) for key in keys if content.get(key) is not None), None)


def dataset(folder: Path) -> Mapping[str, Any]:
    """Return the ``dataset`` part of a folder's metadata.yaml, or all of it where there is no such part."""
    content = yaml_mapping(inside(folder, folder / "metadata.yaml"))
    inner = content.get("dataset")
    return inner if isinstance(inner, dict) else content


def _named(data: Mapping[str, Any], folder: Path) -> tuple[str, str, str]:
    """Return family, subgroup and basename."""
    parts = (_text(data, "name", "basename") or folder.name).split("__")
    family = _text(data, "source_family", "family") or (parts[0] if len(parts) > 1 else "imported")
    subgroup = _text(data, "subgroup") or (
        parts[1] if len(parts) > 2 else parts[0] if len(parts) > 1 else family
    )
    return family, subgroup, parts[-1]


def facts(folder: Path) -> Facts:
    """Read metadata.yaml and the formula of a task folder; the formula is parsed, never executed."""
    data = dataset(folder)
    if "target" not in data or not isinstance(data.get("features"), list):
        raise TaskError("metadata.yaml needs a target and a list of features")
    features = tuple(_variable(entry, "a feature") for entry in data["features"])
    names = [variable.name for variable in features]
    target = _variable(data["target"], "the target")
    if len({*names, target.name}) != len(names) + 1:
        raise TaskError("metadata.yaml names a column twice")
    declared = data.get("ground_truth_formula")
    file = declared.get("file") if isinstance(declared, dict) else None
    source = folder / (file if isinstance(file, str) else "formula.py")
    inside(folder, source)
    text = source.read_text(encoding="utf-8") if source.is_file() else None
    stored = text if text is not None else _text(data, "formula")
    family, subgroup, name = _named(data, folder)
    return Facts(
        name=name,
        family=family,
        subgroup=subgroup,
        features=features,
        target=target,
        formula=stored if text is None else formula_of(text, names, source.name, target.name),
        source_formula=stored,
        source=_text(data, "source_benchmark", "source") or f"arena layout, folder {folder.name}",
        licence=_text(data, "license", "licence") or "not stated",
        duplicate_group=_text(data, "semantic_duplicate_group"),
        dataset_id=_text(data, "dataset_id", "task_id", "id"),
    )


def declared_files(folder: Path) -> Mapping[str, Any]:
    """Return the file names that metadata.yaml gives for the splits, if it gives any."""
    splits = dataset(folder).get("splits")
    if not isinstance(splits, dict):
        return {}
    return {name: entry.get("file") for name, entry in splits.items() if isinstance(entry, dict)}


def _file(folder: Path, stem: str, declared: Any) -> Path | None:  # noqa: ANN401 - YAML holds anything
    """Return a split's file: the one that the metadata names, or the layout's own name, inside the folder."""
    if isinstance(declared, str):
        path = folder / declared
        inside(folder, path)
        if not path.is_file():
            raise TaskError(f"metadata.yaml names {declared}, which does not exist")
        return path
    for ending in (".csv", ".parquet", ".csv.gz"):
        path = folder / f"{stem}{ending}"
        if path.exists() or path.is_symlink():
            inside(folder, path)
            return path
    return None


def read_folder(folder: Path) -> Found:
    """Read one task folder."""
    try:
        refuse_pickles(folder)
        known = facts(folder)
        files = declared_files(folder)
        parts: dict[str, Table] = {}
        for split, stem in SPLIT_FILES.items():
            path = _file(folder, stem, files.get(stem))
            if path is not None:
                columns = tables.read_columns(path)
                ordered(columns, known, path.name)
                parts[split] = table(columns, known)
        if "train" not in parts:
            raise TaskError("train.csv is missing")
        splits = Splits(parts["train"], parts.get("valid"), parts.get("id"), parts.get("ood"))
        notes = tuple(f"no {SPLIT_FILES[name]} split" for name in SPLIT_FILES if name not in parts)
        return Found(known.name, folder.name, build(known, splits), splits, notes)
    except TaskError as error:
        return Found(folder.name, folder.name, error=str(error))
    except (OSError, UnicodeDecodeError) as error:
        return Found(folder.name, folder.name, error=f"cannot be read: {error}")


def _below(root: Path, folder: Path) -> Found:
    try:
        inside(root, folder)
    except TaskError as error:
        return Found(folder.name, folder.name, error=str(error))
    return read_folder(folder)


def read(path: Path) -> tuple[Found, ...]:
    """Read a task folder, or all task folders below a folder, in order of their paths.

    Parameters
    ----------
    path : pathlib.Path
        A folder with a metadata.yaml, or one above such folders. Links to elsewhere are not followed.

    Returns
    -------
    tuple of Found
        One per task folder.

    Raises
    ------
    TaskError
        When there is no such folder or no metadata.yaml below it.
    """
    if not path.is_dir():
        raise TaskError(f"{path} is no folder of tasks in the arena layout")
    if (path / "metadata.yaml").exists():
        return (read_folder(path),)
    folders = sorted({found.parent for found in path.rglob("metadata.yaml")})
    if not folders:
        raise TaskError(f"{path} holds no metadata.yaml, so it is no folder of tasks in the arena layout")
    return tuple(_below(path, folder) for folder in folders)
