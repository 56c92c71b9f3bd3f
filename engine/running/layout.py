"""Where things lie inside a campaign folder: paths only, nothing is read or written here."""

from pathlib import Path

from engine.running.records import RunKey

SPEC = "campaign.toml"
RUNS = "runs"
CONTROL = "control"
REQUESTS = "control/requests"
ACKNOWLEDGEMENTS = "control/acknowledgements"
LEASE = "control/lease.json"
LOCK = "control/lock"
ENGINE_LOG = "control/engine.log"
DATA = "data"
DAMAGED = "damaged"
SEGMENTS = "segments"

REQUEST = "request.json"
INCUMBENTS = "incumbents.jsonl"
EVALUATIONS = "evaluations.jsonl"
TELEMETRY = "telemetry.jsonl"
WORKER_LOG = "worker.log"
NATIVE = "native"
KEEPER = "keeper.json"
EXIT = "exit.json"
RESULT = "result.json"
SUBMISSION = "submission.json"


def run_folder(campaign: Path, key: RunKey) -> Path:
    """Folder of one run; its attempts lie below it.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    key : RunKey
        The run.

    Returns
    -------
    pathlib.Path
        ``runs/LABEL/TASKID/SEED[-CONDITION]``.
    """
    return campaign / RUNS / key.label / key.task / key.cell


def attempt_folder(campaign: Path, key: RunKey, attempt: int) -> Path:
    """Folder of one attempt at a run.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    key : RunKey
        The run.
    attempt : int
        1 for the first.

    Returns
    -------
    pathlib.Path
        ``runs/LABEL/TASKID/SEED[-CONDITION]/attempt-N``.
    """
    return run_folder(campaign, key) / f"attempt-{attempt}"


def attempt_number(folder_name: str) -> int | None:
    """Read the number out of ``attempt-N``.

    Parameters
    ----------
    folder_name : str
        The last part of an attempt's path.

    Returns
    -------
    int or None
        The number, or None when the name is no attempt's.
    """
    head, _, tail = folder_name.partition("-")
    return int(tail) if head == "attempt" and tail.isdigit() else None


def key_of_cell(label: str, task: str, cell: str) -> RunKey | None:
    """Read a run's key back from its three folder names.

    Parameters
    ----------
    label, task, cell : str
        Folder names below ``runs``; the last is ``SEED`` or ``SEED-CONDITION``.

    Returns
    -------
    RunKey or None
        None when the last name does not start with a seed.
    """
    seed, dash, condition = cell.partition("-")
    if not seed.isdigit():
        return None
    return RunKey(label, task, int(seed), condition if dash else "clean")
