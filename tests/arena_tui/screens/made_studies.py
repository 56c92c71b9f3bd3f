"""Paired studies for tests: units written as a search leaves them, with paths that part and meet."""

from dataclasses import asdict
from pathlib import Path

from engine.reachability.knockout import CONDITIONS
from engine.reachability.libraries import POLY
from engine.reachability.records import PLAN, UnitKey, unit_file, write
from tasks import catalogue

TASKS = tuple(catalogue.get(name) for name in ("BPG0", "BPG10", "PO10"))
ARMS = ("bank", "llm-l1", "llm-l2", "union-l1", "union-l2")
SEEDS = (0, 1)
# Who solves what: UNION-L1 gains BPG10 in seed 0 and loses PO10 in seed 1.
SOLVED = {
    ("BPG0", 0): {"bank": True, "llm-l1": True, "union-l1": True, "union-l2": True},
    ("BPG0", 1): {"bank": True, "union-l1": True, "union-l2": True},
    ("BPG10", 0): {"llm-l1": True, "union-l1": True},
    ("BPG10", 1): {"llm-l2": True},
    ("PO10", 0): {},
    ("PO10", 1): {"bank": True, "union-l2": True},
}
_PATHS = {
    "bank": (("x0*x1", None, 0.5), ("x1**2", None, 2.5e-2), ("x0**2", None, 1.25e-3)),
    "llm-l1": (("x1**a", 0.25, 3.0e-4), ("x1**2", None, 1.5e-12)),
    "llm-l2": (("sin(a*x0)", 1.5, 0.25),),
    "union-l1": (("x0*x1", None, 0.5), ("x1**a", 0.3333333333333423, 2.0e-7), ("x1**2", None, 1.5e-12)),
    "union-l2": (("x0*x1", None, 0.5), ("x1**2", None, 2.5e-2), ("x0**2", None, 1.25e-3)),
}
FORMULA = "0.9539969835279979*P + 0.9539969835279907*P**0.3333333333333423 + 0.1*[bold]P"


def unit(task, seed: int, arm: str, solved: bool, **changed: object) -> dict:
    """Return a finished unit's record."""
    proposals = None
    if arm.startswith(("llm", "union")):
        proposals = {
            "usable": 2, "proposed": 3, "reason": None, "source": {"kind": "file", "demonstration": True},
            "atoms": ["x1**a", "x1**2"],
            "dropped": [{"text": "__import__('os')", "reason": "the function '__import__' is not known"}],
        }  # fmt: skip
    path = _PATHS.get(arm, _PATHS["bank"])
    return {
        "schema": 1, "task": task.id, "name": task.name, "domain": task.subgroup, "seed": seed, "arm": arm,
        "status": "ok", "reason": None, "truth": "0.1*P**0.333 + 0.1*P", "truth_constants": "published",
        "proposals": proposals, "acc0.01": solved, "acc0.001": solved, "strict": solved,
        "id_nmse": 1.5e-12 if solved else 2.5e-3, "ood_nmse": 3.5e-11 if solved else None,
        "representable": "representable" if solved else "different",
        "representable_evidence": "equal to 60 digits at 72 points", "representable_here": "representable",
        "expression": FORMULA, "stopped": "stop" if solved else "rounds", "first_nmse": 0.75,
        "terms": [{"text": "x0", "coefficient": 1.0, "constant": None}]
        + [
            {"text": text, "coefficient": 0.5, "constant": None if a is None else a * 1.5}
            for text, a, _ in path
        ],
        "path": [{"added": text, "constant": a, "nmse": nmse, "tried": 10} for text, a, nmse in path],
        "pool": {"bank": 11, "proposed": 2, "shared": 0},
    } | changed  # fmt: skip


def paired(folder: Path, *, missing: tuple[tuple[str, int], ...] = ()) -> Path:
    """Write a study of five arms on three tasks and two seeds."""
    _plan(folder, ARMS)
    for task in TASKS:
        for seed in SEEDS:
            for arm in ARMS:
                if (task.name, seed) not in missing:
                    record = unit(task, seed, arm, SOLVED[task.name, seed].get(arm, False))
                    write(unit_file(folder, UnitKey(task.id, seed, arm)), record)
    return folder


def knockout(folder: Path) -> Path:
    """Write a knockout on three tasks: FULL and SHAM-KO solve all, TARGET-KO the first."""
    _plan(folder, CONDITIONS, families={task.id: "fractional power" for task in TASKS})
    for task in TASKS:
        for seed in SEEDS:
            for arm in CONDITIONS:
                record = unit(task, seed, arm, arm != "target-ko" or task is TASKS[0])
                write(unit_file(folder, UnitKey(task.id, seed, arm)), record)
    return folder


def _plan(folder: Path, arms: tuple[str, ...], **noted: object) -> None:
    write(
        folder / PLAN,
        {
            "schema": 1,
            "library": asdict(POLY),
            "limits": {"stop": 1e-10},
            "tasks": [{"id": task.id, "name": task.name, "domain": task.subgroup} for task in TASKS],
            "arms": list(arms),
            "seeds": list(SEEDS),
            **noted,
        },
    )
