"""Keepers as jobs of a Slurm cluster: the same keeper, started by ``sbatch`` on a node.

The campaign folder, the scratch base and the methods' environments must lie where all nodes see them. Written
against the manual pages of sbatch, squeue and scancel and tested with stand-ins for them; it was never
exercised on a real cluster.
"""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.errors import EngineError
from engine.running import attempts, layout, store
from engine.running.executors.local import KEEPER_ARGV
from engine.running.job import Job
from tasks.locations import data_folder

# One squeue for all jobs, no more often than this: a controller serves many users.
QUEUE_LOOK_S = 10.0
# A job that squeue has just forgotten may still be writing its last record.
SETTLING_S = 30.0
COMMAND_LIMIT_S = 60.0
JOB_FILE = "job.json"


class SlurmExecutor:
    """Submits, looks after and ends Slurm jobs with one keeper each.

    Parameters
    ----------
    settings : mapping
        ``sbatch``: options for every submission (partition, account, time ...). ``scratch``: a folder that
        all nodes see, for the workers' input; below the user's data folder when empty.
    threads : mapping of str to int
        Cores to ask for, by label.
    """

    def __init__(self, settings: Mapping[str, object], threads: Mapping[str, int]) -> None:
        for command in ("sbatch", "squeue", "scancel"):
            if shutil.which(command) is None:
                raise EngineError(
                    f"{command} is not on this machine: start the campaign on a Slurm login node"
                )
        options = settings.get("sbatch") or []
        if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
            raise EngineError("the executor's sbatch setting must be a list of options")
        self._options: Sequence[str] = tuple(options)
        base = str(settings.get("scratch") or "")
        self.scratch_base: Path | None = Path(base) if base else data_folder() / "slurm-scratch"
        self.scratch_base.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._threads = dict(threads)
        self._queued: frozenset[str] = frozenset()
        self._looked = -QUEUE_LOOK_S
        self._last_seen: dict[Path, float] = {}

    def start(self, job: Job, attempt: Path) -> None:
        """Submit the keeper of an attempt.

        Parameters
        ----------
        job : Job
            The job; it waits in a file that only its owner can read, in the scratch base, for the node.
        attempt : pathlib.Path
            The attempt.

        Raises
        ------
        EngineError
            When sbatch refuses.
        """
        assert self.scratch_base is not None
        job_file = self.scratch_base / f"{job.mark}.{JOB_FILE}"
        descriptor = os.open(job_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(job.dump())
        log = shlex.quote(str(attempt / layout.WORKER_LOG))
        # exec: the batch shell becomes the keeper, so that a signal to the batch step reaches it.
        script = f"#!/bin/sh\nexec {shlex.join([*KEEPER_ARGV, str(job_file)])} >>{log} 2>&1\n"
        label = attempt.parts[-4]
        words = [
            "sbatch",
            "--parsable",
            f"--job-name=arena-{job.mark}",
            "--ntasks=1",
            f"--cpus-per-task={self._threads.get(label, 1)}",
            "--no-requeue",
            "--output=/dev/null",
            "--export=NONE",
            *self._options,
        ]
        answer = _command(words, script)
        number = answer.strip().split(";")[0]
        record = {"job": number, "mark": job.mark, "job_file": str(job_file), "at": time.time()}
        store.write_whole(attempt / layout.SUBMISSION, (json.dumps(record) + "\n").encode())
        self._last_seen[attempt] = time.monotonic()

    def alive(self, attempt: Path) -> bool:
        """Tell whether an attempt's job waits or runs.

        Parameters
        ----------
        attempt : pathlib.Path
            The attempt.

        Returns
        -------
        bool
            True as well for a short while after squeue has forgotten the job.
        """
        now = time.monotonic()
        if now - self._looked >= QUEUE_LOOK_S:
            self._looked = now
            self._queued = _queued_names()
        record = _submission(attempt)
        if record is None:
            return False
        if f"arena-{record['mark']}" in self._queued:
            self._last_seen[attempt] = now
            return True
        return now - self._last_seen.setdefault(attempt, now) < SETTLING_S

    def stop(self, attempt: Path) -> None:
        """Ask an attempt's keeper to end its run; a job that still waits is taken out of the queue.

        Parameters
        ----------
        attempt : pathlib.Path
            The attempt.
        """
        record = _submission(attempt)
        if record is None:
            return
        if attempts.keeper_of(attempt) is not None:
            _command(["scancel", "--batch", "--signal=TERM", str(record["job"])], "")
            return
        # The claim keeps a keeper that starts at this very moment from starting a worker.
        claim = {"abandoned": True, "by": "engine", "at": time.time()}
        if store.write_new(attempt / layout.KEEPER, (json.dumps(claim) + "\n").encode()):
            _command(["scancel", str(record["job"])], "")
            self._last_seen[attempt] = -SETTLING_S
            self._looked = -QUEUE_LOOK_S
        else:
            _command(["scancel", "--batch", "--signal=TERM", str(record["job"])], "")

    def forget(self, attempt: Path) -> None:
        """Remove the job file of an ended attempt.

        Parameters
        ----------
        attempt : pathlib.Path
            The attempt.
        """
        record = _submission(attempt)
        self._last_seen.pop(attempt, None)
        if record is not None:
            Path(str(record["job_file"])).unlink(missing_ok=True)


def _submission(attempt: Path) -> dict[str, object] | None:
    with contextlib.suppress(EngineError):
        return store.read_record(attempt / layout.SUBMISSION)
    return None


def _queued_names() -> frozenset[str]:
    # The names, not the numbers: a submission whose number never reached the disk is found again too.
    answer = _command(["squeue", "--noheader", "--me", "--format=%j"], "")
    return frozenset(line.strip() for line in answer.splitlines() if line.strip())


def _command(words: Sequence[str], text: str) -> str:
    try:
        done = subprocess.run(
            words, input=text, capture_output=True, text=True, timeout=COMMAND_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise EngineError(
            f"{words[0]} has not answered for {COMMAND_LIMIT_S:g} s: try again later"
        ) from error
    if done.returncode:
        why = " ".join(done.stderr.split()) or f"exit {done.returncode}"
        raise EngineError(f"{words[0]} refused: {why}")
    return done.stdout
