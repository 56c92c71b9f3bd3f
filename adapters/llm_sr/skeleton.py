"""Equation skeletons: taken from a model's answer, parsed and never executed, constants fitted by BFGS."""

import ast
import importlib
import re
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class UnusableError(ValueError):
    """An answer that is no equation, in one sentence."""


class TimeUpError(Exception):
    """The run's time ended in the middle of a fit."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """One equation structure with its fitted constants.

    Attributes
    ----------
    body : str
        The function's body as it goes into the next prompt.
    source : str
        A whole function, its constants on a line ``params = [...]``: the text that is scored.
    parameters : tuple of float
        Fitted constants.
    mse : float
        Mean squared error on the training rows.
    """

    body: str
    source: str
    parameters: tuple[float, ...]
    mse: float


def body_of(answer: str, *, single_line: bool) -> str:
    """Take a function's body out of an answer.

    Parameters
    ----------
    answer : str
        Fenced or bare, a whole function or the body that continues the prompt, prose around it or not.
    single_line : bool
        Take one return statement only (DrSR).

    Returns
    -------
    str
        The body, four spaces in.

    Raises
    ------
    UnusableError
        When there is no return statement.
    """
    fenced = re.search(r"```(?:python)?[ \t]*\n(.*?)(?:```|\Z)", answer, re.DOTALL)
    text = (fenced.group(1) if fenced else answer).expandtabs(4)
    if single_line:
        lines = re.findall(r"^[ ]*(return\b.+)$", text, re.MULTILINE)
        if not lines:
            raise UnusableError("the answer has no return statement")
        return f"    {lines[-1].strip()}"
    lines = text.splitlines()
    heads = [place for place, line in enumerate(lines) if re.match(r"\s*def\s+\w+\s*\(", line)]
    if heads:
        lines = _after_head(lines[heads[0] :])
    body = _until_return(_one_block(lines))
    return textwrap.indent("\n".join(body), "    ")


def _after_head(lines: list[str]) -> list[str]:
    """Return a function's lines below its signature, up to the next function."""
    start = (
        next((place for place, line in enumerate(lines) if line.rstrip().endswith(":")), len(lines) - 1) + 1
    )
    stop = next(
        (place for place, line in enumerate(lines) if place >= start and re.match(r"def\s", line)), len(lines)
    )
    return lines[start:stop]


def _one_block(lines: list[str]) -> list[str]:
    """Keep lines that are at least as far in as the first one, and take that margin off."""
    kept: list[str] = []
    margin = 0
    for line in lines:
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        if not kept:
            margin = depth
        elif depth < margin:
            break
        kept.append(line[margin:])
    return kept


def _until_return(lines: list[str]) -> list[str]:
    """Keep statements up to the first return at the outer level, without docstrings."""
    kept: list[str] = []
    for line in lines:
        kept.append(line)
        if re.match(r"return\b", line) and _parses(kept):
            break
    else:
        if not any(re.match(r"\s*return\b", line) for line in kept):
            raise UnusableError("the answer has no return statement")
    text = re.sub(r'^\s*("""|\'\'\')(?:.|\n)*?\1\s*\n', "", "\n".join(kept))
    return [line for line in text.splitlines() if line.strip()]


def _parses(lines: Sequence[str]) -> bool:
    try:
        ast.parse("def f():\n" + textwrap.indent("\n".join(lines), "    "))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def fit(
    body: str,
    features: Sequence[str],
    X: Array,
    y: Array,
    starts: Sequence[Array],
    options: dict[str, float],
    over: Callable[[], bool],
) -> Skeleton:
    """Fit a skeleton's constants by BFGS on the training error.

    Parameters
    ----------
    body : str
        Body of the function, four spaces in.
    features : sequence of str
        Argument names in column order.
    X, y : ndarray
        (n, d) and (n,) training rows.
    starts : sequence of ndarray
        Where BFGS starts; longer than the number of constants, the rest is ignored.
    options : dict
        Of scipy's BFGS.
    over : callable
        Whether the run's time is up; the best point so far is kept then.

    Returns
    -------
    Skeleton
        With the best of the starts.

    Raises
    ------
    UnusableError
        When the body is no expression over these features, has too many constants, or is never finite.
    """
    from engine.expression import ExpressionError, evaluate, parameters, parse
    from engine.expression.nodes import Node, Parameter, Var, rebuild

    head = f"def equation({', '.join([*features, 'params'])}):\n"
    try:
        node = parse(head + body, features, "python")
    except ExpressionError as error:
        raise UnusableError(str(error)) from error
    used = parameters(node)
    count = 1 + max(used, default=-1)
    if count > len(starts[0]):
        raise UnusableError(f"params[{count - 1}] is beyond the {len(starts[0])} constants there are")
    width = X.shape[1]

    def as_column(part: Node) -> Node:
        return Var(width + part.index) if isinstance(part, Parameter) else part

    open_node = rebuild(node, as_column)
    table = np.empty((len(y), width + count))
    table[:, :width] = X
    best: tuple[float, Array] = (np.inf, np.asarray(starts[0][:count], dtype=np.float64))

    def misfit(constants: Array) -> float:
        nonlocal best
        if over():
            raise TimeUpError
        table[:, width:] = constants
        with np.errstate(all="ignore"):
            mse = float(np.mean(np.square(evaluate(open_node, table) - y)))
        if not np.isfinite(mse):
            return 1e300
        if mse < best[0]:
            best = (mse, np.array(constants, dtype=np.float64))
        return mse

    _minimized(misfit, [np.asarray(start[:count], dtype=np.float64) for start in starts], options)
    if not np.isfinite(best[0]):
        raise UnusableError("the equation is not finite on the training rows")
    constants = tuple(float(value) for value in best[1])
    source = f"params = {list(constants)!r}\n{head}{body}\n"
    return Skeleton(body, source, constants, best[0])


def _minimized(misfit: Callable[[Array], float], starts: Sequence[Array], options: dict[str, float]) -> None:
    """Run BFGS from every start; what it finds is kept by the error function itself."""
    optimize: Any = importlib.import_module("scipy.optimize")

    try:
        for start in starts:
            if not len(start):
                misfit(start)
                return
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                optimize.minimize(misfit, start, method="BFGS", options=options)
    except TimeUpError:
        return
