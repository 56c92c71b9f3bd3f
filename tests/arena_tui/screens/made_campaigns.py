"""Writes campaign folders of the record format: what engine and keepers would have left, always the same."""

import json
import math
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from engine.running import layout, spec_file
from engine.running.spec import Block, CampaignSpec, Limits, MethodEntry
from tasks import catalogue

# Far ahead of any clock: a live run's elapsed time is then its last sample's, on every day.
_LATER = 4_000_000_000.0
_LIVE = ("running", "starting", "ending")


@dataclass(frozen=True)
class Plan:
    """What a made campaign holds; ``states`` gives the status of runs by id, others are completed."""

    methods: tuple[str, ...] = ("bank", "gplearn", "pyoperon")
    tasks: tuple[str, ...] = ("Nguyen-1", "Keijzer-2", "Korns-1")
    seeds: tuple[int, ...] = (520, 521)
    budget: float = 60.0
    interval: float = 2.0
    states: dict[str, str] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


def write(folder: Path, plan: Plan) -> Path:
    """Write a campaign; returns its folder."""
    tasks = [catalogue.get(name) for name in plan.tasks]
    names = tuple(plan.names.get(task.id, task.name) for task in tasks)
    spec = CampaignSpec(
        id="made",
        created="2026-11-30T10:00:00+00:00",
        methods=tuple(MethodEntry(name, name) for name in plan.methods),
        blocks=(Block(plan.methods, tuple(task.id for task in tasks), names, plan.seeds),),
        limits=Limits(budget_s=plan.budget, interval_s=plan.interval, workers=2),
    )
    folder.mkdir(parents=True, exist_ok=True)
    spec_file.write(folder, spec)
    for key in spec.grid():
        state = plan.states.get(key.id, "completed")
        if state != "planned":
            write_run(folder, plan, key, state, dict(zip(spec.tasks, names, strict=True))[key.task])
    if any(state in _LIVE for state in plan.states.values()):
        (folder / layout.CONTROL).mkdir(exist_ok=True)
        lease = {"host": "elsewhere", "boot_id": "x", "pid": 4242, "heartbeat": _LATER}
        (folder / layout.LEASE).write_text(json.dumps(lease))
    return folder


def trajectory(key_id: str, plan: Plan, until: float) -> list[tuple[float, float, float]]:
    """Return (t, id, ood) of a run's incumbents up to a time; a function of the run's id alone."""
    word = zlib.crc32(key_id.encode())
    steps = 6 + word % 9
    pace = 0.4 + (word >> 8) % 100 / 60
    floor = 10.0 ** -(1 + (word >> 16) % 11)
    found = []
    for step in range(steps):
        t = plan.budget * (step + 0.3) / (steps + 1)
        if t <= until:
            error = max(floor, 0.8 * math.exp(-pace * step))
            found.append((t, error, min(error * (3 + word % 7), 50.0)))
    return found


def write_run(folder: Path, plan: Plan, key, state: str, name: str) -> None:
    """Write one attempt with its records; live states leave no result."""
    live = state in _LIVE
    place = layout.attempt_folder(folder, key, 1)
    place.mkdir(parents=True)
    until = plan.budget * 0.55 if live else plan.budget
    found = [] if state in ("starting", "start failed") else trajectory(key.id, plan, until)
    made = f"{1 + key.seed / 1e6:.17g}*x0**3 + 0.00012345678*x0 - sin(x0)"
    positional = plan.expressions.get(key.id, made)
    text = plan.expressions.get(key.id, made.replace("x0", catalogue.get(key.task).feature_names[0]))
    began = [] if state in ("starting", "start failed") else [{"event": "fit-began", "t": 0.0}]
    _lines(
        place / layout.INCUMBENTS,
        began
        + [
            {"event": "incumbent", "t": t, "text": f"{text} + {index}", "native": f"{text} + {index}",
             "score": error, "score_name": "mse", "evaluations": 1000 * (index + 1)}
            for index, (t, error, _) in enumerate(found)
        ],
    )  # fmt: skip
    _lines(
        place / layout.EVALUATIONS,
        [
            {"index": index, "t": t, "status": "ok", "reason": None, "expression": f"{text} + {index}",
             "positional": f"{positional} + {index}", "id_nmse": error, "ood_nmse": ood, "id_status": "ok",
             "ood_status": "ok", "train_nmse": error / 2, "denominator_id": "split",
             "denominator_ood": "split"}
            for index, (t, error, ood) in enumerate(found)
        ],
    )  # fmt: skip
    samples = range(1, int(until) + 1, max(1, int(plan.budget) // 30))
    _lines(
        place / layout.TELEMETRY,
        [
            {"t": float(t), "at": _LATER, "cpu_s": 0.9 * t, "rss": (80 + 3 * t + t % 7 * 9) * 2**20,
             "processes": 1, "threads": 1}
            for t in samples
        ],
    )  # fmt: skip
    log = "".join(f"generation {n}: fitness {1 / (n + 1):.6f}\n" for n in range(12))
    (place / layout.WORKER_LOG).write_text(f"{key.label} starts on {name}\n{log}")
    if live:
        if state == "starting":
            # It waits in a queue: however long a test takes, nobody has given it up.
            (place / layout.SUBMISSION).write_text("{}")
        else:
            (place / layout.KEEPER).write_text(
                json.dumps({"host": "elsewhere", "boot_id": "x", "pid": 1, "started": "1"})
            )
        if state == "ending":
            (place / layout.EXIT).write_text(json.dumps({"status": "completed"}))
        return
    (place / layout.RESULT).write_text(json.dumps(result(plan, key, state, name, found, text, positional)))


def result(plan: Plan, key, state: str, name: str, found, text: str, positional: str) -> dict:
    """Return a run's result record."""
    last = found[-1] if found else None
    final = {"source": "return" if state == "completed" else "incumbent", "t": last[0], "native": text,
             "text": text, "expression": text, "positional": positional, "status": "ok", "reason": None,
             "train_nmse": last[1] / 2, "id_nmse": last[1], "ood_nmse": last[2], "id_status": "ok",
             "ood_status": "ok", "denominator_id": "split", "denominator_ood": "split", "native_gap": 0.0,
             "native_gap_flag": False} if last else {"status": "none", "source": None}  # fmt: skip
    reasons = {
        "crashed": "killed (signal 9, not by us)", "timeout": "the budget of 60 s ended",
        "memory": "over the limit of 300 MiB (peak 312 MiB)", "start failed": "no import of gplearn",
    }  # fmt: skip
    return {
        "schema": 1, "run": key.id, "label": key.label, "method": key.label, "task": key.task, "name": name,
        "seed": key.seed, "condition": key.condition, "attempt": 1, "status": state,
        "reason": plan.reasons.get(key.id, reasons.get(state)), "budget_s": plan.budget,
        "interval_s": plan.interval, "fit_s": plan.budget if state == "timeout" else plan.budget * 0.9,
        "cpu_s": plan.budget * 0.88, "peak_rss": 145 * 2**20, "exit_code": 0, "signal": None, "threads": 1,
        "settings": {}, "versions": {}, "incumbents": len(found), "final": final, "claimed": None,
    }  # fmt: skip


def _lines(path: Path, records: list[dict]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
