"""Selections side by side: J and its parts, fidelity, broken constraints, shared members, other selectors."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.distilling.baselines import measure_selectors
from engine.distilling.census import census
from engine.distilling.fidelity import fidelity, random_reference
from engine.distilling.problem import Problem, Terms
from engine.errors import EngineError


@dataclass(frozen=True, slots=True)
class Standing:
    """One selection measured in a pool under a demand.

    Attributes
    ----------
    name : str
        As the user named it.
    size, missing : int
        Members with responses in the pool, and members without: those are left out of every figure.
    terms : Terms
        J and its parts under the demand's weights.
    mae, nmae, percentile : float
        Fidelity, and the percentage of random draws of its size that are more faithful.
    means : tuple of float
        A_p of every probe.
    broken : tuple of str
        Names of the demand's constraints that it breaks; empty also when its size is another.
    """

    name: str
    size: int
    missing: int
    terms: Terms
    mae: float
    nmae: float
    percentile: float
    means: tuple[float, ...]
    broken: tuple[str, ...]


def stand(problem: Problem, name: str, members: Sequence[str]) -> tuple[Standing, NDArray[np.int64]]:
    """Measure one selection.

    Parameters
    ----------
    problem : Problem
        Pool and demand.
    name : str
        Of the selection.
    members : sequence of str
        Task ids.

    Returns
    -------
    Standing and numpy.ndarray
        Its figures, and its rows in the pool.

    Raises
    ------
    EngineError
        When no member has responses in the pool, or one is listed twice.
    """
    pool = problem.pool
    known = set(pool.ids)
    there = [task for task in members if task in known]
    if not there:
        raise EngineError(f"no member of {name} has responses in this pool of {len(known)} tasks")
    rows = pool.places(there)
    measured = fidelity(pool.responses, rows)
    reference = random_reference(pool.responses, len(rows))
    same_size = len(rows) == problem.size
    return Standing(
        name=name,
        size=len(rows),
        missing=len(members) - len(there),
        terms=problem.terms(rows),
        mae=measured.mae,
        nmae=measured.nmae,
        percentile=reference.percentile(measured.mae),
        means=measured.subset,
        broken=tuple(row.name for row in problem.violated(rows)) if same_size else (),
    ), rows


def compare(
    problem: Problem, name: str, members: Sequence[str], others: Mapping[str, Sequence[str]], seed: int
) -> dict[str, Any]:
    """Put a selection beside others and beside the baseline selectors.

    Parameters
    ----------
    problem : Problem
        Pool and the demand that the selection answers.
    name : str
        Of the selection.
    members : sequence of str
        Its task ids.
    others : mapping of str to sequence of str
        Task ids of the other selections by name.
    seed : int
        Of the random selectors.

    Returns
    -------
    dict
        Plain values: ``selections`` (the first is the selection itself), ``overlaps`` with each other one,
        ``absent`` (others without any member in the pool), ``selectors`` (table 6), ``tasks`` (facts of every
        member of any), ``census`` of the selection.

    Raises
    ------
    EngineError
        When the selection has no member in the pool.
    """
    pool = problem.pool
    standing, rows = stand(problem, name, members)
    found = [standing]
    overlaps, union = [], {int(row) for row in rows}
    own = set(members)
    absent = [other for other, listed in others.items() if not set(listed) & set(pool.ids)]
    for other, listed in others.items():
        if other in absent:
            continue
        beside, beside_rows = stand(problem, other, listed)
        found.append(beside)
        union |= {int(row) for row in beside_rows}
        shared = own & set(listed)
        overlaps.append(
            {
                "other": other,
                "both": sorted(shared),
                "only_first": sorted(own - shared),
                "only_second": sorted(set(listed) - shared),
                "jaccard": len(shared) / len(own | set(listed)),
            }
        )
    reference = random_reference(pool.responses, len(rows))
    full = fidelity(pool.responses, rows)
    return {
        "size": len(rows),
        "seed": seed,
        "weights": list(problem.demand.weights),
        "probes": list(full.probes),
        "A_full": list(full.full),
        "selections": [dataclasses.asdict(one) for one in found],
        "overlaps": overlaps,
        "absent": absent,
        "selectors": [
            dataclasses.asdict(one) | {"members": list(one.members)}
            for one in measure_selectors(pool, len(rows), seed)
        ],
        "random_draws": {
            "draws": len(reference.mae),
            "seed": reference.seed,
            "mean": float(reference.mae.mean()),
            "sd": float(reference.mae.std()),
            "low": float(np.quantile(reference.mae, 0.025)),
            "high": float(np.quantile(reference.mae, 0.975)),
        },
        "tasks": {
            pool.ids[row]: {
                "name": pool.facts[row].name,
                "family": pool.facts[row].family,
                "formula_type": pool.facts[row].formula_type,
                "variables": pool.facts[row].features,
                "difficulty": pool.labels.difficulty[row],
                "failure": pool.labels.failure[row],
                "info": float(pool.information.info[row]),
            }
            for row in sorted(union)
        },
        "census": dataclasses.asdict(census(pool, rows)),
    }
