"""The engine around stub methods: what is recorded, whatever methods, engines and keepers do."""

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.running import control, lease, reader
from engine.running.process_tree import marked
from engine.running.store import read_record
from tests.engine.running.running_campaigns import (
    QUICK,
    SPINNING,
    events,
    hashes,
    make_campaign,
    own_task,
    runs_of,
    scripts_of,
    start_engine,
    supervise,
    use_stubs,
)
from tests.engine.running.running_stubs import PATIENCE_S, wait_for
from tests.engine.running.test_running_keeper import STUBBORN


@pytest.fixture
def campaign(tmp_path, arena_home, monkeypatch):
    """Make a stub campaign and let this process know its methods."""

    def make(stubs, **options):
        folder = make_campaign(tmp_path / "campaign", stubs, **options)
        use_stubs(folder, monkeypatch)
        return folder

    return make


def mark_of(run) -> str:
    return json.loads((run.folder / "keeper.json").read_text())["mark"]


def test_a_completed_run_is_scored_by_our_evaluation_of_its_text(campaign):
    folder = campaign({"stub": QUICK})
    outcome = supervise(folder)
    run = runs_of(folder)["stub/u0000001/520"]
    assert outcome.statuses == {"completed": 1}
    assert (run.status, run.final_source, run.final_status) == ("completed", "return", "ok")
    assert run.expression == "2*x + 1"
    assert run.positional == "2*x0 + 1"
    assert (run.id_nmse, run.ood_nmse) == (0.0, 0.0)
    assert run.incumbents == 2
    points = reader.checkpoints(run)
    assert [point.index for point in points] == [1, 2, 3, 4, 5]
    # After early termination the last incumbent is carried forward; the return is not a checkpoint.
    assert {point.expression for point in points} == {"x + 1"}
    assert {point.status for point in points} == {"ok"}


def test_a_method_that_never_returns_is_scored_by_its_last_incumbent(campaign):
    body = (
        "begin()\nfor t, text in ((0.5, 'x0'), (1.0, 'x0+1'), (1.5, '2*x0+1')):\n    incumbent(text, t=t)\n"
        "time.sleep(600)"
    )
    folder = campaign({"stub": body}, budget=1.3, interval=0.5)
    supervise(folder)
    run = runs_of(folder)["stub/u0000001/520"]
    assert run.status == "timeout"
    assert run.expression == "x + 1"
    assert run.final_source == "incumbent"
    assert "result from incumbent 2" in run.reason


def test_what_appears_in_the_grace_period_is_kept_and_never_scored(campaign):
    body = (
        "told = []\nsignal.signal(signal.SIGTERM, lambda *_: told.append(1))\nbegin()\nincumbent('x0')\n"
        "while not told: time.sleep(0.05)\ntime.sleep(0.1)\nincumbent('2*x0 + 1')\nfinal('2*x0 + 1')\n"
    )
    folder = campaign({"stub": body}, budget=1.0, grace=60.0)
    supervise(folder)
    run = runs_of(folder)["stub/u0000001/520"]
    assert (run.status, run.expression, run.final_source) == ("timeout", "x", "incumbent")
    assert b"2*x0 + 1" in (run.folder / "incumbents.jsonl").read_bytes()
    assert {point.expression for point in reader.checkpoints(run)} == {"x"}


def test_memory_a_foreign_kill_and_an_exit_are_told_apart_and_the_campaign_goes_on(campaign):
    eater = (
        "begin()\nincumbent('x0*2')\nheap = []\n"
        "while True:\n    heap.append(bytearray(2**22))\n    time.sleep(0.005)"
    )
    killed = "begin()\nincumbent('x0')\nos.kill(os.getpid(), 9)"
    failing = (
        "begin()\nincumbent('x0')\n"
        "say('failed', stage='fit', type='ValueError', message='no\\nluck')\nsys.exit(3)"
    )
    folder = campaign(
        {"eater": eater, "killed": killed, "failing": failing, "fine": QUICK}, memory_mib=120, budget=60.0
    )
    supervise(folder)
    runs = {run.label: run for run in runs_of(folder).values()}
    assert runs["eater"].status == "memory"
    assert runs["eater"].reason.startswith("limit 120 MiB, peak ")
    assert runs["eater"].expression == "x*2"
    assert runs["killed"].status == "crashed"
    assert runs["killed"].reason.startswith("killed (signal 9, not by us)")
    assert runs["killed"].signal == 9
    assert runs["failing"].status == "crashed"
    assert runs["failing"].reason.startswith("failed (exit 3): ValueError: no luck")
    assert runs["failing"].exit_code == 3
    assert runs["fine"].status == "completed"


def test_a_claim_and_a_text_that_does_not_reproduce_predictions_are_flagged(campaign):
    body = (
        "begin()\nincumbent('x0', score=3e-13)\n"
        "os.makedirs('native', exist_ok=True)\n"
        "import struct\n"
        "header = b\"{'descr': '<f8', 'fortran_order': False, 'shape': (20,), }\"\n"
        "header += b' ' * (118 - 1 - len(header)) + b'\\n'\n"
        "data = b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(header)) + header\n"
        "data += struct.pack('<20d', *range(20))\n"
        "open('native/train_predictions.npy', 'wb').write(data)\n"
        "final('x0', score=3e-13, train_predictions='native/train_predictions.npy')\n"
    )
    task = own_task(id_rows=((1.0, 2.0), (2.0, 4.0), (3.0, 6.0)))
    folder = campaign({"stub": body}, tasks=[task])
    supervise(folder)
    run = runs_of(folder)["stub/u0000001/520"]
    assert run.id_nmse == pytest.approx(1.75, rel=1e-12)
    assert run.claimed["value"] == 3e-13
    assert run.claimed["mismatch"] is True
    assert run.native_gap_flag is True
    assert run.native_gap > 1.0
    assert run.status == "completed"


@pytest.mark.parametrize(
    ("text", "final_status"),
    [("foo(x0)", "unparsable"), ("1/(x0 - x0)", "nonfinite"), ("x5 + 1", "unparsable")],
)
def test_an_output_that_is_no_expression_is_invalid_and_nothing_is_raised(campaign, text, final_status):
    folder = campaign({"stub": f"begin()\nincumbent({text!r})\nfinal({text!r})"})
    supervise(folder)
    run = runs_of(folder)["stub/u0000001/520"]
    assert (run.status, run.final_status) == ("invalid output", final_status)
    assert {(point.q, point.status) for point in reader.checkpoints(run)} == {(0.0, final_status)}


def test_a_method_that_finds_nothing_is_an_invalid_output(campaign):
    folder = campaign({"stub": "begin()"})
    supervise(folder)
    run = runs_of(folder)["stub/u0000001/520"]
    assert run.status == "invalid output"
    assert {(point.q, point.status) for point in reader.checkpoints(run)} == {(0.0, "none")}


def test_the_worker_sees_training_rows_only(campaign):
    body = (
        "import zipfile\n"
        "found = {name: open(name, 'rb').read().hex() for name in os.listdir('.')}\n"
        "npz = zipfile.ZipFile('train.npz')\n"
        "found['arrays'] = {name: npz.read(name).hex() for name in npz.namelist()}\n"
        "found['told'] = json.dumps(dict(os.environ)) + ' '.join(sys.argv) + os.getcwd()\n"
        "os.mkdir('native')\njson.dump(found, open('native/found.json', 'w'))\nbegin()\nfinal('x0')\n"
    )
    one = own_task("u0000001", id_rows=((123.25, 0.5), (7.0, 15.0)), ood_rows=((77.125, 5.0), (8.0, 17.0)))
    two = own_task("u0000002", id_rows=((1.0, 3.0), (2.0, 5.0), (4.0, 9.0)), ood_rows=(), formula="x + x + 1")
    folder = campaign({"stub": body}, tasks=[one, two], conditions=("noise005",))
    supervise(folder)
    seen = [
        json.loads((run.folder / "native" / "found.json").read_text()) for run in runs_of(folder).values()
    ]
    for found in seen:
        assert sorted(found) == ["arrays", "request.json", "told", "train.npz"]
        assert sorted(found["arrays"]) == ["X.npy", "y.npy"]
        held = bytes.fromhex(found["request.json"]) + b"".join(map(bytes.fromhex, found["arrays"].values()))
        for value in (0.123456789, 0.987654321, 123.25, 77.125):
            assert value.hex().encode() not in held
            assert bytes(__import__("struct").pack("<d", value)) not in held
        assert b"2*x" not in held
        assert b"u000000" not in held
        assert str(folder) not in found["told"]
    # Equal training rows and seed: byte-identical inputs, noisy labels included, whatever the test rows are.
    assert seen[0]["train.npz"] == seen[1]["train.npz"]
    assert seen[0]["request.json"] == seen[1]["request.json"]


def test_a_stubborn_method_leaves_nothing_even_while_the_engine_is_dead(campaign):
    folder = campaign({"stub": STUBBORN}, budget=1.5, grace=0.5)
    engine = start_engine(folder)
    run = wait_for(lambda: next((r for r in runs_of(folder).values() if r.status == "running"), None))
    engine.kill()
    engine.wait()
    record = wait_for(
        lambda: (run.folder / "exit.json").exists() and json.loads((run.folder / "exit.json").read_text())
    )
    assert record["status"] == "timeout"
    assert record["cause"] == "budget"
    assert marked(mark_of(run)) == []
    assert runs_of(folder)[run.id].status == "ending"
    supervise(folder)
    run = runs_of(folder)[run.id]
    assert (run.status, run.attempt, run.expression) == ("timeout", 1, "x")


def test_killing_the_engine_loses_and_doubles_nothing(campaign):
    body = (
        "begin()\nfor k in range(1, 9):\n    incumbent(f'x0 + {k}', t=0.25 * k)\n    time.sleep(0.2)\n"
        "final('2*x0 + 1')\n"
    )
    tasks = [own_task(f"u000000{k}") for k in (1, 2)]
    folder = campaign({"one": body, "two": body}, tasks=tasks, seeds=(520, 521), workers=2, budget=60.0)
    engine = start_engine(folder)
    wait_for(lambda: sum(r.status == "completed" for r in runs_of(folder).values()) >= 2)
    wait_for(lambda: any(r.status == "running" and r.incumbents >= 3 for r in runs_of(folder).values()))
    engine.kill()
    engine.wait()
    before = hashes(folder)
    running = [run.id for run in runs_of(folder).values() if run.status in ("running", "starting", "ending")]
    assert before
    assert running
    supervise(folder)
    after = runs_of(folder)
    assert len(after) == 8
    assert {run.status for run in after.values()} == {"completed"}
    # Nothing was started twice: the runs of the dead engine were adopted.
    assert {run.attempts for run in after.values()} == {1}
    assert {name: digest for name, digest in hashes(folder).items() if name in before} == before
    for run in after.values():
        texts = [incumbent.text for incumbent in reader.incumbents(run)]
        assert texts == [f"x0 + {k}" for k in range(1, 9)]
        indexes = [line["index"] for line in reader.lines(run, "evaluations.jsonl").records]
        assert indexes == list(range(8))
        assert run.exit_code == 0
    assert sum(event["event"] == "run-started" for event in events(folder)) == 8
    assert {event["run"] for event in events(folder) if event["event"] == "run-adopted"} >= set(running[:1])


def test_a_dead_keeper_costs_an_attempt_and_nothing_of_it_stays(campaign):
    # The first attempt would go on for ever, the second returns.
    body = (
        "begin()\nincumbent('x0')\nsign = __file__ + '.seen'\n"
        "if not os.path.exists(sign):\n    open(sign, 'w').close()\n    time.sleep(600)\nfinal('2*x0 + 1')"
    )
    folder = campaign({"stub": body}, budget=600.0)
    engine = start_engine(folder)
    run = wait_for(lambda: next((r for r in runs_of(folder).values() if r.status == "running"), None))
    mark = mark_of(run)
    os.kill(json.loads((run.folder / "keeper.json").read_text())["pid"], signal.SIGKILL)
    assert engine.wait(PATIENCE_S) == 0
    after = runs_of(folder)[run.id]
    assert (after.status, after.attempt, after.attempts) == ("completed", 2, 2)
    assert marked(mark) == []
    assert (run.folder / "incumbents.jsonl").exists()
    assert not (run.folder / "result.json").exists()
    assert not [path.name for path in run.folder.iterdir() if path.name.startswith(".")]


def test_ctrl_c_keeps_finished_runs_and_last_checkpoints_and_resuming_completes(campaign):
    tasks = [own_task(f"u000000{k}") for k in (1, 2, 3)]
    slow = (
        "begin()\nincumbent('x0')\nincumbent('x0 + 1')\n"
        "time.sleep(0.2 if request['seed'] == 1 else 600)\nfinal('2*x0 + 1')"
    )
    folder = campaign({"stub": slow}, tasks=tasks, seeds=(1, 2), workers=2, budget=600.0)
    engine = start_engine(folder)
    wait_for(lambda: sum(r.status == "completed" for r in runs_of(folder).values()) == 3)
    wait_for(
        lambda: sum(r.status == "running" and r.expression == "x + 1" for r in runs_of(folder).values()) == 2
    )
    os.kill(engine.pid, signal.SIGINT)
    assert engine.wait(PATIENCE_S) == 1
    runs = runs_of(folder)
    statuses = sorted(run.status for run in runs.values())
    assert statuses == ["cancelled", "cancelled", "completed", "completed", "completed", "planned"]
    cancelled = [run for run in runs.values() if run.status == "cancelled"]
    assert {run.expression for run in cancelled} == {"x + 1"}
    assert {run.final_source for run in cancelled} == {"incumbent"}
    kept = hashes(folder)
    # The resumed campaign makes the unfinished three, each as an attempt of its own.
    script = scripts_of(folder) / "stub.py"
    script.write_text(script.read_text().replace("600)", "0)"))
    supervise(folder)
    runs = runs_of(folder)
    assert {run.status for run in runs.values()} == {"completed"}
    assert sorted(run.attempts for run in runs.values()) == [1, 1, 1, 1, 2, 2]
    assert {name: digest for name, digest in hashes(folder).items() if name in kept} == kept


def test_a_second_ctrl_c_leaves_a_run_that_is_attempted_again(campaign):
    slow = "signal.signal(signal.SIGTERM, lambda *_: open(__file__ + '.told', 'w').close())\nbegin()\n"
    slow += "incumbent('x0')\nuntil = time.monotonic() + 600\n"
    slow += "while time.monotonic() < until: time.sleep(0.1)\nfinal('2*x0 + 1')"
    folder = campaign({"stub": slow}, budget=600.0, grace=300.0)
    engine = start_engine(folder)
    wait_for(lambda: all(r.status == "running" for r in runs_of(folder).values()))
    wait_for(lambda: all(r.expression == "x" for r in runs_of(folder).values()))
    script = scripts_of(folder) / "stub.py"
    os.kill(engine.pid, signal.SIGINT)
    wait_for(script.with_name("stub.py.told").exists)
    os.kill(engine.pid, signal.SIGINT)
    assert engine.wait(PATIENCE_S) == 1
    (run,) = runs_of(folder).values()
    assert run.status == "running"
    # Its keeper waits out the grace; asked once more it does not.
    os.kill(read_record(run.folder / "keeper.json")["pid"], signal.SIGINT)
    supervise(folder)
    assert {run.status for run in runs_of(folder).values()} == {"cancelled"}
    assert all("interrupted with the engine" in run.reason for run in runs_of(folder).values())
    script.write_text(script.read_text().replace("+ 600", "+ 0"))
    supervise(folder)
    assert {run.status for run in runs_of(folder).values()} == {"completed"}


def test_stop_retry_and_drain_go_through_the_spool(campaign):
    folder = campaign(
        {"stub": SPINNING}, tasks=[own_task(f"u000000{k}") for k in (1, 2, 3)], budget=600.0, workers=1
    )
    engine = start_engine(folder)
    first = wait_for(lambda: next((r for r in runs_of(folder).values() if r.status == "running"), None))
    stop = control.ask(folder, "stop", [first.id])
    answer = wait_for(lambda: control.answer(folder, stop))
    assert answer["applied"] == [first.id]
    wait_for(lambda: runs_of(folder)[first.id].status == "cancelled")
    retry = control.ask(folder, "retry", [first.id])
    assert wait_for(lambda: control.answer(folder, retry))["applied"] == [first.id]
    drain = control.ask(folder, "drain", [])
    assert len(wait_for(lambda: control.answer(folder, drain))["applied"]) == 2
    control.ask(folder, "stop", [])
    assert engine.wait(PATIENCE_S) == 0
    statuses = sorted(run.status for run in runs_of(folder).values())
    assert statuses == ["cancelled", "cancelled", "planned"]
    # A run that was stopped on request stays so; the others are made by the next engine.
    assert [json.loads((runs_of(folder)[first.id].folder / "result.json").read_text())["cancelled_by"]] == [
        "request"
    ]


def test_a_folder_owned_by_a_live_engine_is_refused(campaign):
    folder = campaign({"stub": SPINNING}, budget=600.0)
    engine = start_engine(folder)
    wait_for(lambda: lease.owner(folder))
    with pytest.raises(EngineError, match=f"owned by a live engine {engine.pid}"):
        supervise(folder)
    wait_for(lambda: next((r for r in runs_of(folder).values() if r.status == "running"), None))
    engine.terminate()
    assert engine.wait(PATIENCE_S) == 1


def recorded(run):
    """What a run found and how it was scored, times aside."""
    found = [(incumbent.text, incumbent.score) for incumbent in reader.incumbents(run)]
    scored = [(e.expression, e.id_nmse, e.ood_nmse) for _, e in sorted(reader.evaluations(run).items())]
    return (found, scored, run.expression, run.id_nmse, run.ood_nmse)


def test_an_evaluation_limit_makes_two_campaigns_equal(tmp_path, arena_home, monkeypatch):
    body = (
        "import random\nrandom.seed(request['seed'])\nbegin()\n"
        "for k in range(request['evaluation_limit']):\n"
        "    incumbent(f'{random.random()!r}*x0', score=random.random())\n"
        "final('2*x0')\n"
    )
    seen = []
    for name in ("a", "b"):
        folder = make_campaign(tmp_path / name, {"stub": body}, evaluation_limit=20, seeds=(520, 521))
        with monkeypatch.context() as patch:
            use_stubs(folder, patch)
            supervise(folder)
        seen.append([recorded(run) for run in runs_of(folder).values()])
    assert seen[0] == seen[1]
    assert len(seen[0][0][0]) == 20
    assert seen[0][0] != seen[0][1]


def test_the_bound_holds_and_every_run_keeps_its_budget(campaign):
    tasks = [own_task(f"u000000{k}") for k in (1, 2)]
    limits = {"budget": 0.6, "interval": 0.3, "grace": 0.5, "workers": 2}
    folder = campaign({"a": SPINNING, "b": SPINNING}, tasks=tasks, seeds=(1, 2), **limits)
    from engine.running.summary import bound_left, left

    bound = bound_left(reader.read_campaign(folder))
    assert bound == pytest.approx(8 / 2 * 1.1)
    supervise(folder)
    runs = runs_of(folder)
    assert len(runs) == 8
    assert all(run.status == "timeout" and run.elapsed >= 0.6 for run in runs.values())
    ended = reader.read_campaign(folder)
    assert (left(ended), bound_left(ended)) == (0, 0)
    control.ask(folder, control.RETRY, ["a/u0000001/1", "b/u0000002/2", "b/u0000002/1"])
    assert left(ended) == 3
    assert bound_left(ended) == pytest.approx(2 * 1.1)


def test_threads_are_limited_by_every_known_variable(campaign):
    body = (
        "begin()\nos.mkdir('native')\njson.dump(dict(os.environ), open('native/env.json', 'w'))\nfinal('x0')"
    )
    folder = campaign({"stub": body})
    os.environ["SECRET_API_KEY"] = "do-not-tell"
    try:
        supervise(folder)
    finally:
        del os.environ["SECRET_API_KEY"]
    seen = json.loads((runs_of(folder)["stub/u0000001/520"].folder / "native" / "env.json").read_text())
    for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "JULIA", "NUMBA"):
        assert seen[f"{name}_NUM_THREADS"] == "1"
    assert "SECRET_API_KEY" not in seen


def test_a_hanging_evaluation_is_ended_and_costs_its_own_point_only(campaign, monkeypatch):
    from engine.running import evaluation_pool

    monkeypatch.setattr(evaluation_pool, "TIME_LIMIT_S", 0.0001)
    folder = campaign({"stub": "begin()\nincumbent('x0')\nfinal('x0 + 1')"})
    supervise(folder)
    run = runs_of(folder)["stub/u0000001/520"]
    assert run.final_status == "timeout"
    assert run.status == "invalid output"


def test_a_full_disk_stops_the_engine_and_the_next_one_completes(tmp_path, arena_home, monkeypatch):
    mount = tmp_path / "small"
    mount.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(mount)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no right to mount a small file system here, so a full disk was not tried")
    try:
        body = (
            "begin()\nincumbent('x0')\nsign = '/dev/shm/' + os.path.basename(os.getcwd())\n"
            "while not os.path.exists(sign): time.sleep(0.05)\nfinal('2*x0 + 1')"
        )
        folder = make_campaign(mount / "campaign", {"stub": body}, budget=20.0)
        use_stubs(folder, monkeypatch)
        with (tmp_path / "said").open("wb") as said:
            engine = start_engine(folder, stderr=said)
        run = wait_for(lambda: next((r for r in runs_of(folder).values() if r.expression == "x"), None))
        filler = os.open(mount / "filler", os.O_WRONLY | os.O_CREAT)
        with contextlib.suppress(OSError):
            while os.write(filler, b"x" * 512):
                pass
        os.close(filler)
        scratch = Path(json.loads((run.folder / "keeper.json").read_text())["scratch"])
        (Path("/dev/shm") / scratch.name).touch()
        assert engine.wait(PATIENCE_S) == 2
        assert (tmp_path / "said").read_text().count("\n") == 1
        # The keeper's last word had its room kept.
        ended = wait_for(
            lambda: (run.folder / "exit.json").exists() and read_record(run.folder / "exit.json")
        )
        assert (ended["status"], ended["disk_full"]) in {("completed", False), ("crashed", True)}
        (Path("/dev/shm") / scratch.name).unlink()
        (mount / "filler").unlink()
        script = scripts_of(folder) / "stub.py"
        script.write_text(script.read_text().replace("while not", "while False and not"))
        supervise(folder)
        # What the full disk ended is attempted again and is not the method's failure.
        after = runs_of(folder)[run.id]
        assert after.status == "completed"
        assert after.attempts == (2 if ended["disk_full"] else 1)
        assert json.loads((run.folder / "incumbents.jsonl").read_text().splitlines()[1])["text"] == "x0"
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=True)


def test_a_campaign_may_tell_methods_what_the_variables_mean(campaign):
    body = (
        "begin()\nassert request['features'] == ['x0'] and request['target'] == 'y'\n"
        "assert request['description']['features'][0]['description'] == 'called x'\nfinal('2*x0 + 1')"
    )
    folder = campaign({"stub": body})
    spec = folder / "campaign.toml"
    spec.write_text("semantics = true\n" + spec.read_text())
    supervise(folder)
    run = runs_of(folder)["stub/u0000001/520"]
    assert (run.status, run.expression, run.positional) == ("completed", "2*x + 1", "2*x0 + 1")
    assert run.id_nmse == 0.0


def test_scratch_folders_and_the_lease_are_gone_afterwards(campaign):
    folder = campaign({"stub": QUICK})
    supervise(folder)
    keeper = json.loads((runs_of(folder)["stub/u0000001/520"].folder / "keeper.json").read_text())
    assert not Path(keeper["scratch"]).exists()
    assert lease.owner(folder) is None
