import numpy as np
import pytest

from engine.distilling.constraints import KINDS
from engine.distilling.held_out import leave_one_out
from engine.distilling.information import task_scores
from engine.distilling.pool import build_pool
from engine.distilling.problem import Demand, pose
from engine.distilling.responses import from_frame
from engine.distilling.selection import select
from engine.errors import EngineError
from tests.engine.distilling.distilling_pools import PROBES, facts, response_frame

FREE = Demand(size=6, delta=0.6, without=tuple(kind for kind in KINDS if kind != "fidelity"))


def test_each_probe_is_measured_on_a_selection_that_has_not_seen_it():
    responses = from_frame(response_frame(40), "test")
    fixed = {"@fixed": responses.tasks[:6]}
    found = leave_one_out(facts(40), responses, FREE, fixed, solver="swap", seconds=60, seed=0)
    assert [one.selector for one in found[:2]] == ["ours", "@fixed"]
    assert len(found) == 9
    scores = task_scores(responses)
    expected = np.abs(scores[:6].mean(axis=0) - scores.mean(axis=0))
    assert list(found[1].errors.values()) == pytest.approx(expected.tolist())
    assert tuple(sorted(found[0].errors)) == tuple(sorted(PROBES))
    without_beta = build_pool(facts(40), responses.only(["alpha", "gamma", "delta"]), "computed")
    ours = select(pose(without_beta, FREE), solver="swap", seconds=60, seed=0).rows
    column = responses.probes.index("beta")
    off = abs(scores[ours, column].mean() - scores[:, column].mean())
    assert found[0].errors["beta"] == pytest.approx(off)
    assert not found[1].selected_without


def test_two_probes_cannot_be_left_out():
    responses = from_frame(response_frame(20, probes=("a", "b")), "test")
    with pytest.raises(EngineError, match="at least three probes; there are 2"):
        leave_one_out(facts(20), responses, FREE, {}, solver="swap", seconds=5, seed=0)
