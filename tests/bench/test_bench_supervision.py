"""What supervision costs: 200 workers, a fresh incumbent each every five seconds, evaluation included.

A benchmark, not a gate: it prints its figures (``pytest -m slow -s tests/bench/test_bench_supervision.py``).
"""

import asyncio
import json
import os
import threading
import time
from pathlib import Path

import psutil
import pytest

from engine.running import supervisor as supervisor_module
from engine.running.executors.local import LocalExecutor
from engine.running.presets import FORMAL_BUDGET_S
from engine.running.supervisor import Supervisor
from tests.engine.running.running_campaigns import make_campaign, own_task, runs_of, use_stubs

WORKERS = 200
# The size of the ID and OOD splits of a third of the catalogue.
TEST_ROWS = 1000
PERIOD_S = 5.0
SECONDS = float(os.environ.get("BENCH_SECONDS", "60"))
SETTLED_S = 25.0

BODY = f"""
import random
random.seed(request["seed"])
begin()
time.sleep(random.random() * {PERIOD_S})
k = 0
while True:
    k += 1
    terms = " + ".join(f"{{random.random():.12f}}*sin({{random.random():.12f}}*x0)" for _ in range(4))
    incumbent(f"{{terms}} + {{k}}", at=time.time())
    time.sleep({PERIOD_S})
"""


def cpu_seconds(processes):
    """CPU seconds of living processes, without their children."""
    total = {}
    for process in processes:
        try:
            times = process.cpu_times()
            total[process.pid] = times.user + times.system
        except psutil.Error:
            continue
    return total


@pytest.mark.slow
def test_supervising_two_hundred_workers(tmp_path, arena_home, monkeypatch):
    rows = tuple((k / 100, k / 50 + 1) for k in range(TEST_ROWS))
    folder = make_campaign(
        tmp_path / "campaign",
        {"stub": BODY},
        tasks=[own_task(id_rows=rows, ood_rows=rows)],
        seeds=range(WORKERS),
        budget=FORMAL_BUDGET_S,
        interval=60.0,
        workers=WORKERS,
        grace=2.0,
    )
    tick = supervisor_module.TICK_S
    use_stubs(folder, monkeypatch)
    monkeypatch.setattr(supervisor_module, "TICK_S", tick)
    supervisor = Supervisor(folder, LocalExecutor())
    figures = {}
    engine = psutil.Process()

    def measure():
        time.sleep(SETTLED_S)
        children = engine.children()
        keepers = [p for p in children if "keeper" in " ".join(p.cmdline())]
        evaluators = [p for p in children if "evaluating" in " ".join(p.cmdline())]
        figures["keepers"] = len(keepers)
        parts = {"engine": [engine], "keepers": keepers, "evaluators": evaluators}
        before = {name: cpu_seconds(group) for name, group in parts.items()}
        start = time.monotonic()
        time.sleep(SECONDS)
        wall = time.monotonic() - start
        for name, group in parts.items():
            after = cpu_seconds(group)
            used = sum(after[pid] - before[name].get(pid, 0.0) for pid in after)
            figures[f"{name}_share"] = used / wall
        figures["engine_rss_mb"] = engine.memory_info().rss / 1e6
        figures["keeper_rss_mb"] = sum(p.memory_info().rss for p in keepers) / max(1, len(keepers)) / 1e6
        figures["measured_from"] = time.time() - wall
        figures["measured_to"] = time.time()
        supervisor_loop.call_soon_threadsafe(supervisor.interrupt)

    async def main():
        nonlocal supervisor_loop
        supervisor_loop = asyncio.get_running_loop()
        watcher = threading.Thread(target=measure)
        watcher.start()
        await supervisor.run()
        watcher.join()

    supervisor_loop = None
    delays = []
    original = __import__("engine.running.store", fromlist=["append"]).append

    def timed(path, record):
        original(path, record)
        if path.name == "evaluations.jsonl":
            delays.append((path.parent, record["index"], time.time()))

    monkeypatch.setattr("engine.running.active.store.append", timed)
    asyncio.run(main())
    written = {}
    for run in runs_of(folder).values():
        lines = (run.folder / "incumbents.jsonl").read_text().splitlines()
        found = [json.loads(line) for line in lines]
        written[Path(run.folder)] = [line["at"] for line in found if line["event"] == "incumbent"]
    waits = sorted(
        done - written[folder][index]
        for folder, index, done in delays
        if figures["measured_from"] <= written[folder][index] <= figures["measured_to"] - 2.0
    )
    figures["evaluations_per_s"] = len(waits) / SECONDS
    figures["delay_p50_ms"] = 1000 * waits[len(waits) // 2]
    figures["delay_p99_ms"] = 1000 * waits[int(len(waits) * 0.99)]
    figures["together"] = figures["engine_share"] + figures["keepers_share"] + figures["evaluators_share"]
    print(json.dumps(figures, indent=1))
    assert figures["keepers"] == WORKERS
    assert len(waits) > 0
