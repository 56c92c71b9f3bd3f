"""The join of incumbents with the minute grid, by SPEC 4."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.running import store
from engine.running.checkpoints import grid_size, incumbents_of, join, lost_after, run_quality
from engine.running.records import Evaluation, Incumbent


def found(index, t):
    return Incumbent(index, t, f"x0 + {index}", "", 1.0, "mse", None)


def fine(nmse, ood=None):
    status = "no split" if ood is None else "ok"
    return Evaluation("ok", expression="e", id_nmse=nmse, id_status="ok", ood_nmse=ood, ood_status=status)


def test_a_minute_holds_the_newest_incumbent_discovered_at_or_before_it():
    incumbents = [found(0, 0.5), found(1, 2.0), found(2, 2.0001), found(3, 3.9)]
    evaluations = {k: fine(10.0**-k, 1.0) for k in range(4)}
    points = join(incumbents, evaluations, budget=6, interval=1)
    assert [point.discovered for point in points] == [0.5, 2.0, 2.0001, 3.9, 3.9, 3.9]
    assert [point.index for point in points] == [1, 2, 3, 4, 5, 6]
    assert points[1].id_nmse == 0.1
    assert {point.status for point in points} == {"ok"}


def test_before_the_first_incumbent_quality_is_zero():
    points = join([found(0, 2.5)], {0: fine(0.0)}, budget=4, interval=1)
    assert [(point.q, point.status) for point in points] == [
        (0.0, "none"),
        (0.0, "none"),
        (1.0, "ok"),
        (1.0, "ok"),
    ]


@pytest.mark.parametrize("status", ["unparsable", "timeout"])
def test_a_newest_one_without_values_is_zero_for_its_minutes(status):
    incumbents = [found(0, 0.5), found(1, 1.5), found(2, 2.5)]
    evaluations = {0: fine(0.0), 1: Evaluation(status), 2: fine(0.0)}
    points = join(incumbents, evaluations, budget=3, interval=1)
    assert [point.q for point in points] == [1.0, 0.0, 1.0]
    assert points[1].status == status


def test_quality_is_the_mean_of_the_splits_and_a_nonfinite_split_counts_zero():
    assert run_quality(fine(0.0, 100.0)) == 0.5
    assert run_quality(fine(0.0)) == 1.0
    half = Evaluation("ok", id_nmse=0.0, id_status="ok", ood_status="nonfinite")
    assert run_quality(half) == 0.5
    assert run_quality(Evaluation("nonfinite", id_status="nonfinite", ood_status="nonfinite")) == 0.0


def test_a_live_run_has_the_points_behind_it_and_pending_ones_say_so():
    points = join([found(0, 0.5)], {}, budget=10, interval=1, until=2.5)
    assert [(point.index, point.status, point.q) for point in points] == [
        (1, "pending", None),
        (2, "pending", None),
    ]


def test_a_damaged_line_makes_the_points_that_would_show_it_unavailable():
    good = [store.dump({"event": "incumbent", "t": t, "text": "x0"}) for t in (0.5, 1.5, 3.5)]
    lines = store.split_lines(good[0] + good[1] + b'{"event": "incumb\n' + good[2])
    incumbents = incumbents_of(lines.records)
    points = join(
        incumbents, {k: fine(0.0) for k in range(3)}, budget=4, interval=1, lost_after=lost_after(lines)
    )
    assert [point.status for point in points] == ["ok", "unavailable", "unavailable", "ok"]
    assert [point.q for point in points] == [1.0, None, None, 1.0]


@pytest.mark.parametrize(
    ("budget", "interval", "size"), [(10800, 60, 180), (0.3, 0.1, 3), (20, 5, 4), (7, 2, 3)]
)
def test_the_grid_has_every_whole_interval(budget, interval, size):
    assert grid_size(budget, interval) == size


@settings(max_examples=40)
@given(st.lists(st.floats(0, 10), max_size=20), st.sampled_from([0.25, 0.5, 1.0, 3.0]))
def test_any_interval_sees_the_same_trajectory(times, interval):
    incumbents = [found(k, t) for k, t in enumerate(sorted(times))]
    evaluations = {k: fine(1.0, 1.0) for k in range(len(times))}
    fine_grid = {point.t: point for point in join(incumbents, evaluations, budget=10, interval=0.25)}
    for point in join(incumbents, evaluations, budget=10, interval=interval):
        assert fine_grid[point.t].discovered == point.discovered
        assert point.discovered is None or point.discovered <= point.t * (1 + 1e-9)


@pytest.mark.parametrize(
    "line",
    [
        {"event": "incumbent", "t": None, "text": "x"},
        {"event": "incumbent", "t": 1},
        {"event": "incumbent", "t": True, "text": "x"},
        {"event": "other"},
        {"t": 1, "text": "x"},
    ],
)
def test_a_line_that_is_no_incumbent_is_none(line):
    assert incumbents_of([line]) == ()
