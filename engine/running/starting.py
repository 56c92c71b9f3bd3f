"""Starts one attempt: its folder, the worker's scratch folder, the record of what was asked, the keeper."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from engine.running import attempts, layout, request, store
from engine.running.executors import Executor
from engine.running.job import Job
from engine.running.journal import now
from engine.running.lending import Lender
from engine.running.prepared import PreparedTask
from engine.running.records import RunKey
from engine.running.roster import Starter
from engine.running.spec import CampaignSpec

# Telemetry: a hundred samples a run, but never closer or further apart than this (seconds).
SAMPLES = 100
SAMPLE_S = (0.5, 5.0)


async def start(
    campaign: Path,
    spec: CampaignSpec,
    key: RunKey,
    starter: Starter,
    task: PreparedTask,
    executor: Executor,
    lender: Lender | None,
    cores: Sequence[int],
) -> tuple[int, Path]:
    """Start the next attempt at a run.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    spec : CampaignSpec
        Its spec.
    key : RunKey
        The run.
    starter : Starter
        Its method, ready to start.
    task : PreparedTask
        Its task, laid out.
    executor : Executor
        Where its keeper runs.
    lender : Lender or None
        Lends the model, to methods that ask one.
    cores : sequence of int
        Cores to bind to; empty for any.

    Returns
    -------
    number : int
        The attempt's number.
    folder : pathlib.Path
        Its folder.

    Raises
    ------
    EngineError
        When the disk is full, or a queue refuses the job.
    """
    assert starter.launch is not None
    number, folder = attempts.create(campaign, key)
    folder = folder.absolute()
    endpoint = lender.lend(key.id, folder) if lender is not None and starter.method.model else None
    asked = request.build(spec, starter.entry, starter.method, starter.settings, task, key.seed, endpoint)
    scratch = await asyncio.to_thread(request.write_scratch, executor.scratch_base, asked, task, key)
    record = {
        "schema": 1,
        "run": key.id,
        "name": task.name,
        "condition": key.condition,
        "attempt": number,
        "created": now(),
        "dialect": starter.dialect,
        "noise_key": task.noise_key,
        "versions": starter.versions,
        # The worker's copy has the token that opens the model; no record has.
        "request": asked | {"endpoint": None if endpoint is None else {**endpoint, "token": None}},
    }
    store.write_whole(folder / layout.REQUEST, store.dump(record))
    limits = spec.limits
    job = Job(
        attempt=str(folder),
        scratch=str(scratch),
        argv=list(starter.launch.argv),
        env=request.environment(starter.launch, starter.entry.threads),
        mark=attempts.new_mark(),
        startup_s=limits.startup_s,
        budget_s=limits.budget_s,
        grace_s=limits.grace_s,
        memory_bytes=limits.memory_bytes,
        affinity=list(cores) or None,
        sample_s=min(max(limits.budget_s / SAMPLES, SAMPLE_S[0]), SAMPLE_S[1]),
    )
    # In a thread: a queue's submit command may take its time.
    await asyncio.to_thread(executor.start, job, folder)
    return number, folder
