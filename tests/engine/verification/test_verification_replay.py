"""Verification of rows: which rows disagree and by how much, ranges, OOD, columns, precision."""

from dataclasses import replace

import numpy as np
import pytest

from engine.verification import checks, replay
from engine.verification.report import DISPUTED, FAILED, OK, sentence
from engine.verification.verify import verify_rows
from tasks import catalogue, materialize
from tasks.importing.found import Facts, build
from tasks.schema import Splits, Table, Variable

NAMES = ("x0", "x1")


def product_task(formula="x0*x1", rows=200):
    generator = np.random.default_rng(5)

    def table():
        X = generator.uniform(1, 2, (rows, 2))
        return Table(NAMES, X, X[:, 0] * X[:, 1])

    splits = Splits(table(), table(), table(), table())
    facts = Facts(
        "product", "user", "user", tuple(map(Variable, NAMES)), Variable("y"), formula, formula, "test"
    )
    return build(facts, splits), splits


def test_a_sound_task_passes():
    report = verify_rows(*product_task())
    assert report.status == OK
    assert report.rows == 800
    assert report.worst_disagreement < 1e-12


def test_one_doubled_target_is_named_with_its_row_and_both_values():
    task, splits = product_task()
    right = splits.ood.y[137]
    splits.ood.y[137] *= 2
    report = verify_rows(task, splits)
    assert report.status == DISPUTED
    (fault,) = report.faults
    assert (fault.check, fault.split, fault.count) == ("replay", "ood", 1)
    assert (fault.rows[0].row, fault.rows[0].stored) == (137, 2 * right)
    assert fault.rows[0].recomputed == pytest.approx(right)
    assert "worst row 137" in sentence(fault)


def test_a_wrong_formula_fails_on_every_split():
    report = verify_rows(*product_task("x0/x1"))
    assert report.status == DISPUTED
    assert [fault.split for fault in report.faults] == ["id", "ood", "train", "valid"]
    assert all(fault.count > 190 for fault in report.faults)


def test_a_formula_without_a_value_somewhere_disagrees_there():
    task, splits = product_task("x0*x1 + 0*log(x0 - 1.5)")
    report = verify_rows(task, splits)
    assert report.status == DISPUTED
    assert report.faults[0].rows[0].recomputed is None


def test_swapped_columns_are_recognized():
    task, splits = product_task("x0 - 3*x1")
    for _, table in splits.named():
        table.y[:] = table.X[:, 0] - 3 * table.X[:, 1]
        table.X[:] = table.X[:, ::-1]
    report = verify_rows(task, splits)
    assert report.status == DISPUTED
    assert any("exchanging the columns 'x0' and 'x1'" in warning.message for warning in report.warnings)


def test_single_precision_storage_is_told_apart_from_a_wrong_formula():
    task, splits = product_task("exp(8*x0) - exp(8*x1)")
    for _, table in splits.named():
        y = np.exp(8 * table.X[:, 0]) - np.exp(8 * table.X[:, 1])
        table.X[:] = table.X.astype(np.float32)
        table.y[:] = y.astype(np.float32)
    report = verify_rows(task, splits)
    assert report.status == OK
    assert {warning.check for warning in report.warnings} == {"precision"}
    splits.train.y[3] *= np.float32(1.001)
    assert verify_rows(task, splits).faults[0].rows[0].row == 3


def test_nan_rows_columns_and_sizes_are_faults():
    task, splits = product_task()
    splits.id.X[7, 1] = np.nan
    report = verify_rows(task, splits)
    assert report.status == FAILED
    assert "the first is row 7" in next(f.message for f in report.faults if f.check == "finite")
    renamed = Table(("x1", "x0"), splits.train.X, splits.train.y)
    report = verify_rows(task, Splits(renamed, splits.valid, None, splits.ood))
    assert {(f.check, f.split) for f in report.faults} >= {("columns", "train"), ("sizes", "id")}


def test_an_unreadable_formula_is_a_fault_of_its_own():
    task, splits = product_task()
    report = verify_rows(replace(task, formula="x0*nope"), splits)
    assert report.status == FAILED
    assert report.faults[0].check == "parse"


def test_a_formula_must_not_use_a_distractor():
    task, splits = product_task()
    features = (task.features[0], replace(task.features[1], dummy=True))
    report = verify_rows(replace(task, features=features), splits)
    assert any("uses the distractor 'x1'" in fault.message for fault in report.faults)


def test_targets_with_few_values_are_warned_about():
    for values in ([0.0, 1.0], [1.0, 2.0, 5.0]):
        y = np.resize(values, 500)
        table = Table(("x",), np.arange(500.0)[:, None], y)
        (warning,) = checks.discrete_target(Splits(table))
        assert f"only {len(values)} distinct values" in warning.message
    assert checks.discrete_target(Splits(Table(("x",), np.zeros((500, 1)), np.arange(500.0)))) == []


@pytest.mark.parametrize(
    "key", ["g0301", "I.10.7_1_0", "Nguyen-9", "BPG3", "MatSci21", "first_principles_leavitt"]
)
def test_ood_rows_that_are_not_outside_are_found(arena_home, key):
    task = catalogue.get(key)
    splits = materialize.splits(task)
    assert checks.outside(task, splits) == []
    moved = splits.ood.X.copy()
    moved[0] = np.median(splits.train.X, axis=0)
    wrong = Splits(splits.train, splits.valid, splits.id, Table(splits.ood.names, moved, splits.ood.y))
    (fault,) = checks.outside(task, wrong)
    assert fault.check == "outside"


def test_rows_beyond_the_declared_range_are_found(arena_home):
    task = catalogue.get("Nguyen-9")
    splits = materialize.splits(task)
    splits.train.X[3, 1] = 1.5
    (fault,) = checks.in_ranges(task, splits)
    assert "'x2' lie outside [0, 1], the first in row 3: 1.5" in fault.message


def test_observed_tasks_are_held_to_their_recorded_residuals(arena_home):
    task = catalogue.get("first_principles_hubble")
    splits = materialize.splits(task)
    assert verify_rows(task, splits).status == OK
    splits.train.y[4] += 3000
    report = verify_rows(task, splits)
    assert report.status == FAILED
    assert any(f.check == "residual" and f.rows and f.rows[0].row == 4 for f in report.faults)


def test_every_formula_of_the_catalogue_is_read_by_the_engine_too():
    for task in catalogue.full():
        assert not isinstance(replay.ground_truth(task), replay.Finding)
