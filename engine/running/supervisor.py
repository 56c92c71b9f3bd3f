"""The engine: starts keepers, watches their runs, heeds the control spool; and takes over what it finds."""

import asyncio
import contextlib
import functools
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from engine.running import (
    attempts,
    capacity,
    control,
    layout,
    records,
    recovery,
    segments,
    spec_file,
    starting,
)
from engine.running.active import INTERRUPTED, STOPPED, ActiveRun
from engine.running.evaluation_pool import EvaluationPool
from engine.running.executors import Executor
from engine.running.journal import Journal
from engine.running.lease import Lease
from engine.running.lending import Lender
from engine.running.outcomes import Outcome, Progress
from engine.running.prepared import Preparer
from engine.running.reader import Campaign, read_campaign
from engine.running.records import RunKey
from engine.running.roster import Starter, equipped, starters
from engine.running.tail import Tail
from tasks.errors import TaskError

TICK_S = 0.2
CONTROL_S = 0.5
KEEPER_LOOK_S = 1.0
# From so many finished runs on, their logs are packed into a segment when the engine ends.
PACK_FROM = 100
# A keeper that dies (or finds no room on the disk) this often for one run is not its misfortune any more.
KEEPER_DEATHS = 3


class Supervisor:
    """The engine of one campaign folder.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder, with its spec.
    executor : Executor
        Where keepers run.
    workers : int, optional
        Runs at once; the spec's when omitted.
    skip_missing : bool
        Whether methods without their environment are left out instead of refused.
    tell : callable, optional
        Called with a `Progress` now and then.
    """

    def __init__(
        self,
        campaign: Path,
        executor: Executor,
        *,
        workers: int | None = None,
        skip_missing: bool = False,
        tell: Callable[[Progress], None] | None = None,
    ) -> None:
        self.folder = campaign
        self.spec = spec_file.read(campaign)
        self.executor = executor
        self.workers = workers or self.spec.limits.workers
        self._skip_missing = skip_missing
        self._tell = tell
        self._lease = Lease(campaign)
        self._journal: Journal | None = None
        self._queue: deque[RunKey] = deque()
        self._active: dict[RunKey, ActiveRun] = {}
        self._starting: dict[RunKey, asyncio.Task[None]] = {}
        self._ended: dict[RunKey, str] = {}
        self._deaths: Counter[RunKey] = Counter()
        self._starters: dict[str, Starter] = {}
        self._damaged: list[str] = []
        self._skipped: list[str] = []
        self._draining = False
        self._interrupts = 0
        self._failure: BaseException | None = None
        self._free_cores: list[tuple[int, ...]] = []
        self._pool = EvaluationPool(min(2, capacity.cores()))
        self._preparer = Preparer(campaign)
        self._lender: Lender | None = None
        self._began = time.monotonic()

    async def run(self) -> Outcome:
        """Run the campaign until nothing is left to do.

        Returns
        -------
        Outcome
            What became of it.

        Raises
        ------
        EngineError
            When another engine owns the folder, a method cannot be started, or the disk is full. Keepers
            that run then go on, and the next engine takes them over.
        """
        self._lease.take()
        try:
            self._journal = Journal(self.folder)
            self._event("engine-started", workers=self.workers)
            self._recover(read_campaign(self.folder))
            self._make_cores()
            with self._signals():
                await self._loop()
            await asyncio.to_thread(self._pack)
            self._event("engine-ended", statuses=dict(Counter(self._ended.values())))
        finally:
            await self._abandon()
            await self._pool.close()
            await self._preparer.close()
            if self._lender is not None:
                self._lender.close()
            self._lease.release()
        return Outcome(
            statuses=dict(Counter(self._ended.values())),
            damaged=tuple(self._damaged),
            seconds=time.monotonic() - self._began,
            interrupted=self._interrupts > 0,
            skipped=tuple(self._skipped),
        )

    async def _abandon(self) -> None:
        """Drop what is under way when the engine fails: the next one takes it up from the records."""
        unfinished = [*self._starting.values()]
        for run in self._active.values():
            unfinished += [task for task in (run.evaluating, run.finishing) if task is not None]
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)

    def interrupt(self) -> None:
        """End running runs with their last checkpoint kept; a second call leaves them to their keepers."""
        self._interrupts += 1
        self._draining = True
        self._queue.clear()
        if self._interrupts == 1:
            for run in self._active.values():
                run.stopped_by = run.stopped_by or INTERRUPTED
                self.executor.stop(run.folder)

    @contextlib.contextmanager
    def _signals(self) -> Any:  # noqa: ANN401 - a context manager's own type says less than its name
        loop = asyncio.get_running_loop()
        caught = []
        for number in (signal.SIGINT, signal.SIGTERM):
            # Not in the main thread (a console's worker): the caller interrupts by the method.
            with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
                loop.add_signal_handler(number, self.interrupt)
                caught.append(number)
        try:
            yield
        finally:
            for number in caught:
                loop.remove_signal_handler(number)

    def _event(self, event: str, **facts: object) -> None:
        assert self._journal is not None
        self._journal.write(event, **facts)

    # What an earlier engine left.

    def _recover(self, campaign: Campaign) -> None:
        found = recovery.survey(campaign, self.executor)
        for path in found.damaged:
            self._event("damaged", file=path)
        for key, attempt, ended in found.lost:
            self._event("attempt-lost", run=key.id, attempt=attempt, processes_ended=ended)
        self._damaged += found.damaged
        self._queue.extend(found.waiting)
        self._ended.update(found.ended)
        labels = {key.label for key in self._queue}
        self._starters = starters(self.spec, labels, skip_missing=self._skip_missing)
        self._skip()
        for key, number in found.left:
            self._watch(key, number, layout.attempt_folder(self.folder, key, number).absolute())
            self._event("run-adopted", run=key.id, attempt=number)

    def _skip(self) -> None:
        missing = {label for label, starter in self._starters.items() if starter.launch is None}
        skipped = [key for key in self._queue if key.label in missing]
        if skipped:
            self._skipped = sorted({*self._skipped, *(key.label for key in skipped)})
            self._queue = deque(key for key in self._queue if key.label not in missing)

    def _make_cores(self) -> None:
        if not self.spec.pin:
            return
        threads = max(entry.threads for entry in self.spec.methods)
        have = capacity.allowed_cores()
        groups = [have[i : i + threads] for i in range(0, len(have) - threads + 1, threads)]
        self._free_cores = groups[: self.workers]

    def _pack(self) -> None:
        unfinished = {key for key, status in self._ended.items() if status == records.CANCELLED}
        runs = [run for run in read_campaign(self.folder).runs if run.ended and run.segment is None]
        if len(runs) >= PACK_FROM:
            segment = segments.pack(self.folder, (run for run in runs if run.key not in unfinished))
            self._event("packed", segment=None if segment is None else segment.name)

    # The loop.

    async def _loop(self) -> None:
        looked_at_control = looked_at_keepers = 0.0
        while True:
            clock = time.monotonic()
            if clock - looked_at_control >= CONTROL_S:
                looked_at_control = clock
                self._heed()
            self._fill()
            look_at_keepers = clock - looked_at_keepers >= KEEPER_LOOK_S
            if look_at_keepers:
                looked_at_keepers = clock
            for run in list(self._active.values()):
                self._look(run, look_at_keeper=look_at_keepers)
            self._lease.beat(tuple(key.id for key in self._active))
            if self._failure is not None:
                raise self._failure
            if self._tell is not None and look_at_keepers:
                self._tell(self.progress())
            busy = self._active or self._starting
            if self._interrupts > 1 or (not busy and (self._draining or not self._queue)):
                return
            await asyncio.sleep(TICK_S)

    def progress(self) -> Progress:
        """Say how far the campaign is.

        Returns
        -------
        Progress
            Counts and seconds since this engine began.
        """
        failed = sum(1 for status in self._ended.values() if status in records.FAILED)
        running, waiting = len(self._active) + len(self._starting), len(self._queue)
        return Progress(
            total=running + waiting + len(self._ended),
            running=running,
            waiting=waiting,
            ended=len(self._ended),
            failed=failed,
            seconds=time.monotonic() - self._began,
        )

    def _fill(self) -> None:
        while self._queue and not self._draining and len(self._active) + len(self._starting) < self.workers:
            key = self._queue.popleft()
            task = asyncio.create_task(self._start(key))
            self._starting[key] = task
            task.add_done_callback(functools.partial(self._started, key))

    def _started(self, key: RunKey, task: asyncio.Task[None]) -> None:
        self._starting.pop(key, None)
        self._keep_failure(task)

    def _keep_failure(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and task.exception() is not None and self._failure is None:
            self._failure = task.exception()

    async def _start(self, key: RunKey) -> None:
        starter = self._starters[key.label]
        assert starter.launch is not None
        try:
            task = await self._preparer.prepare(key.task)
        except TaskError as error:
            await self._refuse(key, starter, str(error))
            return
        if self._interrupted():
            return
        if self._lender is None and starter.method.model:
            self._lender = Lender(self.folder, self.spec.model)
        cores = self._free_cores.pop() if self._free_cores else ()
        number, folder = await starting.start(
            self.folder, self.spec, key, starter, task, self.executor, self._lender, cores
        )
        self._event("run-started", run=key.id, attempt=number)
        run = self._watch(key, number, folder)
        run.cores = cores
        # It may have been interrupted while the keeper was being started.
        if self._interrupted():
            run.stopped_by = INTERRUPTED
            self.executor.stop(folder)

    def _interrupted(self) -> bool:
        return self._interrupts > 0

    def _watch(self, key: RunKey, number: int, folder: Path) -> ActiveRun:
        run = ActiveRun(self.spec, key, self._starters[key.label], number, folder, Tail(folder))
        self._active[key] = run
        return run

    async def _refuse(self, key: RunKey, starter: Starter, reason: str) -> None:
        number, folder = attempts.create(self.folder, key)
        run = ActiveRun(self.spec, key, starter, number, folder, Tail(folder))
        status = await run.finish(
            self._pool, self._preparer, {"status": records.START_FAILED, "reason": reason}
        )
        self._note_end(run, status)

    def _look(self, run: ActiveRun, *, look_at_keeper: bool) -> None:
        if run.finishing is not None:
            return
        if run.tail.read() or run.tail.pending:
            run.evaluate_new(self._pool, self._preparer)
        if run.evaluating is not None and run.evaluating.done():
            self._keep_failure(run.evaluating)
        exit_record = run.exit_record()
        if exit_record is None and look_at_keeper and not self.executor.alive(run.folder):
            # It may have written its last word between the two looks.
            exit_record = run.exit_record()
            if exit_record is None:
                self._lost(run)
                return
        if exit_record is not None and exit_record.get("disk_full"):
            self._lost(run, exit_record)
        elif exit_record is not None:
            self._close(run, exit_record)

    def _close(self, run: ActiveRun, exit_record: dict[str, Any]) -> None:
        # An engine that was interrupted twice tells its keepers to stop and does not see them do it.
        if run.stopped_by is None and exit_record.get("cause") == "stop":
            asked = control.last_word(self.folder, run.key.id) == control.STOP
            run.stopped_by = STOPPED if asked else INTERRUPTED
        run.finishing = asyncio.create_task(self._finish(run, exit_record))
        run.finishing.add_done_callback(self._keep_failure)

    async def _finish(self, run: ActiveRun, exit_record: dict[str, Any]) -> None:
        status = await run.finish(self._pool, self._preparer, exit_record)
        self._active.pop(run.key, None)
        if run.cores:
            self._free_cores.append(run.cores)
        self.executor.forget(run.folder)
        used = self._lender.take_back(run.folder) if self._lender is not None else None
        if used is not None:
            self._event("model-used", run=run.key.id, attempt=run.attempt, **used)
        self._note_end(run, status)

    def _note_end(self, run: ActiveRun, status: str) -> None:
        self._ended[run.key] = status
        self._event("run-ended", run=run.key.id, attempt=run.attempt, status=status)

    def _lost(self, run: ActiveRun, exit_record: dict[str, Any] | None = None) -> None:
        ended = attempts.clean_up(run.folder)
        self.executor.forget(run.folder)
        self._event("attempt-lost", run=run.key.id, attempt=run.attempt, processes_ended=ended)
        self._deaths[run.key] += 1
        if run.stopped_by is not None:
            self._close(run, {"status": records.CANCELLED, "reason": "stopped on request"})
        elif self._deaths[run.key] >= KEEPER_DEATHS:
            sentence = f"its keeper died {KEEPER_DEATHS} times; see worker.log"
            self._close(run, exit_record or {"status": records.CRASHED, "reason": sentence})
        else:
            self._active.pop(run.key, None)
            if run.cores:
                self._free_cores.append(run.cores)
            if not self._draining:
                # A run that was adopted may be the only one of its label.
                self._starters = equipped(self.spec, self._starters, {run.key.label})
                self._queue.appendleft(run.key)
                self._skip()

    # What people ask for.

    def _heed(self) -> None:
        for wish in control.pending(self.folder):
            applied = {
                control.STOP: self._stop,
                control.RETRY: self._retry,
                control.DRAIN: self._drain,
            }[wish.action](wish.runs)
            control.acknowledge(self.folder, wish, applied)
            self._event("control", action=wish.action, applied=applied)

    def _stop(self, runs: Iterable[str]) -> list[str]:
        wanted = set(runs)
        applied = []
        for run in self._active.values():
            if run.finishing is None and (not wanted or run.key.id in wanted):
                run.stopped_by = run.stopped_by or STOPPED
                self.executor.stop(run.folder)
                applied.append(run.key.id)
        waiting = [key for key in self._queue if not wanted or key.id in wanted]
        self._queue = deque(key for key in self._queue if wanted and key.id not in wanted)
        return applied + [key.id for key in waiting]

    def _retry(self, runs: Iterable[str]) -> list[str]:
        wanted = set(runs)
        chosen = [
            key
            for key, status in self._ended.items()
            if (key.id in wanted if wanted else status in records.FAILED)
        ]
        self._starters = equipped(self.spec, self._starters, {key.label for key in chosen})
        chosen = [key for key in chosen if self._starters[key.label].launch is not None]
        for key in chosen:
            del self._ended[key]
            self._queue.append(key)
        return [key.id for key in chosen]

    def _drain(self, _: Iterable[str]) -> list[str]:
        self._draining = True
        return [key.id for key in self._queue]
