"""What a worker is given: a scratch folder with ``request.json`` and ``train.npz``, and nothing else."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.methods.environments import Launch
from engine.methods.registry import Method
from engine.running import store
from engine.running.conditions import perturb
from engine.running.prepared import PreparedTask
from engine.running.records import RunKey
from engine.running.spec import CampaignSpec, MethodEntry

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
    "JULIA_NUM_THREADS",
)
SCRATCH_VARIABLE = "ARENA_SCRATCH"


def worker_names(task: PreparedTask) -> tuple[str, ...]:
    """Name the features as every worker knows them (paper 1, I.3).

    What they mean is told beside them, where a campaign lends descriptions; a name of a task's own could be
    one that no expression can hold (``body mass``, ``lambda``), and would tell more than the paper's runs do.

    Parameters
    ----------
    task : PreparedTask
        The task.

    Returns
    -------
    tuple of str
        x0, x1, ... in the order of the columns; the target is ``y``.
    """
    return tuple(f"x{index}" for index in range(len(task.features)))


def build(
    spec: CampaignSpec,
    entry: MethodEntry,
    method: Method,
    settings: Mapping[str, Any],
    task: PreparedTask,
    seed: int,
    endpoint: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Build the request that a worker reads.

    Parameters
    ----------
    spec : CampaignSpec
        The campaign.
    entry : MethodEntry
        The method's entry in it.
    method : Method
        Its description.
    settings : mapping
        Its settings, merged.
    task : PreparedTask
        The task, of which only what the campaign allows is told.
    seed : int
        The run's seed.
    endpoint : mapping, optional
        A model lent to the worker.

    Returns
    -------
    dict
        Plain JSON types.
    """
    return {
        "schema": 1,
        "method": method.name,
        "wrapper": method.wrapper,
        "settings": dict(settings),
        "seed": seed,
        "threads": entry.threads,
        "budget_s": spec.limits.budget_s,
        "evaluation_limit": entry.evaluation_limit,
        "features": list(worker_names(task)),
        "target": "y",
        "description": dict(task.descriptions) if spec.semantics else None,
        "endpoint": None if endpoint is None else dict(endpoint),
    }


def write_scratch(base: Path | None, request: Mapping[str, Any], task: PreparedTask, key: RunKey) -> Path:
    """Make a worker's scratch folder (mode 0700, a name that says nothing).

    Parameters
    ----------
    base : pathlib.Path or None
        Where; the folder for temporary files when None.
    request : mapping
        See `build`.
    task : PreparedTask
        Gives the training rows.
    key : RunKey
        Gives seed and condition of the label noise.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    EngineError
        When the disk is full.
    """
    X, y = task.train()
    labels = perturb(y, task.noise_key, key.condition, key.seed)
    chosen = base or (Path(os.environ[SCRATCH_VARIABLE]) if os.environ.get(SCRATCH_VARIABLE) else None)
    scratch = None
    try:
        scratch = Path(tempfile.mkdtemp(prefix="", dir=chosen))
        (scratch / "request.json").write_text(
            json.dumps(request, allow_nan=False, indent=1) + "\n", encoding="utf-8"
        )
        with (scratch / "train.npz").open("wb") as file:
            np.savez(file, X=np.asarray(X), y=labels)
    except OSError as error:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
        raise EngineError(store.disk_sentence(Path(chosen or tempfile.gettempdir()), error)) from error
    return scratch


def environment(launch: Launch, threads: int) -> dict[str, str]:
    """Build a worker's environment: the method's own, and the thread limits every numeric library heeds.

    Parameters
    ----------
    launch : Launch
        How the method is started.
    threads : int
        Threads a run may use.

    Returns
    -------
    dict
        Environment variables.
    """
    return {**launch.env, **dict.fromkeys(THREAD_VARIABLES, str(threads))}
