"""Which reader belongs to which dialect."""

import difflib
import json
import re
from collections.abc import Callable, Sequence

from engine.expression.dialects.positional import column, grammar
from engine.expression.dialects.prefix import is_traversal, read_traversal
from engine.expression.dialects.python import read_python
from engine.expression.errors import ExpressionError
from engine.expression.nodes import Node, Var, apply, fill, signed, substitute
from engine.expression.parse import Grammar, listed, named, parse_infix, read

Reader = Callable[[str, Sequence[str]], Node]

# gplearn 0.4.3, functions.py: these names mean the protected operators.
_GPLEARN = {"div": "gp_div", "log": "gp_log", "sqrt": "gp_sqrt", "inv": "gp_inv"}
# SymbolicRegression.jl, Operators.jl: the safe variants give NaN where the plain function has no real value.
_PYSR = {
    f"safe_{name}": name
    for name in ("log", "log2", "log10", "log1p", "sqrt", "pow", "acosh", "asin", "acos", "atanh")
}
# symbolicregression/envs/generators.py: binary operators are printed as words between their arguments.
_E2E_WORDS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**"}
_TARGET = re.compile(r"\s*[^\W\d]\w*\s*=(?!=)|\s*\([^()]*\)'\s*=")
_SCALED = re.compile(r"\n\s*scaled:\s*(\{.*\})\s*$")


def _gplearn(text: str, features: Sequence[str]) -> Node:
    return read(text, grammar("X", 0, features, functions=_GPLEARN))


def _operon(text: str, features: Sequence[str]) -> Node:
    return read(text, grammar("X", 1, features))


def _pysr(text: str, features: Sequence[str]) -> Node:
    return read(_right_side(text), grammar("x", 0, features, julia=True, functions=_PYSR))


def _fepysr(text: str, features: Sequence[str]) -> Node:
    return read(_right_side(text), grammar("X", 0, features, julia=True, functions=_PYSR))


def _e2e(text: str, features: Sequence[str]) -> Node:
    rules = grammar("x_", 0, features, words=_E2E_WORDS)
    return read_traversal(text, rules) if is_traversal(text) else read(text, rules)


def _dso(text: str, features: Sequence[str]) -> Node:
    rules = grammar("x", 1, features)
    return read_traversal(text, rules) if is_traversal(text) else read(text, rules)


def _imcts(text: str, features: Sequence[str]) -> Node:
    # Its Python version printed x[2], its C++ version prints x2.
    array = {"x": lambda index: column(index, f"x[{index}]", features)}
    return read(text, grammar("x", 0, features, indexed=array))


def _own_names(text: str, features: Sequence[str]) -> Node:
    return parse_infix(_right_side(text), features)


def _pysindy(text: str, features: Sequence[str]) -> Node:
    return read(_right_side(text), Grammar(named(features), listed(features), juxtaposed=True))


def _scaled(text: str, features: Sequence[str]) -> Node:
    """Read a formula over columns that were scaled to [0, 1], with the bounds in a last line.

    ``scaled: {"minimum": [...], "maximum": [...]}`` says that x_i in the text stands for
    (x_i - minimum_i) / (maximum_i - minimum_i); without the line the columns are as they are.
    """
    found = _SCALED.search(text)
    formula = text[: found.start()] if found else text
    node = read(_right_side(formula), grammar("x", 0, features))
    if found is None:
        return node
    try:
        bounds = json.loads(found[1])
        low, high = ([float(value) for value in bounds[key]] for key in ("minimum", "maximum"))
    except (ValueError, KeyError, TypeError):
        raise ExpressionError(
            'the line after "scaled:" is not {"minimum": [...], "maximum": [...]} with one number per column'
        ) from None
    if not len(low) == len(high) == len(features):
        raise ExpressionError(f"the scaling names {len(low)} columns and the data has {len(features)}")
    columns = [
        # A constant column is shifted only, as scikit-learn's MinMaxScaler has it.
        apply("div", apply("add", Var(place), apply("neg", signed(a))), signed(b - a if b != a else 1.0))
        for place, (a, b) in enumerate(zip(low, high, strict=True))
    ]
    return substitute(node, columns)


def _right_side(text: str) -> str:
    """Return what stands after ``y =`` or ``(x)' =``."""
    match = _TARGET.match(text)
    return text[match.end() :] if match else text


DIALECTS: dict[str, Reader] = {
    "infix": parse_infix,
    "gplearn": _gplearn,
    "operon": _operon,
    "pysr": _pysr,
    "fepysr": _fepysr,
    "feyn": _own_names,
    "dso": _dso,
    "sympy": _own_names,
    "e2e": _e2e,
    "tpsr": _e2e,
    "python": read_python,
    "ragsr": _scaled,
    "jaxsr": _own_names,
    "symbolfit": _scaled,
    "pysindy": _pysindy,
    "imcts": _imcts,
}


def parse(
    text: str, features: Sequence[str], dialect: str = "infix", *, params: Sequence[float] | None = None
) -> Node:
    """Read an expression in a method's own syntax.

    Parameters
    ----------
    text : str
        What the method printed.
    features : sequence of str
        The columns' names in order. Dialects that number their variables use only the order.
    dialect : str
        A name of ``DIALECTS``.
    params : sequence of float, optional
        Values for ``params[0]``, ``params[1]`` ... of the ``python`` dialect.

    Returns
    -------
    Node
        The tree; variables are column indices.

    Raises
    ------
    ExpressionError
        One sentence with the offending token and its position.
    """
    reader = DIALECTS.get(dialect)
    if reader is None:
        close = difflib.get_close_matches(dialect, DIALECTS, 3)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ExpressionError(f"there is no dialect {dialect!r}{hint} (known: {', '.join(sorted(DIALECTS))})")
    if not isinstance(text, str):
        raise ExpressionError(f"an expression is a text, not {type(text).__name__}")
    node = reader(text, features)
    return node if params is None else fill(node, params)
