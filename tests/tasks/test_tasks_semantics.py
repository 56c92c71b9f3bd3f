"""What a method may learn of a task, DataFrames, and third-party packs."""

from dataclasses import replace
from importlib import metadata

import numpy as np
import pytest

from tasks import catalogue, frames, materialize, packs, semantics
from tasks.errors import TaskError
from tasks.tables import user_task


def test_rows_are_anonymous_for_methods(arena_home):
    splits = semantics.anonymized(materialize.splits(catalogue.get("PO19")))
    assert splits.train.names == splits.ood.names == ("x0", "x1", "x2")


def test_meanings_are_attached_to_columns_where_they_are_declared():
    told = semantics.describe(catalogue.get("feynman_I_12_1"))
    assert dict(told.features).keys() == {"x0", "x1"}
    assert told.background.startswith("Find the mathematical function skeleton that represents y (")
    assert "x0 (dimensionless), x1 (force (m s^-2 kg))." in told.background
    plain = semantics.describe(catalogue.get("Nguyen-9"))
    assert plain.background == (
        "Find the mathematical function skeleton that represents y, given data on x0, x1."
    )


def test_distractors_leave_only_an_unordered_multiset_of_roles():
    task = next(t for t in catalogue.full() if t.name == "feynman-i.18.16" and t.has_dummies)
    told = semantics.describe(task)
    assert told.features == ()
    assert list(told.roles) == sorted(told.roles)
    assert told.roles.count(semantics.DISTRACTOR_ROLE) == sum(variable.dummy for variable in task.features)
    assert told.background.startswith("There are 6 candidate variables in an unknown order.")
    shuffled = replace(task, features=tuple(reversed(task.features)))
    assert semantics.describe(shuffled) == told


def test_a_request_tells_nothing_about_which_column_is_a_distractor():
    for task in catalogue.full():
        told = semantics.as_request(task)
        assert len(told["features"]) == len(task.features)
        assert "name" not in told["target"]
        if task.has_dummies:
            assert {(entry["description"], entry["unit"]) for entry in told["features"]} == {(None, None)}
            assert semantics.DISTRACTOR_ROLE in told["background"]
        else:
            assert set(told) == {"features", "target"}


def test_headings_of_a_table_of_ones_own_are_told_as_meanings_whatever_they_are_called(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("body mass,lambda,rate\n" + "".join(f"{k},{k * k},{3 * k}\n" for k in range(1, 41)))
    own, _ = user_task(file, "rate")
    told = semantics.as_request(own)
    assert [entry["description"] for entry in told["features"]] == ["called body mass", "called lambda"]
    assert told["target"]["description"] == "called rate"


def test_descriptions_never_hold_a_formula():
    for task in catalogue.full():
        told = semantics.describe(task)
        assert task.formula not in told.background
        assert task.source_formula not in told.background or len(task.source_formula) < 4


def test_frames_give_tasks_and_rows(arena_home):
    table = frames.tasks("@core50")
    assert table.groupby("family").size()["keijzer"] == 2
    rows = frames.rows("Nguyen-1")
    assert list(rows.columns) == ["split", "x1", "target"]
    assert dict(rows["split"].value_counts()) == {"ood": 200, "train": 16, "valid": 2, "id": 2}
    assert len(frames.rows("Nguyen-1", "train")) == 16
    with pytest.raises(TaskError, match="has no split 'test'; it has train, valid, id, ood"):
        frames.rows("Nguyen-1", "test")


def pack_of(*ids):
    model = next(task for task in catalogue.regenerated() if task.name == "Nguyen-1")
    tasks = tuple(replace(model, id=name, name=f"Task {name}", recipe={"rule": "pack"}) for name in ids)
    return packs.TaskPack("demo", tasks, lambda task: materialize.generate(model))


@pytest.fixture
def install_packs(monkeypatch, arena_home):
    """Register packs as if distributions with the entry point were installed."""

    def put(**found):
        class Entry:
            def __init__(self, name):
                self.name, self.value = name, f"demo:{name}"

            def load(self):
                if isinstance(found[self.name], Exception):
                    raise found[self.name]
                return found[self.name]

        monkeypatch.setattr(metadata, "entry_points", lambda group: [Entry(name) for name in found])
        for cached in (packs.installed, catalogue._tasks, catalogue._indexes):
            cached.cache_clear()

    yield put
    monkeypatch.undo()
    for cached in (packs.installed, catalogue._tasks, catalogue._indexes):
        cached.cache_clear()


def test_an_installed_pack_adds_tasks(install_packs):
    install_packs(demo=pack_of("demo-1", "demo-2"))
    task = catalogue.get("Task demo-2")
    assert task.id == "demo-2"
    assert len(catalogue.full()) == 664
    np.testing.assert_array_equal(
        materialize.splits(task).train.X, materialize.generate(catalogue.get("Nguyen-1")).train.X
    )


def test_a_pack_may_be_made_by_a_call(install_packs):
    install_packs(demo=lambda: pack_of("demo-1"))
    assert catalogue.get("demo-1").name == "Task demo-1"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"a": pack_of("g0001")}, "uses the id 'g0001', which is reserved"),
        ({"a": pack_of("d-1"), "b": pack_of("d-1")}, "occurs in the packs"),
        ({"a": 3}, r"gives no tasks\.packs\.TaskPack"),
        ({"a": RuntimeError("broken wheel")}, "cannot be loaded: broken wheel"),
        ({"a": lambda: catalogue.get("Nguyen-1")}, r"let it use tasks\.catalogue\.regenerated\(\)"),
    ],
)
def test_a_wrong_pack_has_its_sentence(install_packs, found, said):
    install_packs(**found)
    with pytest.raises(TaskError, match=said):
        catalogue.get("demo-1")
