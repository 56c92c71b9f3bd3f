import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from arena_tui.__main__ import main
from engine.errors import EngineError
from engine.models.caps import Caps
from engine.models.request import Endpoint
from engine.reachability.asking import ASKING_THREADS, PATIENCE
from engine.reachability.greedy import Limits
from engine.reachability.libraries import BUILT_IN, LASR, POLY
from engine.reachability.records import units
from engine.reachability.sources import DEMONSTRATION, RecordedSource, model_source
from engine.reachability.study import paired, run
from tasks.selections import resolve
from tests.adapters.llm_stand_in import serving

TINY = Limits(rows=60, rounds=2, starts=3)
MENU = json.dumps({"atoms": ["P**a", "P*exp(-a*t)", "sin(a*t)"]})


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory):
    """One ARENA_HOME for the module: its tasks are generated once."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("ARENA_HOME", str(home))
        yield home


def study(*, arms=("bank", "llm-l1", "union-l1"), tasks="BPG10", seeds=(0,), library=POLY, limits=TINY):
    return paired(resolve([tasks]), arms, library, seeds, limits)


def asked(url, folder, seconds=20.0, caps=None):
    return model_source(Endpoint("openai", "stand-in", url), caps or Caps(), folder, seconds)


def records(folder):
    return {(unit["arm"], unit["name"], unit["seed"]): unit for unit in units(folder)}


def comparable(folder):
    """Everything but the clock."""
    timed = ("search_s", "search_cpu_s")
    return {key: {k: v for k, v in unit.items() if k not in timed} for key, unit in records(folder).items()}


def test_a_model_fills_the_gap_of_the_polynomials_and_is_asked_once(shared_home, tmp_path):
    with serving(lambda prompt, number: MENU) as (url, seen):
        outcome = run(study(), tmp_path / "s", asked(url, tmp_path / "s"), workers=1)
        again = run(study(seeds=(0,)), tmp_path / "s", asked(url, tmp_path / "s"), workers=1)
    assert outcome.finished == again.finished == 3
    assert len(seen) == 1
    body = seen[0][1]
    assert (body["temperature"], body["max_tokens"]) == (0.7, 900)
    assert body["messages"][0]["content"].endswith("JSON only.")
    found = records(tmp_path / "s")
    assert found["bank", "BPG10", 0]["strict"] is False
    union = found["union-l1", "BPG10", 0]
    assert union["strict"] is True
    assert union["path"][0]["added"] == "x1**a"
    assert union["representable"] == "representable"
    assert union["proposals"]["source"]["demonstration"] is False


def test_arms_share_rows_starts_and_the_truth_stays_out_of_the_prompt(shared_home, tmp_path):
    with serving(lambda prompt, number: MENU) as (url, seen):
        run(study(arms=("llm-l1", "llm-l2")), tmp_path / "s", asked(url, tmp_path / "s"), workers=1)
    prompts = sorted((body["messages"][-1]["content"] for _, body in seen), key=len)
    blind, named = prompts
    assert "population" in named
    assert "population" not in blind
    assert "P" not in blind.split("Ranges")[0].split("Inputs")[1].replace("SymPy", "")
    truth = resolve(["BPG10"])[0].formula
    assert truth not in named
    assert "0.333" not in named + blind


@pytest.mark.parametrize(
    ("answer", "usable", "proposed"),
    [
        ("I would rather explain: populations grow.", 0, 0),
        ('{"atoms": ["P**2", "exp(-a', 0, 0),
        (json.dumps({"atoms": ["__import__('os').system('true')", "x9", "temperature*a"]}), 0, 3),
        (json.dumps({"atoms": [f"P**{n}*exp(-a*t)" for n in range(1, 201)]}), 14, 200),
    ],
)
def test_bad_answers(answer, usable, proposed, shared_home, tmp_path):
    with serving(lambda prompt, number: answer) as (url, seen):
        outcome = run(study(), tmp_path / "s", asked(url, tmp_path / "s"), workers=1)
    assert outcome.not_run == ()
    assert len(seen) == 1
    found = records(tmp_path / "s")
    llm, union = found["llm-l1", "BPG10", 0], found["union-l1", "BPG10", 0]
    assert (llm["proposals"]["usable"], llm["proposals"]["proposed"]) == (usable, proposed)
    if usable:
        assert llm["status"] == union["status"] == "ok"
        assert len(llm["proposals"]["dropped"]) == proposed - usable
    else:
        assert llm["status"] == union["status"] == "no candidates"
        assert "expression" not in union


def test_a_model_that_is_never_reached_leaves_its_arms_not_run(shared_home, tmp_path):
    with serving(lambda prompt, number: MENU) as (url, _):
        pass  # nobody listens there any more
    source = asked(url, tmp_path / "s", seconds=2.0)
    outcome = run(study(), tmp_path / "s", source, workers=1)
    assert [(row[0], row[1], row[2]) for row in outcome.not_run] == [("g0003", 0, "l1")] or len(
        outcome.not_run
    ) == 1
    assert {key[0] for key in records(tmp_path / "s")} == {"bank"}
    with serving(lambda prompt, number: MENU) as (url, seen):
        run(study(), tmp_path / "s", asked(url, tmp_path / "s"), workers=1)
    assert len(seen) == 1
    assert {key[0] for key in records(tmp_path / "s")} == {"bank", "llm-l1", "union-l1"}


def test_a_silent_model_is_given_up_and_said_so(shared_home, tmp_path):
    release = threading.Event()

    def silent(prompt, number):
        release.wait(300.0)
        return MENU

    with serving(silent) as (url, _):
        outcome = run(study(), tmp_path / "s", asked(url, tmp_path / "s", seconds=0.5), workers=1)
        release.set()  # had the run waited for the answer, it would have got it
    assert outcome.not_run[0][3] == "no answer within 0.5 s"


def test_a_model_that_answers_nothing_is_not_asked_hundreds_of_times(shared_home, tmp_path):
    with serving(lambda prompt, number: "", failures=[400] * 1000) as (url, seen):
        made = study(arms=("llm-l1",), seeds=tuple(range(40)))
        told = []
        outcome = run(made, tmp_path / "s", asked(url, tmp_path / "s"), workers=1, on_progress=told.append)
    assert len(outcome.not_run) == 40
    assert PATIENCE <= len(seen) < 2 * PATIENCE + ASKING_THREADS
    assert outcome.not_run[-1][3].startswith("not asked: ")
    assert told[-1].last == "asked 40 of 40 questions"


def test_a_model_that_answers_now_and_then_is_asked_everything(shared_home, tmp_path):
    with serving(lambda prompt, number: MENU, failures=[400] * 5) as (url, seen):
        made = study(arms=("llm-l1",), seeds=tuple(range(10)), limits=Limits(rows=20, rounds=1, starts=1))
        outcome = run(made, tmp_path / "s", asked(url, tmp_path / "s"), workers=1)
    assert len(seen) == 10
    assert len(outcome.not_run) == 5


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xfe{}", "not UTF-8"),
        (b"{not json", "line 1: not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"task": "BPG10", "level": "l3", "atoms": []}', "needs task, level"),
        (b'{"task": "BPG10", "level": "l1", "atoms": [], "seed": "0"}', "seed must be a whole number"),
        (b'{"demonstration": true}', "holds no proposals"),
    ],
)
def test_a_damaged_proposals_file_is_named(content, says, tmp_path):
    (tmp_path / "p.jsonl").write_bytes(content)
    with pytest.raises(EngineError, match=says):
        RecordedSource(tmp_path / "p.jsonl")


def test_an_answer_may_be_recorded_as_the_object_itself(shared_home, tmp_path):
    line = {"task": "BPG10", "level": "l1", "answer": {"atoms": ["P**a"]}}
    (tmp_path / "p.jsonl").write_text(json.dumps(line))
    run(study(arms=("llm-l1",)), tmp_path / "s", RecordedSource(tmp_path / "p.jsonl"), workers=1)
    assert records(tmp_path / "s")["llm-l1", "BPG10", 0]["proposals"]["usable"] == 1


def test_a_cap_leaves_the_rest_not_run(shared_home, tmp_path):
    with serving(lambda prompt, number: MENU) as (url, seen):
        source = asked(url, tmp_path / "s", caps=Caps(calls=1))
        outcome = run(study(arms=("llm-l1",), seeds=(0, 1)), tmp_path / "s", source, workers=1)
    assert len(seen) == 1
    assert len(outcome.not_run) == 1
    assert "cap of 1 model calls" in outcome.not_run[0][3]


def test_shared_proposals_enlarge_the_union_by_the_new_ones_only(shared_home, tmp_path):
    menu = [f"t**{n}*P**2" for n in range(2, 13)] + ["t*P", "P**a", "P*exp(-a*t)"]
    with serving(lambda prompt, number: json.dumps({"atoms": menu[:14]})) as (url, _):
        made = study(library=LASR, limits=Limits(rows=40, rounds=1, starts=1))
        run(made, tmp_path / "s", asked(url, tmp_path / "s"), workers=1)
    union = records(tmp_path / "s")["union-l1", "BPG10", 0]
    assert union["proposals"]["usable"] == 14
    assert union["pool"]["shared"] == 2  # t*P and P*exp(-a*t); P**a without |.| is another spelling
    assert union["pool"]["bank"] + union["pool"]["shared"] == 29


def test_the_demonstration_covers_twelve_tasks_and_says_what_it_is(shared_home, tmp_path):
    source = RecordedSource(DEMONSTRATION)
    assert source.demonstration
    lines = [json.loads(line) for line in DEMONSTRATION.read_text().splitlines()]
    named = {line["name"] for line in lines if "name" in line}
    assert len(named) >= 12
    resolve(sorted(named))
    run(study(), tmp_path / "s", source, workers=1)
    assert records(tmp_path / "s")["llm-l1", "BPG10", 0]["proposals"]["source"]["demonstration"] is True


def test_a_runs_proposals_serve_another_library(shared_home, tmp_path):
    with serving(lambda prompt, number: MENU) as (url, seen):
        run(study(), tmp_path / "poly", asked(url, tmp_path / "poly"), workers=1)
    source = RecordedSource(tmp_path / "poly" / "proposals.jsonl")
    run(study(library=BUILT_IN["srbench-pysr"]), tmp_path / "pysr", source, workers=1)
    assert len(seen) == 1
    one = records(tmp_path / "poly")["llm-l1", "BPG10", 0]
    other = records(tmp_path / "pysr")["llm-l1", "BPG10", 0]
    assert one["positional"] == other["positional"]  # the LLM arm has no library: paired exactly


def test_a_folder_of_another_study_is_refused(shared_home, tmp_path):
    run(study(arms=("bank",)), tmp_path / "s", None, workers=1)
    with pytest.raises(EngineError, match="another library"):
        run(study(arms=("bank",), library=LASR), tmp_path / "s", None, workers=1)
    with pytest.raises(EngineError, match="need proposals"):
        run(study(), tmp_path / "s", None, workers=1)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    with pytest.raises(EngineError, match="not empty"):
        run(study(arms=("bank",)), tmp_path / "full", None, workers=1)


def test_the_command_runs_reports_and_resumes(shared_home, tmp_path, capsys):
    words = ["paired", "run", "--tasks", "BPG10", "--arms", "bank", "--seeds", "0", "--library", "poly"]
    assert main([*words, "--out", str(tmp_path / "s"), "--workers", "1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["tables"]["rates"]["rows"][0]["arm"] == "BANK"
    assert (tmp_path / "s" / "results.parquet").is_file()
    assert main(["paired", "report", str(tmp_path / "s")]) == 0
    assert "BANK-Poly: 1 tasks" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--tasks", "BPG10", "--arms", "bank,oracle"],
        ["run", "--tasks", "NoSuchTask"],
        ["run", "--tasks", "BPG10", "--seeds", "0,x"],
        ["run", "--tasks", "BPG10"],
        ["run", "--tasks", "BPG10", "--arms", "bank", "--stop", "nan"],
        ["run", "--tasks", "BPG10", "--arms", "bank", "--seeds", ","],
        ["run", "--tasks", "BPG10", "--proposals", "nowhere.jsonl"],
        ["knockout", "--tasks", "Nguyen-1"],
    ],
)
def test_bad_words_are_one_sentence(words, shared_home, tmp_path, capsys):
    assert main(["paired", *words, "--out", str(tmp_path / "s")]) == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert error.strip().count("\n") == 0


@pytest.mark.slow
def test_sigkill_and_resume_change_no_result(tmp_path):
    environment = {**os.environ, "ARENA_HOME": str(tmp_path / "home")}
    words = [
        *(sys.executable, "-m", "arena_tui", "paired", "run", "--tasks", "BPG0,BPG10,CRK10,CRK16"),
        *("--arms", "bank,llm-l1,union-l1", "--proposals", "demonstration", "--seeds", "0,1"),
        *("--library", "poly", "--workers", "2"),
    ]
    subprocess.run(
        [*words, "--out", str(tmp_path / "whole")], env=environment, check=True, capture_output=True
    )
    for wait in (4.0, 6.0, 8.0):
        cut = subprocess.Popen(
            [*words, "--out", str(tmp_path / "cut")],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(wait)
        cut.send_signal(signal.SIGKILL)
        cut.wait()
        time.sleep(2.0)  # its processes notice and end
    subprocess.run([*words, "--out", str(tmp_path / "cut")], env=environment, check=True, capture_output=True)
    assert comparable(tmp_path / "cut") == comparable(tmp_path / "whole")
    assert len(comparable(tmp_path / "whole")) == 24
