"""Printing and reading back in every form we write, and what evaluation promises."""

import contextlib
import math
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.expression import (
    Apply,
    Constant,
    ExpressionError,
    Number,
    Var,
    apply,
    evaluate,
    infix,
    latex,
    number,
    numpy_source,
    parse,
    sympy_source,
)
from engine.expression.nodes import depth, fill, rebuild, signed, size, substitute
from engine.expression.operators import OPERATORS

FEATURES = ["x0", "theta", "E", "y (kg)"]
UNARY = sorted(
    name for name, each in OPERATORS.items() if each.least == each.most == 1 and name not in ("not", "neg")
)
BINARY = sorted(name for name, each in OPERATORS.items() if each.least == each.most == 2)

finite = st.floats(min_value=0.0, allow_nan=False, allow_infinity=False)
leaves = st.one_of(
    st.builds(Var, st.integers(0, len(FEATURES) - 1)),
    st.builds(number, finite),
    st.builds(number, st.integers(0, 10**20)),
    st.builds(Constant, st.sampled_from(["pi", "e", "inf", "nan"])),
)


def _extended(children):
    return st.one_of(
        st.builds(apply, st.sampled_from([*UNARY, "neg", "not"]), children),
        st.builds(apply, st.sampled_from(BINARY), children, children),
        st.builds(
            _chain, st.sampled_from(["add", "mul", "and", "or"]), st.lists(children, min_size=2, max_size=4)
        ),
        st.builds(
            lambda op, a: apply(op, *a),
            st.sampled_from(["min", "max"]),
            st.lists(children, min_size=2, max_size=3),
        ),
        st.builds(lambda a, b, c: apply("where", a, b, c), children, children, children),
        st.builds(lambda a: apply("piecewise", *a), st.lists(children, min_size=2, max_size=2)),
    )


def _chain(op, args):
    """A sum whose first term is a sum is one longer sum, as the parser reads it."""
    first = args[0]
    if isinstance(first, Apply) and first.op == op:
        return Apply(op, (*first.args, *args[1:]))
    return Apply(op, tuple(args))


trees = st.recursive(leaves, _extended, max_leaves=25)
TABLE = np.array([[0.3, 1.2, -0.7, 2.0], [1.5, 0.0, 3.0, -2.5], [-1.0, 1e200, 1e-200, 0.5]])


@settings(max_examples=400, deadline=None)
@given(trees)
def test_infix_reads_back_to_the_same_tree_and_the_same_bits(tree):
    again = parse(infix(tree, FEATURES), FEATURES)
    assert again == tree
    assert np.array_equal(evaluate(again, TABLE), evaluate(tree, TABLE), equal_nan=True)


@settings(max_examples=300, deadline=None)
@given(st.floats())
def test_every_double_survives(value):
    node = signed(value)
    back = evaluate(parse(infix(node, []), []), np.zeros((1, 0)))[0]
    assert back == value or (math.isnan(back) and math.isnan(value))
    assert math.copysign(1, back) == math.copysign(1, value) or math.isnan(value)


@settings(max_examples=300, deadline=None)
@given(trees)
def test_evaluation_never_raises_and_never_warns(tree):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = evaluate(tree, TABLE)
    assert values.shape == (3,)
    assert values.dtype == np.float64


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="x01.e+-*/^()|, <>=sincogmaxE\n\t\x00é", max_size=60))
def test_arbitrary_text_is_read_or_refused_in_one_sentence(text):
    with contextlib.suppress(ExpressionError):
        evaluate(parse(text, FEATURES), TABLE)


@settings(max_examples=150, deadline=None)
@given(trees)
def test_blocks_of_rows_agree_with_single_rows(tree):
    wide = np.tile(TABLE, (6000, 1))
    assert np.array_equal(evaluate(tree, wide)[-3:], evaluate(tree, TABLE), equal_nan=True)


def run_numpy(node, features, table):
    source = numpy_source(node, features)
    space = {}
    exec(compile(source, "formula", "exec"), space)  # our own printer's text, in a test
    with np.errstate(all="ignore"):
        values = space["equation"](*(table[:, place] for place in range(len(features))))
    return np.broadcast_to(values, (len(table),)).astype(float)


@pytest.mark.parametrize(
    "text",
    [
        "x0**2 + sin(theta)/E - 3",
        "2**-1*x0**0.5 + theta**-2",
        "where(x0 > 1, log(x0), -x0) + (theta < 1)*E",
        "Piecewise((1, x0 < 0), (theta, x0 < 1))",
        "min(x0, theta, 1) + max(E, 0) - abs(x0 % 3)",
        "gp_div(x0, E) + gp_log(theta) + gp_sqrt(x0) + gp_inv(E) + pdiv(1, x0) + aq(x0, theta) + cbrt(E)",
        "asin(x0) + acos(theta) + atan2(x0, E) + hypot(x0, E) + exp2(x0) + log1p(x0) + log10(theta)",
        "(x0 > 0 and theta > 0) + (x0 > 0 or E > 0) + not E",
        "pi*x0 - e + erf(x0) + gamma(theta) + lgamma(theta) + round(x0) + 12345678901234567890",
    ],
)
def test_numpy_source_computes_the_same(text):
    node = parse(text, FEATURES)
    table = np.array([[0.3, 1.2, 0.7, 2.0], [0.5, 0.25, 3.0, -2.5], [-0.9, 0.1, 1e-5, 0.5]])
    assert run_numpy(node, FEATURES, table) == pytest.approx(evaluate(node, table), rel=1e-13, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x0**2 + sin(theta)/E - 3*pi", None),
        ("where(x0 > 1, log(x0), -x0) + (theta < 1)*E", None),
        ("Piecewise((1, x0 < 0), (theta, 1))", None),
        ("min(x0, theta) + max(E, 0, x0) + abs(x0) + floor(theta) + ceil(E)", None),
        ("log2(E) + log10(E) + log1p(E) + expm1(x0) + exp2(x0) + hypot(x0, theta) + cbrt(-E)", None),
        ("(x0 > 0 and theta > 0) + not E", None),
        ("0.30000000000000004*x0", None),
    ],
)
def test_sympy_source_is_read_by_sympy(text, values):
    import sympy

    node = parse(text, FEATURES)
    names = ["x0", "x1", "x2", "x3"]
    symbols = {name: sympy.Symbol(name, real=True) for name in names}
    read = sympy.sympify(sympy_source(node, FEATURES), locals=symbols)
    point = [1.25, 0.5, 3.0, 2.0]
    theirs = float(read.subs(dict(zip(symbols.values(), point, strict=True))))
    assert theirs == pytest.approx(float(evaluate(node, [point])[0]), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x0**2/theta", r"\frac{x_{0}^{2}}{\theta}"),
        ("(x0/theta)**2", r"\left(\frac{x_{0}}{\theta}\right)^{2}"),
        ("-(x0 + 1)*sin(theta)", r"-\left(x_{0} + 1\right) \sin\left(\theta\right)"),
        ("2*3*x0", r"2 \cdot 3 x_{0}"),
        ("6.62607015e-34*x0", r"6.62607015 \cdot 10^{-34} x_{0}"),
        ("sqrt(abs(x0)) - exp(-theta)", r"\sqrt{\left|x_{0}\right|} - e^{-\theta}"),
        ("where(x0 > 1, x0, 0)", r"\begin{cases} x_{0} & x_{0} > 1 \\ 0 & \text{otherwise} \end{cases}"),
        ("x0 - (theta - 1)", r"x_{0} - \left(\theta - 1\right)"),
        ("`y (kg)`*E", r"\mathrm{y (kg)} E"),
        ("gp_div(x0, 2)", r"\operatorname{gp\_div}\left(x_{0}, 2\right)"),
        ("0.30000000000000004", "0.30000000000000004"),
    ],
)
def test_latex(text, expected):
    assert latex(parse(text, FEATURES), FEATURES) == expected


@settings(max_examples=200, deadline=None)
@given(trees)
def test_latex_balances_its_braces(tree):
    text = latex(tree, FEATURES)
    depth = 0
    for character in text.replace(r"\{", "").replace(r"\}", ""):
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    assert text.count(r"\left") == text.count(r"\right")


def test_common_subexpressions_are_computed_once():
    from engine.expression.evaluate import compiled

    program = compiled(parse("sin(x0*theta)**2 + cos(x0*theta)*sin(x0*theta) + exp(2)*x0", FEATURES))
    kernels = [step.kernel for step in program.steps]
    assert kernels.count(np.sin) == 1
    assert np.exp not in kernels
    assert len(program.empty) <= 4


def test_walks_over_trees():
    node = parse("2*x0 + sin(x0/theta)", FEATURES)
    assert size(node) == 8
    assert depth(node) == 4
    doubled = substitute(node, [apply("mul", number(2), Var(0)), Var(1)])
    assert infix(doubled, FEATURES) == "2*(2*x0) + sin(2*x0/theta)"
    assert rebuild(node, lambda each: each) is node
    assert fill(parse("params[0]*x0", ["x0"], "python"), [-0.5]) == parse("-0.5*x0", ["x0"])
    assert Number(2.0, True, "2") != Number(2.0, False, "2.0")


def test_columns_that_are_missing_have_no_value():
    assert np.isnan(evaluate(Var(3), np.ones((2, 1)))).all()
    assert evaluate(Var(0), np.arange(3.0)).tolist() == [0, 1, 2]
    assert evaluate(parse("x0 + 1", ["x0"]), np.empty((0, 1))).shape == (0,)


def test_a_tree_sent_to_another_process_hashes_as_its_own():
    script = "import sys, pickle; from engine.expression import parse; node = parse('x0 + sin(x0)', ['x0']);"
    script += "sys.stdout.buffer.write(pickle.dumps(node))"
    sent = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONHASHSEED": "5"}, capture_output=True, check=True
    )
    node = parse("x0 + sin(x0)", ["x0"])
    assert hash(pickle.loads(sent.stdout)) == hash(node)
    assert {pickle.loads(sent.stdout): 1}[node] == 1


def test_the_callers_numpy_settings_stay_as_they_are():
    before = np.geterr()
    with np.errstate(divide="raise"):
        assert np.isinf(evaluate(parse("1/x0", ["x0"]), [[0.0]])).all()
        assert np.geterr()["divide"] == "raise"
    assert np.geterr() == before
