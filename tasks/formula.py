"""Reads ground-truth formulas and evaluates them on columns, without ever executing foreign text."""

import ast
import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tasks.errors import TaskError

LONGEST_FORMULA = 20_000
MOST_NODES = 4_000
DEEPEST = 200
PDIV_THRESHOLD = 1e-3
"""Below this denominator Korns' protected division gives 1 (paper 1, note under table 7)."""

Column: TypeAlias = NDArray[np.float64] | np.float64


def _pdiv(a: Column, b: Column) -> Column:
    return np.where(np.abs(b) > PDIV_THRESHOLD, np.divide(a, b), 1.0)


FUNCTIONS: dict[str, tuple[int, Callable[..., Column]]] = {
    "abs": (1, np.abs),
    "arccos": (1, np.arccos),
    "arcsin": (1, np.arcsin),
    "arctan": (1, np.arctan),
    "cbrt": (1, np.cbrt),
    "cos": (1, np.cos),
    "cosh": (1, np.cosh),
    "exp": (1, np.exp),
    "log": (1, np.log),
    "log10": (1, np.log10),
    "log2": (1, np.log2),
    "maximum": (2, np.maximum),
    "minimum": (2, np.minimum),
    "pdiv": (2, _pdiv),
    "sign": (1, np.sign),
    "sin": (1, np.sin),
    "sinh": (1, np.sinh),
    "sqrt": (1, np.sqrt),
    "square": (1, np.square),
    "tan": (1, np.tan),
    "tanh": (1, np.tanh),
    "where": (3, np.where),
}
_QUOTED = re.compile(r"`([^`]+)`")
CONSTANTS = {"pi": math.pi}
_BINARY: dict[type[ast.operator], Callable[..., Column]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
_COMPARE: dict[type[ast.cmpop], Callable[..., NDArray[np.bool_]]] = {
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}


def parse(text: str, names: Sequence[str]) -> ast.expr:
    """Parse a formula and check that it holds nothing but arithmetic over the given names.

    Parameters
    ----------
    text : str
        Python-syntax infix, ``**`` for powers, functions by lower-case name; names that are no
        identifiers stand in back quotes, as in `` `body mass`**2 ``.
    names : sequence of str
        Feature (and constant) names; they win over ``pi`` and over function names used as values.

    Returns
    -------
    ast.expr
        The checked syntax tree.

    Raises
    ------
    TaskError
        When the text is no expression, too large, or holds a name or construct outside the whitelist.
    """
    if len(text) > LONGEST_FORMULA:
        raise TaskError(f"the formula has {len(text)} characters; at most {LONGEST_FORMULA} are read")
    try:
        tree = _tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError(f"the formula {_short(text)} is not an expression: {error}") from error
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise TaskError(f"the formula {_short(text)} has more than {MOST_NODES} syntax nodes")
    if _depth(tree) > DEEPEST:
        raise TaskError(f"the formula {_short(text)} is nested more than {DEEPEST} levels deep")
    _check(tree, frozenset(names), text)
    return tree


def _tree(text: str) -> ast.expr:
    # A quoted name stands as an identifier that the text does not hold while Python's grammar is applied.
    prefix = "quoted"
    while prefix in text:
        prefix += "_"
    names: dict[str, str] = {}

    def identifier(quoted: re.Match[str]) -> str:
        names[f"{prefix}{len(names)}"] = quoted[1]
        return f" {prefix}{len(names) - 1} "

    tree = ast.parse(_QUOTED.sub(identifier, text).strip(), mode="eval").body
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return tree


def _depth(tree: ast.AST) -> int:
    level, depth = [tree], 0
    while level:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return depth


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")


def _check(node: ast.expr, names: frozenset[str], text: str) -> None:
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return
        case ast.Name(id=name):
            if name not in names and name not in CONSTANTS:
                raise TaskError(f"the formula {_short(text)} uses {name!r}, which is not a feature")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _check(left, names, text)
            _check(right, names, text)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            _check(operand, names, text)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            _check(left, names, text)
            _check(right, names, text)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            if len(arguments) != FUNCTIONS[name][0]:
                raise TaskError(
                    f"the formula {_short(text)} gives {name} {len(arguments)} arguments, "
                    f"not {FUNCTIONS[name][0]}"
                )
            for argument in arguments:
                _check(argument, names, text)
        case _:
            raise TaskError(
                f"the formula {_short(text)} holds {_short(ast.unparse(node))}, which is not arithmetic"
            )


def _value(node: ast.expr, columns: Mapping[str, Column]) -> Column:
    match node:
        case ast.Constant(value=value):
            assert isinstance(value, bool | int | float)
            try:
                return np.float64(value)
            except OverflowError:
                return np.float64(math.inf)
        case ast.Name(id=name):
            return columns[name] if name in columns else np.float64(CONSTANTS[name])
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, columns), _value(right, columns))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return np.negative(_value(operand, columns))
        case ast.UnaryOp(operand=operand):
            return _value(operand, columns)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            truth = _COMPARE[type(op)](_value(left, columns), _value(right, columns))
            return np.asarray(truth, dtype=np.float64)
        case ast.Call(func=ast.Name(id="where"), args=[condition, yes, no]):
            chosen = np.asarray(_value(condition, columns)) != 0.0
            return np.where(chosen, _value(yes, columns), _value(no, columns))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name][1](*(_value(argument, columns) for argument in arguments))
        case _:
            raise AssertionError(ast.dump(node))


@functools.lru_cache(maxsize=2048)
def _parsed(text: str, names: tuple[str, ...]) -> ast.expr:
    return parse(text, names)


def evaluate(text: str, names: Sequence[str], X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Evaluate a formula on rows.

    Parameters
    ----------
    text : str
        The formula, see :func:`parse`.
    names : sequence of str
        Names of the columns of ``X``.
    X : ndarray of float64, shape (n, d)
        The rows.

    Returns
    -------
    ndarray of float64, shape (n,)
        One value per row; NaN or infinite where the formula is undefined or overflows, without a warning.

    Raises
    ------
    TaskError
        When the formula does not parse.
    """
    columns = {name: X[:, index] for index, name in enumerate(names)}
    return evaluate_columns(text, columns, len(X))


def evaluate_columns(text: str, columns: Mapping[str, Column], rows: int) -> NDArray[np.float64]:
    """Evaluate a formula on named columns or scalars; see :func:`evaluate`."""
    tree = _parsed(text, tuple(columns))
    with np.errstate(all="ignore"):
        value = np.asarray(_value(tree, columns), dtype=np.float64)
    return np.array(np.broadcast_to(value, (rows,)))


def used_names(text: str, names: Sequence[str]) -> frozenset[str]:
    """Return those of ``names`` that the formula mentions."""
    tree = _parsed(text, tuple(names))
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)) & frozenset(names)
