"""A campaign as rows: what the commands print as tables and as JSON."""

from collections import Counter
from typing import Any

from engine.running import control, reader, records
from engine.running.reader import Campaign
from engine.running.records import Run

# A run that had less than this share of the CPU its threads could have used was starved or waiting.
STARVED_SHARE = 0.7
# Below this many seconds the figure says nothing.
STARVED_AFTER_S = 5.0
# Below this many seconds the two clocks' grain is too much of it.
SHARE_AFTER_S = 1.0


def left(campaign: Campaign) -> int:
    """Count the runs that an engine would make now.

    Parameters
    ----------
    campaign : Campaign
        The campaign.

    Returns
    -------
    int
        Those that have not ended, and those that are to be retried by a request that nobody has answered.
    """
    again: set[str] = set()
    for wish in control.pending(campaign.folder):
        if wish.action == control.RETRY:
            failed = {run.id for run in campaign.runs if run.status in records.FAILED}
            again |= set(wish.runs) or failed
    return sum(1 for run in campaign.runs if not run.ended or run.id in again)


def bound_left(campaign: Campaign, workers: int | None = None) -> float:
    """Bound how long the runs that are left can take together, start-up aside.

    Parameters
    ----------
    campaign : Campaign
        The campaign.
    workers : int, optional
        Runs at once; the spec's when omitted.

    Returns
    -------
    float
        Seconds: runs x (budget + grace) / workers, the last round counted whole.
    """
    limits = campaign.spec.limits
    return -(-left(campaign) // (workers or limits.workers)) * (limits.budget_s + limits.grace_s)


def row(run: Run) -> dict[str, Any]:
    """Describe a run in the ten fields that `quickstart --json` promises.

    Parameters
    ----------
    run : Run
        The run.

    Returns
    -------
    dict
        ``checkpoints`` counts the grid points that hold an evaluated expression.
    """
    held = 0
    if run.status != records.PLANNED and run.incumbents:
        held = sum(1 for point in reader.checkpoints(run) if point.status not in {"none", "unavailable"})
    return {
        "method": run.label,
        "task": run.task,
        "name": run.name,
        "seed": run.seed,
        "condition": run.condition,
        "status": run.status,
        "checkpoints": held,
        "id_nmse": run.id_nmse,
        "ood_nmse": run.ood_nmse,
        "expression": run.expression,
    }


def full_row(run: Run) -> dict[str, Any]:
    """Describe a run in everything that `status --json` gives.

    Parameters
    ----------
    run : Run
        The run.

    Returns
    -------
    dict
        Plain JSON types.
    """
    return {
        "run": run.id,
        "label": run.label,
        "method": run.method,
        "task": run.task,
        "name": run.name,
        "seed": run.seed,
        "condition": run.condition,
        "status": run.status,
        "reason": run.reason,
        "attempt": run.attempt,
        "elapsed_s": run.elapsed,
        "budget_s": run.budget,
        "cpu_s": run.cpu_s,
        "cpu_share": cpu_share(run),
        "rss": run.rss,
        "peak_rss": run.peak_rss,
        "threads": run.threads,
        "incumbents": run.incumbents,
        "source": run.final_source,
        "id_nmse": run.id_nmse,
        "ood_nmse": run.ood_nmse,
        "id_status": run.id_status,
        "ood_status": run.ood_status,
        "expression": run.expression,
        "native_gap": run.native_gap,
        "native_gap_flag": run.native_gap_flag,
        "claimed": None if run.claimed is None else dict(run.claimed),
        "exit_code": run.exit_code,
        "signal": run.signal,
    }


def cpu_share(run: Run) -> float | None:
    """Tell how much of the CPU time its threads could have used a run has used.

    Parameters
    ----------
    run : Run
        The run.

    Returns
    -------
    float or None
        CPU seconds over wall seconds times threads, start-up counted in both; None where either is not known,
        and for a run so short that it says nothing.
    """
    if run.cpu_s is None or run.elapsed is None:
        return None
    wall = run.elapsed + (run.startup or 0.0)
    return None if wall < SHARE_AFTER_S else round(run.cpu_s / (wall * run.threads), 3)


def starved(run: Run) -> bool:
    """Tell whether a run got so little CPU time that its time limit was not worth what it says.

    Parameters
    ----------
    run : Run
        The run.

    Returns
    -------
    bool
        False where the share is not known; a method that waits (for a model, say) shows too.
    """
    share = cpu_share(run)
    return share is not None and share < STARVED_SHARE and (run.elapsed or 0.0) >= STARVED_AFTER_S


def counts(campaign: Campaign) -> dict[str, int]:
    """Count a campaign's runs by status.

    Parameters
    ----------
    campaign : Campaign
        The campaign.

    Returns
    -------
    dict
        Statuses that occur, in alphabetical order.
    """
    return dict(sorted(Counter(run.status for run in campaign.runs).items()))
