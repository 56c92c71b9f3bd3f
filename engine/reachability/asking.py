"""Asking for proposals: what a task's question says, who still has to be asked, what an answer gives."""

import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from engine.reachability.arms import Proposed, level_of, training_rows
from engine.reachability.prompts import Level, question
from engine.reachability.proposals import menu, products
from engine.reachability.records import UnitKey
from engine.reachability.sources import Asked, ModelSource, Saved, Source
from tasks.materialize import splits as materialized
from tasks.schema import Task
from tasks.semantics import describe

ASKING_THREADS = 8
PATIENCE = 8
"""Questions without an answer after which a model that has answered none is asked no more this session."""
DOMAINS: Mapping[str, str] = {
    "bio_pop_growth": "population growth in biology",
    "chem_react": "kinetics of a chemical reaction",
    "phys_osc": "a physical oscillator",
    "matsci": "constitutive behaviour of a material",
}


def proposals(
    tasks: Iterable[Task],
    folder: Path,
    source: Source | None,
    missing: Iterable[UnitKey],
    on_asked: Callable[[int, int], None] | None = None,
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
    on_asked
        Told after each question how many were dealt with, of how many.

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
    patience = Patience(source)
    with ThreadPoolExecutor(ASKING_THREADS) as threads:
        answers = threads.map(
            lambda key: patience.ask(lambda: _asked(saved, source, by_id[key[0]], key[1], key[2])), wanted
        )
        for count, (key, asked) in enumerate(zip(wanted, answers, strict=True), start=1):
            if isinstance(asked, str) or asked.answer is None:
                not_run.append((*key, asked if isinstance(asked, str) else asked.reason or "no answer"))
            else:
                found[key] = usable(asked)
            if on_asked is not None:
                on_asked(count, len(wanted))
    return found, tuple(not_run)


class Patience:
    """Stops asking a model that has answered none of its first questions: hundreds would wait in vain.

    Parameters
    ----------
    source
        Who is asked; a recorded file has as much patience as it needs.
    """

    def __init__(self, source: Source) -> None:
        self._endless = not isinstance(source, ModelSource)
        self._answered, self._silent = False, 0
        self._reason = ""
        self._lock = threading.Lock()

    def ask(self, question: Callable[[], Asked]) -> Asked | str:
        """Ask, or say why the question is not asked any more."""
        with self._lock:
            if self._silent >= PATIENCE and not (self._answered or self._endless):
                return f"not asked: {self._silent} questions before it had no answer ({self._reason})"
        asked = question()
        with self._lock:
            if asked.answer is not None:
                self._answered = True
            else:
                self._silent, self._reason = self._silent + 1, asked.reason or "no answer"
        return asked


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
