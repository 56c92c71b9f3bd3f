"""A keeper's promises: limits hold whatever the method does, nothing stays behind, the reason is recorded."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from engine.running.process_tree import marked
from tests.engine.running.running_stubs import PATIENCE_S, job_for, keep, start_keeper, stub_script, wait_for

DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True: pass
    os._exit(0)
os.wait()
"""
STUBBORN = (
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    + DAEMON
    + "begin()\nincumbent('x0')\nsum(range(10**13))\n"
)


def test_a_stubborn_method_with_a_daemon_is_closed_after_budget_and_grace(tmp_path):
    exit_record, job = keep(tmp_path, STUBBORN, budget_s=1.0, grace_s=0.5)
    assert exit_record["status"] == "timeout"
    assert exit_record["ended_by"] == "SIGKILL"
    assert exit_record["strays"] == 1
    assert marked(job.mark) == []
    assert "budget of 1 s" in exit_record["reason"]


def test_a_method_that_obeys_is_ended_by_term_and_a_day_passes_in_a_second(tmp_path):
    exit_record, _ = keep(
        tmp_path, "begin()\ntime.sleep(100)", factor=86400, budget_s=86400.0, grace_s=36000.0, startup_s=1e7,
        sample_s=3600.0,
    )  # fmt: skip
    assert (exit_record["status"], exit_record["ended_by"]) == ("timeout", "SIGTERM")
    assert exit_record["wall_s"] > 86400


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ("begin(); incumbent('x0'); final('x0')", "completed", None),
        ("begin(); sys.exit(3)", "crashed", "failed (exit 3)"),
        ("sys.exit(4)", "start failed", "failed (exit 4) before a fit began"),
        ("begin(); os.kill(os.getpid(), 9)", "crashed", "killed (signal 9, not by us)"),
        ("os.abort()", "start failed", "killed (signal 6, not by us) before a fit began"),
        ("sys.exit(0)", "start failed", "failed (exit 0) before a fit began"),
    ],
)
def test_an_exit_is_told_from_a_signal_and_a_failed_start(tmp_path, body, status, reason):
    exit_record, _ = keep(tmp_path, body, budget_s=10.0)
    assert (exit_record["status"], exit_record["reason"]) == (status, reason)
    assert exit_record["ended_by"] is None


def test_a_start_that_takes_too_long_fails_by_its_own_limit(tmp_path):
    exit_record, _ = keep(tmp_path, "time.sleep(60)", startup_s=0.3)
    assert exit_record["status"] == "start failed"
    assert "no fit began within 0.3 s" in exit_record["reason"]
    assert exit_record["fit_began"] is None


def test_memory_is_told_from_a_crash(tmp_path):
    body = """
    begin()
    incumbent("x0*2")
    heap = []
    while True:
        heap.append(bytearray(2**22))
        time.sleep(0.005)
    """
    exit_record, _ = keep(tmp_path, body, memory_bytes=100 * 2**20, budget_s=20.0)
    assert exit_record["status"] == "memory"
    assert exit_record["reason"].startswith("limit 100 MiB, peak ")
    assert exit_record["peak_rss"] > 100 * 2**20


def test_a_method_that_returned_just_before_the_limit_is_completed(tmp_path):
    # Its interpreter takes longer to close down than the budget has left.
    body = "begin(); incumbent('x0'); final('x0', t=0.8); time.sleep(1.5)"
    exit_record, _ = keep(tmp_path, body, budget_s=1.0, grace_s=60.0)
    assert (exit_record["status"], exit_record["reason"], exit_record["ended_by"]) == (
        "completed",
        None,
        None,
    )


@pytest.mark.parametrize("budget", [0.6, 2.0])
def test_finishing_at_half_of_a_short_budget_is_no_timeout(tmp_path, budget):
    # The worker's own clock counts, not when the keeper of a busy machine comes to look.
    half = budget / 2
    body = f"begin(); final('x0', t={half}); time.sleep({half})"
    exit_record, _ = keep(tmp_path, body, budget_s=budget, grace_s=60.0)
    assert exit_record["status"] == "completed"
    assert exit_record["elapsed_s"] >= 0.9 * half


@pytest.mark.parametrize("budget", [30.0, 90.0])
def test_no_margin_counts_at_longer_budgets_either(tmp_path, budget):
    # The keeper lives thirty times as fast as the stub, which returns at half of the budget.
    begun = f"begin(); final('x0', t={budget} / 2); time.sleep({budget} / 2 / 30)"
    exit_record, _ = keep(tmp_path, begun, budget_s=budget, factor=30, grace_s=1800.0, startup_s=3600.0)
    assert exit_record["status"] == "completed"


def test_a_kill_by_a_kernel_without_memory_is_memory(monkeypatch):
    from types import SimpleNamespace

    from engine.running import keeper_ending

    monkeypatch.setattr(keeper_ending, "oom_kills", lambda: 3)
    watch = SimpleNamespace(worker_status=signal.SIGKILL, began=1.0, peak=2**30, oom_kills=2, job=None)
    status, reason = keeper_ending.verdict(watch, "exited", keeper_ending.Ending())
    assert (status, "out of memory; peak 1024 MiB" in reason) == ("memory", True)
    watch.oom_kills = 3
    status, reason = keeper_ending.verdict(watch, "exited", keeper_ending.Ending())
    assert (status, reason) == ("crashed", "killed (signal 9, not by us)")


def test_a_keeper_shows_that_it_lives_while_its_worker_starts(tmp_path):
    # A minute of its clock passes in half a second of the machine's.
    job = job_for(tmp_path, stub_script(tmp_path, "time.sleep(600)"), startup_s=600.0, grace_s=1.0)
    process = start_keeper(job, factor=120)
    assert wait_for((Path(job.attempt) / "keeper.json").exists)
    os.utime(job.attempt, (1e9, 1e9))
    wait_for(lambda: Path(job.attempt).stat().st_mtime > 1e9 + 1)
    assert process.wait(PATIENCE_S) == 0


def test_a_stop_request_cancels_and_leaves_nothing(tmp_path):
    job = job_for(tmp_path, stub_script(tmp_path, DAEMON + "begin(); time.sleep(60)"), budget_s=60.0)
    process = start_keeper(job)
    wait_for(
        lambda: (
            b"fit-began" in (Path(job.attempt) / "incumbents.jsonl").read_bytes()
            if (Path(job.attempt) / "incumbents.jsonl").exists()
            else False
        )
    )
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    exit_record = json.loads((Path(job.attempt) / "exit.json").read_text())
    assert exit_record["status"] == "cancelled"
    assert exit_record["strays"] == 1
    assert marked(job.mark) == []


def test_the_worker_dies_with_its_keeper(tmp_path):
    job = job_for(tmp_path, stub_script(tmp_path, "begin(); time.sleep(60)"), budget_s=60.0)
    process = start_keeper(job)
    pids = wait_for(lambda: marked(job.mark))
    assert len(pids) == 1
    process.kill()
    process.wait()
    wait_for(lambda: not marked(job.mark))


def test_of_two_keepers_of_one_attempt_one_starts_a_worker(tmp_path):
    job = job_for(tmp_path, stub_script(tmp_path, "begin(); time.sleep(0.5); final('x0')"), budget_s=5.0)
    processes = [start_keeper(job) for _ in range(4)]
    assert sorted(process.wait(PATIENCE_S) for process in processes) == [0, 17, 17, 17]
    assert (Path(job.attempt) / "incumbents.jsonl").read_bytes().count(b"fit-began") == 1


def test_native_files_are_kept_and_the_scratch_folder_is_not(tmp_path):
    body = "os.mkdir('native'); open('native/front.csv', 'w').write('a'); begin(); final('x0')"
    _, job = keep(tmp_path, body, budget_s=5.0)
    assert (Path(job.attempt) / "native" / "front.csv").read_text() == "a"
    assert not Path(job.scratch).exists()


def test_the_worker_is_told_no_record_path_and_has_no_other_descriptor(tmp_path):
    body = """
    begin()
    told = " ".join([*sys.argv[1:], *os.environ.values(), os.getcwd(), open("request.json").read()])
    open_ones = [int(n) for n in os.listdir("/proc/self/fd")]
    incumbent(json.dumps([told, sorted(n for n in open_ones if os.path.exists(f"/proc/self/fd/{n}"))]))
    final("x0")
    """
    _, job = keep(tmp_path, body, budget_s=5.0)
    lines = (Path(job.attempt) / "incumbents.jsonl").read_text().splitlines()
    told, descriptors = json.loads(json.loads(lines[1])["text"])
    assert str(job.attempt) not in told
    assert descriptors == [0, 1, 2, 3]


def test_a_run_is_bound_to_the_cores_it_was_given(tmp_path):
    core = min(os.sched_getaffinity(0))
    _, job = keep(tmp_path, "begin(); incumbent(str(os.sched_getaffinity(0)))", budget_s=5.0, affinity=[core])
    line = (Path(job.attempt) / "incumbents.jsonl").read_text().splitlines()[1]
    assert json.loads(line)["text"] == str({core})


def test_a_keeper_that_fails_leaves_nothing_running(tmp_path):
    job = job_for(tmp_path, stub_script(tmp_path, DAEMON + "begin()\ntime.sleep(60)"), budget_s=30.0)
    process = start_keeper(
        job, preparation="import engine.running.keeper as k; k._over_memory = k.sample = None; "
    )
    assert process.wait(PATIENCE_S) == 0
    exit_record = json.loads((Path(job.attempt) / "exit.json").read_text())
    assert exit_record["status"] == "crashed"
    assert exit_record["reason"].startswith("its keeper failed, see worker.log")
    assert marked(job.mark) == []


def test_a_talkative_method_fills_no_disk(tmp_path):
    body = """
    begin()
    while True:
        print("x" * 1000, flush=True)
        time.sleep(0.001)
    """
    _, job = keep(tmp_path, body, budget_s=2.0, sample_s=0.2, log_bytes=50_000)
    log = (Path(job.attempt) / "worker.log").read_bytes()
    assert b"bytes of earlier output were removed here" in log.splitlines()[0]


def test_telemetry_counts_the_whole_tree(tmp_path):
    body = """
    import subprocess
    child = subprocess.Popen([sys.executable, "-c", "sum(range(10**13))"])
    begin()
    time.sleep(20)
    """
    _, job = keep(tmp_path, body, budget_s=2.0, sample_s=0.3)
    samples = [json.loads(line) for line in (Path(job.attempt) / "telemetry.jsonl").read_text().splitlines()]
    assert max(sample["processes"] for sample in samples) == 2
    assert samples[-1]["cpu_s"] > samples[0]["cpu_s"]
    times = [sample["t"] for sample in samples]
    assert times == sorted(times)
    assert time.time() - samples[-1]["at"] < 60
