"""Reading infix text: the cases users of other tools tripped over, by their number in the pain-point log."""

import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from engine.expression import ExpressionError, evaluate, infix, parse


def value(text, features, *rows, dialect="infix"):
    """Evaluate with warnings as errors, and again after printing and reading back."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = np.array(rows, dtype=float).reshape(len(rows), len(features))
        node = parse(text, features, dialect)
        values = evaluate(node, table)
        again = parse(infix(node, features), features)
        assert np.array_equal(evaluate(again, table), values, equal_nan=True)
    return values


def close(actual, expected):
    assert actual == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_feature_names_win_over_library_names_pain_1():
    close(value("3*N**2 - sin(P)*N", ["N", "P"], (1.5, 0.4), (2, 0)), [6.16587248654, 12])
    close(value("E*I + S/Q - O", list("EISQO"), (2, 3, 5, 8, 0.25)), [6.375])
    close(value("lambda*beta - pi", ["lambda", "beta", "pi"], (2, 3, 5)), [1])


def test_caret_is_power_and_comparisons_are_numbers_pain_4():
    text = "(x1 ^ (0.5 ^ x0))*4 + 10*(x0 > 1)"
    close(value(text, ["x0", "x1"], (2, 16), (1, 9), (0, 9)), [18, 12, 36])


def test_bars_are_absolute_values_pain_7():
    close(
        value("2*log(|-0.4*x0|) + x0", ["x0"], (5,), (-5,), (1,)),
        [6.38629436112, -3.61370563888, -0.832581463748],
    )
    close(value("|x0 - |x1||", ["x0", "x1"], (1, -4)), [3])
    with pytest.raises(ExpressionError, match="bar"):
        parse("|x0 + 1", ["x0"])


def test_names_are_replaced_at_once_pain_10():
    close(value("x0*x1 - x2", ["x1", "x2", "a"], (5, 7, 2), dialect="imcts"), [33])
    twelve = [f"x{number}" for number in range(1, 13)]
    close(value("x1 + x10", twelve, [1, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0]), [101])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("div(2, sub(X0, X0))", 1),
        ("div(2, 0.001)", 1),
        ("div(2, 0.0011)", 1818.181818181818),
        ("log(neg(X0))", 1.09861228867),
        ("log(0.0005)", 0),
        ("sqrt(-9)", 3),
        ("inv(0)", 0),
    ],
)
def test_gplearn_operators_keep_their_guards_pain_13(text, expected):
    close(value(text, ["x0"], (3,), dialect="gplearn"), [expected])


def test_ordinary_division_by_zero_is_not_finite_pain_13():
    assert not np.isfinite(value("2/(x0-x0)", ["x0"], (3,))).any()


def test_constants_keep_their_digits_pain_16():
    close(value("x0/(0.51249 - 0.51221)", ["x0"], (1,)), [3571.428571428571])
    assert not np.isfinite(value("x0/(0.512 - 0.512)", ["x0"], (1,))).any()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-3**2", -9),
        ("2^3^2", 512),
        ("2**-1*6", 3),
        ("-2^-2", -0.25),
        ("6/-2*3", -9),
        ("4**-1/2", 0.125),
        ("x0+-0.5--x1", 2.5),
        ("2**-x1**2", 0.0625),
        ("-x0 if x0 > x1 else x1 if x1 > 5 else -x1", -2),
        ("0 < x0 < x1", 1),
        ("not x0 > x1 and x1 >= 2 or 0", 1),
        ("7 % 4 + 7 // 2", 6),
    ],
)
def test_signs_and_powers_bind_as_in_python_pain_19(text, expected):
    close(value(text, ["x0", "x1"], (1, 2)), [expected])


def test_min_and_max_are_elementwise_pain_25():
    rows = (1, 5), (4, 2), (6, 9)
    close(value("max(3, x0) + min(x0, x1)", ["x0", "x1"], *rows), [4, 6, 12])
    close(value("Max(x0, 1, x1)", ["x0", "x1"], *rows), [5, 4, 9])


def test_exponents_belong_to_the_number_pain_28():
    close(value("2E-3*E", ["E"], (750,)), [1.5])
    close(value("1.5e+2/(.5*E)+4.*1e-1", ["E"], (750,)), [0.8])


@pytest.mark.parametrize("text", ["1.2.3*E", "4E3.5", "1e", "2E", "1_000"])
def test_malformed_numbers_are_rejected_by_name_pain_28(text):
    with pytest.raises(ExpressionError, match="is not a number") as caught:
        parse(text, ["E"])
    assert text.split("*")[0] in str(caught.value)


def test_towers_of_powers_are_answered_at_once_pain_31():
    start = time.perf_counter()
    assert not np.isfinite(value("9**9**9*x0", ["x0"], (1,))).any()
    close(value("x0**10**9", ["x0"], (0.5,)), [0])
    close(value("2**1023*x0", ["x0"], (1,)), [8.98846567431158e307])
    assert not np.isfinite(value("2**1024*x0", ["x0"], (1,))).any()
    close(value("(x0+1)**(10**7)", ["x0"], (0,)), [1])
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("__import__('os').system('touch PWNED')", "__import__"),
        ("x0.__class__", "'.'"),
        ("(lambda: 1)()", "lambda"),
        ("open('f','w')", "open"),
        ("[i for i in (1,2)]", r"'\['"),
        ("x0; import os", "';'"),
        ("eval(x0)", "eval"),
        ("x0(1)", r"'\('"),
        ("sin.real", "sin"),
        ("np.linalg.inv.__globals__", "__globals__"),
    ],
)
def test_code_is_never_run_pain_34(text, token, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExpressionError, match=token):
        parse(text, ["x0"])
    assert list(Path().iterdir()) == []


def test_a_conditional_is_read_pain_34():
    close(value("x0 if x0>0 else 1", ["x0"], (-2,), (2,)), [1, 2])


def test_constants_fill_the_split_pain_40():
    rows = [(number,) for number in range(1, 8)]
    for text, expected in (("3.5", 3.5), ("x0/x0", 1), ("x0 - x0 + 2", 2)):
        assert value(text, ["x0"], *rows).shape == (7,)
        close(value(text, ["x0"], *rows), [expected] * 7)
    assert np.isnan(value("x0/x0", ["x0"], (0,), (1,))).tolist() == [True, False]


def test_unknown_functions_are_named_and_usual_spellings_known_pain_44():
    with pytest.raises(ExpressionError, match="'foo' at position 12"):
        parse("tanh(x0) - foo(x1)", ["x0", "x1"])
    close(value("exp2(3)+log10(1000)+2*arcsin(1)-pi", ["x0"], (1,)), [11])
    close(value("np.sqrt(x0) + asin(x0) + ln(x0)", ["x0"], (1,)), [1 + np.pi / 2])
    close(value("log2(32)-log10(10**4)+log(81,3)", ["x0"], (1,)), [5])


def test_conditionals_choose_and_forgive_the_other_branch_pain_52():
    text = "Piecewise((x1, x0 < 0), (x0*x1, x0 <= 2), (7, True))"
    close(value(text, ["x0", "x1"], (-1, 5), (0, 5), (2, 5), (3, 5)), [5, 0, 10, 7])
    close(value("where(x0 > 1, x1, -x1)", ["x0", "x1"], (1, 5), (2, 5)), [-5, 5])
    close(value("where(x0 > 0, log(x0), 0)", ["x0"], (-1,)), [0])
    assert np.isnan(value("Piecewise((1, x0 < 0))", ["x0"], (1,)))


@pytest.mark.parametrize(
    ("text", "token"),
    [("x5 + 1", "x5"), ("X0 + 1", "X0"), ("#1*2 + x0", "'#'"), ("x[0] + 1", "'x'"), ("c0*x0", "c0")],
)
def test_names_beyond_the_task_are_errors_pain_62(text, token):
    with pytest.raises(ExpressionError, match=token):
        parse(text, ["x0", "x1", "x2", "x3", "x4"])


@pytest.mark.parametrize(
    "text", ["0.30000000000000004", "434.99999999999994", repr(1 / 3), "6.62607015e-34", "5e-324"]
)
def test_doubles_survive_every_hand_over_pain_79(text):
    first = parse(f"{text}*x0", ["x0"])
    again = parse(infix(first, ["x0"]), ["x0"])
    assert again == first
    assert again.args[0].value.hex() == float(text).hex()
    assert text in infix(again, ["x0"])


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "x0" + ")" * 5000,
        "-" * 5000 + "x0",
        "x0^" * 5000 + "x0",
        "sin(" * 5000 + "x0" + ")" * 5000,
    ],
)
def test_bottomless_nesting_is_a_clear_error(text):
    with pytest.raises(ExpressionError, match="nested"):
        parse(text, ["x0"])


def test_a_long_sum_is_no_nesting():
    text = " + ".join(f"{number}*x0 - x0**2/{number}" for number in range(1, 1500))
    assert np.isfinite(value(text, ["x0"], (0.5,))).all()


@pytest.mark.parametrize(
    "text", ["", "   ", "x0 +", "x0 x0", "x0)", "(x0", "sin()", "sin(x0, x0)", "x0 == ", ",", "1 if x0"]
)
def test_broken_text_is_one_sentence(text):
    with pytest.raises(ExpressionError) as caught:
        parse(text, ["x0"])
    assert "\n" not in str(caught.value)


def test_odd_column_names_are_quoted():
    features = ["mass (kg)", "if", "x-y"]
    text = "`mass (kg)`*`if` - `x-y`"
    close(value(text, features, (2, 3, 4)), [2])
    assert infix(parse(text, features), features) == text
