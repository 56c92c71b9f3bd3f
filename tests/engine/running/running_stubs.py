"""Small test methods under our control: scripts that speak the worker protocol, and a keeper to run them."""

import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import engine
from engine.running.job import Job

# How long to wait for what must come. A busy machine may take its time; only a failure waits to the end.
PATIENCE_S = 120.0
ROOT = Path(engine.__file__).parents[1]

PROLOGUE = """
import json, os, signal, sys, time
record = int(os.environ["ARENA_RECORD_FD"])
request = json.load(open("request.json"))
began = time.monotonic()
def say(event, **values):
    values.setdefault("t", round(time.monotonic() - began, 6))
    os.write(record, (json.dumps({"event": event, **values}) + "\\n").encode())
def described(text, values):
    return {"text": text, "native": text, "score": 1.0, "score_name": "mse", "evaluations": 1, **values}
def incumbent(text, **values):
    say("incumbent", **described(text, values))
def final(text, **values):
    say("final", **described(text, {"train_predictions": None, **values}))
    say("fit-ended")
def begin():
    global began
    began = time.monotonic()
    say("fit-began", t=0.0)
"""

KEEPER = (
    "import sys; sys.path.insert(0, {root!r}); {preparation}"
    "from engine.running.keeper import main; from engine.running.watch import Clock; "
    "sys.exit(main(['-'], Clock({factor})))"
)


def stub_script(folder: Path, body: str, name: str = "stub.py") -> Path:
    """Write a stub worker: the protocol's helpers, then `body`."""
    path = folder / name
    path.write_text(PROLOGUE + textwrap.dedent(body), encoding="utf-8")
    return path


def job_for(folder: Path, script: Path, **changes) -> Job:
    """A job for `script` in fresh attempt and scratch folders below `folder`."""
    attempt, scratch = folder / "attempt-1", folder / "scratch"
    attempt.mkdir()
    scratch.mkdir(mode=0o700)
    (scratch / "request.json").write_text(json.dumps({"seed": 1}), encoding="utf-8")
    values = {
        "attempt": str(attempt),
        "scratch": str(scratch),
        "argv": [sys.executable, "-I", "-S", str(script)],
        "env": {"PATH": os.environ["PATH"]},
        "mark": os.urandom(16).hex(),
        "startup_s": 20.0,
        "budget_s": 1.0,
        "grace_s": 0.5,
        "sample_s": 0.5,
    }
    return Job(**{**values, **changes})


def start_keeper(job: Job, factor: float = 1.0, preparation: str = "") -> subprocess.Popen:
    """Start a keeper as the engine does, on a clock `factor` times as fast."""
    code = KEEPER.format(root=str(ROOT), factor=factor, preparation=preparation)
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code], stdin=subprocess.PIPE, start_new_session=True
    )
    process.stdin.write(job.dump())
    process.stdin.close()
    return process


def keep(folder: Path, body: str, *, factor: float = 1.0, **changes) -> tuple[dict, Job]:
    """Run a stub under a keeper to its end; its exit record and its job."""
    job = job_for(folder, stub_script(folder, body), **changes)
    process = start_keeper(job, factor)
    assert process.wait(PATIENCE_S) == 0
    return json.loads((Path(job.attempt) / "exit.json").read_text()), job


def wait_for(condition):
    """Wait until `condition()` is true and return its value."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("waited in vain")
