"""Whether a method repeats itself under a fixed seed: a label only equal runs can earn."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from engine.running import reader
from engine.running.records import COMPLETED, Run


@dataclass(frozen=True, slots=True)
class Repetition:
    """Runs that ought to be equal, and the verdict on them."""

    method: str
    runs: tuple[str, ...]
    verdict: str


def compare(runs: Iterable[Run]) -> tuple[Repetition, ...]:
    """Compare runs of the same method, settings, threads, versions, task, seed and condition.

    Parameters
    ----------
    runs : iterable of Run
        Of one campaign or of several; a method repeats itself in one campaign under two labels.

    Returns
    -------
    tuple of Repetition
        One per group of two or more completed runs: ``repeatable (n of n equal)``, or ``not repeatable under
        a fixed seed`` with the final expressions.
    """
    groups: dict[str, list[Run]] = {}
    for run in runs:
        if run.status == COMPLETED:
            same = [run.method, run.settings, run.threads, run.versions, run.task, run.seed, run.condition]
            groups.setdefault(json.dumps(same, sort_keys=True, default=str), []).append(run)
    found = []
    for group in groups.values():
        if len(group) < 2:
            continue
        if len({_sequence(run) for run in group}) == 1:
            verdict = f"repeatable ({len(group)} of {len(group)} equal)"
        else:
            finals = " | ".join(str(run.expression) for run in group)
            verdict = f"not repeatable under a fixed seed: {finals}"
        found.append(Repetition(group[0].method, tuple(run.id for run in group), verdict))
    return tuple(found)


def _sequence(run: Run) -> tuple[object, ...]:
    """Return the run's incumbents and final expression, times aside."""
    incumbents = tuple((incumbent.text, incumbent.score) for incumbent in reader.incumbents(run))
    return (incumbents, run.expression, run.id_nmse, run.ood_nmse)
