"""One run while the engine watches it: evaluating its incumbents, and composing its result."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.running import finishing, layout, records, store
from engine.running.checkpoints import evaluation_of
from engine.running.evaluation_pool import EvaluationPool
from engine.running.prepared import PreparedTask, Preparer
from engine.running.records import Evaluation, Incumbent, RunKey
from engine.running.request import worker_names
from engine.running.roster import Starter
from engine.running.spec import CampaignSpec
from engine.running.tail import Tail

STOPPED = "request"
INTERRUPTED = "engine"
INTERRUPTED_SENTENCE = "interrupted with the engine (Ctrl-C); attempted again when the campaign is resumed"


@dataclass(slots=True, eq=False)
class ActiveRun:
    """A run that has an attempt without a result, and this engine as its watcher."""

    spec: CampaignSpec
    key: RunKey
    starter: Starter
    attempt: int
    folder: Path
    tail: Tail
    stopped_by: str | None = None
    cores: tuple[int, ...] = ()
    evaluating: asyncio.Task[None] | None = None
    finishing: asyncio.Task[None] | None = field(default=None)

    def evaluate_new(self, pool: EvaluationPool, preparer: Preparer) -> None:
        """See to it that pending incumbents are being evaluated.

        Parameters
        ----------
        pool : EvaluationPool
            Who evaluates.
        preparer : Preparer
            Who lays the task out.

        Raises
        ------
        EngineError
            When the evaluation before could not be written.
        """
        if self.evaluating is not None and self.evaluating.done():
            # A full disk is told once, by whoever meets it here, and not tried again and again.
            self.evaluating.result()
            self.evaluating = None
        if self.tail.pending and self.evaluating is None:
            self.evaluating = asyncio.create_task(self._evaluate(pool, preparer))

    async def _evaluate(self, pool: EvaluationPool, preparer: Preparer) -> None:
        task = await preparer.prepare(self.key.task)
        while self.tail.pending:
            incumbent = self.tail.pending[0]
            known = self.tail.by_text.get(incumbent.text)
            if known is None:
                known = evaluation_of(await pool.evaluate(self._question(task, incumbent.text)))
            store.append(self.folder / layout.EVALUATIONS, _line(incumbent, known))
            self.tail.store(incumbent, known)
            self.tail.pending.popleft()

    def _question(self, task: PreparedTask, text: str) -> dict[str, Any]:
        return {
            "folder": str(task.folder),
            "text": text,
            "dialect": self.starter.dialect,
            "names": worker_names(task),
            "features": task.features,
        }

    async def finish(self, pool: EvaluationPool, preparer: Preparer, exit_record: Mapping[str, Any]) -> str:
        """Evaluate what is left and write the result.

        Parameters
        ----------
        pool : EvaluationPool
            Who evaluates.
        preparer : Preparer
            Who lays the task out.
        exit_record : mapping
            The keeper's word.

        Returns
        -------
        str
            The status.

        Raises
        ------
        EngineError
            When the disk is full; the attempt then stays closed but without a result.
        """
        self.tail.read(ended=True)
        while self.tail.pending:
            self.evaluate_new(pool, preparer)
            assert self.evaluating is not None
            await self.evaluating
        limits = self.spec.limits
        choice = finishing.choose(self.tail, limits)
        assessed: dict[str, Any] | None = None
        name = self.spec.task_names.get(self.key.task, self.key.task)
        if choice is not None:
            task = await preparer.prepare(self.key.task)
            name = task.name
            question = self._question(task, choice.text) | {
                "noise_key": task.noise_key,
                "condition": self.key.condition,
                "seed": self.key.seed,
                "score_name": choice.score_name,
                "score": choice.score,
                "predictions": choice.predictions,
            }
            assessed = await pool.evaluate(question)
        final = finishing.final_part(choice, assessed)
        interrupted = INTERRUPTED_SENTENCE if self.stopped_by == INTERRUPTED else None
        status, reason = finishing.verdict(exit_record, self.tail, final, interrupted)
        record = {
            "schema": 1,
            "run": self.key.id,
            "label": self.key.label,
            "method": self.starter.method.name,
            "task": self.key.task,
            "name": name,
            "seed": self.key.seed,
            "condition": self.key.condition,
            "attempt": self.attempt,
            "status": status,
            "reason": reason,
            "cancelled_by": self.stopped_by if status == records.CANCELLED else None,
            "budget_s": limits.budget_s,
            "interval_s": limits.interval_s,
            "fit_s": self._fit_seconds(exit_record),
            "startup_s": _difference(exit_record.get("wall_s"), exit_record.get("elapsed_s")),
            "cpu_s": exit_record.get("cpu_s"),
            "peak_rss": exit_record.get("peak_rss"),
            "exit_code": exit_record.get("exit_code"),
            "signal": exit_record.get("signal"),
            "ended_by": exit_record.get("ended_by"),
            "strays": exit_record.get("strays"),
            "threads": self.starter.entry.threads,
            "evaluation_limit": self.starter.entry.evaluation_limit,
            "settings": self.starter.settings,
            "versions": self.starter.versions,
            "incumbents": len(self.tail.incumbents),
            "final": final,
            "claimed": _claimed(choice, assessed),
        }
        store.write_whole(self.folder / layout.RESULT, store.dump(record))
        return status

    def _fit_seconds(self, exit_record: Mapping[str, Any]) -> float | None:
        elapsed = exit_record.get("elapsed_s")
        if self.tail.returned is not None and isinstance(elapsed, (int, float)):
            return min(self.tail.returned, float(elapsed))
        return float(elapsed) if isinstance(elapsed, (int, float)) else None

    def exit_record(self) -> dict[str, Any] | None:
        """Read the keeper's last word.

        Returns
        -------
        dict or None
            None while the keeper has not closed the attempt.
        """
        with contextlib.suppress(EngineError):
            return store.read_record(self.folder / layout.EXIT)
        return None


def _line(incumbent: Incumbent, evaluation: Evaluation) -> dict[str, Any]:
    return {"index": incumbent.index, "t": incumbent.t, **asdict(evaluation)}


def _difference(whole: object, part: object) -> float | None:
    if isinstance(whole, (int, float)) and isinstance(part, (int, float)):
        return round(whole - part, 6)
    return None


def _claimed(choice: finishing.Choice | None, assessed: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if choice is None or choice.score is None:
        return None
    claimed = (assessed or {}).get("claimed")
    return claimed if isinstance(claimed, dict) else {"name": choice.score_name, "value": choice.score}
