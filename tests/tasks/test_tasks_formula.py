"""Ground-truth formulas: the whitelist, evaluation, and the normalized form."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks import catalogue, formula, normal
from tasks.errors import TaskError

X = np.array([[2.0, 0.5], [-1.0, 3.0], [0.0, 0.0]])


def values(text, names=("x0", "x1")):
    return formula.evaluate(text, names, X)


def test_evaluates_columns_and_constants():
    np.testing.assert_allclose(values("2*x0**2 - x1/4"), [7.875, 1.25, 0.0])
    np.testing.assert_array_equal(values("3"), [3, 3, 3])
    np.testing.assert_allclose(values("where(x0 > 0, x0, -x1)"), [2, -3, 0])
    np.testing.assert_allclose(values("cos(pi*x1)"), np.cos(np.pi * X[:, 1]))


def test_protected_division_is_one_at_small_denominators():
    np.testing.assert_array_equal(values("pdiv(x0, x1)"), [4.0, -1 / 3, 1.0])


def test_feature_names_win_over_constants():
    np.testing.assert_array_equal(formula.evaluate("pi*2", ("pi", "x1"), X), [4, -2, 0])


def test_undefined_values_come_back_without_a_warning():
    with np.errstate(all="raise"):
        assert math.isnan(values("sqrt(x0)")[1])
        assert values("1/x1")[2] == math.inf
        assert values("exp(x0*1000)")[0] == math.inf
        assert values("9**9**9**9")[0] == math.inf


BALANCED = "x0"
for _ in range(11):
    BALANCED = f"({BALANCED}+{BALANCED})"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("__import__('os').system('true')", "not arithmetic"),
        ("x0.__class__", "not arithmetic"),
        ("(lambda: 1)()", "not arithmetic"),
        ("[x0 for x0 in y]", "not arithmetic"),
        ("x2 + 1", "'x2', which is not a feature"),
        ("sin(x0, x1)", "gives sin 2 arguments, not 1"),
        ("x0 +", "is not an expression"),
        ("eval('1')", "not arithmetic"),
        ("'text'", "not arithmetic"),
        ("x0 if x1 else 2", "not arithmetic"),
        ("1" * 30_000, "at most"),
        ("+".join(["x0"] * 300), "nested more than"),
        ("+".join(["x0"] * 3000), "is not an expression"),
        (BALANCED, "more than 4000 syntax nodes"),
        ("(" * 500 + "x0" + ")" * 500, "is not an expression"),
    ],
)
def test_anything_but_arithmetic_is_refused(text, said):
    with pytest.raises(TaskError, match=said):
        formula.parse(text, ("x0", "x1"))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x0*x1", "x1*x0"),
        ("x0 - x1", "-(x1 - x0)"),
        ("(x0 - x1)**2", "(x1 - x0)**2"),
        ("sqrt(x0)/x1", "x1**-1*x0**0.5"),
        ("x0 + x0", "2*x0"),
        ("x0*x0*x1", "x1*x0**2"),
        ("2*(x0 + 3*x1)", "6*x1 + 2*x0"),
        ("x0/(2*x1)", "0.5*x0/x1"),
    ],
)
def test_equivalent_ways_of_writing_share_a_normalized_form(one, two):
    assert normal.normalized(one, ("x0", "x1")) == normal.normalized(two, ("x0", "x1"))


def test_different_formulas_do_not():
    forms = {
        normal.normalized(text, ("x0", "x1")) for text in ("x0*x1", "x0/x1", "x1/x0", "x0 + x1", "sin(x0*x1)")
    }
    assert len(forms) == 5


def test_shapes_ignore_names_and_keep_roles():
    assert normal.shape("a*b + sin(a)", ("a", "b")) == normal.shape("sin(v) + u*v", ("u", "v"))
    assert normal.shape("a/b", ("a", "b")) != normal.shape("a*b", ("a", "b"))
    assert normal.shape("2*a", ("a",)) != normal.shape("3*a", ("a",))
    assert normal.shape("2*a", ("a",), numbers=False) == normal.shape("3*a", ("a",), numbers=False)
    symmetric = "x0*x1 + x2*x3 + x4*x5"
    assert normal.shape(symmetric, tuple(f"x{i}" for i in range(6))) == normal.shape(
        "a*f + b*e + c*d", tuple("abcdef")
    )


_leaves = st.sampled_from(["x0", "x1", "2", "0.5", "3.25"])
_formulas = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["sin", "exp", "abs"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(inner, st.sampled_from(["2", "3", "-1"])).map(lambda t: f"({t[0]})**({t[1]})"),
    ),
    max_leaves=8,
)


@given(_formulas)
def test_the_normalized_form_is_stable_and_means_the_same(text):
    names = ("x0", "x1")
    once = normal.normalized(text, names)
    rows = np.array([[1.3, 0.7], [-0.4, 2.2], [2.1, -1.9]])
    plain, again = formula.evaluate(text, names, rows), formula.evaluate(once, names, rows)
    both = np.isfinite(plain) & np.isfinite(again) & (np.abs(plain) < 1e6) & (np.abs(plain) > 1e-3)
    # constants are rounded to twelve digits, which nested exponentials and cancellations magnify
    np.testing.assert_allclose(again[both], plain[both], rtol=1e-5)


def test_the_normalized_form_of_every_task_is_stable():
    for task in catalogue.full():
        once = normal.normalized(task.formula, task.feature_names)
        assert normal.normalized(once, task.feature_names) == once


def test_a_name_that_is_no_identifier_stands_in_back_quotes():
    names = ("lambda", "body mass", "quoted0")
    values = formula.evaluate("`lambda` + `body mass`**2*quoted0", names, np.array([[1.0, 2.0, 3.0]]))
    assert values.tolist() == [13.0]
    assert formula.used_names("`body mass` + 1", names) == {"body mass"}
    with pytest.raises(TaskError, match="'mass', which is not a feature"):
        formula.parse("`mass` + 1", names)
