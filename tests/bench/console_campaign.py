"""Data for the console's benchmarks: a packed campaign of 2,250 runs, and a writer that lets 50 runs stream.

Run as a program (``python -m tests.bench.console_campaign FOLDER SECONDS``) it is that writer.
"""

import json
import math
import random
import sys
import time
from pathlib import Path

from engine.running import layout, segments, spec_file
from engine.running.reader import read_campaign
from engine.running.records import RunKey
from engine.running.spec import Block, CampaignSpec, Limits, MethodEntry
from tasks import catalogue

METHODS = tuple(f"method{index:02d}" for index in range(15))
TASKS = 50
SEEDS = (520, 521, 522)
BUDGET_S, INTERVAL_S = 10_800.0, 60.0
STREAMING = 50


def written(folder: Path, live: int = 0) -> Path:
    """Write the campaign: all runs ended and packed, but for ``live`` of them that are running."""
    tasks = catalogue.full()[:: len(catalogue.full()) // TASKS][:TASKS]
    spec = CampaignSpec(
        id="bench", created="2026-11-30T10:00:00+00:00",
        methods=tuple(MethodEntry(name, name) for name in METHODS),
        blocks=(Block(METHODS, tuple(t.id for t in tasks), tuple(t.name for t in tasks), SEEDS),),
        limits=Limits(BUDGET_S, INTERVAL_S, workers=STREAMING),
    )  # fmt: skip
    folder.mkdir(parents=True)
    spec_file.write(folder, spec)
    names = spec.task_names
    rng = random.Random(8)
    grid = spec.grid()
    for at, key in enumerate(grid):
        _run(folder, key, names[key.task], rng, live=at < live)
    segments.pack(folder, read_campaign(folder).runs)
    return folder


def live_keys(folder: Path, live: int) -> list[RunKey]:
    """The keys of the runs that ``written`` left running."""
    return [run.key for run in read_campaign(folder).runs[:live]]


def _run(folder: Path, key: RunKey, name: str, rng: random.Random, *, live: bool) -> None:
    place = layout.attempt_folder(folder, key, 1)
    place.mkdir(parents=True)
    count = rng.randint(8, 30)
    terms = [f"{rng.uniform(-9, 9)!r}*sin(x0*{rng.uniform(0, 9)!r})" for _ in range(12)]
    text = " + ".join(terms[: rng.randint(1, 12)])
    times = sorted(rng.uniform(1, BUDGET_S if not live else 600) for _ in range(count))
    errors = [math.exp(-0.7 * step) * rng.uniform(0.5, 1) for step in range(count)]
    pairs = list(zip(times, errors, strict=True))
    _append(place / layout.INCUMBENTS, [{"event": "fit-began", "t": 0.0}])
    _append(place / layout.INCUMBENTS, [incumbent(t, text, error) for t, error in pairs])
    found = [evaluation(at, t, text, error) for at, (t, error) in enumerate(pairs)]
    _append(place / layout.EVALUATIONS, found)
    _append(place / layout.TELEMETRY, [sample(60.0 * minute) for minute in range(1, 11 if live else 181)])
    if live:
        (place / layout.KEEPER).write_text(json.dumps({"host": "elsewhere", "boot_id": "x", "pid": 1}))
        return
    final = evaluation(0, times[-1], text, errors[-1]) | {"source": "return", "native": text, "text": text}
    result = {
        "schema": 1, "run": key.id, "label": key.label, "method": key.label, "task": key.task, "name": name,
        "seed": key.seed, "condition": key.condition, "attempt": 1,
        "status": rng.choice(["completed"] * 6 + ["timeout", "crashed"]), "reason": None,
        "budget_s": BUDGET_S,
        "interval_s": INTERVAL_S, "fit_s": rng.uniform(9000, BUDGET_S), "cpu_s": 9000.0,
        "peak_rss": 3 * 10**8,
        "exit_code": 0, "signal": None, "threads": 1, "settings": {}, "versions": {}, "incumbents": count,
        "final": final, "claimed": None,
    }  # fmt: skip
    (place / layout.RESULT).write_text(json.dumps(result))


def incumbent(t: float, text: str, error: float) -> dict:
    """A worker's line."""
    return {"event": "incumbent", "t": t, "text": text, "native": text, "score": error, "score_name": "mse",
            "evaluations": int(1000 * t)}  # fmt: skip


def evaluation(index: int, t: float, text: str, error: float) -> dict:
    """The engine's line about it."""
    return {"index": index, "t": t, "status": "ok", "reason": None, "expression": text, "positional": text,
            "train_nmse": error, "id_nmse": error, "ood_nmse": 4 * error, "id_status": "ok",
            "ood_status": "ok",
            "denominator_id": "split", "denominator_ood": "split"}  # fmt: skip


def sample(t: float) -> dict:
    """The keeper's line."""
    return {"t": t, "at": time.time(), "cpu_s": 0.95 * t, "rss": 3 * 10**8, "processes": 1, "threads": 1}


def _append(path: Path, records: list[dict]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def stream(folder: Path, seconds: float, live: int = STREAMING) -> None:
    """Give every live run a telemetry line each second and a fresh incumbent each five seconds."""
    places = [layout.attempt_folder(folder, key, 1) for key in live_keys(folder, live)]
    counts = [sum(1 for _ in (place / layout.EVALUATIONS).open()) for place in places]
    began = time.monotonic()
    tick = 0
    while time.monotonic() - began < seconds:
        tick += 1
        t = 600.0 + tick
        for at, place in enumerate(places):
            _append(place / layout.TELEMETRY, [sample(t)])
            if (tick + at) % 5 == 0:
                error = 1e-3 * math.exp(-tick / 50)
                _append(place / layout.INCUMBENTS, [incumbent(t, f"x0*{t!r}", error)])
                _append(place / layout.EVALUATIONS, [evaluation(counts[at], t, f"x0*{t!r}", error)])
                counts[at] += 1
        time.sleep(max(0.0, began + tick - time.monotonic()))


if __name__ == "__main__":
    stream(Path(sys.argv[1]), float(sys.argv[2]))
