"""Benchmarks of the library search: against least squares over all parameters, and one seed of BANK-LaSR.

Run with: pytest -m slow tests/bench/test_bench_reachability.py -s
Times are CPU seconds of this process, so that other work on the machine counts little; the direct way's are
scaled up from a sample of its problems.
"""

import math
import time

import numpy as np
import pytest
from scipy.optimize import least_squares

from engine.reachability.arms import training_rows
from engine.reachability.columns import design, field, thinned
from engine.reachability.greedy import NEGLIGIBLE, SCREEN_ROWS, Limits, _choose, _starts, _State
from engine.reachability.libraries import LASR, expand, fitted
from engine.reachability.starts import tabulate
from engine.reachability.subsample import subsample
from tasks.materialize import splits
from tasks.selections import resolve

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
TEN = "BPG0,BPG1,BPG12,CRK10,CRK13,CRK35,MatSci0,MatSci20,PO6,PO26"
ROUNDS = 2
SAMPLE = 15  # the direct way is timed on one problem in so many, and on every start of the chosen candidate
FLOOR = 1e-10
LIMITS = Limits()


def opened(task, seed=0):
    X, y = training_rows(splits(task))
    rows = subsample(len(y), LIMITS.rows, f"{task.id}:{seed}")
    features = X.shape[1]
    first = fitted([f"x{place}" for place in range(features)])
    known = {one.normal for one in first}
    pool = [*first, *(one for one in fitted(expand(LASR, features)) if one.normal not in known)]
    return _State(field(pool, X[rows], y[rows]), list(range(features)), {}, f"{task.id}:{seed}")


def direct(state, candidate, start):
    """The NMSE that `least_squares` finds over all parameters of a problem, its linear part well started."""
    kept = state.field
    static, members = state.split()
    fixed = kept.static[kept.place[static]]
    which = np.array([*members, candidate])
    free = len(members) + kept.atoms[candidate].parametric

    def matrix(theta):
        return np.vstack([fixed, design(kept, which, np.concatenate([theta, start[free:]]))[0]])

    def residual(parameters):
        return parameters[free:] @ matrix(parameters[:free]) - kept.y

    linear = np.linalg.lstsq(matrix(start[:free]).T, kept.y, rcond=None)[0]
    begin = np.concatenate([start[:free], linear])
    with np.errstate(all="ignore"):
        try:
            found = least_squares(residual, begin, method="lm", max_nfev=LIMITS.evaluations)
        except ValueError:  # a step left the domain
            return math.inf
    return 2.0 * float(found.cost) / (float(np.var(kept.y)) * len(kept.y))


def compared(task):
    """Return CPU seconds of both ways over two rounds, and their NMSE after each."""
    state = opened(task)
    table = tabulate(state.field)
    some = np.linspace(0, len(state.field.y) - 1, SCREEN_ROWS).round().astype(np.intp)
    coarse = thinned(state.field, some)
    spread = float(np.var(state.field.y)) * len(state.field.y)
    ours = theirs = 0.0
    pairs = []
    for _ in range(ROUNDS):
        candidates, starts = _starts(state, table, LIMITS.starts)
        began = time.process_time()
        choice = _choose(state, coarse, table, LIMITS, NEGLIGIBLE * spread)
        ours += time.process_time() - began
        sampled = range(0, len(candidates), SAMPLE)
        began = time.process_time()
        for place in sampled:
            direct(state, int(candidates[place]), starts[place])
        theirs += (time.process_time() - began) / len(sampled) * len(candidates)
        same = np.flatnonzero(candidates == choice.candidate)
        pairs.append((choice.sse / spread, min(direct(state, choice.candidate, starts[at]) for at in same)))
        state.accept(choice)
    return ours, theirs, pairs


def test_fifty_times_faster_than_least_squares_over_all_parameters():
    ratios = []
    for task in resolve([TEN]):
        ours, theirs, pairs = compared(task)
        ratios.append(theirs / ours)
        shown = ", ".join(f"{mine:.2e} | {other:.2e}" for mine, other in pairs)
        print(f"{task.name:10} {ours:6.2f} s {theirs:7.1f} s {theirs / ours:6.1f}x  NMSE {shown}", flush=True)
        for mine, other in pairs:
            assert max(mine, FLOOR) <= 1.01 * max(other, FLOOR), task.name
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.0f}x")
    assert mean >= 50.0
