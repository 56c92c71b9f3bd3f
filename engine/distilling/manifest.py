"""The record of a selection: members, formulas, scores, constraints, versions and hashes (table 7)."""

import dataclasses
import hashlib
import json
import platform
import re
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.distilling.census import census
from engine.distilling.fidelity import RandomReference, fidelity
from engine.distilling.problem import Problem
from engine.distilling.projection import project
from engine.distilling.selection import Selection
from engine.errors import EngineError
from engine.running import store

SCHEMA = 1
# Below the user's data; beside the selections, which must hold nothing else.
FOLDER = "distilled"
# Folders beside the manifests: beside other selections; under other weights.
COMPARED, WEIGHED = STUDIES = ("compared", "weighed")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
# Packages that a selection's numbers depend on.
VERSIONED = ("arena-tui", "numpy", "scipy", "numba")


def core_document(
    problem: Problem, selection: Selection, reference: RandomReference, sources: Mapping[str, str]
) -> dict[str, Any]:
    """Describe a selection completely.

    Parameters
    ----------
    problem : Problem
        What was asked for.
    selection : Selection
        What was found.
    reference : RandomReference
        Random draws of the same size.
    sources : mapping of str to str
        SHA-256 of the inputs by their name.

    Returns
    -------
    dict
        Plain values, without NaN.
    """
    pool, rows = problem.pool, selection.rows
    measured = fidelity(pool.responses, rows)
    facts = [pool.facts[row] for row in rows]
    return {
        "schema": SCHEMA,
        "members": list(selection.members),
        "J": selection.terms.J,
        "upper_bound": selection.bound,
        "gap": selection.gap,
        "coverage": selection.terms.coverage,
        "structural_coverage": selection.terms.structural_coverage,
        "response_coverage": selection.terms.response_coverage,
        "mean_info": selection.terms.mean_info,
        "balance": selection.terms.balance,
        "mae": measured.mae,
        "nmae": measured.nmae,
        "mae_percentile": reference.percentile(measured.mae),
        "random_draws": {
            "draws": len(reference.mae),
            "seed": reference.seed,
            "mean": float(reference.mae.mean()),
            "sd": float(reference.mae.std()),
        },
        "A_full": dict(zip(measured.probes, measured.full, strict=True)),
        "A_subset": dict(zip(measured.probes, measured.subset, strict=True)),
        "constraints": [
            {
                "kind": row.kind,
                "name": row.name,
                "value": row.value(rows),
                "low": row.low,
                "high": row.high,
                "met": row.holds(rows),
            }
            for row in problem.constraints
        ],
        "demand": {
            "size": problem.size,
            "weights": list(problem.demand.weights),
            "fidelity": problem.demand.delta,
            "within": None if problem.demand.within is None else list(problem.demand.within),
            "without": list(problem.demand.without),
            "labels": pool.labels.source,
        },
        "pool": {"tasks": len(pool.ids), "probes": list(pool.responses.probes)},
        "solver": {
            "name": selection.solver,
            "seed": selection.seed,
            "starts": selection.starts,
            "seconds": selection.seconds,
            "cpu_seconds": selection.cpu_seconds,
        },
        "tasks": [
            {
                "id": fact.id,
                "name": fact.name,
                "family": fact.family,
                "subgroup": fact.subgroup,
                "formula": fact.formula,
                "formula_type": fact.formula_type,
                "variables": fact.features,
                "info": float(pool.information.info[row]),
                "difficulty": pool.labels.difficulty[row],
                "failure": pool.labels.failure[row],
            }
            for fact, row in zip(facts, rows, strict=True)
        ],
        "census": dataclasses.asdict(census(pool, rows)),
        "projection": _projection(problem, rows),
        "members_sha256": members_digest(selection.members),
        "sources_sha256": dict(sources),
        "versions": versions(),
        "notes": list(selection.notes),
    }


def _projection(problem: Problem, rows: NDArray[np.int64]) -> dict[str, Any]:
    found = project(problem.pool)
    points = np.round(found.points, 4)
    return {
        "x": points[:, 0].tolist(),
        "y": points[:, 1].tolist(),
        "members": [int(row) for row in rows],
        "explained": list(found.explained),
    }


def versions() -> dict[str, str]:
    """Return the versions that a selection's numbers depend on.

    Returns
    -------
    dict of str to str
        Python and packages; ``unknown`` for a package that is not installed as one.
    """
    found = {"python": platform.python_version()}
    for package in VERSIONED:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "unknown"
    return found


def check_name(name: str) -> None:
    """Check a selection's name before hours are spent on its members.

    Parameters
    ----------
    name : str
        Name of the selection.

    Raises
    ------
    EngineError
        When it is built in or holds other characters than letters, digits, dots, dashes, underscores.
    """
    from tasks import selections

    if name in selections.BUILT_IN:
        raise EngineError(f"@{name} is built in; choose another --name for your selection")
    if not NAME.fullmatch(name):
        raise EngineError(
            f"{name!r} cannot name a selection; use up to 64 letters, digits, dots, dashes and underscores"
        )


def keep(name: str, document: Mapping[str, Any]) -> Path:
    """Save a selection as ``@name`` with its manifest beside the user's selections.

    Parameters
    ----------
    name : str
        Name of the selection.
    document : mapping
        As `core_document` returns it; its members must be tasks of the catalogue.

    Returns
    -------
    pathlib.Path
        The manifest.
    """
    from tasks import locations, selections

    selections.save(name, document["members"])
    path = locations.data_folder() / FOLDER / f"{name}.json"
    write_json(path, document)
    return path


def kept() -> dict[str, dict[str, Any]]:
    """Read the manifests of all selections that were distilled here.

    Returns
    -------
    dict of str to dict
        By name, sorted; a file that cannot be read is left out.
    """
    from tasks import locations

    found = {}
    for path in sorted((locations.data_folder() / FOLDER).glob("*.json")):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(document, dict) and isinstance(document.get("members"), list):
            found[path.stem] = document
    return found


def keep_study(kind: str, name: str, document: Mapping[str, Any]) -> Path:
    """Save what was measured about a kept selection, for whoever looks at it next.

    Parameters
    ----------
    kind : str
        One of `STUDIES`.
    name : str
        Name of the kept selection.
    document : mapping
        Plain values, with the ``members_sha256`` that it is about.

    Returns
    -------
    pathlib.Path
        The file.
    """
    path = _study_file(kind, name)
    write_json(path, document)
    return path


def kept_study(kind: str, name: str, members: Sequence[str]) -> dict[str, Any] | None:
    """Read what was measured about a kept selection.

    Parameters
    ----------
    kind : str
        One of `STUDIES`.
    name : str
        Name of the kept selection.
    members : sequence of str
        What it holds now: a study of other members under the same name is not returned.

    Returns
    -------
    dict or None
        None when there is none, or it cannot be read.
    """
    try:
        document: dict[str, Any] = json.loads(_study_file(kind, name).read_text(encoding="utf-8"))
        return document if document["members_sha256"] == members_digest(members) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _study_file(kind: str, name: str) -> Path:
    from tasks import locations

    if kind not in STUDIES:
        raise ValueError(f"there is no study {kind!r}; there are {', '.join(STUDIES)}")
    return locations.data_folder() / FOLDER / kind / f"{name}.json"


def members_digest(members: Sequence[str]) -> str:
    """Return the digest that tells whether two selections have the same members.

    Parameters
    ----------
    members : sequence of str
        Task ids, sorted.

    Returns
    -------
    str
        SHA-256 of the ids, one a line.
    """
    return hashlib.sha256("\n".join(members).encode()).hexdigest()


def write_json(path: Path, document: object) -> None:
    """Write JSON whole or not at all.

    Parameters
    ----------
    path : pathlib.Path
        Where to.
    document : object
        Plain values without NaN.

    Raises
    ------
    EngineError
        When it cannot be written; an older file then stays as it was.
    """
    store.make_folder(path.parent)
    store.write_whole(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())


def read_members(word: str) -> tuple[str, ...]:
    """Read members from ``@NAME`` or a file.

    Parameters
    ----------
    word : str
        ``@NAME``; or a JSON list, a JSON object with ``members`` or ``tasks``, a table with ``task_id``, or
        a text file with one id a line.

    Returns
    -------
    tuple of str
        Task ids as they are listed, repeats included.

    Raises
    ------
    EngineError
        When the file cannot be read or holds no ids.
    """
    if word.startswith("@"):
        from tasks import selections

        return tuple(task.id for task in selections.resolve([word]))
    path = Path(word)
    if not path.is_file():
        raise EngineError(f"{word} does not exist; give a file of members or @NAME")
    if path.suffix in (".tsv", ".csv", ".parquet"):
        from engine.distilling.tables import read_table, require_columns

        frame = read_table(path)
        require_columns(frame, ("task_id",), path.name)
        members = [str(task) for task in frame["task_id"]]
    else:
        members = _listed(path)
    if not members:
        raise EngineError(f"{path.name} lists no members")
    return tuple(members)


def _listed(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".json":
        return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    try:
        document = json.loads(text)
    except ValueError as error:
        raise EngineError(f"{path.name} is not valid JSON: {error}") from error
    found = document.get("members", document.get("tasks")) if isinstance(document, dict) else document
    if not isinstance(found, list) or not all(isinstance(task, str) for task in found):
        raise EngineError(f"{path.name} holds no list of task ids (a list, or an object with members)")
    return found
