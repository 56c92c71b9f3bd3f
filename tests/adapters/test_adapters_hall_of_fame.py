"""PySR's result files, as a Julia search leaves them, read the way PySR reads them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.pysr.hall_of_fame import in_task, parse, plain_numbers, read, scores, select
from adapters.symbolfit.wrapper import filled, scaled_columns
from engine.expression import evaluate
from engine.expression import parse as parse_expression

# Written by hand after the format of PySR 2.7.2: complexity, loss and equation of each member of the front.
RECORDED = """Complexity,Loss,Equation
1,5.2000003,"3.1f0"
3,1.7,"x0 + 2.5"
5,1.0f-2,"x0 * (x1 + 1.0f0)"
7,0.009,"(x0 * (x1 + 1.0)) + -1.5f-3"
9,0.0089,"square(x0) - sin(x1 / x0)"
"""
RECORDED = RECORDED.replace("1.0f-2,", "1.0e-2,")


def test_a_recorded_front_is_read_whole():
    members = parse(RECORDED)
    assert [member.complexity for member in members] == [1, 3, 5, 7, 9]
    assert members[4].equation == "square(x0) - sin(x1 / x0)"


def test_a_file_that_is_being_written_gives_the_whole_lines_it_has():
    for length in range(len(RECORDED)):
        found = parse(RECORDED[:length])
        assert found == parse(RECORDED)[: len(found)]
        assert len(found) == max(0, RECORDED[:length].count("\n") - 1)


def test_while_one_of_the_two_files_is_being_written_the_other_is_read(tmp_path):
    copy, original = tmp_path / "hall_of_fame.csv.bak", tmp_path / "hall_of_fame.csv"
    older = "".join(RECORDED.splitlines(keepends=True)[:4])
    for length in range(0, len(RECORDED), 7):
        original.write_text(RECORDED[:length])
        copy.write_text(older)
        assert len(read(tmp_path)) >= 3, "the file is being written"
        original.write_text(RECORDED)
        copy.write_text(RECORDED[:length])
        assert len(read(tmp_path)) == 5, "the copy is being written"


def test_the_whole_copy_is_preferred_and_the_folder_of_runs_will_do(tmp_path):
    assert read(tmp_path) == ()
    run = tmp_path / "20260101_abc"
    run.mkdir()
    (run / "hall_of_fame.csv").write_text(RECORDED[:60])
    (run / "hall_of_fame.csv.bak").write_text(RECORDED)
    assert len(read(run)) == 5
    assert len(read(tmp_path)) == 5


@pytest.mark.parametrize(("rule", "complexity"), [("accuracy", 9), ("best", 5), ("score", 5)])
def test_one_member_is_chosen_by_pysrs_rule(rule, complexity):
    # "best": of the members with a loss of at most 1.5 times the least, the one with the steepest fall.
    assert select(parse(RECORDED), rule).complexity == complexity
    assert select((), rule) is None


def test_scores_are_the_fall_of_the_log_loss_per_unit_of_complexity():
    values = scores(parse(RECORDED))
    assert values[0] == 0.0
    assert values[1] == pytest.approx(-np.log(1.7 / 5.2000003) / 2)


def test_julias_single_precision_literals_become_numbers():
    assert plain_numbers("1.5f-3 * x0 + 2f0") == "1.5e-3 * x0 + 2e0"
    assert plain_numbers("cof3 + f1") == "cof3 + f1"


@given(
    low=st.floats(-50, 50),
    span=st.floats(0.1, 100),
    mean=st.floats(0.1, 20),
    point=st.floats(0, 1),
)
def test_scaling_of_columns_and_target_is_undone(low, span, mean, point):
    X = np.array([[low, 0.0], [low + span, 1.0], [low + point * span, 0.5]])
    text = in_task("x0 * 2.0f0 + sin(x1)", scaled_columns(X), mean)
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    expected = mean * (scaled[:, 0] * 2.0 + np.sin(scaled[:, 1]))
    values = evaluate(parse_expression(text, ["a", "b"], "symbolfit"), X)
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)


def test_engineered_features_are_put_in():
    text = in_task("x0 * x1 + x10", [f"f{i}" for i in range(10)] + ["sin(X1)"])
    assert text == "(f0) * (f1) + (sin(X1))"


def test_fitted_parameters_are_put_in_with_every_digit():
    row = {
        "Parameterized equation, unscaled": "2.0*(a1*x0 + exp(a10) + a2)",
        "Parameters: (best-fit, +1, -1)": {"a1": (1 / 3, 0, 0), "a2": (-2.0, 0, 0), "a10": (0.5, 0, 0)},
    }
    assert filled(row) == "2.0*((0.3333333333333333)*x0 + exp((0.5)) + (-2.0))"
