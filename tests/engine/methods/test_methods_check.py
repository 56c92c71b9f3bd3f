"""The conformance kit: passes the worked example, and catches each vice of the unruly one."""

import pytest

from engine.methods import check, check_run, check_tasks, registry
from engine.methods.settings import merge

pytestmark = pytest.mark.slow


def verdicts(report):
    return {item.name: item.verdict for item in report.items}


def test_the_worked_example_keeps_every_rule(plugins):
    report = check.check(registry.get("polyfit"))
    assert report.passed, report.as_json()
    found = verdicts(report)
    assert set(found.values()) == {"passed"}, found
    assert {"recovers", "incumbents", "native predictor", "repeatable", "budget", "stop"} <= set(found)


@pytest.mark.parametrize(
    ("vice", "broken"),
    [
        ("import", "runs"),
        ("raise", "runs"),
        ("gap", "native predictor"),
        ("unparsable", "readable"),
        ("unrepeatable", "repeatable"),
        ("deaf", "stop"),
        ("nothing", "runs"),
    ],
)
def test_each_vice_is_caught_by_its_rule(plugins, vice, broken):
    report = check.check(registry.get("unruly"), settings={"vice": vice}, budget_s=3.0)
    assert not report.passed
    found = verdicts(report)
    assert found[broken] == "failed", found
    for item in report.items:
        assert item.detail


def test_a_worker_that_opens_what_is_ours_is_seen(plugins, arena_home):
    (arena_home / "cache").mkdir(parents=True)
    (arena_home / "cache" / "secret.npz").write_bytes(b"the truth")
    method = registry.get("unruly")
    task = check_tasks.tasks()[0]
    trial = check_run.run(method, task, merge(method, {"vice": "curious"}), seed=1, budget_s=5)
    assert any("secret.npz" in path for path in trial.strangers)


def test_a_child_in_another_session_is_ended(plugins):
    method = registry.get("unruly")
    task = check_tasks.tasks()[0]
    trial = check_run.run(method, task, merge(method, {"vice": "children"}), seed=1, budget_s=5)
    assert trial.survivors == 0
    assert trial.exit["left"] == 0
