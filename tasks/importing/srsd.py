"""SRSD text files: train, val and test folders with one whitespace-separated table per equation."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tasks import tables
from tasks.errors import TaskError
from tasks.importing.found import PICKLES, Facts, Found, build
from tasks.importing.python_formula import expression
from tasks.schema import Splits, Table, Variable

FOLDERS = {"train": ("train",), "valid": ("val", "valid"), "id": ("test",)}


def _read_text(path: Path) -> Table:
    if path.stat().st_size > tables.LARGEST_TABLE_BYTES:
        size = path.stat().st_size / 2**20
        raise TaskError(
            f"{path.name} has {size:.0f} MB; at most {tables.LARGEST_TABLE_BYTES // 2**20} MB are read"
        )
    try:
        values = np.loadtxt(path, dtype=np.float64, ndmin=2)
    except (ValueError, UnicodeDecodeError) as error:
        raise TaskError(f"{path.parent.name}/{path.name} is no table of numbers: {error}") from error
    if values.shape[1] < 2:
        raise TaskError(
            f"{path.parent.name}/{path.name} has {values.shape[1]} columns; at least 2 are needed"
        )
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise TaskError(f"{path.parent.name}/{path.name} holds NaN or infinite values in row {bad[0]}")
    names = tuple(f"x{j}" for j in range(values.shape[1] - 1))
    return Table(names, np.ascontiguousarray(values[:, :-1]), values[:, -1].copy())


def _equations(root: Path) -> Mapping[str, Any]:
    path = root / "supp_info.json"
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaskError(f"{path} cannot be read: {error}") from error
    return content if isinstance(content, dict) else {}


def _subgroup(root: Path) -> str:
    name = root.resolve().name.casefold()
    level = next((level for level in ("easy", "medium", "hard") if level in name), None)
    if level is None:
        return "srsd"
    return f"srsd-feynman_{level}{'_dummy' if 'dummy' in name else ''}"


def _one(root: Path, stem: str, equations: Mapping[str, Any]) -> Found:
    try:
        parts: dict[str, Table] = {}
        for split, folders in FOLDERS.items():
            for folder in folders:
                path = root / folder / f"{stem}.txt"
                if path.is_file():
                    parts[split] = _read_text(path)
        widths = {table.names for table in parts.values()}
        if len(widths) > 1:
            raise TaskError(f"the splits of {stem} have different numbers of columns")
        entry = equations.get(stem, {})
        text = entry.get("sympy_eq_str") if isinstance(entry, dict) else None
        names = parts["train"].names
        parsed, notes = None, []
        if isinstance(text, str):
            try:
                parsed = expression(text, names, stem)
            except TaskError as error:
                notes.append(f"kept without a ground truth: {error}")
        else:
            notes.append("kept without a ground truth: supp_info.json says nothing about it")
        facts = Facts(
            stem,
            "srsd",
            _subgroup(root),
            tuple(map(Variable, names)),
            Variable("y"),
            parsed,
            text if isinstance(text, str) else None,
            "SRSD-Feynman release",
            "CC BY 4.0",
        )
        splits = Splits(parts["train"], parts.get("valid"), parts.get("id"))
        return Found(stem, stem, build(facts, splits), splits, tuple(notes))
    except TaskError as error:
        return Found(stem, stem, error=str(error))


def read(path: Path) -> tuple[Found, ...]:
    """Read an SRSD release: a folder with train, val and test, or one above several of them.

    Parameters
    ----------
    path : pathlib.Path
        The folder. Pickled equations (``true_eq``) are never opened; formulas come from ``supp_info.json``.

    Returns
    -------
    tuple of Found
        One per text file of ``train``.

    Raises
    ------
    TaskError
        When the path is a pickle, or no such folder.
    """
    if path.suffix.lower() in PICKLES:
        raise TaskError(
            f"{path.name} is a pickle; pickles are refused because reading them can run code, "
            "and SRSD's text files hold the same samples"
        )
    roots = (
        [path]
        if (path / "train").is_dir()
        else sorted({p.parent for p in path.glob("*/train") if p.is_dir()})
    )
    found: list[Found] = []
    for root in roots:
        equations = _equations(root)
        found.extend(_one(root, text.stem, equations) for text in sorted((root / "train").glob("*.txt")))
    if not found:
        raise TaskError(f"{path} holds no train/*.txt, so it is no SRSD release")
    return tuple(found)
