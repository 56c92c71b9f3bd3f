"""A generator of finished campaigns: recorded expressions with jittered constants, or catalogue formulas."""

import json
import random
import re
from pathlib import Path

from engine.running import layout, spec_file
from engine.running.records import RunKey
from engine.running.spec import Block, CampaignSpec, Limits, MethodEntry
from tasks import catalogue

NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:e[+-]?\d+)?")
PAPER_METHODS = 15
PAPER_TASKS = 50
PAPER_SEEDS = (520, 521, 522)


def jittered(text, rng, share=1e-3):
    """Give every decimal constant of a text a relative jitter."""
    return NUMBER.sub(lambda m: repr(float(m.group()) * (1 + share * rng.uniform(-1, 1))), text)


def recorded_pool(path):
    """Recorded expressions by task name: text over the task's own columns, with both errors."""
    pool = {}
    if path is None or not Path(path).exists():
        return pool
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pool.setdefault(row["task"], []).append((row["canonical"], row["id_nmse"], row["ood_nmse"]))
    return pool


def chosen_tasks(count, pool):
    """Core tasks, those with recorded expressions first."""
    every = [task for task in catalogue.full() if task.formula is not None]
    with_records = [task for task in every if task.name in pool]
    others = [task for task in every if task.name not in pool and len(task.formula) < 300]
    return (with_records + others[:: max(1, len(others) // count)])[:count]


def expressions_of(task, pool):
    """Expressions that can be read over the task's columns."""
    from engine.expression import ExpressionError, parse

    usable = []
    for text, id_nmse, ood_nmse in pool.get(task.name, []):
        try:
            parse(text, task.feature_names)
        except ExpressionError:
            continue
        usable.append(
            (text, id_nmse if id_nmse is not None else 1.0, ood_nmse if ood_nmse is not None else 1.0)
        )
    return usable or [
        (f"{task.formula} + 0.125*{task.feature_names[0]}", 0.01, 0.1),
        (task.formula, 1e-14, 1e-13),
    ]


def make_campaign(
    folder,
    *,
    methods=PAPER_METHODS,
    tasks=PAPER_TASKS,
    seeds=PAPER_SEEDS,
    checkpoints=180,
    records=None,
    seed=7,
):
    """Write a finished campaign of methods x tasks x seeds with a new incumbent at every checkpoint."""
    folder = Path(folder)
    rng = random.Random(seed)
    pool = recorded_pool(records)
    chosen = chosen_tasks(tasks, pool)
    labels = tuple(f"method{k:02}" for k in range(methods))
    budget = 60.0 * checkpoints
    spec = CampaignSpec(
        id="0123456789abcdef",
        created="2026-11-01T00:00:00+00:00",
        methods=tuple(MethodEntry(label, "gplearn", seeds=tuple(seeds)) for label in labels),
        blocks=(Block(labels, tuple(t.id for t in chosen), tuple(t.name for t in chosen), tuple(seeds)),),
        limits=Limits(budget, 60.0),
    )
    folder.mkdir(parents=True, exist_ok=True)
    spec_file.write(folder, spec)
    usable = {task.id: expressions_of(task, pool) for task in chosen}
    for label in labels:
        for task in chosen:
            for run_seed in seeds:
                text, id_nmse, ood_nmse = rng.choice(usable[task.id])
                write_run(
                    folder, RunKey(label, task.id, run_seed), task, jittered(text, rng), id_nmse, ood_nmse,
                    checkpoints=checkpoints, rng=rng,
                )  # fmt: skip
    return chosen


def write_run(
    folder, key, task, text, id_nmse, ood_nmse, *, checkpoints=180, rng=None, status="completed", budget=None,
    final_status="ok", has_ood=True,
):  # fmt: skip
    """Write one ended run as the engine does."""
    rng = rng or random.Random(0)
    attempt = layout.attempt_folder(folder, key, 1)
    attempt.mkdir(parents=True)
    incumbents, evaluations = [], []
    for k in range(checkpoints):
        share = (k + 1) / checkpoints
        errors = [None if e is None else max(e, 1e-300) ** share for e in (id_nmse, ood_nmse)]
        found = jittered(text, rng)
        incumbents.append(
            {"event": "incumbent", "t": 60.0 * k + 1.0, "text": found, "native": found, "score": errors[0],
             "score_name": "nmse", "evaluations": 1000 * (k + 1)}
        )  # fmt: skip
        evaluations.append(
            {"index": k, "t": 60.0 * k + 1.0, "status": "ok", "reason": None, "expression": found,
             "positional": found, "id_nmse": errors[0], "ood_nmse": errors[1], "id_status": "ok",
             "ood_status": "ok" if has_ood else "no split"}
        )  # fmt: skip
    for name, lines in ((layout.INCUMBENTS, incumbents), (layout.EVALUATIONS, evaluations)):
        (attempt / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    final = {
        "source": "return", "t": 60.0 * checkpoints - 1.0, "native": text, "text": text, "expression": text,
        "positional": text, "status": final_status, "reason": None, "train_nmse": id_nmse, "id_nmse": id_nmse,
        "ood_nmse": ood_nmse, "id_status": "ok", "ood_status": "ok" if has_ood else "no split",
        "denominator_id": "split", "denominator_ood": "split", "native_gap": 0.0, "native_gap_flag": False,
    }  # fmt: skip
    if final_status == "none":
        final = {
            "source": None,
            "t": None,
            "text": None,
            "native": None,
            "status": "none",
            "reason": "nothing",
        }
    result = {
        "schema": 1, "run": key.id, "label": key.label, "method": "gplearn", "task": key.task,
        "name": task.name, "seed": key.seed, "condition": key.condition, "attempt": 1, "status": status,
        "reason": None,
        "budget_s": budget or 60.0 * max(checkpoints, 1), "interval_s": 60.0, "fit_s": 60.0 * checkpoints,
        "cpu_s": 1.0, "peak_rss": 1 << 20, "exit_code": 0, "signal": None, "threads": 1, "settings": {},
        "versions": {}, "incumbents": checkpoints, "final": final, "claimed": None,
    }  # fmt: skip
    (attempt / layout.RESULT).write_text(json.dumps(result), encoding="utf-8")
