"""Formula type, operator-count complexity and variable-count bin, computed from the expression alone."""

import ast
import functools

SIMPLE_AT_MOST = 5
"""Upper operator count of the Simple group (paper 1, B.3)."""
MODERATE_AT_MOST = 8
"""Upper operator count of the Moderate group (paper 1, B.3)."""

PAPER_TYPES = {
    "rational": 282,
    "trigonometric": 137,
    "polynomial": 124,
    "exponential_log": 86,
    "mixed_elementary": 34,
    "unknown": 1,
}
"""Formula types of the 664 tasks as the paper counts them (paper 1, table 4)."""
PAPER_COMPLEXITY = {"simple": 284, "moderate": 188, "complex": 192}
"""Complexity groups of the 664 tasks as the paper counts them (paper 1, table 4)."""

TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "arcsin", "arccos", "arctan"})
EXPONENTIAL = frozenset({"exp", "log", "log10", "log2", "sinh", "cosh", "tanh"})


@functools.lru_cache(maxsize=4096)
def formula_type(formula: str | None) -> str:
    """Classify a formula by the functions and operators it holds.

    Parameters
    ----------
    formula : str or None
        Python-syntax infix.

    Returns
    -------
    str
        ``mixed_elementary`` when it holds trigonometric and exponential or logarithmic functions,
        ``trigonometric`` or ``exponential_log`` (hyperbolic functions too) when it holds one kind, else
        ``rational`` when it holds a division or a negative power, else ``polynomial``, roots and fractional
        powers included, as the paper counts them; ``unknown`` without a formula.
    """
    if formula is None:
        return "unknown"
    tree = ast.parse(formula, mode="eval").body
    calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    trigonometric, exponential = bool(calls & TRIGONOMETRIC), bool(calls & EXPONENTIAL)
    if trigonometric and exponential:
        return "mixed_elementary"
    if trigonometric:
        return "trigonometric"
    if exponential:
        return "exponential_log"
    return "rational" if "pdiv" in calls or any(_divides(node) for node in ast.walk(tree)) else "polynomial"


def _divides(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(op=ast.Div()):
            return True
        case ast.BinOp(op=ast.Pow(), right=ast.UnaryOp(op=ast.USub())):
            return True
        case _:
            return False


@functools.lru_cache(maxsize=4096)
def operator_count(formula: str) -> int:
    """Count binary, unary and comparison operators of a formula (C_i of paper 1, B.3), not calls."""
    tree = ast.parse(formula, mode="eval")
    return sum(isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare) for node in ast.walk(tree))


def complexity_group(count: int | None) -> str:
    """Group an operator count by the paper's boundaries of 5 and 8."""
    if count is None:
        return "unknown"
    if count <= SIMPLE_AT_MOST:
        return "simple"
    return "moderate" if count <= MODERATE_AT_MOST else "complex"


def variable_bin(features: int) -> str:
    """Bin a feature count: ``1``, ``2``, ``3``, ``4-5`` or ``6+``."""
    if features <= 3:
        return str(features)
    return "4-5" if features <= 5 else "6+"
