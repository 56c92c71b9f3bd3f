"""Replays a ground truth on every row through the engine's own expressions and says which rows disagree."""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from engine.expression import ExpressionError, Node, evaluate, parse, variables
from engine.verification.report import SHOWN_ROWS, Finding, Row, number
from tasks.schema import Splits, Table, Task

TOLERANCE = 1e-9
"""Disagreement up to which a row counts as reproduced, relative to the greater of |y| and the split's
standard deviation: near a zero crossing the last bits of a sine exceed any bound relative to y."""
SINGLE_ROUNDING = 2.0**-24
"""Relative rounding of a float32 input."""
ROUNDING_SAFETY = 4.0
"""How many times the first-order effect of rounded inputs a float32 table may disagree by."""
SWAP_ROWS = 200
"""Rows on which an exchange of two columns is tried as an explanation."""


def ground_truth(task: Task) -> Node | Finding:
    """Parse the formula of a task with the engine's parser, or say why that fails."""
    assert task.formula is not None
    try:
        node = parse(task.formula, task.feature_names)
    except ExpressionError as error:
        return Finding("parse", None, f"the formula cannot be read: {error}")
    for j in sorted(variables(node)):
        if task.features[j].dummy:
            return Finding("columns", None, f"the formula uses the distractor {task.features[j].name!r}")
    return node


def _single_precision(table: Table) -> bool:
    values = np.column_stack([table.X, table.y])
    with np.errstate(over="ignore"):
        return bool(np.array_equal(values.astype(np.float32).astype(np.float64), values))


def _rounding_effect(node: Node, table: Table) -> NDArray[np.float64]:
    """Return how far rounding every input by one float32 unit may move the target, to first order."""
    base = evaluate(node, table.X)
    effect = np.abs(table.y) * SINGLE_ROUNDING
    for j in sorted(variables(node)):
        moved = table.X.copy()
        moved[:, j] *= 1.0 + SINGLE_ROUNDING
        effect = effect + np.abs(evaluate(node, moved) - base)
    return effect


def disagreement(table: Table, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the relative disagreement of each row; infinite where the formula gives no finite value.

    Parameters
    ----------
    table : Table
        Stored rows.
    predicted : ndarray of float64, shape (n,)
        Recomputed targets.

    Returns
    -------
    ndarray of float64, shape (n,)
        |predicted - y| / max(|y|, standard deviation of y).
    """
    with np.errstate(all="ignore"):
        spread = float(np.std(table.y)) if table.rows > 1 else 0.0
        scale = np.maximum(np.abs(table.y), spread if math.isfinite(spread) else 0.0)
        difference = np.abs(predicted - table.y)
        relative = np.where(difference == 0.0, 0.0, difference / scale)
    return np.where(np.isfinite(predicted), relative, np.inf)


def split(node: Node, name: str, table: Table) -> tuple[float, Finding | None, Finding | None]:
    """Replay one split.

    Parameters
    ----------
    node : Node
        The ground truth.
    name : str
        The split.
    table : Table
        Its rows.

    Returns
    -------
    float
        The worst relative disagreement.
    Finding or None
        The fault: how many rows disagree, and the worst of them.
    Finding or None
        A warning when the disagreement is explained by single-precision storage.
    """
    predicted = evaluate(node, table.X)
    relative = disagreement(table, predicted)
    worst = float(np.max(relative)) if len(relative) else 0.0
    bad = ~(relative <= TOLERANCE)
    if not bad.any():
        return worst, None, None
    if _single_precision(table):
        allowed = ROUNDING_SAFETY * _rounding_effect(node, table)
        unexplained = bad & ~(np.abs(predicted - table.y) <= allowed)
        if not unexplained.any():
            message = f"stored in single precision; the formula holds to {worst:.1e}"
            return worst, None, Finding("precision", name, message, int(bad.sum()), worst)
        bad = unexplained
    order = np.flatnonzero(bad)[np.argsort(-relative[bad], kind="stable")]
    rows = tuple(Row(int(row), number(table.y[row]), number(predicted[row])) for row in order[:SHOWN_ROWS])
    message = (
        f"{int(bad.sum())} of {table.rows} rows disagree with the formula, by up to {worst:.3g} relative"
    )
    return worst, Finding("replay", name, message, int(bad.sum()), number(worst), rows), None


def exchanged_columns(node: Node, table: Table) -> tuple[str, str] | None:
    """Return two columns whose exchange makes the formula reproduce a split, if such a pair exists."""
    X, y = table.X[:SWAP_ROWS], table.y[:SWAP_ROWS]
    for a, b in itertools.combinations(range(X.shape[1]), 2):
        if not {a, b} & variables(node):
            continue
        swapped = X.copy()
        swapped[:, [a, b]] = swapped[:, [b, a]]
        part = Table(table.names, swapped, y)
        if (disagreement(part, evaluate(node, swapped)) <= 1e-6).all():
            return table.names[a], table.names[b]
    return None


def deviation(task: Task, splits: Splits) -> dict[str, float]:
    """Return how far a task's rows lie from its law: the greatest and the root mean square deviation.

    Parameters
    ----------
    task : Task
        A task with a formula.
    splits : Splits
        Its rows.

    Returns
    -------
    dict of str to float
        ``max`` and ``rms``; zero, which no measured row meets, where the law cannot be read or has no value.
    """
    node = ground_truth(task)
    if isinstance(node, Finding):
        return {"max": 0.0, "rms": 0.0}
    flat = np.concatenate([evaluate(node, table.X) - table.y for _, table in splits.named()])
    if not np.isfinite(flat).all():
        return {"max": 0.0, "rms": 0.0}
    return {"max": float(np.max(np.abs(flat))), "rms": float(np.sqrt(np.mean(flat**2)))}


def residuals(task: Task, node: Node, splits: Splits) -> tuple[float, list[Finding]]:
    """Compare the residuals of a noisy or observed task with those recorded in its recipe.

    The formula of such a task is a nominal law: rows need not follow it, but their greatest and their root
    mean square deviation from it are known facts.

    Returns
    -------
    float
        The greatest deviation as a part of the targets' standard deviation.
    list of Finding
        Faults where the recorded figures are not met.
    """
    recorded = task.recipe["residual"]
    names, tables = zip(*splits.named(), strict=True)
    parts = [evaluate(node, table.X) - table.y for table in tables]
    flat, targets = np.concatenate(parts), np.concatenate([table.y for table in tables])
    faults = []
    limit = recorded["max"] * (1 + 1e-6)
    for name, table, part in zip(names, tables, parts, strict=True):
        bad = np.flatnonzero(~(np.abs(part) <= limit))
        if len(bad):
            order = bad[np.argsort(-np.abs(part[bad]), kind="stable")]
            rows = tuple(
                Row(int(row), number(table.y[row]), number(table.y[row] + part[row]))
                for row in order[:SHOWN_ROWS]
            )
            message = (
                f"{len(bad)} rows lie farther from the law than any recorded one ({recorded['max']:.6g})"
            )
            faults.append(Finding("residual", name, message, len(bad), rows=rows))
    rms = float(np.sqrt(np.mean(flat**2)))
    if not abs(rms - recorded["rms"]) <= 1e-6 * recorded["rms"]:
        faults.append(
            Finding(
                "residual", None, f"the rms deviation from the law is {rms:.9g}, not {recorded['rms']:.9g}"
            )
        )
    return float(np.max(np.abs(flat)) / np.std(targets)), faults


def all_splits(task: Task, node: Node, splits: Splits) -> tuple[float, list[Finding], list[Finding]]:
    """Replay every split of a task.

    Parameters
    ----------
    task : Task
        The task.
    node : Node
        Its parsed ground truth.
    splits : Splits
        Its rows.

    Returns
    -------
    float
        The worst relative disagreement.
    list of Finding
        Faults.
    list of Finding
        Warnings.
    """
    if "residual" in task.recipe:
        worst, faults = residuals(task, node, splits)
        return worst, faults, []
    worst, faults, warnings = 0.0, [], []
    for name, table in splits.named():
        here, fault, warning = split(node, name, table)
        worst = max(worst, here)
        faults.extend([fault] if fault else [])
        warnings.extend([warning] if warning else [])
    if faults and (pair := exchanged_columns(node, splits.train)):
        note = f"exchanging the columns {pair[0]!r} and {pair[1]!r} makes the formula hold"
        warnings.append(Finding("columns", None, note))
    return worst, faults, warnings
