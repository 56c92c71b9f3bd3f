"""Orders to a campaign: stop, retry, drain. They are left in its spool; the engine that owns it obeys."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.screens.monitor.rows import LIVE

if TYPE_CHECKING:
    from engine.running.records import Run

TITLES: Mapping[str, str] = {"stop": "Stop", "retry": "Retry", "drain": "Drain"}
DONE: Mapping[str, str] = {"stop": "stopped", "retry": "retried", "drain": "drained"}
_NAMED = 6
_PATIENCE_S = 10.0


def fitting(kind: str, runs: "Sequence[Run]") -> "list[Run]":
    """Keep the runs that an order can mean.

    Parameters
    ----------
    kind : str
        ``stop``, ``retry`` or ``drain``.
    runs : sequence of Run
        The marked runs, or the one under the cursor.

    Returns
    -------
    list of Run
        For a stop those that have not ended, for a retry those that have.
    """
    if kind == "stop":
        return [run for run in runs if run.status in (*LIVE, "planned")]
    if kind == "retry":
        return [run for run in runs if run.ended or run.status == "interrupted"]
    return []


def sentence(kind: str, runs: "Sequence[Run]") -> str:
    """Say what an order will do, before it is given.

    Parameters
    ----------
    kind : str
        ``stop``, ``retry`` or ``drain``.
    runs : sequence of Run
        What it is given for.

    Returns
    -------
    str
        A question of some lines.
    """
    if kind == "drain":
        return "Start nothing new, and let the running runs finish?"
    names = [f"  {run.id}  {run.name}" for run in runs[:_NAMED]]
    if len(runs) > _NAMED:
        names.append(f"  and {len(runs) - _NAMED} more")
    if kind == "stop":
        planned = [run for run in runs if run.status == "planned"]
        begun = [run for run in runs if run.status != "planned"]
        lines = []
        if begun:
            lines.append(f"End {_count(begun)} now? The last checkpoint is scored; this cannot be undone.")
        if planned:
            lines.append(f"Take {_count(planned, 'planned ')} off the list? A later engine (R) makes them.")
        head = "\n".join(lines)
    else:
        head = f"Make another attempt at {_count(runs)}? Earlier attempts are kept."
    return "\n".join([head, "", *names])


def _count(runs: "Sequence[Run]", kind: str = "") -> str:
    return f"this {kind}run" if len(runs) == 1 else f"these {len(runs)} {kind}runs"


def send(folder: Path, kind: str, runs: Sequence[str]) -> str:
    """Leave an order in the campaign's spool.

    Parameters
    ----------
    folder : pathlib.Path
        The campaign.
    kind : str
        ``stop``, ``retry`` or ``drain``.
    runs : sequence of str
        Run ids; none for drain.

    Returns
    -------
    str
        What can be said now.
    """
    from engine.running import control, lease

    wish = control.ask(folder, kind, runs)
    if lease.owner(folder) is None:
        return f"no engine runs this campaign now: the {kind} will be heeded when one resumes it (R)"
    ends = time.monotonic() + _PATIENCE_S
    while time.monotonic() < ends:
        answer = control.answer(folder, wish)
        if answer is not None:
            heeded = answer.get("applied") or ()
            return f"{kind}: done" + (f" for {len(heeded)} of {len(runs)} runs" if runs else "")
        time.sleep(0.1)
    return f"{kind} asked for; the engine has not answered yet"
