"""Slopes of arbitrary atoms in their inner constant, against differences of the atom itself."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.expression import evaluate, infix, parse
from engine.expression.nodes import Var, apply, number
from engine.reachability import generic
from engine.reachability.atoms import atom
from engine.reachability.columns import box, constant, evaluated, grid
from engine.reachability.derivative import derivative
from engine.reachability.generic import column
from engine.reachability.greedy import Limits, search
from engine.reachability.starts import halton

A = 2  # column of the inner constant, after two inputs
NAMES = ("x0", "x1", "a")
UNARY = tuple(
    "neg exp log sqrt sin cos tan atan tanh sinh cosh log1p exp2 expm1 log2 log10 abs".split()  # noqa: SIM905
)
BINARY = ("add", "mul", "div", "pow")
leaves = st.one_of(
    st.sampled_from([Var(0), Var(1), Var(A), Var(A)]),
    st.floats(0.25, 3.0).map(lambda value: number(round(value, 3))),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(apply, st.sampled_from(UNARY), inner),
        st.builds(apply, st.sampled_from(BINARY), inner, inner),
    ),
    max_leaves=6,
)


def differenced(node, X, step):
    """Central differences of fourth order, and what two steps disagree by."""

    def at(shift):
        moved = X.copy()
        moved[:, A] += shift
        return evaluate(node, moved)

    with np.errstate(all="ignore"):
        wide = (at(step) - at(-step)) / (2.0 * step)
        narrow = (at(step / 2.0) - at(-step / 2.0)) / step
    return (4.0 * narrow - wide) / 3.0, np.abs(narrow - wide)


@settings(max_examples=250, deadline=None)
@given(trees, st.floats(0.3, 2.0))
def test_the_exact_derivative_agrees_with_differences(node, a):
    found = derivative(node, A)
    assert found is not None
    X = np.column_stack([0.5 + halton(12, 2, "points") * 1.5, np.full(12, a)])
    value, slope = evaluate(node, X), evaluate(found, X)
    numeric, doubt = differenced(node, X, 1e-3)
    scale = np.abs(value) + np.abs(numeric)
    smooth = np.isfinite(value) & np.isfinite(numeric) & (scale < 1e6) & (doubt < 1e-4 * (1e-6 + scale))
    assume(smooth.any())
    # at a kink the two one-sided values differ: differences over it are marked by their disagreement
    assert np.all(np.abs(slope - numeric)[smooth] <= 1e-5 * (1.0 + scale[smooth]) + 10.0 * doubt[smooth])


@settings(max_examples=100, deadline=None)
@given(trees)
def test_a_tree_without_the_constant_has_no_slope_and_one_with_it_prints_and_reads_back(node):
    still = parse(infix(node, ["x0", "x1", "x2"]).replace("x2", "x1"), ["x0", "x1", "a"])
    assert derivative(still, A) == number(0)
    found = derivative(node, A)
    text = infix(found, NAMES)
    X = np.column_stack([0.5 + halton(6, 2, "points"), np.full(6, 0.7)])
    assert np.array_equal(evaluate(parse(text, NAMES), X), evaluate(found, X), equal_nan=True)


ATOMS = (
    "x1/(a + x1)",
    "exp(-a*x0**2)",
    "1/(1 + exp(-a*x1))",
    "(x0*x1)**a",
    "sin(a*x0 + 1)*x1",
    "x1*tanh(a*x0)",
    "exp(-x0/a)",
    "min(x0, a)",  # no rule: by differences
    "erf(a*x1)",
    "acosh(x1 + a)",
)


@pytest.mark.parametrize("text", ATOMS)
def test_columns_have_slopes_in_theta_on_the_atoms_whole_domain(text):
    X = 0.5 + 2.0 * halton(40, 2, "slopes")
    theta = np.linspace(-18.0, 18.0, 61) + 0.013
    values, slopes = column(text, theta, X)
    defined = np.isfinite(values)
    assert np.array_equal(defined, np.isfinite(slopes))  # the mask is the atom's own domain
    step = 1e-5 * (1.0 + np.abs(theta))
    above, below = column(text, theta + step, X)[0], column(text, theta - step, X)[0]
    numeric = (above - below) / (2.0 * step[:, None])
    size = 1.0 + np.abs(values) + np.abs(slopes)
    curved = np.abs(above - 2.0 * values + below) / step[:, None]
    smooth = np.isfinite(numeric) & (np.abs(values) < 1e6) & (curved < 1e-2 * size)
    assert smooth.mean() > 0.2
    assert np.all(np.abs(slopes - numeric)[smooth] <= 2e-2 * size[smooth])


def test_a_zero_row_has_slope_zero_and_the_edge_of_a_domain_a_one_sided_one():
    X = np.array([[0.0, 2.0], [1.5, 1.0]])
    values, slopes = column("(x0*x1)**a", np.array([np.arcsinh(0.5 / generic.UNIT)]), X)
    assert (values[0, 0], slopes[0, 0]) == (0.0, 0.0)
    # acosh begins at 1: one step further down it has no value
    X = np.array([[1.0, 1.0], [3.0, 1.0]])
    values, slopes = column("acosh(x0 + a)", np.array([0.0]), X)
    assert values[0, 0] == 0.0
    assert np.isfinite(slopes).all()
    assert slopes[0, 0] > 0.0
    low = column("acosh(x0 + a)", np.array([-5.0]), X)
    assert np.isnan(low[0][0, 0])
    assert np.isnan(low[1][0, 0])
    assert np.isfinite(low[0][0, 1])


def test_bounds_and_starts_are_as_documented():
    one = atom("x1/(a + x1)")
    assert one.shape == "generic"
    X = np.array([[1.0, 2.0]])
    low, high = box(one, X)
    assert (constant(one, low, X), constant(one, high, X)) == pytest.approx((-1e4, 1e4))
    starts = np.array([constant(one, theta, X) for theta in grid(one, X)])
    assert len(starts) == 241
    assert starts[120] == 0.0
    large = starts[starts > 1e-5]
    assert np.all(large[1:] / large[:-1] < 1.23)


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("exp(-a*x0**2)", "2.0 * exp(-{}*x0**2) + 0.1 * x1"),
        ("x0/(a + x0)", "2.0 * x0/({} + x0) + 0.1 * x1"),
        ("1/(1 + (x0/a)**2)", "1.5 * 1/(1 + (x0/{})**2) + 0.1 * x1"),
        ("tanh(a*x0)", "1.5 * tanh({}*x0) + 0.1 * x1"),
    ],
)
def test_an_arbitrary_atom_is_fitted_on_data_of_any_scale(text, truth, scale):
    unit = halton(120, 2, "scales")
    X = np.column_stack([scale * (0.05 + 3.0 * unit[:, 0]), unit[:, 1]])
    a = {"exp(-a*x0**2)": 0.8 / scale**2, "tanh(a*x0)": 0.9 / scale}.get(text, 0.7 * scale)
    y = evaluated(truth.format(repr(a)), X)
    found = search([atom(text)], X, y, "key", Limits(rounds=1, starts=6))
    assert found.model.nmse < 1e-18
    fitted = next(term.constant for term in found.model.terms if term.constant is not None)
    assert abs(fitted) == pytest.approx(a, rel=1e-6)
