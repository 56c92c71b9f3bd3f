import math

import numpy as np
import pytest

from engine.scoring.accuracy import accuracy, points_right, strict
from engine.scoring.numeric import nmse, quality

Y = np.array([2.0, 4.0, 6.0, 8.0, 10.0])


def test_quality_anchors():
    assert quality(0.0) == 1.0
    assert quality(1e-12) == 1.0
    assert quality(1e-6) == pytest.approx(8 / 14)
    assert quality(1.0) == pytest.approx(2 / 14)
    assert quality(100.0) == 0.0
    assert quality(1e9) == 0.0
    assert quality(None) == quality(math.nan) == quality(math.inf) == quality(-1.0) == 0.0


def test_worked_example_of_pain_14():
    error = nmse(Y, [2, 4, 6, 8, 11], None)
    assert error.value == pytest.approx(0.025, rel=1e-15)
    assert error.denominator == "split"
    assert quality(error) == pytest.approx(0.257289999, rel=1e-8)


@pytest.mark.parametrize(
    ("prediction", "reason"),
    [
        ([1, 2, math.nan, 4], "1 of 4 non-finite, first at row 2 (0-based)"),
        ([1, 2, math.inf, 4], "1 of 4 non-finite, first at row 2 (0-based)"),
        ([1, 2, 3 + 1e-3j, 4], "1 of 4 non-finite, first at row 2 (0-based)"),
    ],
)
def test_one_bad_point_spoils_the_split_pain_26(prediction, reason):
    error = nmse([1, 2, 3, 4], prediction, None)
    assert (error.value, error.status, error.reason) == (None, "nonfinite", reason)
    assert quality(error) == 0.0


def test_complex_dtype_with_zero_imaginary_part_is_real_pain_26():
    assert nmse([1, 2, 3, 4], np.array([1, 2, 3 + 0j, 4]), None).value == 0.0


def test_target_shape_does_not_matter_pain_40():
    y = np.arange(1.0, 8.0)
    flat, column = nmse(y, np.full(7, 2.0), None), nmse(y.reshape(7, 1), np.full(7, 2.0), None)
    assert flat == column
    assert flat.value == pytest.approx((1 + 0 + 1 + 4 + 9 + 16 + 25) / 7 / 4)


def test_claims_do_not_enter_pain_53():
    assert nmse([2, 4, 6], [1, 2, 3], None).value == pytest.approx(1.75)
    assert quality(1.75) == pytest.approx(0.125497282, rel=1e-8)


def test_absent_and_empty_splits_say_so_pain_73():
    assert nmse(None, [1.0], Y).reason == "not available (no split)"
    assert nmse([], [], Y).status == "no split"


def test_one_row_takes_the_training_variance():
    error = nmse([3.0], [5.0], Y)
    assert (error.value, error.denominator) == (pytest.approx(4 / 8), "train")


def test_equal_targets_take_the_training_variance_though_var_rounds():
    y = np.full(3, 0.1)
    assert np.var(y) != 0.0
    assert nmse(y, y + 2.0, Y).denominator == "train"
    assert nmse(y, y, y).status == "undefined"


def test_lengths_must_agree():
    assert nmse(Y, [1.0, 2.0], None).status == "mismatch"


def test_extreme_scales_neither_warn_nor_lie():
    assert nmse(Y * 1e-200, Y * 1e-200 * 1.1, None).value == pytest.approx(0.01 * 44 / 8)
    assert nmse(Y * 1e200, Y * 1e200 * 1.1, None).value == pytest.approx(0.01 * 44 / 8)
    overflow = nmse(Y, Y * 1e200, None)
    assert overflow.status == "nonfinite"
    assert quality(overflow) == 0.0


def test_accuracy_rule_of_pain_85():
    right = points_right([0, 0, 2, -4], [5e-10, 2e-9, 2.019, -4.05], 0.01)
    assert right.tolist() == [True, False, True, False]
    y = np.ones(100)
    for count, success in ((95, False), (96, True)):
        yhat = y.copy()
        yhat[count:] = 2.0
        assert accuracy(y, yhat, 0.01).success is success
    assert points_right([1.0, 1.0], [1.0, math.nan], 0.01).tolist() == [True, False]
    assert accuracy(None, [], 0.01) is None


def test_strict_needs_both_splits():
    assert strict(9.9e-9, 0.0)
    assert not strict(1e-8, 0.0)
    assert not strict(0.0, None)
    assert not strict(nmse(None, [1.0], None), 0.0)
