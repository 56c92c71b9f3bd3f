"""Python functions with ``params[i]``, as LLM-SR and DrSR evolve them, read into one expression.

The source is parsed, never run: assignments are put in where they are used, branches become choices, loops
over constant ranges are unrolled, and anything else is refused by name.
"""

import ast
import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.expression.dialects.python_values import Values
from engine.expression.errors import ExpressionError
from engine.expression.nodes import Node, Var, apply, checked, fill, number
from engine.expression.parse import listed
from engine.expression.tokens import MAX_LENGTH

MAX_BRANCHES = 12
MAX_LOOP = 200
PARAMETERS = ("params", "param", "parameters", "p", "c")


def read_python(text: str, features: Sequence[str]) -> Node:
    """Read a function's source, or a bare expression, with its fitted constants if they follow.

    Parameters
    ----------
    text : str
        ``def equation(x0, x1, params): ... return ...``; a line ``params = [..]`` outside the function gives
        the constants. Arguments that are feature names mean those features, others count as columns in order.
    features : sequence of str
        The columns' names in order.

    Returns
    -------
    Node
        The returned value; ``Parameter`` nodes stand for constants that were not handed over.

    Raises
    ------
    ExpressionError
        For syntax errors and for statements or functions outside the supported part of the language.
    """
    tree = _parsed(text)
    constants: list[float] | None = None
    functions: list[ast.FunctionDef] = []
    statements: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            functions.append(statement)
        elif (values := _constants(statement)) is not None:
            constants = values
        elif not isinstance(statement, ast.Import | ast.ImportFrom):
            statements.append(statement)
    try:
        node = _function(functions[-1], features) if functions else _script(statements, features)
        node = checked(node)
    except RecursionError:
        raise ExpressionError("the Python source is nested too deeply; flatten it") from None
    return node if constants is None else fill(node, constants)


def _parsed(text: str) -> ast.Module:
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the Python source has {len(text)} characters; at most {MAX_LENGTH} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(textwrap.dedent(text).strip())
    except SyntaxError as error:
        raise ExpressionError(
            f"the Python source has a syntax error in line {error.lineno}: {error.msg}"
        ) from None
    except (ValueError, MemoryError, RecursionError):
        raise ExpressionError(
            "the Python source cannot be parsed: it is nested too deeply or holds a null"
        ) from None


def _constants(statement: ast.stmt) -> list[float] | None:
    """Return the numbers of a line ``params = [...]``, or None for any other statement."""
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return None
    target, value = statement.targets[0], statement.value
    if not (isinstance(target, ast.Name) and target.id in PARAMETERS):
        return None
    if isinstance(value, ast.Call) and value.args:
        value = value.args[0]
    if not isinstance(value, ast.List | ast.Tuple):
        return None
    try:
        return [float(ast.literal_eval(part)) for part in value.elts]
    except (ValueError, TypeError):
        names = {"nan": float("nan"), "inf": float("inf")}
        if all(isinstance(part, ast.Constant | ast.UnaryOp | ast.Name) for part in value.elts):
            return [names.get(ast.unparse(part).lstrip("-"), float("nan")) for part in value.elts]
        raise ExpressionError(f"the line {ast.unparse(statement)[:60]!r} is not a list of numbers") from None


def _function(function: ast.FunctionDef, features: Sequence[str]) -> Node:
    arguments = [argument.arg for argument in function.args.posonlyargs + function.args.args]
    arrays = [name for name in arguments if name in PARAMETERS and name not in features]
    columns = [name for name in arguments if name not in arrays]
    by_name = all(name in features for name in columns)
    if not by_name and len(columns) > len(features):
        raise ExpressionError(
            f"the function {function.name!r} has {len(columns)} arguments before its constants; "
            f"{listed(features)}"
        )
    names: dict[str, Node] = {
        name: Var(features.index(name) if by_name else place) for place, name in enumerate(columns)
    }
    table = columns[0] if len(columns) == 1 and not by_name else ""
    return _Reader(Values(names, tuple(arrays) or PARAMETERS, table, features)).returned(function.body)


def _script(statements: list[ast.stmt], features: Sequence[str]) -> Node:
    names: dict[str, Node] = {name: Var(place) for place, name in enumerate(features)}
    arrays = tuple(name for name in PARAMETERS if name not in features)
    if statements and isinstance(statements[-1], ast.Expr):
        statements = [*statements[:-1], ast.Return(value=statements[-1].value)]
    return _Reader(Values(names, arrays, "", features)).returned(statements)


@dataclass(slots=True)
class _Reader:
    """Follows the statements of one function; ``values`` reads expressions over the names known so far."""

    values: Values
    branches: int = field(default=0)

    def returned(self, statements: Sequence[ast.stmt]) -> Node:
        node = self.block(list(statements))
        if node is None:
            raise ExpressionError(
                "the Python function does not return a value on every path; end it with a return"
            )
        return node

    def block(self, statements: list[ast.stmt]) -> Node | None:
        """Follow statements in order; give the returned value, or None when the end is reached first."""
        for place, statement in enumerate(statements):
            match statement:
                case ast.Return(value=value) if value is not None:
                    return self.values.read(value)
                case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Import() | ast.ImportFrom():
                    continue
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self.assign(target, value)
                case ast.AnnAssign(target=target, value=value) if value is not None:
                    self.assign(target, value)
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                    left = self.values.named(name, statement)
                    self.values.names[name] = self.values.combined(
                        op, left, self.values.read(value), statement
                    )
                case ast.If(test=test, body=body, orelse=orelse):
                    done, node = self.branch(test, body, orelse, statements[place + 1 :])
                    if done:
                        return node
                case ast.For(target=ast.Name(id=name), iter=iterator, body=body, orelse=[]):
                    self.loop(name, iterator, body)
                case _:
                    raise self.values.refusal(statement)
        return None

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _ if isinstance(value, ast.Name) and value.id in self.values.arrays:
                self.values.arrays = (*self.values.arrays, name)
            case ast.Name(id=name), _:
                self.values.names[name] = self.values.read(value)
            case ast.Tuple(elts=names), ast.Name(id=array) if array in self.values.arrays:
                for place, part in enumerate(names):
                    self.bind(part, self.values.parameter(place))
            case ast.Tuple(elts=names), ast.Tuple(elts=parts) if len(names) == len(parts):
                for part, node in zip(names, [self.values.read(each) for each in parts], strict=True):
                    self.bind(part, node)
            case ast.Tuple(elts=names), ast.Subscript(
                value=ast.Name(id=array), slice=ast.Slice(lower=lower)
            ) if array in self.values.arrays:
                first = 0 if lower is None else self.values.whole(lower)
                for place, part in enumerate(names):
                    self.bind(part, self.values.parameter(first + place))
            case _:
                raise self.values.refusal(target)

    def bind(self, target: ast.expr, node: Node) -> None:
        if not isinstance(target, ast.Name):
            raise self.values.refusal(target)
        self.values.names[target.id] = node

    def branch(
        self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], rest: list[ast.stmt]
    ) -> tuple[bool, Node | None]:
        """Follow both sides of an ``if``; where one returns, the rest of the function belongs to both."""
        self.branches += 1
        if self.branches > MAX_BRANCHES:
            raise ExpressionError(f"the Python function has more than {MAX_BRANCHES} branches; simplify it")
        condition = self.values.read(test)
        before = dict(self.values.names)
        returns = any(isinstance(part, ast.Return) for each in (*body, *orelse) for part in ast.walk(each))
        tail = rest if returns else []
        first = self.block([*body, *tail])
        chosen = self.values.names
        self.values.names = before
        second = self.block([*orelse, *tail])
        if returns:
            both = first is not None and second is not None
            return True, apply("where", condition, first, second) if both else None  # type: ignore[arg-type]
        for name, node in chosen.items():
            other = self.values.names.get(name, node)
            self.values.names[name] = node if node == other else apply("where", condition, node, other)
        return False, None

    def loop(self, name: str, iterator: ast.expr, body: list[ast.stmt]) -> None:
        match iterator:
            case ast.Call(func=ast.Name(id="range"), args=parts, keywords=[]) if 1 <= len(parts) <= 3:
                span = range(*(self.values.whole(part) for part in parts))
            case _:
                raise self.values.refusal(iterator)
        if len(span) > MAX_LOOP:
            raise ExpressionError(
                f"the loop over {name!r} has {len(span)} rounds; at most {MAX_LOOP} are unrolled"
            )
        for value in span:
            self.values.names[name] = number(value) if value >= 0 else apply("neg", number(-value))
            if self.block(list(body)) is not None:
                raise ExpressionError(f"a return inside the loop over {name!r} cannot be read as one formula")
