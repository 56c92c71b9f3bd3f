import pytest

from engine.scoring.responses import responses, usability
from engine.scoring.rows import RunScore


def run(label, task, train, id_nmse, ood_nmse, state="scored"):
    scores = {"ID": 0.5, "OOD": 0.5}
    return RunScore(
        label, "gplearn", task, task, 520, "clean", "completed", state, True, scores,
        train_nmse=train, id_nmse=id_nmse, ood_nmse=ood_nmse,
    )  # fmt: skip


def test_usability_counts_finite_and_exploding_runs():
    runs = [
        run("a", "t1", 1e-3, 1e-3, 1e-2),
        run("a", "t2", 1e-3, 1e-3, 1e5),
        run("a", "t3", 1e-3, None, 200.0),
        run("a", "t4", None, None, None),
        run("a", "t5", None, None, None, state="missing"),
    ]
    (found,) = usability(runs)
    assert (found.finite, found.explosion, found.runs) == (0.5, 0.5, 4)


def test_responses_are_clipped_and_worst_where_missing():
    runs = [
        run("a", "t1", 1.0, 1e-20, 1.0),
        run("b", "t1", 1.0, 1e-4, 1.0),
        run("a", "t2", 1.0, None, 1.0),
        run("b", "t2", 1.0, 1e9, 1.0),
        run("a", "t3", 1.0, 1.0, 1.0),
    ]
    found = responses(runs, "a", "b", "ID")
    assert [(r.task, r.first, pytest.approx(r.second)) for r in found] == [
        ("t1", -12.0, -4.0),
        ("t2", 2.0, 2.0),
    ]
