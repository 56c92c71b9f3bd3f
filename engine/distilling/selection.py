"""Selecting a core: one function over the paper's swap solver and the exact one."""

import os
import threading
import time
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.distilling.clashes import ClashError, find_clash
from engine.distilling.exact import EXACT_REACH, Ledger, close_gap
from engine.distilling.lagrangian import bound_by_levels
from engine.distilling.problem import Problem, Terms
from engine.distilling.progress import Progress, Watch
from engine.distilling.starts import lay_out, run_starts
from engine.errors import EngineError

Solver = Literal["exact", "swap"]

# The share of the time that the swap starts may take before the exact solver begins.
SWAP_SHARE = 0.15
SWAP_STARTS = 30
WARM_STARTS = 12
KICKS = 60
# A pool of this many tasks takes one start; smaller ones as many as above.
LARGE_POOL = 5000
# How often it is looked whether somebody has seen enough.
LOOK_S = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """A selected core with its proof.

    Attributes
    ----------
    members : tuple of str
        Task ids, sorted.
    rows : numpy.ndarray
        Their rows in the pool.
    terms : Terms
        J and its parts.
    bound, gap : float
        Proven upper bound on J over all feasible sets, and (bound - J) / J.
    solver, seed, starts : str, int, int
        How it was found.
    seconds, cpu_seconds : float
        What it took.
    notes : tuple of str
        Sentences for the user.
    """

    members: tuple[str, ...]
    rows: NDArray[np.int64]
    terms: Terms
    bound: float
    gap: float
    solver: str
    seed: int
    starts: int
    seconds: float
    cpu_seconds: float
    notes: tuple[str, ...]


def cores() -> int:
    """Return how many processors this process may use.

    Returns
    -------
    int
        At least 1.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def select(
    problem: Problem,
    *,
    solver: Solver = "exact",
    seconds: float = 120.0,
    seed: int = 0,
    starts: int | None = None,
    watch: Watch | None = None,
) -> Selection:
    """Select the core of a problem.

    Parameters
    ----------
    problem : Problem
        Pool, size, weights and constraints.
    solver : str
        ``swap``: greedy and feasible swaps from many starts, with the relaxation's bound; ``exact``: the
        same as a warm start, then branch and bound until the gap is closed or the time is over.
    seconds : float
        Time limit. The answer within it depends on the machine's speed; each part of the search does not.
    seed : int
        Of the starts.
    starts : int, optional
        Number of starts; 30 for ``swap`` and 12 for ``exact`` when omitted, as far as the time allows.
    watch : callable, optional
        Called with `Progress` from this thread.

    Returns
    -------
    Selection
        Feasible, with J, bound and gap.

    Raises
    ------
    EngineError
        When no feasible set exists (naming the constraints that clash) or none was found in time.
    """
    began, cpu = time.monotonic(), time.process_time()
    notes = list(problem.pool.notes)
    layout = lay_out(problem)
    ledger = Ledger(began, seconds, watch, None, -np.inf, _ceiling(problem))
    large = len(problem.allowed) > LARGE_POOL
    planned = starts or (1 if large else SWAP_STARTS if solver == "swap" else WARM_STARTS)
    share = 0.6 if solver == "swap" or large else SWAP_SHARE
    done = 0
    # A number of starts that was asked for is run whatever the time; else the time decides.
    deadline = np.inf if starts else began + share * seconds
    for found in run_starts(layout, seed, planned, 0 if large else KICKS, cores(), deadline):
        done += 1
        ledger.offer(problem, found.members)
        ledger.tell(f"swaps, start {done} of {planned}")
        if starts is None and ledger.members is not None and ledger.left < (1 - share) * seconds:
            break
    if ledger.members is None:
        clash = find_clash(problem)
        if clash is not None:
            raise ClashError(clash)
    if len(problem.allowed) > EXACT_REACH:
        if solver == "exact":
            notes.append(
                f"a pool of {len(problem.allowed)} tasks is over the exact solver's reach of {EXACT_REACH}: "
                "this is the swap solver's answer with a Lagrangian bound"
            )
        used = "swap"
        bound_by_levels(problem, ledger)
    else:
        used = solver
        close_gap(layout, ledger, seed, prove=solver == "exact")
    if ledger.members is None:
        raise EngineError(
            f"no feasible selection was found in {seconds:g} s, and the constraints were not proven to "
            "clash; give more time (--time), a larger fidelity bound (--fidelity) or leave out a "
            "kind (--without)"
        )
    terms = problem.terms(ledger.members)
    bound = max(ledger.bound, terms.J)
    return Selection(
        members=tuple(problem.pool.ids[row] for row in ledger.members),
        rows=ledger.members,
        terms=terms,
        bound=bound,
        gap=(bound - terms.J) / max(abs(terms.J), 1e-12),
        solver=used,
        seed=seed,
        starts=done,
        seconds=time.monotonic() - began,
        cpu_seconds=time.process_time() - cpu,
        notes=tuple(notes),
    )


def select_until(
    problem: Problem, enough: threading.Event, *, watch: Watch, solver: Solver, seconds: float, seed: int
) -> Selection:
    """Select the core of a problem, or take the best so far when somebody has seen enough.

    Parameters
    ----------
    problem : Problem
        Pool, size, weights and constraints.
    enough : threading.Event
        When it is set, the search is left to itself and the best set told last is the answer; without any
        set yet it goes on until there is one.
    watch, solver, seconds, seed : callable, str, float, int
        As for `select`; ``watch`` is called from another thread.

    Returns
    -------
    Selection
        As `select` returns it; ended early it says so in its notes, and its bound is as proven.

    Raises
    ------
    EngineError
        As `select` does.
    """
    began, cpu = time.monotonic(), time.process_time()
    last: list[Progress] = []
    outcome: list[Selection | Exception] = []
    changed = threading.Condition()

    def told(progress: Progress) -> None:
        watch(progress)
        last[:] = [progress]

    def search() -> None:
        try:
            outcome.append(select(problem, solver=solver, seconds=seconds, seed=seed, watch=told))
        except Exception as error:  # noqa: BLE001 - raised again where it is waited for
            outcome.append(error)
        with changed:
            changed.notify_all()

    # The solver's own thread cannot be ended from outside; as a daemon it does not hold the process up.
    threading.Thread(target=search, name="core-search", daemon=True).start()
    with changed:
        while not outcome and not (enough.is_set() and last and last[0].rows):
            changed.wait(LOOK_S)
    if outcome:
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        return outcome[0]
    rows = np.array(last[0].rows, dtype=np.int64)
    terms = problem.terms(rows)
    bound = max(terms.J, last[0].bound if last[0].bound is not None else _ceiling(problem))
    elapsed = time.monotonic() - began
    return Selection(
        members=tuple(problem.pool.ids[row] for row in rows),
        rows=rows,
        terms=terms,
        bound=bound,
        gap=(bound - terms.J) / max(abs(terms.J), 1e-12),
        solver=solver,
        seed=seed,
        starts=0,
        seconds=elapsed,
        cpu_seconds=time.process_time() - cpu,
        notes=(*problem.pool.notes, f"ended early, after {elapsed:.0f} s of {seconds:g} s: the best so far"),
    )


def _ceiling(problem: Problem) -> float:
    """Bound J without any search: full coverage, the largest Info that there is, perfect balance."""
    coverage, _, balance = problem.demand.weights
    return coverage + float(np.sort(problem.task_gains[problem.allowed])[-problem.size :].sum()) + balance
