"""Expressions: one frozen tree, read safely from any method's syntax, evaluated, printed and compared.

This package is carried into the methods' workers: importing it needs the standard library and NumPy only.
"""

from engine.expression.dialects.table import DIALECTS, parse
from engine.expression.errors import ExpressionError
from engine.expression.evaluate import evaluate
from engine.expression.infix import infix
from engine.expression.latex import latex
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
from engine.expression.sources import numpy_source, sympy_source

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
    "latex",
    "number",
    "numpy_source",
    "parameters",
    "parse",
    "sympy_source",
    "variables",
]
