"""Writes a scored campaign without judging anything: made-up scores, the same every day."""

import json
import math
import zlib
from pathlib import Path

from engine.judging.records import FOLDER, key_of
from engine.scoring import axes, tables
from engine.scoring.campaign import Scores
from engine.scoring.numeric import quality
from engine.scoring.rows import RunScore, TaskScore
from engine.scoring.search import Stability
from tasks import catalogue
from tests.arena_tui.screens.made_campaigns import Plan, write

SKILLS = {"bank": 0.95, "gplearn": 0.35, "small": 0.2, "pyoperon": 0.75, "sindy": 0.5}
NAMES = ("Nguyen-1", "Keijzer-2", "Korns-1", "Nguyen-6", "Nguyen-9", "Keijzer-11", "Nguyen-12")
SEEDS = (520, 521)
_STABLE = 0.7
_GROUNDS = {
    "equivalent": ("numerical", "agreement to 1e-12 at 64 digits at 40 points on the declared domain"),
    "same_structure": ("structure", "equal after constants are abstracted"),
    "different": ("witness", "the values differ at a point on the declared domain"),
}
FROZEN = "2026-11-30T10:00:00+00:00"


def write_scored(
    folder: Path, *, names=NAMES, labels=tuple(SKILLS), conditions=("clean", "noise005")
) -> Path:
    """Write a campaign's tables and some judgments; of its runs only the first task's. Returns its folder."""
    write(folder, Plan(methods=labels, tasks=names[:1], seeds=SEEDS))
    runs = tuple(
        _run(label, catalogue.get(name), seed, condition)
        for condition in conditions
        for label in labels
        for name in names
        for seed in SEEDS
    )
    tasks = tuple(
        _stability(label, catalogue.get(name), condition)
        for condition in conditions
        for label in labels
        for name in names
    )
    scores = Scores(folder, "deterministic", runs, tasks, axes.method_scores(runs, tasks), ())
    tables.save(scores)
    _judge(folder, runs, catalogue.get(names[0]))
    return folder


def _share(*words: object) -> float:
    """Return a number in [0, 1) that depends on the words alone."""
    return zlib.crc32("/".join(map(str, words)).encode()) % 1000 / 1000


def _run(label, task, seed: int, condition: str) -> RunScore:
    loss = 0.0 if condition == "clean" else 0.3
    depth = max(0.0, SKILLS[label] - loss) * (0.6 + 0.4 * _share(label, task.id, seed)) * 13
    id_nmse, ood_nmse = 10.0**-depth, 10.0 ** (1.0 - 0.8 * depth)
    found = condition == "clean" and depth > 9
    size = 8 + round(30 * _share(label, task.id))
    text = f"{1 + seed / 1000:.3f}*{task.feature_names[0]} + {_share(label, task.id, seed):.3f}"
    scores = {
        "ID": quality(id_nmse), "OOD": quality(ood_nmse), "SYM": 1.0 if found else 0.3,
        "MIN": 8 / size, "EFF": 0.5 + 0.5 * _share(task.id, label),
    }  # fmt: skip
    return RunScore(
        label, label, task.id, task.name, seed, condition, "completed", "scored", valid=True, scores=scores,
        train_nmse=id_nmse / 2, id_nmse=id_nmse, ood_nmse=ood_nmse, expression=text, processed=text,
        simplification="unchanged", verdict="equivalent" if found else "different",
        evidence="numerical" if found else "witness", c_ref=8, c_pred=size, tree_similarity=0.4,
        variable_f1=1.0, operator_f1=0.5, acc_001=found, acc_0001=found, strict=found, solution=found,
        elapsed=3.0 + 50.0 * SKILLS[label], cpu_s=2.0 + 90.0 * SKILLS[label] ** 3,
    )  # fmt: skip


def _stability(label, task, condition: str) -> TaskScore:
    parts = Stability(0.5 + 0.5 * _share(label, task.id), 1.0, 1.0 if SKILLS[label] > _STABLE else 0.0)
    return TaskScore(label, task.id, task.name, condition, SEEDS, parts)


def _judge(folder: Path, runs: tuple[RunScore, ...], task) -> None:
    """Freeze what a judge would have said about the clean runs of one task and their pairs of seeds."""
    domain = [[v.name, v.low, v.high] for v in task.features if v.low is not None and v.high is not None]
    lines = []
    groups: dict[str, list[RunScore]] = {}
    for run in runs:
        if run.task == task.id and run.condition == "clean":
            groups.setdefault(run.label, []).append(run)
            lines.append(_line("equivalence", run.processed, task.formula, task, domain, run.verdict))
    for label, (a, b) in groups.items():
        word = "same_structure" if SKILLS[label] > _STABLE else "different"
        lines.append(_line("structure", *sorted((a.processed, b.processed)), task, domain, word))
    place = folder / FOLDER
    place.mkdir()
    (place / "verdicts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def _line(kind: str, a: str, b: str, task, domain, word: str) -> dict:
    asked = {"judge": "deterministic", "version": 1, "kind": kind, "a": a, "b": b,
             "features": list(task.feature_names), "domain": domain}  # fmt: skip
    point = dict.fromkeys(task.feature_names, math.pi / 10)
    witness = None if word == "equivalent" else {"point": point, "a": "1.4775220390551", "b": "0.4438549"}
    evidence, detail = _GROUNDS[word]
    outcome = {"verdict": word, "evidence": evidence, "detail": detail, "witness": witness}
    return {"key": key_of(asked), "dependencies": asked, "outcome": outcome, "frozen": FROZEN}
