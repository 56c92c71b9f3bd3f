"""Plugins that are installed for the length of a test, and a worker started by hand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.methods import registry
from engine.methods.environments import launch
from engine.methods.settings import merge

PLUGINS = Path(__file__).parent / "plugins"


@pytest.fixture
def plugins(monkeypatch, arena_home):
    """The two example adapters, found through their entry points."""
    monkeypatch.syspath_prepend(str(PLUGINS))
    registry.forget()
    yield PLUGINS
    registry.forget()


class Ran:
    """What a worker left."""

    def __init__(self, code, lines, log, scratch):
        self.code, self.lines, self.log, self.scratch = code, lines, log, scratch

    def events(self, name):
        return [line for line in self.lines if line["event"] == name]


@pytest.fixture
def run_worker(tmp_path):
    """Run a method's worker in a scratch folder, the way a keeper would, and wait for its end."""

    def run(name, X, y, *, settings=None, budget_s=10.0, limit=None, path=None, source=None, endpoint=None):
        method = registry.get(name)
        scratch = tmp_path / f"scratch-{len(list(tmp_path.iterdir()))}"
        scratch.mkdir()
        np.savez(scratch / "train.npz", X=X, y=y)
        request = {
            "schema": 1,
            "method": name,
            "wrapper": method.wrapper,
            "settings": merge(method, settings or {}),
            "seed": 520,
            "threads": 1,
            "budget_s": budget_s,
            "evaluation_limit": limit,
            "features": [f"x{index}" for index in range(X.shape[1])],
            "target": "y",
            "description": None,
            "endpoint": endpoint,
        }
        (scratch / "request.json").write_text(json.dumps(request))
        record = scratch.with_suffix(".jsonl")
        descriptor = os.open(record, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        if path is None:
            started = launch(method)
            argv, env = started.argv, started.env
        else:
            # A stand-in package takes the place of an environment: our interpreter, its folder on the path.
            from engine.methods import bundle

            argv = (sys.executable, "-P", "-s", str(bundle.build(method) / "start.py"))
            env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(path)}
        env = {**env, "ARENA_RECORD_FD": str(descriptor), "OPENBLAS_NUM_THREADS": "1"}
        if source is not None:
            env["ARENA_SOURCE"] = str(source)
        ended = subprocess.run(
            argv,
            cwd=scratch,
            env=env,
            pass_fds=[descriptor],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        os.close(descriptor)
        lines = [json.loads(line) for line in record.read_text().splitlines()]
        return Ran(ended.returncode, lines, ended.stdout + ended.stderr, scratch)

    return run


@pytest.fixture
def table():
    """Forty rows of x0*x1 + x0."""
    X = np.random.default_rng(7).uniform(-2, 2, (40, 2))
    return X, X[:, 0] * X[:, 1] + X[:, 0]
