"""The exact solver: cutting planes, reduced-cost fixing, then branch and bound by HiGHS."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling.draws import Draws
from engine.distilling.linear import INFEASIBLE, OPTIMAL, Relaxed, branch
from engine.distilling.problem import Problem
from engine.distilling.program import Program, build_program
from engine.distilling.progress import Progress, Watch
from engine.distilling.starts import Layout, improve, wander

# Beyond this many tasks the cut program outgrows minutes and gigabytes; `lagrangian` bounds the swap answer
# then.
EXACT_REACH = 3000
# Branch and bound is run in slices, so that a person sees the bound move and swaps can polish what it finds.
FIRST_SLICE_S = 15.0
FIRST_RELAXATION_S = 60.0
PROVEN = 1e-6
# Kicks from the incumbent after each slice.
POLISH_KICKS = 25
POLISH_STREAM = 1 << 20
# Reduced-cost fixing leaves this much room for the solver's tolerances.
FIXING_ROOM = 1e-6


@dataclass(slots=True, eq=False)
class Ledger:
    """The best feasible set and the best bound so far."""

    began: float
    limit: float
    watch: Watch | None
    members: NDArray[np.int64] | None
    J: float
    bound: float

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.limit - (time.monotonic() - self.began)

    @property
    def closed(self) -> bool:
        """Whether the bound is met."""
        return self.members is not None and self.bound - self.J <= PROVEN * max(abs(self.J), 1e-9)

    def tell(self, phase: str) -> None:
        """Report the state to whoever watches.

        Parameters
        ----------
        phase : str
            What is being done.
        """
        if self.watch is not None:
            self.watch(
                Progress(
                    time.monotonic() - self.began,
                    phase,
                    None if self.members is None else self.J,
                    self.bound,
                    () if self.members is None else tuple(self.members.tolist()),
                )
            )

    def offer(self, problem: Problem, members: NDArray[np.int64]) -> None:
        """Take a set if it is feasible and better than the best.

        Parameters
        ----------
        problem : Problem
            What feasibility and J mean.
        members : numpy.ndarray
            A full set.
        """
        if len(members) != problem.size or problem.violated(members):
            return
        value = problem.terms(members).J
        if self.members is None or value > self.J:
            self.members, self.J = np.sort(members), value


def close_gap(layout: Layout, ledger: Ledger, seed: int, *, prove: bool) -> None:
    """Prove as much as the time allows about the best set, and better it on the way.

    Parameters
    ----------
    layout : Layout
        The problem.
    ledger : Ledger
        Begun with the swap solver's answer; holds the result.
    seed : int
        Of the swaps between slices.
    prove : bool
        Go on with branch and bound once the relaxation's bound is there.
    """
    problem = layout.problem
    program = build_program(problem)
    relaxed = _cutting_planes(program, ledger)
    if relaxed is None or not prove:
        return
    program.forget(relaxed.point)
    slice_s = FIRST_SLICE_S
    rounds = 0
    while ledger.left > 1.0 and not ledger.closed:
        _fix(program, relaxed, ledger)
        settled = _branch(program, layout, ledger, min(slice_s, ledger.left))
        ledger.tell("branch and bound")
        if settled:
            return
        if ledger.members is not None and ledger.left > 1.0:
            rounds += 1
            polished = wander(
                layout, ledger.members, Draws(seed, POLISH_STREAM, rounds), POLISH_KICKS, ledger.left
            )
            ledger.offer(problem, polished.members)
            ledger.tell("swaps from the incumbent")
        slice_s *= 2


def _cutting_planes(program: Program, ledger: Ledger) -> Relaxed | None:
    best: Relaxed | None = None
    # The first relaxation is solved even when the time is over: an answer without a bound is half an answer.
    while best is None or ledger.left > 0.5:
        relaxed = program.relax(max(ledger.left, FIRST_RELAXATION_S))
        if relaxed is None:
            return best
        best = relaxed
        ledger.bound = min(ledger.bound, program.constant - relaxed.least)
        ledger.tell("cutting planes")
        if program.separate(relaxed.point) == 0:
            return best
    return best


def _fix(program: Program, relaxed: Relaxed, ledger: Ledger) -> None:
    if ledger.members is None:
        return
    room = program.constant - relaxed.least - ledger.J + FIXING_ROOM
    count = program.count
    reduced = relaxed.reduced[:count]
    at_zero = relaxed.point[:count] < 1e-9
    # Taking such a task (or leaving one out) would cost more than the whole gap: no better set does it.
    program.upper[:count][at_zero & (reduced > room)] = 0.0
    at_one = relaxed.point[:count] > 1 - 1e-9
    program.lower[:count][at_one & (-reduced > room)] = 1.0


def _branch(program: Program, layout: Layout, ledger: Ledger, seconds: float) -> bool:
    """Run one slice; say whether nothing is left to be done."""
    count = program.count
    whole = np.zeros(len(program.cost), dtype=np.int64)
    whole[:count] = 1
    result = branch(program.cost, program.rows(), whole, seconds, PROVEN / 10)
    if result.status == INFEASIBLE:
        # After fixing, nothing better than the incumbent is left.
        if ledger.members is not None:
            ledger.bound = min(ledger.bound, ledger.J + FIXING_ROOM)
        return True
    if result.least is not None:
        ledger.bound = max(ledger.J, min(ledger.bound, program.constant - result.least))
    if result.point is None:
        return False
    members = np.flatnonzero(result.point[:count] > 0.5)
    ledger.offer(layout.problem, members)
    if len(members) == layout.problem.size:
        ledger.offer(layout.problem, improve(layout, members).members)
    return program.separate(result.point) == 0 and result.status == OPTIMAL
