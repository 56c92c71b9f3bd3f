"""The conformance kit: proves on three tiny tasks that a method's adapter keeps the arena's rules."""

import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.expression import ExpressionError, evaluate, parse
from engine.methods import check_run, check_tasks, doctor
from engine.methods.check_run import GRACE_S, Trial
from engine.methods.check_tasks import CheckTask
from engine.methods.environments import launch
from engine.methods.registry import Method
from engine.methods.settings import merge

PASSED, FAILED, NOT_APPLICABLE = "passed", "failed", "not applied"
SEED = 520
# Held-out NMSE of a recovery; single-precision methods reach about 1e-12.
RECOVERED = 1e-6
# Disagreement of native predictor and canonical expression, in standard deviations of the target. Methods of
# single precision reach 3e-4 where terms cancel; a wrong base, scaling or rounding is far beyond it.
NATIVE_GAP = 1e-3
SHORT_BUDGET_S = 3.0
# A search that gets less than this many seconds of CPU a second is kept from its work.
STARVED = 0.5
# One thread may use no more than this many seconds of CPU a second: garbage collectors and import help out.
CPU_PER_THREAD = 1.5
FEATURES = ("x0", "x1")
_PLACE = re.compile(r'File "([^"]+)", line (\d+)')


@dataclass(frozen=True, slots=True)
class Item:
    """One rule: its name, passed / failed / not applied, and what was seen."""

    name: str
    verdict: str
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """What the kit found.

    Attributes
    ----------
    method : str
        Its name.
    items : tuple of Item
        One for each rule.
    """

    method: str
    items: tuple[Item, ...]

    @property
    def passed(self) -> bool:
        """Whether no rule was broken."""
        return all(item.verdict != FAILED for item in self.items)

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"name": self.method, "passed": self.passed, "items": [asdict(item) for item in self.items]}


def check(
    method: Method,
    *,
    budget_s: float | None = None,
    settings: Mapping[str, object] | None = None,
    endpoint: Mapping[str, Any] | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Run the kit on one method.

    Parameters
    ----------
    method : Method
        Built in, installed, or a plugin's.
    budget_s : float, optional
        Budget of each run that looks for a formula; the method's description says it when omitted.
    settings : mapping, optional
        Overrides on top of those the method's description has for the kit.
    endpoint : mapping, optional
        A model for the methods that ask one; without it they are only started.
    tell : callable
        Is told what is being done.

    Returns
    -------
    Report
        Never raises for what a method does; a method that does not start has that as its one item.
    """
    ready = doctor.examine_one(method)
    items = [Item("ready", PASSED if ready.ready else FAILED, f"{ready.status}: {ready.detail}")]
    if not ready.ready:
        return Report(method.name, tuple(items))
    items.append(_isolated(method))
    if method.model and endpoint is None:
        items.append(Item("runs", NOT_APPLICABLE, "it asks a language model and none was lent to the kit"))
        return Report(method.name, tuple(items))
    chosen = merge(method, {**method.check_settings, **(settings or {})})
    budget = budget_s or method.check_budget_s
    trials = {}
    for task in check_tasks.tasks():
        tell(f"{method.name}: {task.name} ({task.formula}), up to {budget:g} s")
        trials[task] = check_run.run(method, task, chosen, seed=SEED, budget_s=budget, endpoint=endpoint)
    dialect = method.dialect_of(chosen)
    items += [
        _completed(trials),
        _recovered(method, trials, dialect),
        _published(trials),
        _readable(trials, dialect),
        _agreeing(trials, dialect),
        _one_thread(trials),
        _untouched(trials),
    ]
    items.append(_repeatable(method, chosen, budget, endpoint, tell))
    items += _ended(method, chosen, endpoint, tell)
    return Report(method.name, tuple(items))


def _isolated(method: Method) -> Item:
    """Try to import what knows truths, the way a worker would."""
    started = launch(method)
    code = (
        "import sys, importlib\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "for name in ('tasks', 'engine.scoring', 'engine.running'):\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "        print('imported', name)\n"
        "    except ImportError:\n"
        "        pass\n"
    )
    root = started.argv[-1].removesuffix("/start.py")
    ended = subprocess.run(
        [*started.argv[:-1], "-c", code, root],
        env=started.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    found = [line.split()[1] for line in ended.stdout.splitlines() if line.startswith("imported")]
    if found or ended.returncode != 0:
        return Item("isolated", FAILED, f"its worker can import {', '.join(found) or ended.stderr[-200:]}")
    return Item("isolated", PASSED, "its worker can import neither tasks nor scoring nor records")


def _completed(trials: Mapping[CheckTask, Trial]) -> Item:
    bad = [
        f"{task.name}: {_failure(trial)}"
        for task, trial in trials.items()
        if trial.exit["status"] not in ("completed", "timeout")
        or (trial.exit["status"] == "completed" and trial.final is None)
    ]
    seconds = ", ".join(f"{trial.exit['elapsed_s'] or 0:.1f} s" for trial in trials.values())
    return Item("runs", FAILED if bad else PASSED, "; ".join(bad) or f"three runs of {seconds}")


def _failure(trial: Trial) -> str:
    """Say how a run ended, and for its author what was raised and where."""
    told = f"{trial.exit['status']} ({trial.exit['reason'] or 'no final line'})"
    for line in trial.events("failed"):
        told = f"{line['type']}: {' '.join(line['message'].split())[:200]} (raised in {line['stage']}"
        places = _PLACE.findall(trial.log)
        told += f", {Path(places[-1][0]).name}, line {places[-1][1]})" if places else ")"
    return told


def _last_text(trial: Trial) -> str | None:
    if trial.final is not None:
        return str(trial.final["text"])
    return trial.incumbents[-1] if trial.incumbents else None


def _held_out_nmse(task: CheckTask, trial: Trial, dialect: str) -> float:
    text = _last_text(trial)
    if text is None:
        return float("inf")
    try:
        values = evaluate(parse(text, FEATURES, dialect), task.X_held_out)
    except ExpressionError:
        return float("inf")
    if not np.isfinite(values).all():
        return float("inf")
    return float(np.mean((values - task.y_held_out) ** 2) / np.var(task.y_held_out))


def _recovered(method: Method, trials: Mapping[CheckTask, Trial], dialect: str) -> Item:
    errors = {task.name: _held_out_nmse(task, trial, dialect) for task, trial in trials.items()}
    missed = [name for name in method.recovers if not errors[name] < RECOVERED]
    seen = ", ".join(f"{name} {error:.1e}" for name, error in errors.items())
    if missed:
        detail = f"held-out NMSE {seen}; it should recover {', '.join(missed)}"
        share = _cpu_share(trials.values())
        if share < STARVED:
            detail += f" (it had {share:.2f} s of CPU a second: the machine is busy, give a longer --budget)"
        return Item("recovers", FAILED, detail)
    if not method.recovers:
        return Item("recovers", NOT_APPLICABLE, f"held-out NMSE {seen}; none of them is claimed")
    return Item("recovers", PASSED, f"held-out NMSE {seen}")


def _published(trials: Mapping[CheckTask, Trial]) -> Item:
    counts = {task.name: len(trial.incumbents) for task, trial in trials.items()}
    late = []
    for task, trial in trials.items():
        times = [line["t"] for line in trial.events("incumbent")]
        if times != sorted(times):
            late.append(f"{task.name}: times go backwards")
    bad = [f"{name}: no incumbent during the search" for name, count in counts.items() if count == 0]
    text = ", ".join(f"{name} {count}" for name, count in counts.items())
    return Item("incumbents", FAILED if bad or late else PASSED, "; ".join([*bad, *late]) or text)


def _readable(trials: Mapping[CheckTask, Trial], dialect: str) -> Item:
    problems, count = [], 0
    for task, trial in trials.items():
        for text in [*trial.incumbents, *filter(None, [_last_text(trial)])]:
            count += 1
            try:
                parse(text, FEATURES, dialect)
            except ExpressionError as error:
                problems.append(f"{task.name}: {error}")
    if not count:
        return Item("readable", NOT_APPLICABLE, "there was no expression to read")
    return Item("readable", FAILED if problems else PASSED, "; ".join(problems[:3]) or f"{count} expressions")


def _agreeing(trials: Mapping[CheckTask, Trial], dialect: str) -> Item:
    gaps = {}
    for task, trial in trials.items():
        if trial.final is None or trial.predictions is None:
            continue
        try:
            values = evaluate(parse(str(trial.final["text"]), FEATURES, dialect), task.X)
        except ExpressionError:
            gaps[task.name] = float("inf")
            continue
        difference = np.abs(values - trial.predictions)
        gaps[task.name] = float(np.max(difference) / np.std(task.y)) if values.size else 0.0
    if not gaps:
        return Item("native predictor", NOT_APPLICABLE, "no run returned with native predictions")
    seen = ", ".join(f"{name} {gap:.1e}" for name, gap in gaps.items())
    agreed = all(gap <= NATIVE_GAP for gap in gaps.values())
    return Item("native predictor", PASSED if agreed else FAILED, f"largest difference {seen}")


def _cpu_share(trials: Iterable[Trial]) -> float:
    """Return the greatest CPU time a second of any run."""
    return max(
        (float(one.exit["cpu_s"] or 0) / max(float(one.exit["wall_s"] or 0), 1.0) for one in trials),
        default=0.0,
    )


def _one_thread(trials: Mapping[CheckTask, Trial]) -> Item:
    worst = _cpu_share(trials.values())
    verdict = PASSED if worst <= CPU_PER_THREAD else FAILED
    return Item("thread limit", verdict, f"{worst:.2f} s of CPU a second with one thread")


def _untouched(trials: Mapping[CheckTask, Trial]) -> Item:
    strangers = sorted(set().union(*(trial.strangers for trial in trials.values())))
    if strangers:
        return Item("no test data", FAILED, f"it had open: {', '.join(strangers[:3])}")
    return Item("no test data", PASSED, "nothing of tasks or records was ever open in its processes")


def _repeatable(
    method: Method,
    settings: Mapping[str, Any],
    budget: float,
    endpoint: Mapping[str, Any] | None,
    tell: Callable[[str], None],
) -> Item:
    if not method.evaluation_limit:
        return Item("repeatable", NOT_APPLICABLE, "it cannot stop at an evaluation count")
    tell(f"{method.name}: twice the same {method.check_evaluations} evaluations")
    task = check_tasks.tasks()[-1]
    first, second = (
        check_run.run(
            method,
            task,
            settings,
            seed=SEED,
            budget_s=10 * budget,
            evaluation_limit=method.check_evaluations,
            endpoint=endpoint,
        )
        for _ in range(2)
    )
    for trial in (first, second):
        if trial.exit["status"] == "timeout":
            detail = f"{method.check_evaluations} evaluations did not end within {10 * budget:g} s"
            return Item("repeatable", NOT_APPLICABLE, detail)
    same = first.incumbents == second.incumbents and _last_text(first) == _last_text(second)
    if same and first.incumbents:
        return Item("repeatable", PASSED, f"2 of 2 equal, {len(first.incumbents)} incumbents")
    if not first.incumbents and not second.incumbents:
        return Item("repeatable", FAILED, f"no incumbent in either run: {_failure(first)}")
    detail = f"not repeatable under a fixed seed: {_last_text(first)!r:.200} and {_last_text(second)!r:.200}"
    return Item("repeatable", FAILED if method.deterministic else NOT_APPLICABLE, detail)


def _ended(
    method: Method,
    settings: Mapping[str, Any],
    endpoint: Mapping[str, Any] | None,
    tell: Callable[[str], None],
) -> list[Item]:
    """Let one run go into its budget and stop another."""
    tell(f"{method.name}: a budget of {SHORT_BUDGET_S:g} s, then a stop request")
    task = check_tasks.noise()
    spent = check_run.run(method, task, settings, seed=SEED, budget_s=SHORT_BUDGET_S, endpoint=endpoint)
    stopped = check_run.run(
        method, task, settings, seed=SEED, budget_s=60.0, stop_after_s=1.0, endpoint=endpoint
    )
    elapsed = float(spent.exit["elapsed_s"] or 0.0)
    obeyed = spent.exit["status"] in ("completed", "timeout") and elapsed <= SHORT_BUDGET_S + GRACE_S + 1.0
    budget = Item(
        "budget",
        PASSED if obeyed else FAILED,
        f"{spent.exit['status']} after {elapsed:.1f} s of {SHORT_BUDGET_S:g} s",
    )
    if stopped.stopped_after is None:
        stop = Item("stop", NOT_APPLICABLE, "it ended by itself within a second")
    else:
        gentle = stopped.exit["ended_by"] != "SIGKILL"
        detail = f"gone {stopped.stopped_after:.1f} s after the request, by {stopped.exit['ended_by']}"
        stop = Item("stop", PASSED if gentle else FAILED, detail)
    left = spent.survivors + stopped.survivors + int(spent.exit["left"]) + int(stopped.exit["left"])
    strays = Item("no stray process", PASSED if left == 0 else FAILED, f"{left} processes left")
    return [budget, stop, strays]
