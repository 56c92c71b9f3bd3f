"""One unit of a paired study: one arm's search on one task and seed, scored on both test sets."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.expression import infix, parse
from engine.reachability.columns import Array, evaluated
from engine.reachability.controls import stlsq
from engine.reachability.greedy import Found, Limits, search
from engine.reachability.model import Model
from engine.reachability.proposals import pool
from engine.reachability.records import SCHEMA
from engine.reachability.representable import representable
from engine.reachability.subsample import subsample
from engine.scoring.accuracy import THRESHOLDS, accuracy, strict
from engine.scoring.numeric import nmse
from tasks.schema import Splits, Task

GP_METHODS: Mapping[str, str] = {"gp-gplearn": "gplearn", "gp-pyoperon": "pyoperon"}
"""Arms that run an installed method in place of the search over a library (`engine.reachability.gp`)."""
ARMS = ("bank", "llm-l1", "llm-l2", "union-l1", "union-l2", "stlsq", *GP_METHODS)
CONTROLS = ("stlsq",)


@dataclass(frozen=True, slots=True)
class Proposed:
    """What one level of language gave for a task and seed.

    Attributes
    ----------
    atoms, products
        Usable candidates over ``x0, x1, ...``.
    record
        Counts and reasons, kept with every unit that used them.
    """

    atoms: tuple[str, ...]
    products: tuple[str, ...]
    record: Mapping[str, Any]


def level_of(arm: str) -> str | None:
    """Return the language level an arm needs, None for arms without a model."""
    return arm.rsplit("-", 1)[1] if arm.startswith(("llm-", "union-")) else None


def training_rows(splits: Splits) -> tuple[Array, Array]:
    """Return train and valid together: the rows the paper's training set has (SPEC 7)."""
    parts = [part for part in (splits.train, splits.valid) if part is not None]
    return np.concatenate([part.X for part in parts]), np.concatenate([part.y for part in parts])


def run_unit(
    arm: str,
    task: Task,
    splits: Splits,
    seed: int,
    bank: Sequence[str],
    proposed: Proposed | None,
    limits: Limits,
) -> dict[str, Any]:
    """Search and score one unit.

    Parameters
    ----------
    arm
        One of ``ARMS``.
    task, splits
        Task and its data.
    seed
        Draws the subsample and the starts, the same for all arms.
    bank
        The library's candidates.
    proposed
        What the arm's level gave; None for arms without a model.
    limits
        Search limits.

    Returns
    -------
    dict
        The unit's record, without the key of the study.
    """
    X, y = training_rows(splits)
    key = f"{task.id}:{seed}"
    rows = subsample(len(y), limits.rows, key)
    began, cpu = time.monotonic(), time.process_time()
    record = head(arm, task, seed, proposed)
    listed = () if proposed is None else (*proposed.atoms, *proposed.products)
    candidates = pool(() if arm.startswith("llm-") else bank, listed)
    record["pool"] = {"bank": candidates.bank, "proposed": candidates.proposed, "shared": candidates.shared}
    if level_of(arm) is not None and not listed:
        return {**record, "status": "no candidates", "reason": _unusable(proposed)}
    grown: list[Model] = []

    def keep(now: Model, _evaluations: int) -> bool:
        grown.append(now)
        return True

    if arm == "stlsq":
        found = Found(stlsq(bank, X[rows], y[rows], key), (), "thresholds", 0)
    else:
        found = search(candidates.atoms, X[rows], y[rows], key, limits, keep)
    record |= {
        "status": "ok",
        "reason": None,
        "rows": len(rows),
        "evaluations": found.evaluations,
        "stopped": found.stopped,
        "first_nmse": grown[0].nmse if grown else None,
        "first_text": grown[0].text if grown else None,
        "path": [
            {
                "added": step.added,
                "nmse": step.nmse,
                "tried": step.tried,
                "constant": constant_of(model, step.added),
                "text": model.text,
            }
            for step, model in zip(found.path, grown[1:], strict=True)
        ],
        "search_s": time.monotonic() - began,
        "search_cpu_s": time.process_time() - cpu,
    }
    return record | scored(found.model, task, splits)


def constant_of(model: Model, text: str) -> float | None:
    """Return the inner constant that an atom has in a model; None where it has none or is not in it."""
    return next((term.constant for term in model.terms if term.text == text), None)


def scored(model: Model, task: Task, splits: Splits) -> dict[str, Any]:
    """Score a saved formula: what is scored is its text, evaluated anew.

    Parameters
    ----------
    model
        Saved formula and terms.
    task, splits
        Task and data.

    Returns
    -------
    dict
        Expression, errors, accuracies, strict recovery and the verdicts on its skeleton.
    """
    return {
        **tested(model.text, task, splits),
        "terms": [
            {"text": term.text, "coefficient": term.coefficient, "constant": term.constant}
            for term in model.terms
        ],
        "train_nmse": model.nmse,
        **_verdicts(model, task, training_rows(splits)[0]),
    }


def measured(text: str, task: Task, splits: Splits, X: Array, y: Array) -> dict[str, Any]:
    """Score a formula that is no sum of library terms.

    Parameters
    ----------
    text
        Formula over ``x0, x1, ...``.
    task, splits
        Task and data.
    X, y
        Rows it was fitted to.

    Returns
    -------
    dict
        As `scored`, without ``terms``; the verdicts free every decimal constant of the formula.
    """
    error = nmse(y, evaluated(text, X), y)
    rows = training_rows(splits)[0]
    return {
        **tested(text, task, splits),
        "train_nmse": error.value,
        **_free_verdicts(text, task, rows),
    }


def tested(text: str, task: Task, splits: Splits) -> dict[str, Any]:
    """Evaluate a formula on both test sets.

    Parameters
    ----------
    text
        Formula over ``x0, x1, ...``.
    task, splits
        Task and data.

    Returns
    -------
    dict
        ``positional``, ``expression``, errors on ID and OOD, both accuracies and strict recovery.
    """
    names = list(task.feature_names)
    positional = [f"x{place}" for place in range(len(names))]
    train = training_rows(splits)
    errors: dict[str, Any] = {}
    found = {}
    for word, split in (("id", splits.id), ("ood", splits.ood)):
        error = nmse(
            None if split is None else split.y,
            np.empty(0) if split is None else evaluated(text, split.X),
            train[1],
        )
        found[word] = error
        errors[f"{word}_nmse"], errors[f"{word}_status"] = error.value, error.status
    for threshold in THRESHOLDS:
        one = accuracy(
            None if splits.id is None else splits.id.y,
            np.empty(0) if splits.id is None else evaluated(text, splits.id.X),
            threshold,
        )
        errors[f"acc{threshold:g}"] = None if one is None else one.success
    return {
        "positional": text,
        "expression": infix(parse(text, positional), names),
        **errors,
        "strict": strict(found["id"], found["ood"]),
    }


def failed(arm: str, task: Task, seed: int, reason: str) -> dict[str, Any]:
    """Return the record of a unit whose search or scoring raised."""
    return {**head(arm, task, seed), "status": "failed", "reason": reason}


def _verdicts(model: Model, task: Task, X: Array) -> dict[str, Any]:
    if task.formula is None:
        return dict(_UNKNOWN)
    terms = [(term.text, term.constant) for term in model.terms]
    low, high = X.min(axis=0).tolist(), X.max(axis=0).tolist()
    wide = representable(task.formula, task.feature_names, terms, low, high)
    here = representable(task.formula, task.feature_names, terms, low, high, both_signs=False)
    return {
        "representable": wide.verdict,
        "representable_evidence": wide.evidence,
        "representable_here": here.verdict,
    }


def _free_verdicts(text: str, task: Task, X: Array) -> dict[str, Any]:
    """Decide the same of a formula without terms, by a search over all of its decimal constants."""
    from engine.judging.representable import representable as freed

    if task.formula is None:
        return dict(_UNKNOWN)
    names = list(task.feature_names)
    prediction = infix(parse(text, [f"x{place}" for place in range(len(names))]), names)
    low, high = X.min(axis=0), X.max(axis=0)
    reach = np.maximum(np.abs(low), np.abs(high))
    wide = freed(task.formula, prediction, names, domain=_ranges(names, -reach, reach))
    here = freed(task.formula, prediction, names, domain=_ranges(names, low, high))
    return {
        "representable": wide.verdict,
        "representable_evidence": wide.detail,
        "representable_here": here.verdict,
    }


def _ranges(names: Sequence[str], low: Array, high: Array) -> dict[str, tuple[float, float]]:
    return dict(zip(names, zip(low.tolist(), high.tolist(), strict=True), strict=True))


_UNKNOWN: Mapping[str, Any] = {
    "representable": None,
    "representable_evidence": "no ground truth",
    "representable_here": None,
}


def head(arm: str, task: Task, seed: int, proposed: Proposed | None = None) -> dict[str, Any]:
    """Return what every unit's record begins with.

    Parameters
    ----------
    arm, task, seed
        The unit.
    proposed
        What the arm's level gave; None for arms without a model.

    Returns
    -------
    dict
    """
    return {
        "schema": SCHEMA,
        "task": task.id,
        "name": task.name,
        "domain": task.subgroup,
        "seed": seed,
        "arm": arm,
        "truth": task.formula,
        "truth_constants": task.provenance.constants,
        "proposals": None if proposed is None else dict(proposed.record),
    }


def _unusable(proposed: Proposed | None) -> str:
    record = {} if proposed is None else proposed.record
    return f"0 of {record.get('proposed', 0)} usable" + (
        f": {record['reason']}" if record.get("reason") else ""
    )
