"""What stands behind a verdict: every frozen judgment of a run against its reference, and of its seeds."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.judging.judges import Asked
from engine.judging.records import Frozen, Records
from engine.judging.verdict import Verdict, read_verdict
from engine.scoring.references import Reference, references
from engine.scoring.rows import RunScore


@dataclass(frozen=True, slots=True)
class Judged:
    """One frozen judgment of a pair: by whom, when, on what evidence.

    ``seeds`` names the two runs of a pair of seeds, and is empty for a run against its reference.
    ``corrected`` tells that an audit's linked correction is what stands.
    """

    judge: str
    a: str
    b: str
    verdict: Verdict
    frozen: str
    corrected: bool
    seeds: tuple[int, ...] = ()


class Evidence:
    """The frozen judgments of a campaign, found again by what they are about.

    Parameters
    ----------
    campaign : Path
        The campaign folder; its ``judgments`` are read once.
    """

    def __init__(self, campaign: Path) -> None:
        self._campaign = campaign
        self._tasks: dict[str, Reference | None] = {}
        records = Records(campaign)
        self._verdicts: dict[tuple[str, str], list[Frozen]] = defaultdict(list)
        for frozen in records.all("verdicts"):
            self._verdicts[frozen.dependencies["kind"], frozen.dependencies["a"]].append(frozen)
        self._simplified: dict[str, set[str]] = defaultdict(set)
        for frozen in records.all("simplifications"):
            self._simplified[frozen.dependencies["text"]].add(frozen.outcome["text"])

    def of_run(self, run: RunScore) -> tuple[Judged, ...]:
        """Return every judgment of a run's processed expression against its task's reference.

        Parameters
        ----------
        run : RunScore
            A scored run.

        Returns
        -------
        tuple of Judged
            The oldest first; empty where nothing was judged, as without a ground truth.
        """
        task = self._task(run.task)
        if task is None or task.formula is None or run.processed is None:
            return ()
        truths = self._simplified.get(task.formula, set()) | {task.formula}
        return tuple(found for found in self._judged("equivalence", run.processed, task) if found.b in truths)

    def of_seeds(self, runs: Sequence[RunScore]) -> tuple[Judged, ...]:
        """Return every judgment of the pairs among the runs of one method, task and condition.

        Parameters
        ----------
        runs : sequence of RunScore
            The repeated runs.

        Returns
        -------
        tuple of Judged
            In the order of the pairs; pairs with a run that has no valid expression were never judged.
        """
        found = []
        valid = [run for run in runs if run.processed is not None]
        for at, first in enumerate(valid):
            for second in valid[at + 1 :]:
                task = self._task(first.task)
                if task is None:
                    continue
                # As it was asked: the order of a pair means nothing, and was sorted.
                a, b = sorted((first.processed or "", second.processed or ""))
                seeds = (first.seed, second.seed)
                found += [one for one in self._judged("structure", a, task, seeds) if one.b == b]
        return tuple(found)

    def reference(self, task: str) -> str | None:
        """Return a task's ground truth, or None where there is none."""
        found = self._task(task)
        return None if found is None else found.formula

    def _task(self, identifier: str) -> Reference | None:
        if identifier not in self._tasks:
            found, _ = references(self._campaign, [identifier])
            self._tasks[identifier] = found.get(identifier)
        return self._tasks[identifier]

    def _judged(
        self, kind: Asked, text: str, task: Reference, seeds: tuple[int, ...] = ()
    ) -> Iterator[Judged]:
        domain = [list(bound) for bound in task.domain]
        for frozen in self._verdicts.get((kind, text), ()):
            asked = frozen.dependencies
            if asked["features"] == list(task.features) and asked["domain"] == domain:
                yield Judged(
                    _named(asked),
                    asked["a"],
                    asked["b"],
                    read_verdict(frozen.outcome),
                    frozen.frozen,
                    frozen.corrected,
                    seeds,
                )


def _named(dependencies: Mapping[str, Any]) -> str:
    """Name the judge with what its verdicts depend on beside the question."""
    if "model" not in dependencies:
        return f"{dependencies['judge']}, version {dependencies['version']}"
    prompt = str(dependencies.get("prompt_sha256", ""))[:16]
    return f"{dependencies['judge']} {dependencies['model']}, prompt {prompt}"
