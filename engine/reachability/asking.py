"""Asking for proposals: what a task's question says, who still has to be asked, what an answer gives."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from engine.reachability.arms import Proposed, level_of, training_rows
from engine.reachability.prompts import Level, question
from engine.reachability.proposals import menu, products
from engine.reachability.records import UnitKey
from engine.reachability.sources import Asked, Saved, Source
from tasks.materialize import splits as materialized
from tasks.schema import Task
from tasks.semantics import describe

ASKING_THREADS = 8
DOMAINS: Mapping[str, str] = {
    "bio_pop_growth": "population growth in biology",
    "chem_react": "kinetics of a chemical reaction",
    "phys_osc": "a physical oscillator",
    "matsci": "constitutive behaviour of a material",
}


def proposals(
    tasks: Iterable[Task], folder: Path, source: Source | None, missing: Iterable[UnitKey]
) -> tuple[dict[tuple[str, int, str], Proposed], tuple[tuple[str, int, str, str], ...]]:
    """Ask for what the missing units need; answered questions of this folder are not asked again.

    Parameters
    ----------
    tasks
        Tasks of the study.
    folder
        Output folder, which keeps questions and answers.
    source
        Where proposals come from; None if no arm needs any.
    missing
        Units that are not finished.

    Returns
    -------
    proposed : dict
        By (task, seed, level).
    not_run : tuple
        (task, seed, level, reason) of every question without an answer.
    """
    if source is None:
        return {}, ()
    saved = Saved(folder)
    by_id = {task.id: task for task in tasks}
    wanted = sorted({(key.task, key.seed, level) for key in missing if (level := level_of(key.arm))})
    found: dict[tuple[str, int, str], Proposed] = {}
    not_run: list[tuple[str, int, str, str]] = []
    with ThreadPoolExecutor(ASKING_THREADS) as threads:
        answers = threads.map(lambda key: _asked(saved, source, by_id[key[0]], key[1], key[2]), wanted)
        for key, asked in zip(wanted, answers, strict=True):
            if asked.answer is None:
                not_run.append((*key, asked.reason or "no answer"))
            else:
                found[key] = usable(asked)
    return found, tuple(not_run)


def _asked(saved: Saved, source: Source, task: Task, seed: int, level: str) -> Asked:
    X, y = training_rows(materialized(task))
    level_: Level = "l1" if level == "l1" else "l2"
    asked = question(level_, task.feature_names, task.target.name, hint(task), X, y)
    return replace(saved.ask(source, task.id, task.name, seed, asked), seed=seed)


def usable(asked: Asked) -> Proposed:
    """Turn an answer into candidates, and count what was dropped.

    Parameters
    ----------
    asked
        An answered question.

    Returns
    -------
    Proposed
    """
    read_ = menu(asked.answer or "", asked.names, asked.symbol)
    made = products(read_.atoms)
    record = {
        "level": asked.level,
        "proposed": read_.proposed,
        "usable": len(read_.atoms),
        "products": len(made),
        "dropped": [{"text": one.text, "reason": one.reason} for one in read_.dropped],
        "reason": read_.reason,
        "source": dict(asked.source),
        "atoms": list(read_.atoms),
    }
    return Proposed(read_.atoms, made, record)


def hint(task: Task) -> str:
    """Describe a task's domain and variables for the named condition, without its formula."""
    domain = DOMAINS.get(task.subgroup.lower(), f"{task.family}, {task.subgroup}".replace("_", " "))
    if task.has_dummies:
        return f"{domain}; {describe(task).background}"
    known = [f"{variable.name}: {variable.description}" for variable in task.features if variable.description]
    target = f"{task.target.name}: {task.target.description}" if task.target.description else ""
    return "; ".join(part for part in (domain, *known, target) if part)
