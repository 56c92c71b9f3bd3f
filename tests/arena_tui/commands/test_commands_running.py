"""run, status, stop, retry, drain, checkpoints, merge and quickstart as a user types them."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena_tui.__main__ import main
from arena_tui.commands import control as arena_control
from engine.running import lease, reader

CHECKPOINT_FIELDS = [
    "run",
    "task",
    "method",
    "seed",
    "condition",
    "index",
    "t",
    "discovered",
    "expression",
    "id_nmse",
    "ood_nmse",
    "q",
    "status",
]
ROW_FIELDS = [
    "method",
    "task",
    "name",
    "seed",
    "condition",
    "status",
    "checkpoints",
    "id_nmse",
    "ood_nmse",
    "expression",
]
BANK = ["--methods", "bank", "--seeds", "520", "--budget", "20s", "--interval", "5s", "--workers", "1"]


@pytest.fixture
def table(tmp_path):
    """A user's table y = 2 a + b**2."""
    file = tmp_path / "mine.csv"
    rows = [(k / 7, (k * 13 % 29) / 11) for k in range(60)]
    file.write_text("a,b,z\n" + "\n".join(f"{a!r},{b!r},{2 * a + b * b!r}" for a, b in rows))
    return str(file)


@pytest.fixture
def arena(arena_home, capsys):
    """Run a command line; its exit code, standard output and standard error."""

    def run(*words):
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_a_campaign_from_flags_to_checkpoints(arena, tmp_path):
    out = tmp_path / "campaign"
    code, text, err = arena("run", *BANK, "--tasks", "Nguyen-1", "--out", out, "--json")
    assert code == 0
    assert "\x1b" not in text + err
    assert err.startswith(
        f"{out}: 1 of 1 runs to make, at most 30 s beside start-up: 1 x (20 s + 10 s grace)"
    )
    document = json.loads(text)
    assert (document["bound_s"], document["total_s"] > 0) == (30.0, True)
    (row,) = document["runs"]
    assert list(row) == ROW_FIELDS
    assert (row["task"], row["name"], row["status"], row["checkpoints"]) == (
        "g0633",
        "Nguyen-1",
        "completed",
        4,
    )
    assert row["id_nmse"] < 1e-6

    code, text, _ = arena("checkpoints", out, "bank/Nguyen-1", "--json")
    rows = json.loads(text)
    assert code == 0
    assert [list(row) for row in rows] == [CHECKPOINT_FIELDS] * 4
    assert [(row["index"], row["t"], row["status"]) for row in rows] == [
        (1, 5.0, "ok"), (2, 10.0, "ok"), (3, 15.0, "ok"), (4, 20.0, "ok"),
    ]  # fmt: skip

    code, text, _ = arena("status", out, "--json")
    document = json.loads(text)
    assert (code, document["counts"], document["engine"]) == (0, {"completed": 1}, None)
    assert document["runs"][0]["run"] == "bank/g0633/520"
    assert document["runs"][0]["cpu_s"] >= 0

    code, text, _ = arena("status", out)
    assert "bank" in text
    assert "Nguyen-1" in text

    before = (out / "runs/bank/g0633/520/attempt-1/result.json").read_bytes()
    code, text, _ = arena("run", out)
    assert code == 0
    assert "0 of 1 runs to make" in text
    assert (out / "runs/bank/g0633/520/attempt-1/result.json").read_bytes() == before


def test_a_table_alone_makes_a_campaign_and_a_spec_file_another(arena, tmp_path, table):
    out = tmp_path / "one"
    code, text, _ = arena("run", *BANK, "--data", table, "--target", "z", "--out", out, "--json")
    assert code == 0
    (row,) = json.loads(text)["runs"]
    assert row["name"] == "mine"
    assert row["id_nmse"] < 1e-6
    assert row["ood_nmse"] is None
    assert (out / "data" / row["task"] / "train.npz").exists()

    spec = tmp_path / "spec.toml"
    spec.write_text(
        'seeds = [520]\nbudget = "20s"\ninterval = "10s"\nworkers = 1\n'
        f'[[data]]\nfile = "{Path(table).name}"\ntarget = "z"\n'
        '[methods.few]\nmethod = "bank"\n[methods.few.settings]\nrounds = 1\n'
    )
    other = tmp_path / "two"
    code, text, _ = arena("run", spec, "--out", other, "--json")
    assert code == 0
    (row,) = json.loads(text)["runs"]
    assert row["method"] == "few"

    code, text, _ = arena("merge", other, out, "--json")
    assert code == 2
    code, text, _ = arena("run", spec, "--interval", "5s", "--out", tmp_path / "three", "--json")
    assert code == 0
    code, text, _ = arena("merge", tmp_path / "three", out, "--json")
    assert (code, json.loads(text)["copied"]) == (0, [f"few/{row['task']}/520"])


ON = ["--methods", "bank", "--tasks", "Nguyen-1"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--methods", "bank", "--tasks", "Nguyen-99"], "no task 'Nguyen-99'"),
        (["--methods", "banc", "--tasks", "Nguyen-1"], "no method banc; did you mean bank?"),
        ([*ON, "--budget", "0"], "budget '0' must be longer than nothing"),
        ([*ON, "--interval", "1h"], "the interval (3600 s) is longer than"),
        ([*ON, "--set", "bank.nope=1"], "bank has no setting nope"),
        ([*ON, "--workers", "4096"], "cores allowed here"),
        ([*ON, "--workers", "0"], "--workers 0 must be at least 1"),
        (["--methods", "bank,bank", "--tasks", "Nguyen-1"], "bank stands twice"),
        (["--methods", "gplearn", "--tasks", "Nguyen-1"], "gplearn is not installed; run: arena-tui methods"),
        (["--methods", "llm-sr", "--tasks", "Nguyen-1"], "llm-sr asks a language model"),
        (["--methods", "drsr", "--tasks", "Nguyen-1", "--model", "m"], "no key for m: set ANTHROPIC_API_KEY"),
        (
            ["--methods", "drsr", "--tasks", "Nguyen-1", "--model", "m", "--base-url", "localhost:8000"],
            "must begin with http:// or https://",
        ),
        (["--methods", "bank"], "no task is named"),
        (["--tasks", "Nguyen-1"], "no method is named"),
        (["--methods", "bank", "--data", "gone.csv"], "--data and --target go together"),
        ([*ON, "--conditions", "loud"], "the condition 'loud' is unknown"),
        ([*ON, "--preset", "final"], "the preset 'final' is unknown"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_made(arena, tmp_path, monkeypatch, words, sentence):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    out = tmp_path / "campaign"
    code, text, err = arena("run", "--seeds", "1", "--budget", "5s", "--out", out, *words)
    assert (code, text) == (2, "")
    assert sentence in err
    assert err.startswith("arena-tui: ")
    assert err.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--budget", "21s"], "the budget of"),
        (["--model", "m"], "the model of"),
        (["--semantics"], "keeps what the variables mean to itself"),
        (["--threads", "2"], "--threads and --evaluations are for methods that --methods adds"),
        (["--methods", "gplearn"], "gplearn is not installed"),
        (["--methods", "llm-sr"], "llm-sr asks a language model and none is named"),
    ],
)
def test_a_campaign_refuses_what_it_cannot_take_up_and_stays_as_it_is(
    arena, tmp_path, table, words, sentence
):
    out = tmp_path / "campaign"
    arena("run", *BANK, "--data", table, "--target", "z", "--out", out, "--json")
    before = (out / "campaign.toml").read_bytes()
    code, text, err = arena("run", out, *words)
    assert (code, text, err.count("\n")) == (2, "", 1)
    assert sentence in err
    assert (out / "campaign.toml").read_bytes() == before


def test_an_ambiguous_name_is_refused_with_its_candidates(arena, tmp_path):
    from tasks import catalogue

    names = [task.name for task in catalogue.full()]
    twice = next(name for name in names if names.count(name) == 2)
    code, _, err = arena(
        "run",
        "--methods",
        "bank",
        "--tasks",
        twice,
        "--seeds",
        "1",
        "--budget",
        "5s",
        "--out",
        tmp_path / "c",
    )
    assert code == 2
    assert all(task.id in err for task in catalogue.full() if task.name == twice)


def test_a_broken_spec_line_and_a_strange_folder_are_named(arena, tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text('tasks = ["Nguyen-1"]\nseeds = [1\nbudget = "5s"\n')
    code, _, err = arena("run", spec)
    assert (code, "line 3" in err) == (2, True)
    spec.write_text('tasks = ["Nguyen-1"]\nbudgte = "5s"\n')
    code, _, err = arena("run", spec)
    assert (code, "unknown key 'budgte'" in err) == (2, True)
    for command in ("status", "checkpoints", "stop", "retry", "drain"):
        code, _, err = arena(command, tmp_path)
        assert (code, "is not a campaign" in err) == (2, True)


def test_missing_methods_can_be_left_out(arena, tmp_path):
    out = tmp_path / "campaign"
    words = ["run", "--methods", "bank,gplearn", "--tasks", "Nguyen-1", "--seeds", "1", "--budget", "20s"]
    code, text, _ = arena(*words, "--workers", "1", "--out", out, "--skip-missing", "--json")
    document = json.loads(text)
    assert code == 1
    assert document["skipped"] == ["gplearn"]
    assert {row["method"]: row["status"] for row in document["runs"]} == {
        "bank": "completed",
        "gplearn": "planned",
    }


def test_control_without_an_engine_says_what_becomes_of_it(arena, tmp_path, table):
    out = tmp_path / "campaign"
    arena("run", *BANK, "--data", table, "--target", "z", "--out", out, "--json")
    code, text, _ = arena("stop", out)
    assert (code, text) == (0, "stop: 0 runs\n")
    code, text, _ = arena("drain", out)
    assert (code, "nothing new is started anyway" in text) == (0, True)
    code, text, _ = arena("retry", out, "bank")
    assert (code, "the retry is made by arena-tui run" in text) == (0, True)
    arena("run", out, "--json")
    (run,) = reader.read_campaign(out).runs
    assert (run.status, run.attempt) == ("completed", 2)


def test_a_detached_engine_goes_on_alone_and_heeds_stop(arena, tmp_path, table, monkeypatch):
    monkeypatch.setattr(arena_control, "ANSWER_S", 120.0)
    out = tmp_path / "campaign"
    script = tmp_path / "slow.py"
    script.write_text("import time\nprint('2*a', flush=True)\ntime.sleep(600)\n")
    code, text, err = arena(
        "run", "--methods", "command", "--set", f"command.command={sys.executable} {script}",
        "--data", table, "--target", "z", "--seeds", "1", "--budget", "600s", "--interval", "60s",
        "--grace", "1s", "--workers", "1", "--out", out, "--detach", "--json",
    )  # fmt: skip
    assert code == 0, err
    engine = json.loads(text)["engine"]
    assert lease.owner(out)["pid"] == engine
    code, _, err = arena("run", out)
    assert (code, f"owned by a live engine {engine}" in err) == (2, True)
    wait_until(lambda: reader.read_campaign(out).runs[0].status == "running")
    code, text, _ = arena("stop", out, "--json")
    assert json.loads(text)["applied"] == [reader.read_campaign(out).runs[0].id]
    wait_until(lambda: lease.owner(out) is None)
    (run,) = reader.read_campaign(out).runs
    assert run.status == "cancelled"


def wait_until(condition):
    """Wait until `condition()` holds; a busy machine may take its time."""
    deadline = time.monotonic() + 120.0
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def test_headless_commands_need_no_terminal(arena_home, tmp_path, table):
    environment = {name: value for name, value in os.environ.items() if name != "TERM"}
    words = [sys.executable, "-m", "arena_tui", "run", *BANK, "--data", table, "--target", "z"]
    done = subprocess.run(
        [*words, "--out", str(tmp_path / "campaign")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"1 completed" in done.stdout
    assert done.stderr == b""


@pytest.mark.heavy
def test_quickstart_installs_runs_and_prints_what_it_promises(arena_home):
    done = subprocess.run(
        [sys.executable, "-m", "arena_tui", "quickstart", "--no-console", "--json"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert list(document) == ["campaign", "runs"]
    assert len(document["runs"]) == 18
    assert all(list(row) == ROW_FIELDS for row in document["runs"])
    assert all(row["status"] in {"completed", "timeout"} for row in document["runs"])
    solved = [
        row["id_nmse"] for row in document["runs"] if (row["method"], row["name"]) == ("pyoperon", "Nguyen-1")
    ]
    assert len(solved) == 2
    assert max(solved) < 1e-6
