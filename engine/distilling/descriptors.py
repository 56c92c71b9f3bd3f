"""Structural and response descriptors of tasks, and the similarity between tasks that coverage is made of."""

import ast
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.distilling.facts import TaskFacts
from engine.distilling.responses import Responses

# SPEC 5: the similarity's length scale is the median distance to the 10th neighbour; a missing response is
# 12.
NEIGHBOUR = 10
MISSING = 12.0
# Above this many tasks the similarity matrices are kept in float32: two of 10,000 x 10,000 then take 0.8 GB.
SINGLE_PRECISION_FROM = 3000

OPERATOR_FAMILIES: dict[str, frozenset[str]] = {
    "additive": frozenset({"Add", "Sub"}),
    "multiplicative": frozenset({"Mult"}),
    "quotient": frozenset({"Div", "pdiv", "aq"}),
    "power": frozenset({"Pow", "square", "cube", "pow"}),
    "root": frozenset({"sqrt", "cbrt"}),
    "exponential": frozenset({"exp"}),
    "logarithm": frozenset({"log", "log10", "log2", "ln"}),
    "trigonometric": frozenset({"sin", "cos", "tan", "arcsin", "arccos", "arctan", "asin", "acos", "atan"}),
    "hyperbolic": frozenset({"sinh", "cosh", "tanh"}),
    "piecewise": frozenset({"where", "Compare", "abs", "sign", "maximum", "minimum", "IfExp"}),
}


def formula_shape(formula: str | None) -> tuple[int, int, int, frozenset[str]]:
    """Return the size of a formula as it is written.

    Parameters
    ----------
    formula : str or None
        Python-syntax infix (``^`` is read as a power).

    Returns
    -------
    tuple
        Nodes, depth, numeric constants, and the names of the operator families it uses; zeros when there is
        no formula or it cannot be parsed.
    """
    if formula is None:
        return 0, 0, 0, frozenset()
    try:
        tree = ast.parse(formula.replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0, 0, 0, frozenset()
    nodes = depth = constants = 0
    words: set[str] = set()
    # An explicit stack: a formula of many thousand terms is a deep tree, and depth is all that is wanted of
    # it.
    stack: list[tuple[ast.AST, int]] = [(tree, 1)]
    while stack:
        node, level = stack.pop()
        nodes += 1
        depth = max(depth, level)
        constants += isinstance(node, ast.Constant)
        words.add(_word(node))
        stack.extend((child, level + 1) for child in _operands(node))
    families = frozenset(name for name, members in OPERATOR_FAMILIES.items() if members & words)
    return nodes, depth, constants, families


def _word(node: ast.AST) -> str:
    if isinstance(node, ast.BinOp):
        return type(node.op).__name__
    if isinstance(node, ast.Call):
        function = node.func
        return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return type(node).__name__


def _operands(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Call():
            return list(node.args)
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.BoolOp():
            return list(node.values)
        case ast.IfExp():
            return [node.test, node.body, node.orelse]
        case _:
            return []


def structural_descriptors(facts: Sequence[TaskFacts]) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Describe tasks by what they are (SPEC 5).

    Parameters
    ----------
    facts : sequence of TaskFacts
        N tasks.

    Returns
    -------
    tuple
        float64 (N, D) before standardization, and the D names: feature count, node count, depth, constants,
        one flag per operator family, dummy flag, one flag per formula type.
    """
    types = sorted({fact.formula_type for fact in facts})
    families = list(OPERATOR_FAMILIES)
    rows = []
    for fact in facts:
        nodes, depth, constants, used = formula_shape(fact.formula)
        rows.append(
            [fact.features, nodes, depth, constants]
            + [float(name in used) for name in families]
            + [float(fact.dummy)]
            + [float(fact.formula_type == name) for name in types]
        )
    names = (
        "features",
        "nodes",
        "depth",
        "constants",
        *families,
        "dummy",
        *(f"type {name}" for name in types),
    )
    return np.asarray(rows, dtype=np.float64), names


def response_descriptors(responses: Responses) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Describe tasks by how the probes respond (SPEC 5).

    Parameters
    ----------
    responses : Responses
        N tasks, P probes.

    Returns
    -------
    tuple
        float64 (N, 5 P) before standardization, and the names: per probe the ID and OOD median and
        interquartile range (12 where no seed was valid) and the valid fraction.
    """
    parts = [
        np.nan_to_num(responses.id_median, nan=MISSING),
        np.nan_to_num(responses.ood_median, nan=MISSING),
        np.nan_to_num(responses.id_iqr, nan=MISSING),
        np.nan_to_num(responses.ood_iqr, nan=MISSING),
        responses.valid / np.maximum(responses.scheduled, 1),
    ]
    kinds = ("ID median", "OOD median", "ID spread", "OOD spread", "valid")
    names = tuple(f"{probe} {kind}" for kind in kinds for probe in responses.probes)
    return np.hstack(parts), names


def standardized(descriptors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Center columns and scale them to unit population deviation; constant columns become zero.

    Parameters
    ----------
    descriptors : numpy.ndarray
        (N, D).

    Returns
    -------
    numpy.ndarray
        (N, D).
    """
    spread = descriptors.std(axis=0)
    return np.asarray((descriptors - descriptors.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def squared_distances(
    points: NDArray[np.float64], targets: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return squared Euclidean distances between the rows of two arrays.

    Parameters
    ----------
    points, targets : numpy.ndarray
        (N, D) and (M, D); `points` itself when `targets` is omitted.

    Returns
    -------
    numpy.ndarray
        (N, M), never negative.
    """
    other = points if targets is None else targets
    squares = (points**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)[None, :] - 2 * points @ other.T
    return np.asarray(np.maximum(squares, 0.0))


def similarity(descriptors: NDArray[np.float64]) -> NDArray[np.floating]:
    """Return exp(-d^2 / (2 s^2)) with s the median distance to the 10th neighbour (SPEC 5).

    Parameters
    ----------
    descriptors : numpy.ndarray
        (N, D) before standardization.

    Returns
    -------
    numpy.ndarray
        (N, N), symmetric, ones on the diagonal; float32 from `SINGLE_PRECISION_FROM` tasks on, else float64.
    """
    points = standardized(descriptors)
    count = len(points)
    kind = np.float32 if count >= SINGLE_PRECISION_FROM else np.float64
    squares: NDArray[np.floating] = np.empty((count, count), dtype=kind)
    neighbour = np.empty(count)
    order = min(NEIGHBOUR, count - 1)
    for start in range(0, count, 512):
        block = squared_distances(points[start : start + 512], points)
        # GEMM leaves about 1e-14 where the distance is zero; equal descriptors must be exactly as near.
        block[block < 1e-10] = 0.0
        squares[start : start + 512] = block
        neighbour[start : start + 512] = np.sqrt(np.partition(block, order, axis=1)[:, order])
    scale = float(np.median(neighbour))
    if scale == 0.0:
        # More than half the tasks have ten exact twins: only twins are alike then.
        return np.asarray(squares == 0, dtype=kind)
    squares /= kind(-2 * scale * scale)
    np.exp(squares, out=squares)
    return np.asarray(np.maximum(squares, squares.T))
