"""One run of the conformance kit: a worker under the keeper that campaigns use, watched from outside."""

import json
import shutil
import tempfile
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from engine.errors import EngineError
from engine.methods.check_tasks import CheckTask
from engine.methods.environments import launch
from engine.methods.registry import Method
from engine.running.executors.local import LocalExecutor
from engine.running.job import Job
from engine.running.request import THREAD_VARIABLES
from tasks.locations import cache_folder, data_folder

STARTUP_S = 180.0
GRACE_S = 5.0
_POLL_S = 0.05
_OPEN_FILES_POLL_S = 0.5
# After the keeper's own limits; beyond it the kit ends the keeper and says so.
_PATIENCE_S = 30.0
SCRATCH_CONTENT = {"request.json", "train.npz"}
# Folders of ours whose files a worker may have open.
_OWN_OPEN = ("environments", "bundles", "homes", "checkouts")


@dataclass(slots=True)
class Trial:
    """What came of one run.

    Attributes
    ----------
    lines : list of dict
        The worker's record.
    exit : dict
        The keeper's `exit.json`.
    log : str
        The end of the worker's log.
    strangers : set of str
        Files of arena-tui's data or cache folders that the worker had open and had no business with.
    survivors : int
        Processes of the run that were alive after its end.
    stopped_after : float or None
        Seconds between a stop request and the end of the run.
    predictions : ndarray or None
        The native predictor's values on the training rows.
    """

    lines: list[dict[str, Any]]
    exit: dict[str, Any]
    log: str
    strangers: set[str] = field(default_factory=set)
    survivors: int = 0
    stopped_after: float | None = None
    predictions: np.ndarray[Any, np.dtype[np.float64]] | None = None

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return the record's lines of one kind."""
        return [line for line in self.lines if line.get("event") == name]

    @property
    def final(self) -> dict[str, Any] | None:
        """The method's own final choice, None when it made none."""
        finals = self.events("final")
        return finals[-1] if finals and finals[-1].get("text") else None

    @property
    def incumbents(self) -> list[str]:
        """The texts of the incumbents, in order."""
        return [line["text"] for line in self.events("incumbent")]


def run(
    method: Method,
    task: CheckTask,
    settings: Mapping[str, Any],
    *,
    seed: int,
    budget_s: float,
    evaluation_limit: int | None = None,
    stop_after_s: float | None = None,
    endpoint: Mapping[str, Any] | None = None,
) -> Trial:
    """Run a method once on one thread.

    Parameters
    ----------
    method : Method
        An installed method.
    task : CheckTask
        What it is given; only its training rows leave this process.
    settings : mapping
        Merged settings.
    seed, budget_s, evaluation_limit
        As in a campaign.
    stop_after_s : float, optional
        Ask the keeper to end the run so long after the fit began.
    endpoint : mapping, optional
        A model lent to the method.

    Returns
    -------
    Trial
        Its record, its exit and what was seen from outside.

    Raises
    ------
    EngineError
        When the method is not installed.
    """
    started = launch(method)
    root = Path(tempfile.mkdtemp(prefix="arena-check-"))
    try:
        attempt, scratch = root / "attempt", root / "scratch"
        attempt.mkdir()
        scratch.mkdir(mode=0o700)
        np.savez(scratch / "train.npz", X=task.X, y=task.y)
        request = {
            "schema": 1,
            "method": method.name,
            "wrapper": method.wrapper,
            "settings": dict(settings),
            "seed": seed,
            "threads": 1,
            "budget_s": budget_s,
            "evaluation_limit": evaluation_limit,
            "features": ["x0", "x1"],
            "target": "y",
            "description": None,
            "endpoint": None if endpoint is None else dict(endpoint),
        }
        (scratch / "request.json").write_text(json.dumps(request), encoding="utf-8")
        assert {file.name for file in scratch.iterdir()} == SCRATCH_CONTENT
        job = Job(
            attempt=str(attempt),
            scratch=str(scratch),
            argv=list(started.argv),
            env=started.env | dict.fromkeys(THREAD_VARIABLES, "1"),
            mark=uuid.uuid4().hex,
            startup_s=STARTUP_S,
            budget_s=budget_s,
            grace_s=GRACE_S,
            sample_s=0.5,
        )
        return _watched(job, attempt, stop_after_s)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _watched(job: Job, attempt: Path, stop_after_s: float | None) -> Trial:
    executor = LocalExecutor()
    executor.start(job, attempt)
    deadline = time.monotonic() + job.startup_s + job.budget_s + job.grace_s + _PATIENCE_S
    began: float | None = None
    asked: float | None = None
    looked = 0.0
    strangers: set[str] = set()
    while executor.alive(attempt):
        now = time.monotonic()
        if began is None and _has_begun(attempt):
            began = now
        if now - looked >= _OPEN_FILES_POLL_S:
            looked = now
            strangers |= _strangers(job.mark)
        if stop_after_s is not None and asked is None and began is not None and now - began >= stop_after_s:
            executor.stop(attempt)
            asked = now
        if now > deadline:
            executor.stop(attempt)
            message = (
                f"the keeper of a check of {attempt} did not end its run; its processes were asked to end"
            )
            raise EngineError(message)
        time.sleep(_POLL_S)
    executor.forget(attempt)
    predictions = attempt / "native" / "train_predictions.npy"
    return Trial(
        lines=_lines(attempt / "incumbents.jsonl"),
        exit=json.loads((attempt / "exit.json").read_text(encoding="utf-8")),
        log=(attempt / "worker.log").read_text(encoding="utf-8", errors="replace")[-2000:],
        strangers=strangers,
        survivors=len(_processes(job.mark)),
        stopped_after=None if asked is None else time.monotonic() - asked,
        predictions=np.load(predictions, allow_pickle=False) if predictions.exists() else None,
    )


def _has_begun(attempt: Path) -> bool:
    record = attempt / "incumbents.jsonl"
    return record.exists() and b'"fit-began"' in record.read_bytes()[:4096]


def _lines(file: Path) -> list[dict[str, Any]]:
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue
    return lines


def _processes(mark: str) -> list[psutil.Process]:
    from engine.running.process_tree import marked

    found = []
    for pid in marked(mark):
        try:
            found.append(psutil.Process(pid))
        except psutil.NoSuchProcess:
            continue
    return found


def _strangers(mark: str) -> set[str]:
    """Return open files below our data and cache folders that are none of a worker's."""
    ours = (cache_folder(), data_folder())
    allowed = tuple(folder / name for folder in ours for name in _OWN_OPEN)
    seen = set()
    for process in _processes(mark):
        try:
            paths = [Path(file.path) for file in process.open_files()]
        except psutil.Error:
            continue
        for path in paths:
            inside = any(path.is_relative_to(folder) for folder in ours)
            if inside and not any(path.is_relative_to(folder) for folder in allowed):
                seen.add(str(path))
    return seen
