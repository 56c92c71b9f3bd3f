"""A stronger search without a library (paper 2, table 14): genetic programming through the adapters.

A unit is one run of an installed method under the keeper that campaigns use, on the rows and with the seed
that every other arm of the task and seed has. Its budget is a time, or a number of evaluations, and not the
one of the other arms; a unit's record says which.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.expression import ExpressionError, Node, infix, parse
from engine.methods.environments import launch, state
from engine.methods.registry import Method, get
from engine.methods.settings import merge
from engine.reachability.arms import GP_METHODS, head, measured, training_rows
from engine.reachability.columns import Array
from engine.reachability.subsample import subsample
from engine.running import attempts, layout, records, store
from engine.running.executors.local import LocalExecutor
from engine.running.finishing import choose
from engine.running.job import Job
from engine.running.reader import attempts as attempt_numbers
from engine.running.records import RunKey
from engine.running.request import THREAD_VARIABLES
from engine.running.spec import Limits
from engine.running.tail import Tail
from tasks.schema import Splits, Task

FOLDER = "gp"
"""Below a study's folder: the attempts of these arms, laid out as in a campaign."""
STARTUP_S = 180.0
GRACE_S = 5.0
_PATIENCE_S = 30.0  # beyond the keeper's own limits
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Budget:
    """What one unit may spend; paper 2 says only that its budget was higher than gplearn's default.

    Attributes
    ----------
    seconds
        Of search, on one thread.
    evaluations
        Evaluations after which the method stops by itself; None leaves it to the time. With a number that
        is reached before the time is up, a unit's result does not depend on the machine.
    """

    seconds: float = 60.0
    evaluations: int | None = None


def unavailable(arm: str) -> str | None:
    """Return why an arm's method cannot run here and what to do, None if it can."""
    found = state(get(GP_METHODS[arm]))
    return None if found.usable else found.detail


def run_unit(
    arm: str, task: Task, splits: Splits, seed: int, rows: int, budget: Budget, folder: Path, *, adopt: bool
) -> dict[str, Any]:
    """Run and score one unit.

    Parameters
    ----------
    arm
        One of ``GP_METHODS``.
    task, splits
        Task and its data.
    seed
        Draws the subsample, and is the method's own seed.
    rows
        Most training rows, as in the other arms.
    budget
        What it may spend.
    folder
        The study's folder.
    adopt
        Take over an attempt that an earlier session left: a finished one is read, a living one watched.

    Returns
    -------
    dict
        The unit's record; status ``no expression`` where the method stated none in time.

    Raises
    ------
    EngineError
        If the method is not installed, or its worker broke down.
    """
    method = get(GP_METHODS[arm])
    X, y = training_rows(splits)
    chosen = subsample(len(y), rows, f"{task.id}:{seed}")
    key = RunKey(method.name, task.id, seed)
    attempt = _adopted(folder / FOLDER, key) if adopt else None
    if attempt is None:
        attempt = _attempted(folder / FOLDER, key, method, X[chosen], y[chosen], budget)
    ended = store.read_record(attempt / layout.EXIT) or {}
    tail = Tail(attempt)
    tail.read(ended=True)
    if ended.get("status") not in (records.COMPLETED, records.TIMEOUT):
        told = (tail.failure or {}).get("message")
        raise EngineError(
            f"{method.name}: {ended.get('reason') or ended.get('status')}"
            + (f": {' '.join(str(told).split())[:200]}" if told else "")
        )
    record = {
        **head(arm, task, seed),
        "pool": {"bank": 0, "proposed": 0, "shared": 0},
        "rows": len(chosen),
        "budget": asdict(budget),
        "attempt": str(attempt.relative_to(folder)),
        "path": [],
        "search_s": ended.get("elapsed_s"),
        "search_cpu_s": ended.get("cpu_s"),
        "stopped": "budget" if ended.get("status") == records.TIMEOUT else "method",
        "evaluations": _evaluations(tail),
    }
    node, reason = _final(tail, method, budget, X.shape[1])
    if node is None:
        return {**record, "status": "no expression", "reason": reason}
    text = infix(node, [f"x{place}" for place in range(X.shape[1])])
    return {**record, "status": "ok", "reason": None, **measured(text, task, splits, X[chosen], y[chosen])}


def _evaluations(tail: Tail) -> int:
    """Return the largest count the method stated; some state one only when they improve."""
    stated = [line.evaluations for line in tail.incumbents] + [(tail.final or {}).get("evaluations")]
    return max((int(count) for count in stated if isinstance(count, int | float)), default=0)


def _adopted(folder: Path, key: RunKey) -> Path | None:
    """Return the last attempt if it ended by itself, waiting for it where it still runs."""
    number = max(attempt_numbers(folder, key), default=0)
    if not number:
        return None
    attempt = layout.attempt_folder(folder, key, number)
    attempts.set_aside_damage(folder, attempt)
    found = attempts.examine(attempt, lambda _: False)
    if found is attempts.Found.ALIVE:
        asked = store.read_record(attempt / layout.REQUEST) or {}
        _watched(LocalExecutor(), attempt, float(asked.get("request", {}).get("budget_s", 0.0)))
    elif found is attempts.Found.LOST:
        attempts.clean_up(attempt)
        return None
    ended = store.read_record(attempt / layout.EXIT) or {}
    return None if ended.get("status") in (None, records.CANCELLED) else attempt


def _attempted(folder: Path, key: RunKey, method: Method, X: Array, y: Array, budget: Budget) -> Path:
    started = launch(method)
    number, attempt = attempts.create(folder, key)
    attempt = attempt.absolute()
    request = {
        "schema": 1,
        "method": method.name,
        "wrapper": method.wrapper,
        "settings": merge(method, {}),
        "seed": key.seed,
        "threads": 1,
        "budget_s": budget.seconds,
        "evaluation_limit": budget.evaluations,
        "features": [f"x{place}" for place in range(X.shape[1])],
        "target": "y",
        "description": None,
        "endpoint": None,
    }
    record = {"schema": 1, "run": key.id, "attempt": number, "dialect": method.dialect, "request": request}
    store.write_whole(attempt / layout.REQUEST, store.dump(record))
    executor = LocalExecutor()
    job = Job(
        attempt=str(attempt),
        scratch=str(_scratch(request, X, y)),
        argv=list(started.argv),
        env=started.env | dict.fromkeys(THREAD_VARIABLES, "1"),
        mark=attempts.new_mark(),
        startup_s=STARTUP_S,
        budget_s=budget.seconds,
        grace_s=GRACE_S,
    )
    executor.start(job, attempt)
    _watched(executor, attempt, budget.seconds)
    return attempt


def _scratch(request: Mapping[str, Any], X: Array, y: Array) -> Path:
    """Make the worker's folder: the request, the rows, nothing else about the task."""
    import tempfile

    scratch = Path(tempfile.mkdtemp(prefix=""))
    (scratch / "request.json").write_text(json.dumps(request, allow_nan=False), encoding="utf-8")
    with (scratch / "train.npz").open("wb") as file:
        np.savez(file, X=X, y=y)
    return scratch


def _watched(executor: LocalExecutor, attempt: Path, seconds: float) -> None:
    """Wait for an attempt's keeper, which alone holds the limits; interrupted, end the run."""
    deadline = time.monotonic() + STARTUP_S + seconds + GRACE_S + _PATIENCE_S
    try:
        while executor.alive(attempt):
            if time.monotonic() > deadline:
                raise EngineError(f"the keeper of {attempt} did not end its run; it was asked to")
            time.sleep(_POLL_S)
    except BaseException:
        executor.stop(attempt)
        raise
    executor.forget(attempt)


def _final(tail: Tail, method: Method, budget: Budget, features: int) -> tuple[Node | None, str | None]:
    """Read the expression that counts (SPEC 4): the return in time, else the last readable incumbent."""
    limits = Limits(budget_s=budget.seconds, interval_s=budget.seconds)
    choice = choose(tail, limits)
    if choice is None:
        return None, "the method stated no expression within the budget"
    within = [one.text for one in tail.incumbents if one.t <= budget.seconds]
    texts = [choice.text] if choice.source == "return" else within[::-1]
    names = [f"x{place}" for place in range(features)]
    reason = None
    for text in texts:
        try:
            return parse(text, names, method.dialect), None
        except ExpressionError as error:
            reason = reason or str(error)
    return None, reason
