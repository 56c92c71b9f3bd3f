"""What each adapter makes of its method's own objects: full precision, the task's columns, one dialect."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.dso.program import polynomial_text, program_text
from adapters.e2esr.trees import relabelled
from adapters.e2esr.upstream import scaler_that_ends
from adapters.gplearn.wrapper import program_text as gplearn_text
from adapters.imcts.wrapper import growth
from adapters.jaxsr.wrapper import term_text
from adapters.pyoperon.wrapper import shortened
from adapters.pysindy.wrapper import name_as_text
from adapters.ragsr.wrapper import unscaled
from engine.expression import evaluate, parse

finite = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)


def function(name, arity):
    return SimpleNamespace(name=name, arity=arity)


@given(a=finite, b=finite)
def test_a_gplearn_program_keeps_every_digit_and_its_protected_division(a, b):
    program = [function("add", 2), a, function("div", 2), 1, function("mul", 2), b, 0]
    X = np.array([[2.0, 3.0], [0.0, 5.0]])
    values = evaluate(parse(gplearn_text(program), ["u", "v"], "gplearn"), X)
    denominators = b * X[:, 0]
    expected = [a + (v / d if abs(d) > 0.001 else 1.0) for v, d in zip(X[:, 1], denominators, strict=True)]
    np.testing.assert_allclose(values, expected, rtol=1e-12)


def test_operons_fixed_decimals_become_the_shortest_text_of_the_same_number():
    text = "(0.50000000000000000000 + (0.00000000000100000000 * X12))"
    assert shortened(text) == "(0.5 + (1e-12 * X12))"
    values = evaluate(parse(shortened(text), [f"f{i}" for i in range(12)], "operon"), np.ones((1, 12)))
    assert values[0] == 0.5 + 1e-12


def token(name, arity=0, **more):
    return SimpleNamespace(**{"name": name, "arity": arity, "input_var": None, **more})


def test_a_dso_program_is_written_over_one_based_variables():
    program = [
        token("sub", 2),
        token("n2", 1),
        token("x1", input_var=0),
        token("mul", 2),
        token("const", value=np.array([1 / 3])),
        token("sin", 1),
        token("x2", input_var=1),
    ]
    X = np.array([[2.0, 0.5]])
    values = evaluate(parse(program_text(program), ["a", "b"], "dso"), X)
    assert values[0] == pytest.approx(4.0 - np.sin(0.5) / 3, rel=1e-15)


@given(
    coefficients=st.lists(finite, min_size=1, max_size=5),
    data=st.data(),
)
def test_a_poly_token_keeps_every_digit(coefficients, data):
    powers = st.tuples(st.integers(0, 3), st.integers(0, 3))
    exponents = data.draw(st.lists(powers, min_size=len(coefficients), max_size=len(coefficients)))
    X = np.array([[1.5, -0.75]])
    values = evaluate(parse(polynomial_text(exponents, coefficients), ["a", "b"], "dso"), X)
    terms = [c * X[0, 0] ** p * X[0, 1] ** q for c, (p, q) in zip(coefficients, exponents, strict=True)]
    assert values[0] == pytest.approx(sum(terms), rel=1e-9, abs=1e-6)


@given(low=st.floats(-20, 20), span=st.floats(0.01, 40), point=st.floats(-1, 2))
def test_min_max_scaling_is_undone_outside_the_range_too(low, span, point):
    low_bounds, high_bounds = np.array([low, 4.0]), np.array([low + span, 4.0])
    text = unscaled("x0*x0 + sin(3.141592653589793*x1)", low_bounds, high_bounds)
    X = np.array([[low + point * span, 4.25]])
    expected = ((X[0, 0] - low) / (low + span - low)) ** 2 + np.sin(np.pi * 0.25)
    values = evaluate(parse(text, ["a", "b"], "ragsr"), X)
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)


def test_sparse_terms_are_products_with_every_digit():
    assert term_text("1", 1 / 3) == "0.3333333333333333"
    text = f"{term_text('x0^2', 0.1)} + {term_text('x0*x1', -2.0)}"
    assert evaluate(parse(text, ["x0", "x1"], "jaxsr"), np.array([[3.0, 2.0]]))[0] == pytest.approx(-11.1)
    assert name_as_text("x0 x1^2") == "x0*x1^2"
    sine = "2.0*" + name_as_text("sin(2 x0)")
    values = evaluate(parse(sine, ["x0", "x1"], "pysindy"), np.array([[0.3, 1]]))
    assert values[0] == pytest.approx(2 * np.sin(0.6))


class Tree:
    def __init__(self, value, *children):
        self.value, self.children = value, list(children)

    def infix(self):
        if not self.children:
            return str(self.value)
        if len(self.children) == 1:
            return f"{self.value}({self.children[0].infix()})"
        return f"({self.children[0].infix()} {self.value} {self.children[1].infix()})"


def test_selected_columns_are_renamed_at_once_and_absent_ones_are_zero():
    tree = Tree("add", Tree("mul", Tree("x_0"), Tree("x_1")), Tree("x_7"))
    renamed = relabelled(tree, [1, 0])
    assert renamed.infix() == "((x_1 mul x_0) add 0)"
    assert tree.children[1].value == "x_7", "the method's own tree is left alone"
    values = evaluate(
        parse(relabelled(tree, [2, 0]).infix(), ["a", "b", "c"], "e2e"), np.array([[2.0, 9, 5]])
    )
    assert values[0] == 10.0


class EndlessScaler:
    """Upstream's rescaling, as far as a variable that the data do not have is concerned."""

    def rescale_function(self, env, tree, a, b):
        assert "x_5" not in tree.infix(), "upstream never comes back from here"
        return tree


def test_a_variable_that_the_data_do_not_have_does_not_hang_the_rescaling():
    tree = Tree("add", Tree("x_0"), Tree("x_5"))
    scaler = scaler_that_ends(EndlessScaler)()
    assert scaler.rescale_function(None, tree, [1.0, 2.0], [0.0, 0.0]).infix() == "(x_0 add 0)"


def test_imcts_repeated_fits_double_and_then_fill_the_budget():
    assert growth(60.0, 0.1) == 2.0
    assert growth(33.0, 20.0) == pytest.approx(1.5)
    assert growth(20.0, 19.0) is None
    assert growth(5.0, 0.0) == 2.0
