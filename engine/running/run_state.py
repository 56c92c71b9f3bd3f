"""The state of one run: read incrementally while it lives, once when it has ended."""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.running import layout, lease, liveness, records, store
from engine.running.checkpoints import evaluation_of, number
from engine.running.records import Evaluation, Run, RunKey
from engine.running.spec import CampaignSpec

# A keeper that was started a moment before its engine died has said a word by then, on any machine.
_STARTS_WITHIN_S = 30.0


def planned(spec: CampaignSpec, key: RunKey, names: Mapping[str, str]) -> Run:
    """Describe a run that has no attempt yet.

    Parameters
    ----------
    spec : CampaignSpec
        The campaign.
    key : RunKey
        The run.
    names : mapping
        Task names by id.

    Returns
    -------
    Run
        With status ``planned``.
    """
    entry = spec.method(key.label)
    return Run(
        key=key,
        method=entry.method,
        name=names.get(key.task, key.task),
        status=records.PLANNED,
        attempt=0,
        attempts=0,
        folder=None,
        budget=spec.limits.budget_s,
        interval=spec.limits.interval_s,
        threads=entry.threads,
        settings=entry.settings,
    )


def ended(base: Run, result: Mapping[str, Any], folder: Path, attempts: int, segment: Path | None) -> Run:
    """Describe a run whose latest attempt has a result.

    Parameters
    ----------
    base : Run
        The run as planned.
    result : mapping
        Its ``result.json``.
    folder : pathlib.Path
        The attempt's folder.
    attempts : int
        How many attempts there are.
    segment : pathlib.Path or None
        The packed records it was read from, if any.

    Returns
    -------
    Run
        With its final status.
    """
    final: Mapping[str, Any] = result.get("final") or {}
    evaluation = evaluation_of(final)
    claimed = result.get("claimed")
    return replace(
        base,
        name=str(result.get("name", base.name)),
        method=str(result.get("method", base.method)),
        status=str(result.get("status")),
        attempt=int(result.get("attempt", attempts)),
        attempts=attempts,
        folder=folder,
        budget=float(result.get("budget_s", base.budget)),
        interval=float(result.get("interval_s", base.interval)),
        threads=int(result.get("threads", base.threads)),
        reason=result.get("reason"),
        elapsed=number(result.get("fit_s")),
        startup=number(result.get("startup_s")),
        cpu_s=number(result.get("cpu_s")),
        peak_rss=result.get("peak_rss"),
        incumbents=int(result.get("incumbents", 0)),
        expression=evaluation.expression,
        positional=evaluation.positional,
        native=final.get("native"),
        final_source=final.get("source"),
        final_status=evaluation.status,
        final_t=number(final.get("t")),
        train_nmse=evaluation.train_nmse,
        id_nmse=evaluation.id_nmse,
        ood_nmse=evaluation.ood_nmse,
        id_status=evaluation.id_status,
        ood_status=evaluation.ood_status,
        denominator_id=evaluation.denominator_id,
        denominator_ood=evaluation.denominator_ood,
        native_gap=number(final.get("native_gap")),
        native_gap_flag=bool(final.get("native_gap_flag", False)),
        claimed=claimed if isinstance(claimed, dict) else None,
        settings=result.get("settings") or {},
        versions=result.get("versions") or {},
        exit_code=result.get("exit_code"),
        signal=result.get("signal"),
        segment=segment,
    )


class LiveRun:
    """Follows one attempt that has no result yet; every `look` reads only what is new."""

    def __init__(self, base: Run, folder: Path, attempt: int, attempts: int) -> None:
        self.folder = folder
        self._base = replace(base, folder=folder, attempt=attempt, attempts=attempts)
        self._offsets = {layout.INCUMBENTS: 0, layout.EVALUATIONS: 0, layout.TELEMETRY: 0}
        self._incumbents = 0
        self._native: str | None = None
        self._evaluation: Evaluation | None = None
        self._sample: dict[str, Any] = {}
        self._began = False
        self._startup: float | None = None
        self._peak = 0

    def look(self) -> Run:
        """Read what is new and describe the run.

        Returns
        -------
        Run
            With its final status as soon as its result is there.
        """
        damage = None
        try:
            result = store.read_record(self.folder / layout.RESULT)
        except EngineError as error:
            result, damage = None, str(error)
        if result is not None:
            return ended(self._base, result, self.folder, self._base.attempts, None)
        self._read_new()
        sample = self._sample
        return replace(
            self._base,
            status=self._status() if damage is None else records.INTERRUPTED,
            damage=damage,
            reason=damage,
            elapsed=self._elapsed(),
            startup=self._startup,
            cpu_s=number(sample.get("cpu_s")),
            rss=sample.get("rss"),
            peak_rss=self._peak or None,
            incumbents=self._incumbents,
            native=self._native,
            **_evaluated(self._evaluation),
        )

    def _read_new(self) -> None:
        for line in self._new(layout.INCUMBENTS):
            event = line.get("event")
            if event == "fit-began":
                self._began = True
            elif event == "incumbent":
                self._incumbents += 1
                self._native = line.get("native")
        for line in self._new(layout.EVALUATIONS):
            self._evaluation = evaluation_of(line)
        for line in self._new(layout.TELEMETRY):
            self._sample = line
            self._peak = max(self._peak, int(line.get("rss") or 0))
        if self._startup is None and self._sample:
            self._startup = self._before_fit()

    def _new(self, name: str) -> tuple[dict[str, Any], ...]:
        path = self.folder / name
        try:
            if path.stat().st_size <= self._offsets[name]:
                return ()
        except OSError:
            return ()
        lines = store.read_lines(path, self._offsets[name])
        self._offsets[name] = lines.offset
        return lines.records

    def _status(self) -> str:
        if (self.folder / layout.EXIT).exists():
            return records.ENDING
        try:
            keeper = store.read_record(self.folder / layout.KEEPER)
        except EngineError:
            return records.INTERRUPTED
        if keeper is None:
            return records.STARTING if self._may_start() else records.INTERRUPTED
        if liveness.alive(keeper) is False and not (self.folder / layout.EXIT).exists():
            return records.INTERRUPTED
        return records.RUNNING if self._began else records.STARTING

    def _may_start(self) -> bool:
        """Tell whether an attempt without a keeper is on its way to one: by its queue, age or engine."""
        if (self.folder / layout.SUBMISSION).exists():
            return True
        with contextlib.suppress(OSError):
            if abs(time.time() - self.folder.stat().st_mtime) < _STARTS_WITHIN_S:
                return True
        return lease.owner(self.folder.parents[4]) is not None

    def _before_fit(self) -> float | None:
        """Return the seconds between the keeper's start and the fit's, by the wall clock of its records."""
        try:
            keeper = store.read_record(self.folder / layout.KEEPER) or {}
        except EngineError:
            return None
        t, at, began = (
            number(value) for value in (self._sample.get("t"), self._sample.get("at"), keeper.get("at"))
        )
        return None if t is None or at is None or began is None else max(0.0, at - t - began)

    def _elapsed(self) -> float | None:
        t, at = number(self._sample.get("t")), number(self._sample.get("at"))
        if t is None or at is None:
            return 0.0 if self._began else None
        since = time.time() - at if not (self.folder / layout.EXIT).exists() else 0.0
        return min(max(t + since, t), self._base.budget)


def _evaluated(evaluation: Evaluation | None) -> dict[str, Any]:
    if evaluation is None:
        return {}
    return {
        "expression": evaluation.expression,
        "positional": evaluation.positional,
        "final_status": evaluation.status,
        "train_nmse": evaluation.train_nmse,
        "id_nmse": evaluation.id_nmse,
        "ood_nmse": evaluation.ood_nmse,
        "id_status": evaluation.id_status,
        "ood_status": evaluation.ood_status,
        "denominator_id": evaluation.denominator_id,
        "denominator_ood": evaluation.denominator_ood,
    }
