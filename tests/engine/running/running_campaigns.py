"""Campaigns of stub methods: the real engine, keepers and evaluators around scripts of our own."""

import asyncio
import dataclasses
import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from engine.errors import EngineError
from engine.methods import environments, registry
from engine.methods.environments import Launch, State
from engine.running import attempts, drafts, executors, reader, roster, spec_file, supervisor, user_data
from engine.running.executors.local import LocalExecutor
from engine.running.spec import Block, CampaignSpec, Limits, MethodEntry, check
from engine.running.supervisor import Supervisor
from tasks.schema import Provenance, Sizes, Splits, Table, Task, Variable
from tests.engine.running.running_stubs import PROLOGUE

HERE = Path(__file__).resolve()
# Deterministic searches: incumbents at once, then the return.
QUICK = "begin()\nincumbent('x0')\nincumbent('x0 + 1', t=0.01)\nfinal('2*x0 + 1')\n"
_STARTED: list[tuple[subprocess.Popen, Path]] = []
SPINNING = "begin()\nincumbent('x0')\nincumbent('x0 + 1')\ntime.sleep(600)\n"


def own_task(
    identifier="u0000001",
    *,
    id_rows=((1.0, 3.0), (2.0, 5.0), (3.0, 7.0)),
    ood_rows=((10.0, 21.0), (20.0, 41.0)),
    formula="2*x + 1",
):
    """A user's task y = 2 x + 1 with twenty training rows and the given test rows."""
    x = np.linspace(-3.0, 3.0, 20)
    train = Table(("x",), x[:, None], 2 * x + 1)

    def table(rows):
        if not rows:
            return None
        values = np.array(rows, dtype=float)
        return Table(("x",), values[:, :1].copy(), values[:, 1].copy())

    task = Task(
        id=identifier, name=f"line-{identifier}", family="user", subgroup="user", features=(Variable("x"),),
        target=Variable("target"), formula=formula, source_formula=formula,
        provenance=Provenance("test", "test", "published", "published", "observed", "imported"),
        constants=(), sizes=Sizes(20, 5, len(id_rows), len(ood_rows)), ood_type="given", duplicate_group=None,
        recipe={"rule": "table", "rows": 20},
    )  # fmt: skip
    valid = Table(("x",), np.full((5, 1), 0.123456789), np.full(5, 0.987654321))
    return task, Splits(train, valid, table(id_rows), table(ood_rows))


def scripts_of(campaign: Path) -> Path:
    """Where the scripts of a campaign's stubs lie; the path says nothing of the campaign's."""
    return campaign.with_name(f"stubs-of-{campaign.name}")


def make_campaign(
    folder: Path, stubs: dict[str, str], *, tasks=None, seeds=(520,), budget=5.0, interval=1.0, grace=1.0,
    workers=4, conditions=("clean",), memory_mib=None, evaluation_limit=None,
) -> Path:  # fmt: skip
    """A campaign folder of stub methods on users' tasks; see `scripts_of` for the stubs."""
    pairs = tasks or [own_task()]
    scripts = scripts_of(folder)
    scripts.mkdir()
    for name, body in stubs.items():
        (scripts / f"{name}.py").write_text(PROLOGUE + body, encoding="utf-8")
    folder.mkdir()
    for task, splits in pairs:
        user_data.save(folder, task, splits)
    ids, names = tuple(task.id for task, _ in pairs), tuple(task.name for task, _ in pairs)
    spec = CampaignSpec(
        id="test", created="2026-01-01T00:00:00Z",
        methods=tuple(
            MethodEntry(name, name, seeds=tuple(seeds), evaluation_limit=evaluation_limit) for name in stubs
        ),
        blocks=(Block(tuple(stubs), ids, names, None, tuple(conditions)),),
        limits=Limits(
            budget, interval, grace, 20.0, None if memory_mib is None else memory_mib * 2**20, workers
        ),
        oversubscribe=True,
    )  # fmt: skip
    spec_file.write(folder, check(spec))
    return folder


def use_stubs(campaign: Path, patch=None) -> None:
    """Let every method of a campaign mean the script of its name."""
    scripts = scripts_of(campaign)
    template = registry.get("command")

    def get(name):
        return dataclasses.replace(
            template, name=name, title=name, kind="builtin", dialect="infix", schema=(), evaluation_limit=True
        )

    def launch(method):
        script = str(scripts / f"{method.name}.py")
        return Launch((sys.executable, "-I", "-S", script), {"PATH": os.environ["PATH"]})

    def state(method):
        return State(method.name, "built in")

    setter = patch.setattr if patch is not None else setattr
    setter(registry, "get", get)
    setter(environments, "launch", launch)
    setter(environments, "state", state)
    setter(roster, "merge", lambda method, overrides: dict(overrides))
    setter(drafts, "registry", registry)
    setter(supervisor, "TICK_S", 0.05)


def supervise(campaign: Path, **options):
    """Be the engine of a stub campaign, in this process; `use_stubs` must have been called."""
    return supervise_with(campaign, LocalExecutor(), **options)


def supervise_with(campaign: Path, executor, **options):
    """Be the engine of a stub campaign with an executor of the test's own."""
    return asyncio.run(Supervisor(campaign, executor, **options).run())


def start_engine(campaign: Path, **streams) -> subprocess.Popen:
    """Start the engine of a stub campaign as a process of its own."""
    root = HERE.parents[3]
    engine = subprocess.Popen(
        [sys.executable, "-m", "tests.engine.running.running_campaigns", str(campaign)],
        cwd=root, start_new_session=True, **{"stdout": subprocess.DEVNULL, **streams},
    )  # fmt: skip
    _STARTED.append((engine, campaign))
    return engine


def end_engines() -> None:
    """End the engines that a failed test left, and the keepers of their runs with all that is below them."""
    while _STARTED:
        engine, campaign = _STARTED.pop()
        if engine.poll() is None:
            engine.kill()
            engine.wait()
        for folder in campaign.glob("runs/*/*/*/attempt-*"):
            if attempts.stop_keeper(folder):
                # Asked once more, a keeper does not wait for the grace to pass.
                os.kill(attempts.keeper_of(folder)["pid"], signal.SIGINT)


def runs_of(campaign: Path) -> dict[str, reader.Run]:
    """The runs of a campaign by id."""
    return {run.id: run for run in reader.read_campaign(campaign).runs}


def hashes(campaign: Path, pattern="runs/**/result.json") -> dict[str, str]:
    """Digest of every file that matches."""
    return {
        str(path.relative_to(campaign)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(campaign.glob(pattern))
    }


def events(campaign: Path) -> list[dict]:
    """All events of all engines, in order of time."""
    found = [
        json.loads(line)
        for path in campaign.glob("events-*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return sorted(found, key=lambda event: event["at"])


if __name__ == "__main__":
    use_stubs(Path(sys.argv[1]))
    try:
        outcome = supervise_with(Path(sys.argv[1]), executors.make(spec_file.read(Path(sys.argv[1]))))
    except EngineError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    sys.exit(1 if outcome.interrupted else 0)
