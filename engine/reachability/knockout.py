"""Matched operator-family knockouts: remove what a truth needs, or as many candidates that it does not."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.expression import parse
from engine.expression.nodes import Apply, Node, preorder, variables
from engine.reachability.atoms import Atom, atom
from engine.reachability.libraries import Library, expand
from engine.reachability.outcomes import Outcomes, clustered_interval
from engine.reachability.precise import UndefinedError, value
from engine.reachability.records import plan, units
from engine.reachability.report import Report, Table, Value, percent
from tasks.schema import Task

FAMILIES = ("exponential", "trigonometric", "logarithmic", "fractional power")
CONDITIONS = ("full", "target-ko", "sham-ko")
_OPERATORS: Mapping[str, str] = {
    "exp": "exponential",
    "sin": "trigonometric",
    "cos": "trigonometric",
    "tan": "trigonometric",
    "log": "logarithmic",
    "sqrt": "fractional power",
    "cbrt": "fractional power",
}
METRICS = ("acc0.01", "strict")
HEADINGS = {"acc0.01": "Acc0.01", "strict": "Strict ID+OOD"}
BOOTSTRAP_SEED = 0


def families(node: Node) -> frozenset[str]:
    """Return the operator families that an expression uses.

    Parameters
    ----------
    node
        Expression; ``sqrt`` and constant powers that are no whole number count as fractional powers, sine
        and cosine as trigonometric.

    Returns
    -------
    frozenset of str
        Of ``FAMILIES``.
    """
    found = set()
    for part in preorder(node):
        if not isinstance(part, Apply):
            continue
        if part.op in _OPERATORS:
            found.add(_OPERATORS[part.op])
        elif part.op == "pow" and _fractional(part.args[1]):
            found.add("fractional power")
    return frozenset(found)


def _fractional(exponent: Node) -> bool:
    if variables(exponent):
        return True
    try:
        power = value(exponent, [])
    except UndefinedError:
        return False
    return bool(power != int(power))


def diagnostic_tasks(tasks: Iterable[Task]) -> tuple[tuple[Task, str], ...]:
    """Select the first task by name within each domain and family, of the tasks with exactly one family.

    Parameters
    ----------
    tasks
        Tasks with ground truths.

    Returns
    -------
    tuple of (Task, str)
        Tasks with their families, by domain and family; paper 2, D.2 has 15 of LSR-Synth.
    """
    first: dict[tuple[str, str], Task] = {}
    for task in sorted(tasks, key=lambda one: one.name):
        if task.formula is None:
            continue
        used = families(parse(task.formula, list(task.feature_names)))
        if len(used) == 1:
            first.setdefault((task.subgroup, next(iter(used))), task)
    ordered = sorted(first.items(), key=lambda item: (item[0][0], FAMILIES.index(item[0][1])))
    return tuple((task, family) for (_, family), task in ordered)


def family_of(one: Atom) -> str | None:
    """Return the operator family of a library candidate, None for a polynomial."""
    shapes = {
        "exponential": "exponential",
        "sine": "trigonometric",
        "cosine": "trigonometric",
        "logarithm": "logarithmic",
        "power": "fractional power",
    }
    if one.shape in shapes:
        return shapes[one.shape]
    features = [f"x{place}" for place in range(1 + max(_indices(one), default=0))]
    used = families(parse(one.text, [*features, "a"]))
    return next((family for family in FAMILIES if family in used), None)


def _indices(one: Atom) -> list[int]:
    return [int(found) for found in re.findall(r"\bx(\d+)\b", one.text)]


def candidates(library: Library, task: Task, family: str, condition: str) -> tuple[str, ...]:
    """List the library's candidates under one condition.

    Parameters
    ----------
    library
        Library.
    task
        Diagnostic task.
    family
        Its one operator family.
    condition
        ``full``; ``target-ko`` without the family's candidates; ``sham-ko`` without as many of the other
        operator families, in the order of the SHA-256 digests of "task id:text" (polynomials stay: a truth
        may be made of them).

    Returns
    -------
    tuple of str

    Raises
    ------
    EngineError
        If the library has no candidate of the family, or too few others to match.
    """
    texts = expand(library, len(task.features))
    by_family = {text: family_of(atom(text)) for text in texts}
    target = {text for text in texts if by_family[text] == family}
    if condition == "full":
        return texts
    if not target:
        raise EngineError(f"{library.title} has no {family} candidate: nothing to knock out for {task.name}")
    if condition == "target-ko":
        return tuple(text for text in texts if text not in target)
    others = [text for text in texts if by_family[text] not in (None, family)]
    others.sort(key=lambda text: hashlib.sha256(f"{task.id}:{text}".encode()).hexdigest())
    if len(others) < len(target):
        raise EngineError(f"{library.title} has too few candidates outside {family} to match {task.name}")
    sham = set(others[: len(target)])
    return tuple(text for text in texts if text not in sham)


def knockout_report(folder: Path) -> Report:
    """Make tables 10 and 11 from a knockout's folder.

    Parameters
    ----------
    folder
        Output folder of ``paired knockout``.

    Returns
    -------
    Report
    """
    return knockout_tabulated(plan(folder), list(units(folder)))


def knockout_tabulated(made: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> Report:
    """Make tables 10 and 11 of a knockout whose plan and units were read already.

    Parameters
    ----------
    made
        The plan.
    records
        The units.

    Returns
    -------
    Report
    """
    found = Outcomes(records, made)
    chosen: dict[str, str] = made["families"]
    rows: list[tuple[Value, ...]] = [
        (
            HEADINGS[metric],
            *(percent(found.rate(arm, metric)) for arm in CONDITIONS),
            *_effect(found, metric, found.tasks),
        )
        for metric in METRICS
    ]
    by_family: list[tuple[Value, ...]] = []
    for family in FAMILIES:
        tasks = [task for task in found.tasks if chosen.get(task) == family]
        if tasks:
            effects = [_effect(found, metric, tasks)[0] for metric in METRICS]
            by_family.append((family, len(tasks), *effects))
    return Report(
        f"Matched knockouts, {made['library']['title']}: {len(found.tasks)} tasks",
        (
            Table(
                "knockout",
                "Success in %, mean ± population sd over seeds; intervals by bootstrap over tasks (table 10)",
                ("metric", "FULL", "TARGET-KO", "SHAM-KO", "SHAM - TARGET", "95 % interval"),
                tuple(rows),
            ),
            Table(
                "knockout_families",
                "SHAM - TARGET in percentage points by family (table 11)",
                ("family", "N", *(HEADINGS[metric] for metric in METRICS)),
                tuple(by_family),
            ),
        ),
        (
            "The samples are too small to compare families.",
            f"Bootstrap: 10,000 resamples of tasks, seed {BOOTSTRAP_SEED}.",
        ),
    )


def _effect(found: Outcomes, metric: str, tasks: Sequence[str]) -> tuple[str, str]:
    differences: list[list[float]] = []
    for task in tasks:
        pairs: list[tuple[Any, Any]] = [
            (found.success("sham-ko", (task, seed), metric), found.success("target-ko", (task, seed), metric))
            for seed in found.seeds
        ]
        known = [
            100.0 * (float(sham) - float(target)) for sham, target in pairs if None not in (sham, target)
        ]
        if known:
            differences.append(known)
    if not differences:
        return "not run", ""
    mean = sum(sum(row) / len(row) for row in differences) / len(differences)
    low, high = clustered_interval(differences, BOOTSTRAP_SEED)
    return f"{mean:+.1f}", f"[{low:.1f}, {high:.1f}]"
