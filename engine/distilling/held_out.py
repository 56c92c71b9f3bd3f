"""Leave one probe out: select with the other probes, measure on the one that was left out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.distilling.baselines import selectors
from engine.distilling.facts import TaskFacts
from engine.distilling.information import task_scores
from engine.distilling.pool import build_pool
from engine.distilling.problem import Demand, pose
from engine.distilling.responses import Responses
from engine.distilling.selection import Solver, select
from engine.errors import EngineError

OURS = "ours"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One selector's |A_p(S) - A_p(D)| on each probe while that probe was left out, and the mean.

    ``selected_without`` is False for fixed sets, in whose making the probe may have had a part. Random
    selectors show the mean over their draws.
    """

    selector: str
    selected_without: bool
    errors: dict[str, float]
    mean: float


def leave_one_out(
    facts: tuple[TaskFacts, ...],
    responses: Responses,
    demand: Demand,
    fixed: Mapping[str, tuple[str, ...]],
    *,
    solver: Solver,
    seconds: float,
    seed: int,
    watch: Callable[[str], None] | None = None,
) -> tuple[HeldOut, ...]:
    """Validate selection rules on probes they have not seen.

    Parameters
    ----------
    facts : tuple of TaskFacts
        Of the pool.
    responses : Responses
        Of at least three probes.
    demand : Demand
        Size, weights, bound. Labels are computed from the remaining probes, since published ones know all
        four.
    fixed : mapping of str to tuple of str
        Selections made elsewhere (the published Core50), measured beside.
    solver, seconds, seed
        As `select` takes them; the time is for each probe.
    watch : callable, optional
        Told the probe that is left out next.

    Returns
    -------
    tuple of HeldOut
        Ours, the fixed ones, the baselines.

    Raises
    ------
    EngineError
        With fewer than three probes, or when a selection is impossible.
    """
    if len(responses.probes) < 3:
        raise EngineError(
            f"leaving a probe out needs at least three probes; there are {len(responses.probes)}"
        )
    scores = task_scores(responses)
    full = scores.mean(axis=0)
    errors: dict[str, dict[str, float]] = {OURS: {}}
    for column, probe in enumerate(responses.probes):
        if watch is not None:
            watch(probe)
        rest = responses.only([name for name in responses.probes if name != probe])
        pool = build_pool(facts, rest, "computed")

        def off(rows: NDArray[np.int64], column: int = column) -> float:
            return float(abs(scores[rows, column].mean() - full[column]))

        chosen = select(pose(pool, replace(demand, within=None)), solver=solver, seconds=seconds, seed=seed)
        errors[OURS][probe] = off(chosen.rows)
        for name, members in fixed.items():
            errors.setdefault(name, {})[probe] = off(pool.places(members))
        for name, rows in selectors(pool, demand.size, seed).items():
            errors.setdefault(name, {})[probe] = float(np.mean([off(own) for own in rows]))
    return tuple(
        HeldOut(name, name not in fixed, own, float(np.mean(list(own.values()))))
        for name, own in errors.items()
    )
