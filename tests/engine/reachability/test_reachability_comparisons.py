import pytest

from engine.errors import EngineError
from engine.reachability import comparisons
from engine.reachability.records import PLAN, UnitKey, unit_file, write
from engine.running.records import RunKey
from tasks.selections import resolve

ONE, OTHER = (task.id for task in resolve(["Nguyen-1", "Nguyen-2"]))


class Campaign:
    """What the campaign's reader hands out, as far as a comparison looks."""

    def __init__(self, *runs):
        self.runs = runs


class Run:
    def __init__(self, task, seed, positional, label="gp"):
        self.key = RunKey(label, task, seed)
        self.positional = positional


def study(folder, model, pattern):
    arms = ["bank", "llm-l1", "union-l1"]
    tasks = [{"id": task, "name": task, "domain": "nguyen"} for task in (ONE, OTHER)]
    write(folder / PLAN, {"schema": 1, "arms": arms, "seeds": [0], "tasks": tasks, "library": {"title": "L"}})
    for task, values in zip((ONE, OTHER), pattern, strict=True):
        for arm, solved in zip(arms, values, strict=True):
            source = {"model": model, "demonstration": False}
            record = {"schema": 1, "task": task, "seed": 0, "arm": arm, "status": "ok", "acc0.01": solved}
            write(
                unit_file(folder, UnitKey(task, 0, arm)),
                record | {"proposals": None if arm == "bank" else {"source": source}},
            )


def test_backbones_stand_beside_one_another(tmp_path):
    study(tmp_path / "a", "model-a", [(True, True, False), (False, False, True)])
    study(tmp_path / "b", "model-b", [(True, True, True), (False, True, True)])
    table = comparisons.backbones([tmp_path / "a", tmp_path / "b"]).tables[0]
    assert [row[0] for row in table.rows] == ["model-a", "model-b"]
    assert table.rows[0][2:] == (1, 1, None, 1, None, "1/1", None)
    assert table.rows[1][2:] == (1, 2, None, 2, None, "1/0", None)


def test_bank_stands_beside_a_campaigns_method(tmp_path, monkeypatch, arena_home):
    study(tmp_path / "a", "m", [(True, True, True), (False, False, False)])
    right = Run(OTHER, 520, "x0**4 + x0**3 + x0**2 + x0")
    wrong = Run(ONE, 520, None)
    monkeypatch.setattr(
        comparisons, "read_campaign", lambda folder: Campaign(right, wrong, Run(ONE, 520, "x0", "else"))
    )
    table = comparisons.against_campaign(tmp_path / "a", tmp_path / "c", "gp").tables[0]
    assert table.rows == (("0 / 520", 1, 1, 0, 1, 1, 0, 2),)
    with pytest.raises(EngineError, match="no runs of 'pysr'"):
        comparisons.against_campaign(tmp_path / "a", tmp_path / "c", "pysr")
