"""What an evaluating process answers."""

import numpy as np
import pytest

from engine.running.evaluating import assess


@pytest.mark.parametrize("score_name", ["nmse", "r2", "r2, minimized"])
def test_a_constant_target_makes_a_relative_score_undefined_and_harms_nothing(tmp_path, score_name):
    for name in ("train", "id"):
        np.save(tmp_path / f"{name}-X.npy", np.array([[1.0], [2.0], [3.0]]))
        np.save(tmp_path / f"{name}-y.npy", np.full(3, 2.0))
    request = {
        "folder": str(tmp_path), "text": "x0*0 + 2", "dialect": "infix", "names": ["x0"], "features": ["a"],
        "noise_key": "k", "condition": "clean", "seed": 1, "score_name": score_name, "score": 0.0,
    }  # fmt: skip
    answer = assess(request)
    assert answer["id_status"] == "undefined"
    assert answer["expression"] == "a*0 + 2"
    assert answer["claimed"]["recomputed"] is None
    assert answer["claimed"]["mismatch"] is False
