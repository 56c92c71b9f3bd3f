"""The Slurm executor with stand-ins for sbatch, squeue and scancel; no real cluster was at hand."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.running import control, executors, reader
from engine.running.executors import slurm
from tests.engine.running.running_campaigns import (
    QUICK,
    SPINNING,
    make_campaign,
    runs_of,
    scripts_of,
    supervise_with,
    use_stubs,
)
from tests.engine.running.running_stubs import wait_for

# A queue in a folder: a submitted script runs at once in a process of its own, like a job on a node.
SBATCH = """
import os, subprocess, sys
queue = os.environ["FAKE_SLURM"]
if os.path.exists(queue + "/refuse"):
    sys.stderr.write("sbatch: error: invalid partition specified: gpu\\n"); sys.exit(1)
name = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--job-name="))
number = str(len(os.listdir(queue)) + 1)
script = f"{queue}/{number}.sh"
open(script, "w").write(sys.stdin.read())
os.chmod(script, 0o700)
process = None
if not os.path.exists(queue + "/hold"):
    process = subprocess.Popen(["/bin/sh", script], start_new_session=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
open(f"{queue}/{number}.job", "w").write(f"{name} {process.pid if process else 0} {' '.join(sys.argv[1:])}")
print(number + ";cluster")
"""
SQUEUE = """
import os
queue = os.environ["FAKE_SLURM"]
for file in os.listdir(queue):
    if file.endswith(".job"):
        name, pid = open(f"{queue}/{file}").read().split()[:2]
        if pid == "0":
            print(name)
            continue
        try:
            fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            print(name)
"""
SCANCEL = """
import os, signal, sys
queue = os.environ["FAKE_SLURM"]
number = sys.argv[-1]
name, pid = open(f"{queue}/{number}.job").read().split()[:2]
if pid == "0":
    os.unlink(f"{queue}/{number}.job")
elif "--signal=TERM" in sys.argv:
    os.kill(int(pid), signal.SIGTERM)
"""


@pytest.fixture
def cluster(tmp_path, monkeypatch, arena_home):
    """A folder that plays the queue, and the three commands on the path."""
    queue, binaries = tmp_path / "queue", tmp_path / "bin"
    queue.mkdir()
    binaries.mkdir()
    for name, body in (("sbatch", SBATCH), ("squeue", SQUEUE), ("scancel", SCANCEL)):
        file = binaries / name
        file.write_text(f"#!{sys.executable}\n{body}")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{binaries}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_SLURM", str(queue))
    monkeypatch.setattr(slurm, "QUEUE_LOOK_S", 0.2)
    monkeypatch.setattr(slurm, "SETTLING_S", 1.0)
    return queue


@pytest.fixture
def campaign(tmp_path, monkeypatch, cluster):
    """Make a stub campaign for the cluster."""

    def make(stubs, **options):
        folder = make_campaign(tmp_path / "campaign", stubs, **options)
        text = (folder / "campaign.toml").read_text()
        table = '[executor]\nkind = "slurm"\n[executor.settings]\nsbatch = ["--partition=cpu"]\n[methods.'
        (folder / "campaign.toml").write_text(text.replace("[methods.", table, 1))
        use_stubs(folder, monkeypatch)
        return folder

    return make


def executor_of(folder: Path):
    return executors.make(reader.read_campaign(folder).spec)


def test_runs_become_jobs_with_the_same_records(campaign, cluster):
    folder = campaign({"stub": QUICK}, seeds=(1, 2))
    supervise_with(folder, executor_of(folder))
    runs = runs_of(folder)
    assert {run.status for run in runs.values()} == {"completed"}
    assert {run.expression for run in runs.values()} == {"2*x + 1"}
    asked = [file.read_text().split()[2:] for file in cluster.glob("*.job")]
    assert len(asked) == 2
    assert all({"--cpus-per-task=1", "--partition=cpu", "--no-requeue"} <= set(words) for words in asked)
    submission = json.loads((runs["stub/u0000001/1"].folder / "submission.json").read_text())
    assert submission["job"] in {"1", "2", "3"}
    assert not Path(submission["job_file"]).exists()


def test_a_job_that_runs_is_stopped_by_a_signal_and_one_that_waits_is_withdrawn(campaign, cluster):
    folder = campaign({"stub": SPINNING}, seeds=(1,), budget=600.0)
    control.ask(folder, "drain", [])
    (cluster / "hold").touch()
    executor = executor_of(folder)
    from engine.running.supervisor import Supervisor

    class StopsWaiting(Supervisor):
        def _watch(self, key, number, folder):
            run = super()._watch(key, number, folder)
            control.ask(self.folder, "stop", [key.id])
            return run

        def _drain(self, runs):
            return []

    import asyncio

    asyncio.run(StopsWaiting(folder, executor).run())
    run = runs_of(folder)["stub/u0000001/1"]
    assert (run.status, run.reason) == ("cancelled", "stopped on request")
    assert not list(cluster.glob("*.job"))


def test_a_refused_submission_is_one_sentence(campaign, cluster):
    folder = campaign({"stub": QUICK})
    (cluster / "refuse").touch()
    with pytest.raises(EngineError, match="sbatch refused: sbatch: error: invalid partition"):
        supervise_with(folder, executor_of(folder))


def test_a_job_is_adopted_by_the_next_engine(campaign, cluster):
    body = (
        "begin()\nincumbent('x0')\n"
        "while not os.path.exists(__file__ + '.go'): time.sleep(0.05)\nfinal('2*x0 + 1')"
    )
    folder = campaign({"stub": body}, budget=600.0)
    from tests.engine.running.running_campaigns import start_engine

    engine = start_engine(folder)
    run = wait_for(lambda: next((r for r in runs_of(folder).values() if r.status == "running"), None))
    engine.kill()
    engine.wait()
    (scripts_of(folder) / "stub.py.go").touch()
    supervise_with(folder, executor_of(folder))
    run = runs_of(folder)[run.id]
    assert (run.status, run.attempts, run.expression) == ("completed", 1, "2*x + 1")


def test_without_slurm_the_reason_is_named(tmp_path, monkeypatch, arena_home):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="sbatch is not on this machine"):
        slurm.SlurmExecutor({}, {})
