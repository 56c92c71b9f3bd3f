"""The GP arms, with a built-in method in the place of gplearn: its worker and keeper are the real ones."""

import json

import numpy as np
import pytest

from arena_tui.__main__ import main
from engine.errors import EngineError
from engine.methods.registry import get
from engine.reachability import gp
from engine.reachability.arms import training_rows
from engine.reachability.greedy import Limits
from engine.reachability.libraries import POLY
from engine.reachability.outcomes import Outcomes
from engine.reachability.records import plan, units
from engine.reachability.report import report
from engine.reachability.study import paired, run
from engine.reachability.subsample import subsample
from engine.running.records import RunKey
from engine.running.tail import Tail
from tasks.materialize import splits
from tasks.selections import resolve

ROWS = 120


@pytest.fixture
def stood_in(arena_home, monkeypatch):
    """The arm gp-gplearn runs the built-in method bank."""
    monkeypatch.setattr(gp, "GP_METHODS", {"gp-gplearn": "bank"})


def unit(folder, *, adopt=True, budget=None):
    task = resolve(["BPG10"])[0]
    spent = budget or gp.Budget(60.0)
    return gp.run_unit("gp-gplearn", task, splits(task), 1, ROWS, spent, folder, adopt=adopt)


def attempts(folder):
    return sorted(path.name for path in folder.glob("gp/runs/*/*/*/attempt-*"))


def test_a_unit_sees_the_rows_and_seed_of_the_other_arms_and_has_their_outcomes(
    stood_in, tmp_path, monkeypatch
):
    given = []
    real = gp._scratch
    monkeypatch.setattr(gp, "_scratch", lambda asked, X, y: given.append((asked, X, y)) or real(asked, X, y))
    found = unit(tmp_path)
    task = resolve(["BPG10"])[0]
    X, y = training_rows(splits(task))
    rows = subsample(len(y), ROWS, f"{task.id}:1")
    asked, given_X, given_y = given[0]
    assert np.array_equal(given_X, X[rows])
    assert np.array_equal(given_y, y[rows])
    assert (asked["seed"], asked["threads"], asked["features"]) == (1, 1, ["x0", "x1"])
    assert found["status"] == "ok"
    assert (found["acc0.01"], found["strict"]) == (True, True)
    assert (found["representable"], found["representable_here"]) == ("different", "representable")  # |P|**a
    assert found["expression"].count("P") >= 2
    assert found["budget"] == {"seconds": 60.0, "evaluations": None}
    # what an earlier session left is read, not run again; a retry is another attempt
    assert unit(tmp_path) == found
    assert attempts(tmp_path) == ["attempt-1"]
    unit(tmp_path, adopt=False)
    assert attempts(tmp_path) == ["attempt-1", "attempt-2"]


def test_a_run_that_outlives_its_engine_is_watched_to_its_end(stood_in, tmp_path, monkeypatch):
    task = resolve(["BPG10"])[0]
    X, y = training_rows(splits(task))
    key = RunKey("bank", task.id, 1)
    with monkeypatch.context() as gone:  # the engine dies as soon as the keeper is started
        gone.setattr(gp, "_watched", lambda *_: None)
        left = gp._attempted(tmp_path / "gp", key, get("bank"), X[:ROWS], y[:ROWS], gp.Budget(60.0))
    assert not (left / "exit.json").exists()
    assert unit(tmp_path)["status"] == "ok"
    assert attempts(tmp_path) == ["attempt-1"]


def test_a_run_that_was_stopped_is_run_again(stood_in, tmp_path):
    folder = tmp_path / "gp" / "runs" / "bank" / "g0003" / "1" / "attempt-1"
    folder.mkdir(parents=True)
    (folder / "exit.json").write_text(json.dumps({"status": "cancelled", "reason": "told to stop"}))
    assert unit(tmp_path)["status"] == "ok"
    assert attempts(tmp_path) == ["attempt-1", "attempt-2"]


def test_a_worker_that_breaks_down_is_a_failed_unit_with_the_reason(stood_in, tmp_path):
    folder = tmp_path / "gp" / "runs" / "bank" / "g0003" / "1" / "attempt-1"
    folder.mkdir(parents=True)
    (folder / "exit.json").write_text(json.dumps({"status": "crashed", "reason": "exit code 3"}))
    line = {"event": "failed", "t": 0.1, "stage": "fit", "type": "ValueError", "message": "no such operator"}
    (folder / "incumbents.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(EngineError, match="bank: exit code 3: no such operator"):
        unit(tmp_path)


def test_a_unit_without_an_expression_in_time_is_unsolved_not_missing(stood_in, tmp_path, monkeypatch):
    monkeypatch.setattr(gp, "_final", lambda *_: (None, "the method stated no expression within the budget"))
    found = unit(tmp_path)
    assert found["status"] == "no expression"
    made = {"arms": ["gp-gplearn"], "seeds": [1], "tasks": [{"id": found["task"], "domain": "d"}]}
    assert Outcomes([found], made).success("gp-gplearn", (found["task"], 1), "acc0.01") is False


def test_the_last_readable_incumbent_counts(tmp_path):
    lines = [
        {"event": "fit-began", "t": 0.0},
        {"event": "incumbent", "t": 1.0, "text": "add(X0, X1)", "native": "", "score": 2.0},
        {"event": "incumbent", "t": 2.0, "text": "add(X0, ", "native": "", "score": 1.0},
        {"event": "incumbent", "t": 9.0, "text": "X0", "native": "", "score": 0.5},
    ]
    (tmp_path / "incumbents.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    tail = Tail(tmp_path)
    tail.read(ended=True)
    node, reason = gp._final(tail, get("gplearn"), gp.Budget(5.0), 2)
    assert reason is None
    assert gp.infix(node, ["a", "b"]) == "a + b"


def test_an_arm_whose_method_is_not_installed_is_not_run_and_says_what_to_do(arena_home, tmp_path, capsys):
    words = ["paired", "run", "--tasks", "BPG10", "--arms", "gp-gplearn,gp-pyoperon", "--seeds", "0,1"]
    assert main([*words, "--library", "poly", "--out", str(tmp_path / "s"), "--json"]) == 1
    out, told = capsys.readouterr()
    assert told.count("arena-tui methods install gplearn") == 1
    assert "gp-pyoperon on g0003, seed 0 and 1 more" in told
    shown = json.loads(out)
    assert {row["Acc0.01"] for row in shown["tables"]["rates"]["rows"]} == {"not run"}
    assert any(
        "GP-GPLEARN: 2 of 2 cells not run (gplearn is not installed" in note for note in shown["notes"]
    )
    assert list(units(tmp_path / "s")) == []
    assert plan(tmp_path / "s")["gp"] == {"seconds": 60.0, "evaluations": None}


def test_another_budget_needs_another_folder(arena_home, tmp_path):
    def study(seconds):
        limits = Limits(rows=60, rounds=1, starts=2)
        return paired(resolve(["BPG10"]), ("gp-gplearn",), POLY, (0,), limits, gp.Budget(seconds))

    run(study(5.0), tmp_path / "s", None, workers=1)
    with pytest.raises(EngineError, match="another budget"):
        run(study(6.0), tmp_path / "s", None, workers=1)


@pytest.mark.parametrize("words", [["--gp-budget", "0"], ["--gp-budget", "inf"], ["--gp-evaluations", "0"]])
def test_a_budget_of_nothing_is_refused(words, arena_home, tmp_path, capsys):
    base = ["paired", "run", "--tasks", "BPG10", "--arms", "gp-gplearn", "--out", str(tmp_path / "s")]
    assert main([*base, *words]) == 2
    assert words[0] in capsys.readouterr().err


def test_table_14_counts_by_seed_and_its_tasks_can_be_listed(tmp_path, capsys):
    folder = tmp_path / "s"
    made = {
        "schema": 1,
        "library": {"title": "L"},
        "limits": {},
        "tasks": [{"id": f"g{place}", "name": f"T{place}", "domain": "d"} for place in range(3)],
        "arms": ["bank", "gp-gplearn"],
        "seeds": [0, 1],
        "gp": {"seconds": 30.0, "evaluations": 1000},
    }
    folder.mkdir()
    (folder / "paired.json").write_text(json.dumps(made))
    solved = {("bank", 0): (1, 0, 0), ("gp-gplearn", 0): (1, 1, 0), ("bank", 1): (0, 1, 1)}
    for (arm, seed), row in solved.items():
        for place, value in enumerate(row):
            file = folder / "units" / f"g{place}" / str(seed) / f"{arm}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            record = {"schema": 1, "task": f"g{place}", "seed": seed, "arm": arm, "status": "ok"}
            file.write_text(json.dumps({**record, "acc0.01": bool(value)}))
    table = next(table for table in report(folder).tables if table.key == "gp_gplearn")
    assert table.rows == ((0, 1, 2, 1, 0, 1, 1, 3), ("total", 1, 2, 1, 0, 1, 1, 3))
    assert main(["paired", "unsolved", str(folder)]) == 0
    assert main(["paired", "unsolved", str(folder), "--arm", "gp-gplearn", "--json"]) == 0
    text, _, rest = capsys.readouterr().out.partition("\n")
    assert text == ""  # BANK solved g0 in seed 0, g1 and g2 in seed 1
    assert json.loads(rest)["tasks"] == ["g2"]
    assert main(["paired", "unsolved", str(folder), "--seed", "1"]) == 0
    assert capsys.readouterr().out == "g0\n"
    assert main(["paired", "unsolved", str(folder), "--seed", "7"]) == 2
    assert main(["paired", "unsolved", str(folder), "--arm", "llm-l1"]) == 2
    assert main(["paired", "unsolved", str(folder), "--metric", "r2"]) == 2
    notes = " ".join(report(folder).notes)
    assert "GP-GPLEARN: 3 of 6 cells not run." in notes
    assert "at most 30 s or 1000 evaluations on one thread a unit" in notes
