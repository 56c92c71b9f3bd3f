"""The expressions inside a Python function, over the names that its statements have bound so far."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.expression.errors import ExpressionError
from engine.expression.nodes import Constant, Node, Number, Parameter, Var, apply, number, signed
from engine.expression.parse import listed
from engine.expression.spelling import PREFIXES, call, flat, is_function, named_constant

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.Mod: "mod", ast.BitAnd: "and",
    ast.BitOr: "or",
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
# Conversions that leave a float64 column as it is.
_SAME = frozenset({"float", "asarray", "array", "float64", "squeeze", "real", "copy"})
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(slots=True)
class Values:
    """What the names of a function stand for.

    ``arrays`` are the fitted constants' names; ``table`` is the argument that holds all columns, if any.
    """

    names: dict[str, Node]
    arrays: tuple[str, ...]
    table: str
    features: Sequence[str]

    def refusal(self, part: ast.AST) -> ExpressionError:
        """Return the error for a part of the language that is not read."""
        source = ast.unparse(part).split("\n")[0][:60]
        line = getattr(part, "lineno", 1)
        return ExpressionError(
            f"{source!r} in line {line} cannot be read as part of a formula; write it as arithmetic"
        )

    def named(self, name: str, part: ast.AST) -> Node:
        """Return what a name stands for."""
        node = self.names.get(name) or named_constant(name)
        if node is None:
            line = getattr(part, "lineno", 1)
            raise ExpressionError(f"the name {name!r} in line {line} is not known; {listed(self.features)}")
        return node

    def parameter(self, index: int) -> Node:
        """Return the fitted constant of an index."""
        if index < 0:
            raise ExpressionError(
                "a fitted constant is counted from the end (params[-1]); count from 0 instead"
            )
        return Parameter(index)

    def read(self, part: ast.expr) -> Node:
        """Return the node of an expression."""
        match part:
            case ast.Constant(value=bool() | int() | float() as value):
                return number(int(value)) if isinstance(value, int) else signed(value)
            case ast.Name(id=name):
                return self.named(name, part)
            case ast.BinOp():
                return self.chain(part)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return apply("neg", self.read(operand))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.read(operand)
            case ast.UnaryOp(operand=operand):
                return apply("not", self.read(operand))
            case ast.BoolOp(op=op, values=values):
                return apply(
                    "and" if isinstance(op, ast.And) else "or", *(self.read(value) for value in values)
                )
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.compared(part, [left, *others], ops)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return apply("where", self.read(test), self.read(body), self.read(orelse))
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self.indexed(part, name, index)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in PREFIXES:
                constant = named_constant(name)
                if constant is not None:
                    return constant
                raise self.refusal(part)
            case ast.Call():
                return self.called(part)
            case _:
                raise self.refusal(part)

    def chain(self, part: ast.BinOp) -> Node:
        """Read a left-leaning chain of operators without a step of the stack for each."""
        waiting: list[ast.BinOp] = []
        left: ast.expr = part
        while isinstance(left, ast.BinOp):
            waiting.append(left)
            left = left.left
        node = self.read(left)
        for each in reversed(waiting):
            node = self.combined(each.op, node, self.read(each.right), each)
        return node

    def combined(self, op: ast.operator, left: Node, right: Node, part: ast.AST) -> Node:
        """Return one binary operator on two values."""
        if isinstance(op, ast.Sub):
            return flat("add", (left, apply("neg", right)))
        if isinstance(op, ast.FloorDiv):
            return apply("floor", apply("div", left, right))
        name = _BINARY.get(type(op))
        if name is None:
            raise self.refusal(part)
        return flat(name, (left, right))

    def compared(self, part: ast.expr, parts: list[ast.expr], ops: list[ast.cmpop]) -> Node:
        """Return a chain of comparisons."""
        nodes = [self.read(each) for each in parts]
        if any(type(op) not in _COMPARED for op in ops):
            raise self.refusal(part)
        tests = [apply(_COMPARED[type(op)], *pair) for op, pair in zip(ops, pairwise(nodes), strict=True)]
        return tests[0] if len(tests) == 1 else apply("and", *tests)

    def whole(self, part: ast.expr) -> int:
        """Return a whole number that is known before any data is seen, as a loop's counter is."""
        node = self.read(part)
        sign = 1
        if not isinstance(node, Number) and getattr(node, "op", "") == "neg":
            sign, node = -1, node.args[0]  # type: ignore[union-attr]
        if isinstance(node, Number) and node.is_integer:
            return sign * int(node.text)
        from engine.expression.evaluate import evaluate

        value = float(evaluate(node, np.zeros((1, 0)))[0])
        if not value.is_integer():
            raise self.refusal(part)
        return sign * int(value)

    def indexed(self, part: ast.expr, name: str, index: ast.expr) -> Node:
        """Return ``params[i]``, ``x[i]`` or ``X[:, i]``."""
        if name in self.arrays:
            return self.parameter(self.whole(index))
        if name == self.table or (name not in self.names and name in ("X", "x", "inputs")):
            column = index.elts[1] if isinstance(index, ast.Tuple) and len(index.elts) == 2 else index
            place = self.whole(column)
            if not 0 <= place < len(self.features):
                raise ExpressionError(f"{ast.unparse(part)!r} is outside the data; {listed(self.features)}")
            return Var(place)
        raise self.refusal(part)

    def called(self, part: ast.Call) -> Node:
        """Return a function, with or without its module's name, on its arguments."""
        match part.func:
            case ast.Name(id=name):
                pass
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in PREFIXES:
                pass
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=module)), attr=name) if (
                module in PREFIXES
            ):
                pass
            case _:
                raise self.refusal(part)
        return self.special(name, part) or self.ordinary(name, part)

    def ordinary(self, name: str, part: ast.Call) -> Node:
        """Return a function that the infix grammar knows too, with NumPy's ``where=`` and ``out=``."""
        if not is_function(name):
            call(name, (), f" in line {part.lineno}")
        keywords = {word.arg: word.value for word in part.keywords if word.arg != "dtype"}
        args = list(part.args)
        condition, otherwise = keywords.pop("where", None), keywords.pop("out", None)
        if name == "clip":
            args += [keywords.pop(word) for word in ("a_min", "a_max", "min", "max") if word in keywords]
        if keywords or any(isinstance(arg, ast.Starred) for arg in args):
            raise self.refusal(part)
        node = call(name, tuple(self.read(arg) for arg in args), f" in line {part.lineno}")
        if condition is None:
            return node
        other: Node = Constant("nan") if otherwise is None else self.read(otherwise)
        return apply("where", self.read(condition), node, other)

    def special(self, name: str, part: ast.Call) -> Node | None:
        """Return what functions of Python's own world come to, or None for all others."""
        args = part.args
        if name in _SAME and len(args) == 1:
            return self.read(args[0])
        if name in ("zeros_like", "ones_like", "full_like") and args:
            return self.read(args[1]) if name == "full_like" else number(int(name == "ones_like"))
        if (
            name in ("sum", "prod", "max", "min")
            and len(args) == 1
            and isinstance(args[0], ast.List | ast.Tuple)
        ):
            parts = [self.read(each) for each in args[0].elts]
            op = {"sum": "add", "prod": "mul"}.get(name, name)
            return parts[0] if len(parts) == 1 else apply(op, *parts)
        if name == "nan_to_num" and len(args) == 1 and not part.keywords:
            x = self.read(args[0])
            bounded = apply("max", apply("min", x, number(_LARGEST)), apply("neg", number(_LARGEST)))
            return apply("where", apply("ne", x, x), number(0), bounded)
        if name == "heaviside" and len(args) == 2:
            x, at_zero = self.read(args[0]), self.read(args[1])
            zero = number(0)
            below = apply("where", apply("lt", x, zero), zero, at_zero)
            return apply("where", apply("gt", x, zero), number(1), below)
        return None
