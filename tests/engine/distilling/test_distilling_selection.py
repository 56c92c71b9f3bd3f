import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest

from engine.distilling.constraints import KINDS
from engine.distilling.pool import build_pool
from engine.distilling.problem import Demand, pose
from engine.distilling.program import build_program
from engine.distilling.responses import from_frame
from engine.distilling.selection import select, select_until
from engine.distilling.starts import Search, lay_out
from engine.errors import EngineError
from tests.engine.distilling.distilling_pools import facts, response_frame, small_pool

FREE = tuple(kind for kind in KINDS if kind not in ("duplicate", "fidelity"))


def best_by_enumeration(problem):
    sets = (np.array(c) for c in itertools.combinations(range(len(problem.allowed)), problem.size))
    return max(problem.terms(s).J for s in sets if not problem.violated(s))


@pytest.mark.parametrize("weights", [(0.45, 0.35, 0.20), (1.0, 0.0, 0.0), (0.1, 0.1, 0.8)])
@pytest.mark.parametrize("delta", [None, 0.6])
def test_the_exact_solver_finds_the_optimum_of_a_small_pool_and_proves_it(weights, delta):
    pool = small_pool(14, groups={k: f"group{k // 2}" for k in range(8)})
    problem = pose(pool, Demand(size=4, weights=weights, delta=delta, without=FREE))
    best = best_by_enumeration(problem)
    found = select(problem, seconds=200)
    assert pytest.approx(best, abs=1e-7) == found.terms.J
    assert best - 1e-9 <= found.bound <= best * (1 + 1e-5)
    assert not problem.violated(found.rows)


def test_the_bound_of_the_swap_solver_holds_for_every_feasible_set():
    pool = small_pool(13)
    problem = pose(pool, Demand(size=3, delta=None, without=FREE))
    found = select(problem, solver="swap", seconds=200)
    assert found.terms.J <= best_by_enumeration(problem) <= found.bound + 1e-9


def test_every_cut_bounds_the_untruncated_objective():
    problem = pose(small_pool(14), Demand(size=4, delta=None, without=FREE))
    program = build_program(problem)
    for members in itertools.islice(itertools.combinations(range(14), 4), 0, None, 37):
        x = np.zeros(14)
        x[list(members)] = 1
        theta = [sim[list(members)].max(axis=0) for sim in (problem.pool.structural, problem.pool.response)]
        point = np.concatenate([x, *theta, np.zeros(len(problem.shares))])
        assert (program.cuts @ point <= program.cuts_right + 1e-9).all()


def test_a_bound_beyond_the_exact_reach_still_holds(monkeypatch):
    from engine.distilling import selection

    problem = pose(small_pool(13), Demand(size=3, delta=None, without=FREE))
    monkeypatch.setattr(selection, "EXACT_REACH", 10)
    found = select(problem, seconds=200)
    best = best_by_enumeration(problem)
    assert best <= found.bound + 1e-9
    assert found.gap < 0.2
    assert any("over the exact solver's reach" in note for note in found.notes)


def test_swap_changes_are_those_of_the_objective():
    problem = pose(small_pool(30), Demand(size=6, delta=None, without=KINDS))
    search = Search(lay_out(problem))
    search.fill(None)
    search.descend()
    members = np.sort(search.members)
    reached = problem.terms(members).J
    for out in members:
        for into in set(range(30)) - set(members.tolist()):
            other = np.array([into if row == out else row for row in members])
            assert reached + 1e-9 >= problem.terms(other).J


def test_the_order_of_the_input_does_not_matter():
    frame = response_frame(12)
    groups = {0: "same", 1: "same", 2: "same", 3: "twin", 4: "twin"}
    own = facts(12, groups=groups)
    without = tuple(kind for kind in KINDS if kind not in ("duplicate", "basename"))
    demand = Demand(size=6, delta=None, without=without)
    first = select(pose(build_pool(own, from_frame(frame, "a"), "computed"), demand), seed=3)
    shuffled = frame.sample(frac=1, random_state=1)
    second = select(pose(build_pool(own[::-1], from_frame(shuffled, "b"), "computed"), demand), seed=3)
    assert first.members == second.members
    group = {fact.id: fact.duplicate_group for fact in own}
    assert len({group[task] for task in first.members}) == 6


def test_nested_cores_lie_within_each_other():
    pool = small_pool(60)
    without = tuple(kind for kind in KINDS if kind not in ("duplicate", "fidelity", "family"))
    outer = None
    for size in (24, 16, 8):
        demand = Demand(size=size, delta=0.5, within=outer, without=without)
        inner = select(pose(pool, demand), seconds=200).members
        assert outer is None or set(inner) <= set(outer)
        outer = inner


def test_clashing_constraints_are_named_and_only_those():
    groups = dict.fromkeys(range(10), "one")
    pool = small_pool(14, groups=groups)
    demand = Demand(size=6, delta=None, without=tuple(k for k in KINDS if k not in ("duplicate", "subgroup")))
    with pytest.raises(EngineError, match="exactly 6 tasks; at most one task per duplicate group\\."):
        select(pose(pool, demand), seconds=200)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"size": 15}, "size 15 is larger than the pool: 14 tasks can be selected"),
        ({"size": 0}, "select at least one task"),
        ({"weights": (0.5, 0.3, 0.3)}, "sum to 1.1; they must sum to one"),
        ({"weights": (1.2, -0.2, 0.0)}, "each must be a number of at least 0"),
        ({"delta": float("nan")}, "must be a positive number, or off"),
        ({"within": ("t0001", "t0001")}, "t0001 is listed twice"),
        ({"within": ("t0001", "t9999")}, "the first t9999"),
        ({"without": ("colour",)}, "no kind of constraint 'colour'"),
    ],
)
def test_impossible_demands_say_why(changes, sentence):
    with pytest.raises(EngineError, match=sentence):
        pose(small_pool(14), replace(Demand(size=4), **changes))


def test_the_person_who_watches_sees_incumbent_and_bound_close_in():
    seen = []
    problem = pose(small_pool(40), Demand(size=8, delta=None, without=FREE))
    select(problem, seconds=200, watch=seen.append)
    assert all(a.bound is None or b.bound <= a.bound + 1e-12 for a, b in itertools.pairwise(seen))
    incumbents = [p.incumbent for p in seen if p.incumbent is not None]
    assert incumbents == sorted(incumbents)
    assert seen[-1].gap < 1e-4


def test_the_same_seed_gives_the_same_set_in_any_number_of_threads(monkeypatch):
    from engine.distilling import selection

    problem = pose(small_pool(60), Demand(size=10, delta=0.8, without=FREE))
    results = set()
    for threads in (1, 3):
        monkeypatch.setattr(selection, "cores", lambda threads=threads: threads)
        results.add(select(problem, solver="swap", starts=4, seed=9, seconds=200).members)
    assert len(results) == 1


def test_who_has_seen_enough_gets_the_best_so_far_with_its_proven_bound():
    problem = pose(small_pool(40), Demand(size=8, delta=0.8, without=FREE))
    enough, ended = threading.Event(), threading.Event()
    told = []

    def watch(progress):
        told.append(progress)
        if progress.rows:
            # The search itself waits here until the answer is there: it cannot have ended by itself.
            enough.set()
            if len(told) > 1:
                ended.wait(60)

    found = select_until(problem, enough, watch=watch, solver="exact", seconds=200, seed=0)
    ended.set()
    assert not problem.violated(found.rows)
    assert pytest.approx(told[0].incumbent) == found.terms.J
    assert found.bound == pytest.approx(told[0].bound)
    assert any("ended early" in note for note in found.notes)


def test_without_anybody_saying_so_the_search_ends_by_itself():
    problem = pose(small_pool(14), Demand(size=4, delta=None, without=FREE))
    how = {"solver": "exact", "seconds": 200, "seed": 0}
    found = select_until(problem, threading.Event(), watch=lambda progress: None, **how)
    assert found.rows.tolist() == select(problem, **how).rows.tolist()
    clash = pose(small_pool(14), Demand(size=14, delta=0.0001))
    with pytest.raises(EngineError, match="no selection can meet these together"):
        select_until(clash, threading.Event(), watch=lambda progress: None, **how)
