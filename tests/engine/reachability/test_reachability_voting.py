import json

import pytest

from arena_tui.__main__ import main
from engine.errors import EngineError
from engine.models.caps import Caps
from engine.models.request import Endpoint
from engine.reachability.voting import report, run
from tests.adapters.llm_stand_in import serving

ARMS = ("bank", "union-l1")
YES = json.dumps({"reasoning": "c0 = 1", "answer": "Yes"})
NO = json.dumps({"reasoning": "none", "answer": "No"})


@pytest.fixture
def study(arena_home, tmp_path):
    """Two arms on two seeds of BPG10, with formulas of our own."""
    from tasks.selections import resolve

    task = resolve(["BPG10"])[0]
    folder = tmp_path / "study"
    folder.mkdir()
    made = {
        "schema": 1,
        "library": {"title": "L"},
        "limits": {},
        "tasks": [{"id": task.id, "name": task.name, "domain": task.subgroup}],
        "arms": list(ARMS),
        "seeds": [0, 1],
    }
    (folder / "paired.json").write_text(json.dumps(made))
    for seed in (0, 1):
        for arm in ARMS:
            file = folder / "units" / task.id / str(seed) / f"{arm}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            formula = "0.5*P + 0.25*P**0.5" if arm == "bank" else f"0.75*P + {seed}*t"
            record = {
                "schema": 1,
                "task": task.id,
                "name": task.name,
                "seed": seed,
                "arm": arm,
                "status": "ok",
                "truth": task.formula,
                "expression": formula,
                "representable": "different",
            }
            file.write_text(json.dumps(record))
    return folder


def endpoint(url):
    return Endpoint("openai", "stand-in", url)


def test_only_ten_of_ten_counts_and_no_vote_is_asked_twice(study, capsys):
    def answer(prompt, number):
        if "P**" in prompt.split("B: ")[1]:
            return YES
        return NO if number % 7 == 0 else YES  # mixed

    with serving(answer) as (url, seen):
        assert run(study, endpoint(url), Caps(), None) == ()
        assert len(seen) == 40
        assert run(study, endpoint(url), Caps(), None) == ()
        assert len(seen) == 40
    prompt = seen[0][1]["messages"][-1]["content"]
    assert "c0*P" in prompt
    assert seen[0][1]["temperature"] == 0.7
    assert main(["paired", "votes", str(study), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    bank, union = shown["tables"]["votes"]["rows"]
    assert (bank["SA (votes)"], bank["unanimous yes"]) == ("100.00 ± 0.00", 2)
    assert (union["SA (votes)"], union["mixed"]) == ("0.00 ± 0.00", 2)
    assert bank["SA (offline)"] == "0.00 ± 0.00"
    gain = shown["tables"]["votes_gains"]["rows"][0]
    assert (gain["net"], gain["lost"]) == (-2, 2)
    assert (study / "tables" / "votes.parquet").is_file()


def test_votes_that_were_given_before_a_crash_are_kept(study):
    with serving(lambda prompt, number: YES) as (url, seen):
        left = run(study, endpoint(url), Caps(calls=14), None)
        assert len(seen) == 14
        assert len(left) == 3
        assert "cap of 14 model calls" in left[0][3]
        run(study, endpoint(url), Caps(), None)
        assert len(seen) == 40
    votes = json.loads(next((study / "votes").glob("*/0/bank.json")).read_text())
    assert (votes["votes"], votes["label"], votes["correct"]) == (["yes"] * 10, "unanimous yes", True)


def test_a_server_that_refuses_is_not_asked_for_every_formula(study):
    with serving(lambda prompt, number: YES, failures=[400] * 1000) as (url, seen):
        left = run(study, endpoint(url), Caps(), None)
        assert len(left) == 4
        assert len(seen) == 20  # two formulas
    assert left[-1][3].startswith("not asked: ")
    with serving(lambda prompt, number: YES) as (url, seen):
        assert run(study, endpoint(url), Caps(), None) == ()
        assert len(seen) == 40


@pytest.mark.parametrize("answer", ["I think so.", '{"answer": "May', '{"answer": "perhaps"}', ""])
def test_answers_outside_the_contract_are_no_yes(answer, study):
    with serving(lambda prompt, number: answer) as (url, seen):
        run(study, endpoint(url), Caps(), ["bank"])
        run(study, endpoint(url), Caps(), ["bank"])
    assert len(seen) == 20
    rows = report(study).tables[0].rows
    assert rows[0][:2] == ("BANK", "0.00 ± 0.00")
    assert rows[0][-1] == 2
    assert rows[1][1] == "not run"


def test_a_model_that_is_not_there_leaves_units_open(study, capsys):
    with serving(lambda prompt, number: YES) as (url, _):
        pass
    with pytest.raises(EngineError, match="holds no votes"):
        report(study)
    assert main(["paired", "votes", str(study), "--estimate", "--arms", "bank", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["formulas"], found["votes"]) == (2, 20)
    assert found["characters"] > 20 * 500
    assert main(["paired", "votes", str(study)]) == 2
    refusing = ["paired", "votes", str(study), "--model", "m", "--base-url", url, "--max-calls", "0"]
    assert main(refusing) == 1
    assert "not run: bank on g0003, seed 0" in capsys.readouterr().err
    assert main(["paired", "votes", str(study), "--model", "m", "--base-url", url, "--arms", "gp"]) == 2
    assert "no arm 'gp'" in capsys.readouterr().err


def test_a_formula_that_changed_is_judged_anew_and_models_do_not_mix(study):
    with serving(lambda prompt, number: YES) as (url, seen):
        run(study, endpoint(url), Caps(), ["bank"])
        file = next((study / "units").glob("*/0/bank.json"))
        record = json.loads(file.read_text())
        file.write_text(json.dumps({**record, "expression": "0.5*P + 0.125*P**2"}))
        assert report(study).tables[0].rows[0][1] == "100.00 ± 0.00 (1 of 2)"
        run(study, endpoint(url), Caps(), ["bank"])
        assert len(seen) == 30
        with pytest.raises(EngineError, match="holds votes of stand-in"):
            run(study, Endpoint("openai", "other", url), Caps(), None)
