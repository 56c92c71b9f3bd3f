"""Reads the expression that a Python file computes, by its syntax tree alone; nothing is executed."""

import ast
import copy
from collections.abc import Mapping, Sequence

from tasks import formula
from tasks.errors import TaskError

LONGEST_SOURCE = 200_000
DEEPEST = 60
"""Levels of inlined assignments and helper functions."""
MODULES = frozenset({"np", "numpy", "math", "sp", "sympy", "torch", "jnp"})
SAME = {
    "absolute": "abs",
    "fabs": "abs",
    "Abs": "abs",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "ln": "log",
    "fmax": "maximum",
    "fmin": "minimum",
}
BINARY_CALLS: dict[str, type[ast.operator]] = {
    "add": ast.Add,
    "subtract": ast.Sub,
    "multiply": ast.Mult,
    "divide": ast.Div,
    "true_divide": ast.Div,
    "power": ast.Pow,
    "pow": ast.Pow,
}
IDENTITIES = frozenset({"asarray", "array", "float", "float64", "asfarray", "real"})
NAMED_VALUES = {"e": "exp(1)", "E": "exp(1)", "pi": "pi"}


def formula_of(
    source: str, features: Sequence[str], place: str = "formula.py", target: str | None = None
) -> str:
    """Return the formula that a Python file computes, as infix over the feature names.

    Parameters
    ----------
    source : str
        The file's text: one function over the features (or over one array of them) that assigns names and
        returns an expression; helper functions of that kind and numeric constants are inlined.
    features : sequence of str
        The features in order; array arguments are read as these columns.
    place : str
        What to call the file in errors.
    target : str, optional
        Name of the target, which the function may be called after.

    Returns
    -------
    str
        The formula.

    Raises
    ------
    TaskError
        When the file is no such program; the sentence names the line.
    """
    if len(source) > LONGEST_SOURCE:
        raise TaskError(f"{place} has {len(source)} characters; at most {LONGEST_SOURCE} are read")
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError(f"{place} is not Python: {error}") from error
    reader = _Reader(module, tuple(features), place)
    text = ast.unparse(reader.result(target))
    formula.parse(text, features)
    return text


def expression(text: str, features: Sequence[str], place: str) -> str:
    """Return a one-line expression in Python, NumPy or SymPy spelling as infix over the feature names.

    A feature applied to others, such as ``P(t)``, is read as the feature.

    Raises
    ------
    TaskError
        When the text is no such expression.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError(f"{place}: {text[:80]!r} is not an expression: {error}") from error
    reader = _Reader(ast.Module([], []), tuple(features), place)
    infix = ast.unparse(reader.expression(tree, {name: ast.Name(name) for name in features}, 0))
    formula.parse(infix, features)
    return infix


class _Reader:
    """Inlines a module's functions and constants into one expression over the features."""

    def __init__(self, module: ast.Module, features: tuple[str, ...], place: str) -> None:
        self.features = features
        self.place = place
        self.functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
        self.values: dict[str, ast.expr] = {}
        for node in module.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.values[name] = value
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self.values[name] = value
                case _:
                    pass

    def _refuse(self, node: ast.AST, what: str) -> TaskError:
        line = getattr(node, "lineno", "?")
        return TaskError(f"{self.place} line {line}: {what}; only assignments and arithmetic are read")

    def _main(self, target: str | None) -> ast.FunctionDef:
        for name in (target or "target", "target", "formula", "f", "equation", "compute", "evaluate"):
            if name in self.functions:
                return self.functions[name]
        for node in reversed(self.functions.values()):
            if {argument.arg for argument in node.args.args} & set(self.features):
                return node
        if self.functions:
            return list(self.functions.values())[-1]
        raise TaskError(f"{self.place} defines no function; it needs one that returns the target")

    def result(self, target: str | None) -> ast.expr:
        node = self._main(target)
        arguments = [argument.arg for argument in node.args.args]
        known: dict[str, ast.expr] = {name: ast.Name(name) for name in arguments if name in self.features}
        unknown = [name for name in arguments if name not in self.features]
        if len(unknown) == len(self.features) and not known:
            known = {name: ast.Name(f) for name, f in zip(unknown, self.features, strict=True)}
            unknown = []
        arrays = set(unknown)
        return self._body(node, known, arrays, 0)

    def _body(
        self, node: ast.FunctionDef, known: Mapping[str, ast.expr], arrays: set[str], depth: int
    ) -> ast.expr:
        local = dict(known)
        for array in arrays:
            local[array] = ast.Starred(ast.Name(array))
        for statement in node.body:
            match statement:
                case ast.Expr(value=ast.Constant(value=str())) | ast.Pass() | ast.Import() | ast.ImportFrom():
                    continue
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    local[name] = self.expression(value, local, depth)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    local[name] = self.expression(value, local, depth)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(
                    names
                ) == len(values):
                    read = [self.expression(value, local, depth) for value in values]
                    local.update(
                        {n.id: v for n, v in zip(names, read, strict=True) if isinstance(n, ast.Name)}
                    )
                case ast.With(body=[*inner]) if inner:
                    block = ast.FunctionDef(node.name, node.args, inner, [])
                    return self._body(block, local, set(), depth)
                case ast.Return(value=ast.expr() as value):
                    return self.expression(value, local, depth)
                case _:
                    raise self._refuse(
                        statement, f"a statement of the kind {type(statement).__name__} is not read"
                    )
        raise self._refuse(node, f"the function {node.name} returns nothing")

    def _column(self, node: ast.Subscript) -> ast.expr:
        index = node.slice
        if isinstance(index, ast.Tuple) and index.elts:
            index = index.elts[-1]
        match index:
            case ast.Constant(value=int() as place) if 0 <= place < len(self.features):
                return ast.Name(self.features[place])
            case ast.Constant(value=str() as name) if name in self.features:
                return ast.Name(name)
            case _:
                raise self._refuse(node, f"{ast.unparse(node)} is no feature")

    def expression(self, node: ast.expr, local: Mapping[str, ast.expr], depth: int) -> ast.expr:
        """Return an expression with every known name replaced."""
        if depth > DEEPEST:
            raise self._refuse(node, "definitions are nested too deeply")
        match node:
            case ast.Constant(value=bool() | int() | float()):
                return node
            case ast.Name(id=name):
                return self._name(node, name, local, depth)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if (
                module in MODULES and name in NAMED_VALUES
            ):
                return ast.parse(NAMED_VALUES[name], mode="eval").body
            case ast.BinOp(left=left, op=op, right=right):
                power = ast.Pow() if isinstance(op, ast.BitXor) else op
                return ast.BinOp(
                    self.expression(left, local, depth + 1), power, self.expression(right, local, depth + 1)
                )
            case ast.UnaryOp(op=ast.UAdd() | ast.USub() as op, operand=operand):
                return ast.UnaryOp(op, self.expression(operand, local, depth + 1))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                sides = [self.expression(side, local, depth + 1) for side in (left, right)]
                return ast.Compare(sides[0], [op], [sides[1]])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                parts = [self.expression(part, local, depth + 1) for part in (test, body, orelse)]
                return ast.Call(ast.Name("where"), parts, [])
            case ast.Subscript(value=ast.Name(id=name)) if isinstance(local.get(name), ast.Starred):
                return self._column(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name), args=[argument]) if (
                module in MODULES and name in IDENTITIES
            ):
                return self.expression(argument, local, depth + 1)
            case ast.Call(func=called, args=arguments, keywords=[]):
                return self._call(node, called, arguments, local, depth)
            case _:
                raise self._refuse(node, f"{ast.unparse(node)[:60]!r} is not arithmetic")

    def _name(self, node: ast.expr, name: str, local: Mapping[str, ast.expr], depth: int) -> ast.expr:
        if name in local:
            value = local[name]
            if isinstance(value, ast.Starred):
                raise self._refuse(node, f"the array {name!r} is used as a number")
            return copy.deepcopy(value)
        if name in self.values:
            return self.expression(self.values[name], {}, depth + 1)
        if name in NAMED_VALUES:
            return ast.parse(NAMED_VALUES[name], mode="eval").body
        raise self._refuse(node, f"{name!r} is neither a feature nor defined")

    def _call(
        self,
        node: ast.expr,
        called: ast.expr,
        arguments: list[ast.expr],
        local: Mapping[str, ast.expr],
        depth: int,
    ) -> ast.expr:
        match called:
            case ast.Name(id=name):
                pass
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
                pass
            case _:
                raise self._refuse(node, f"{ast.unparse(called)[:60]!r} is not a known function")
        if isinstance(called, ast.Name) and name in self.features and name not in formula.FUNCTIONS:
            return self.expression(called, local, depth + 1)
        inner = [self.expression(argument, local, depth + 1) for argument in arguments]
        if isinstance(called, ast.Name) and name in self.functions:
            helper = self.functions[name]
            names = [argument.arg for argument in helper.args.args]
            if len(names) != len(inner):
                raise self._refuse(node, f"{name} takes {len(names)} arguments, not {len(inner)}")
            return self._body(helper, dict(zip(names, inner, strict=True)), set(), depth + 1)
        if name in IDENTITIES and len(inner) == 1:
            return inner[0]
        if name in BINARY_CALLS and len(inner) == 2:
            return ast.BinOp(inner[0], BINARY_CALLS[name](), inner[1])
        if name == "exp2" and len(inner) == 1:
            return ast.BinOp(ast.Constant(2), ast.Pow(), inner[0])
        if name == "negative" and len(inner) == 1:
            return ast.UnaryOp(ast.USub(), inner[0])
        spelled = SAME.get(name, name)
        if spelled not in formula.FUNCTIONS:
            raise self._refuse(node, f"{name!r} is not a known function")
        return ast.Call(ast.Name(spelled), inner, [])
