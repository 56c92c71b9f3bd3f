import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from arena_tui.__main__ import main
from engine.errors import EngineError
from engine.reachability.pool_selection import report, run
from engine.reachability.records import units
from engine.reachability.selection import RULES, UPPER_BOUND, Candidate, judged, pick, pool_of
from engine.reachability.starts import halton
from engine.reachability.studies import of_domain
from tasks.materialize import splits
from tasks.selections import resolve


def rows(count, low=0.0, high=1.0):
    return low + (high - low) * halton(count, 1, "rows")


def facts(pool, fit, unseen):
    return [judged(one, fit, unseen) for one in pool]


def plain(*texts):
    return tuple(Candidate(text, (text,)) for text in texts)


def test_the_pool_holds_every_formula_that_an_arm_went_through():
    bank = {
        "status": "ok",
        "first_text": "1.0 * x0",
        "path": [{"text": "1.0 * x0 + 2.0 * x0**2"}, {"text": "1.0 * x0 + 2.0 * x0**2 + 3.0 * x0**3"}],
        "positional": "1.1 * x0 + 2.0 * x0**2 + 3.0 * x0**3",
    }
    gp = {"status": "ok", "positional": "x0 / (1 + x0)", "path": []}
    pool = pool_of([bank, gp, {"status": "no candidates"}, {"status": "failed"}])
    assert [len(one.steps) for one in pool] == [1, 2, 3, 1]
    assert pool[2].text == bank["positional"]  # the last step stands there as it was saved
    assert pool[2].steps == ("1.0 * x0", "1.0 * x0 + 2.0 * x0**2", bank["positional"])
    assert pool_of([bank, bank]) == pool_of([bank])


def test_least_nmse_takes_what_fits_the_fitted_rows_though_unseen_rows_refute_it():
    X = rows(20)
    unseen = rows(400)
    noise = 1e-3 * np.sin(200.0 * np.pi * X[:, 0])
    # The second formula follows the wiggle of the fitted rows, which the unseen ones do not have.
    pool = plain("2.0 * x0", "2.0 * x0 + 0.001 * sin(628.3185307179587 * x0)")
    found = facts(pool, (X, 2.0 * X[:, 0] + noise), (unseen, 2.0 * unseen[:, 0]))
    assert pick("least training NMSE", found, len(unseen)) == 1
    assert pick("falsification", found, len(unseen)) == 0
    assert pick("process reward", found, len(unseen)) == 0
    assert found[0].counterexamples == 0


def test_falsification_prefers_the_simplest_survivor_and_else_the_least_refuted():
    X = rows(200, 1.0, 2.0)
    y = X[:, 0] ** 2
    pool = plain("x0**2 + 0.0000001 * sin(x0)", "x0", "x0**2 * 1.000001")
    found = facts(pool, (X, y), (X, y))
    assert pick("falsification", found, len(X)) == 2  # simpler than the first; x0 itself is refuted
    wrong = plain("x0", "1.2 * x0**2", "where(x0 < 1.6, x0**2, 0)")
    assert pick("falsification", facts(wrong, (X, y), (X, y)), len(X)) == 2


def test_a_formula_that_is_undefined_somewhere_is_refuted_there():
    X = rows(100, -1.0, 1.0)
    found = judged(Candidate("log(x0)", ("log(x0)",)), (X, X[:, 0]), (X, X[:, 0]))
    assert found.nmse == np.inf
    assert found.counterexamples >= 50
    assert np.isfinite(found.reward)


def test_process_reward_distrusts_a_step_that_helps_in_one_part_and_harms_another():
    X = rows(400, 0.0, 1.0)
    y = X[:, 0] + 0.1 * X[:, 0] ** 2
    good = Candidate("x0 + 0.09 * x0**2", ("x0", "x0 + 0.09 * x0**2"))
    mixed = Candidate(
        "x0 + 0.1 * x0**2 * (x0 > 0.25)", ("x0", "x0 + 0.1 * x0**2 * (x0 > 0.25) - 0.5 * (x0 < 0.25)")
    )
    found = facts((good, mixed), (X, y), (X, y))
    assert found[0].reward > found[1].reward
    assert pick("process reward", found, len(X)) == 0


@pytest.fixture
def paired_study(arena_home, tmp_path):
    """A constructed study on BPG10, whose truth is among the formulas of one arm's path only."""
    task = resolve(["BPG10"])[0]
    truth = task.formula.replace("P", "x1")
    folder = tmp_path / "study"
    made = {
        "schema": 1,
        "library": {"title": "L"},
        "limits": {"rows": 100},
        "tasks": [{"id": task.id, "name": task.name, "domain": task.subgroup}],
        "arms": ["bank", "llm-l1"],
        "seeds": [0, 1],
    }
    folder.mkdir()
    (folder / "paired.json").write_text(json.dumps(made))
    splits(task)

    def write(arm, seed, texts):
        file = folder / "units" / task.id / str(seed) / f"{arm}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        record = {
            "schema": 1,
            "task": task.id,
            "seed": seed,
            "arm": arm,
            "status": "ok",
            "first_text": texts[0],
            "path": [{"text": text} for text in texts[1:]],
            "positional": texts[-1],
        }
        file.write_text(json.dumps(record))

    write("bank", 0, ["0.1 * x1", "0.1 * x1 + 0.0001 * x0"])
    write("llm-l1", 0, ["0.2 * x1", truth])
    write("bank", 1, ["0.1 * x1"])
    return folder, write


def test_the_study_counts_what_each_rule_solves_and_resumes(paired_study, tmp_path, capsys):
    folder, write = paired_study
    out = tmp_path / "out"
    words = ["paired", "study", "pool-selection", str(folder), "--out", str(out), "--workers", "1", "--json"]
    assert main(words) == 0
    shown = json.loads(capsys.readouterr().out)
    found = {row["rule"]: row for row in shown["tables"]["pool_selection"]["rows"]}
    assert list(found) == [*RULES, UPPER_BOUND]
    assert {(row["Acc0.01"], row["Strict ID+OOD"], row["pools"]) for row in found.values()} == {(1, 1, 2)}
    table = pq.read_table(out / "tables" / "pool_selection.parquet")
    assert table.column("rule").to_pylist() == list(found)
    assert "Acc0.01" in (out / "tables" / "pool_selection.tex").read_text()
    before = {path: path.stat().st_mtime_ns for path in (out / "units").rglob("*.json")}
    write("bank", 1, ["0.1 * x1", "0.11 * x1"])  # one pool grows: it alone is done again
    assert run([folder], out, None, 1) == 2
    after = {path: path.stat().st_mtime_ns for path in (out / "units").rglob("*.json")}
    assert sum(before[path] != after[path] for path in before) == 1
    assert main(["paired", "report", str(out)]) == 0
    assert "in-pool test upper bound" in capsys.readouterr().out


def test_the_upper_bound_sees_what_no_rule_picks(paired_study, tmp_path):
    folder, _ = paired_study
    run([folder], tmp_path / "out", None, 1)
    for path in (tmp_path / "out" / "units").rglob("*.json"):
        record = json.loads(path.read_text())
        record["picks"] = dict.fromkeys(RULES, 0)
        path.write_text(json.dumps(record))
    rows_ = {row[0]: row[1] for row in report(tmp_path / "out").tables[0].rows}
    assert rows_ == {**dict.fromkeys(RULES, 0), UPPER_BOUND: 1}
    assert len(list(units(tmp_path / "out"))) == 2


def test_folders_that_do_not_fit_are_refused(paired_study, tmp_path):
    folder, _ = paired_study
    with pytest.raises(EngineError, match="holds no paired study"):
        run([tmp_path / "nothing"], tmp_path / "out", None, 1)
    with pytest.raises(EngineError, match="no finished unit"):
        run([folder], tmp_path / "out", ["g0001"], 1)
    assert of_domain([folder], "bio_pop_growth") == ("g0003",)
    with pytest.raises(EngineError, match="the domains are bio_pop_growth"):
        of_domain([folder], "biology")
    with pytest.raises(EngineError, match="not empty"):
        run([folder], folder, None, 1)
    with pytest.raises(EngineError, match="no pool-selection study"):
        report(folder)
