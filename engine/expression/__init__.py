"""Expressions: one frozen tree, read safely from any method's syntax, evaluated, printed and compared.

This package is carried into the methods' workers: importing it needs the standard library and NumPy only.
"""

from engine.expression.dialects.table import DIALECTS, parse
from engine.expression.errors import ExpressionError
from engine.expression.evaluate import evaluate
from engine.expression.infix import infix
from engine.expression.nodes import (
    Apply,
    Constant,
    Node,
    Number,
    Parameter,
    Var,
    apply,
    fill,
    number,
    parameters,
    variables,
)

__all__ = [
    "DIALECTS",
    "Apply",
    "Constant",
    "ExpressionError",
    "Node",
    "Number",
    "Parameter",
    "Var",
    "apply",
    "evaluate",
    "fill",
    "infix",
    "number",
    "parameters",
    "parse",
    "variables",
]
