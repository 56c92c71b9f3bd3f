"""One run of the conformance kit's driver, and its tasks."""

import re

import numpy as np

from engine.methods import check_run, check_tasks, registry
from engine.methods.check import _failure, _held_out_nmse
from engine.methods.settings import merge


def test_the_tasks_are_the_same_every_time_and_hold_rows_back():
    for one, other in zip(check_tasks.tasks(), check_tasks.tasks(), strict=True):
        np.testing.assert_array_equal(one.X, other.X)
        assert not set(map(tuple, one.X)) & set(map(tuple, one.X_held_out))
    assert check_tasks.noise().y.std() > 0


def test_a_run_goes_through_the_keeper_and_is_judged_on_held_back_rows(plugins):
    method = registry.get("polyfit")
    task = check_tasks.tasks()[0]
    trial = check_run.run(method, task, merge(method, {}), seed=3, budget_s=30, evaluation_limit=300)
    assert trial.exit["status"] == "completed"
    assert trial.incumbents
    assert trial.survivors == 0
    assert trial.strangers == set()
    assert _held_out_nmse(task, trial, "infix") < 1e-6
    assert trial.predictions is not None


def test_an_author_is_told_what_was_raised_and_where(plugins):
    method = registry.get("unruly")
    trial = check_run.run(
        method, check_tasks.tasks()[0], merge(method, {"vice": "raise"}), seed=3, budget_s=30
    )
    assert re.fullmatch(
        r"ValueError: the method gave up \(raised in fit, wrapper\.py, line \d+\)", _failure(trial)
    )
