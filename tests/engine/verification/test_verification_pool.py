"""Pools against manifests, duplicate groups, digests, admission of imports."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml

from engine.verification import admission, digests, duplicates, pool
from engine.verification.verify import full_task_set, verify_many, verify_task
from tasks import cache, catalogue, imported, materialize, selections, statistics
from tasks.errors import TaskError
from tasks.importing import arena
from tasks.importing.found import Facts, build
from tasks.schema import Splits, Table, Variable


def present():
    return [(task.id, task.family) for task in catalogue.full()]


def declared(**changes):
    core = tuple(task.id for task in selections.load("core50"))
    facts = {
        "ids": tuple(name for name, _ in present()),
        "families": statistics.PAPER_FAMILIES,
        "total": 664,
        "sets": {"core50": (50, core)},
    }
    return pool.Declared(**{**facts, **changes})


def test_the_full_task_set_is_what_is_declared():
    assert full_task_set() == []
    assert pool.disagreements(declared(), present()) == []


def test_a_missing_a_surplus_and_a_doubled_task_are_named():
    said = pool.disagreements(declared(), present()[:-1])
    assert "g0664 is listed but missing" in said
    assert "664 tasks are declared and 663 are present" in said
    assert "the family vladislavleva has 7 tasks, -1 against 8 declared" in said
    core = declared().sets["core50"][1]
    said = pool.disagreements(declared(sets={"core50": (50, (*core[:-1], core[0]))}), present())
    assert f"the set core50 holds {core[0]} 2 times" in said
    assert "the set core50 holds 49 distinct tasks, not 50" in said
    said = pool.disagreements(declared(families={**statistics.PAPER_FAMILIES, "srsd": 233}), present())
    assert said == [
        "the family srsd has 232 tasks, -1 against 233 declared",
        "the families add up to 665, not to 664",
    ]
    assert "g9999 is present but not listed" in pool.disagreements(
        declared(), [*present(), ("g9999", "srsd")]
    )


def small(name, formula, names, seed):
    X = np.random.default_rng(seed).uniform(1, 2, (30, len(names)))
    facts = Facts(name, "user", "user", tuple(map(Variable, names)), Variable("y"), formula, formula, "test")
    splits = Splits(Table(tuple(names), X, X.sum(axis=1)))
    return replace(build(facts, splits), id=name), splits


def test_duplicates_are_found_by_formula_after_renaming_and_by_data():
    pool_ = [
        small("t1", "x0*x1", ("x0", "x1"), 1),
        small("t2", "x1*x0", ("x0", "x1"), 2),
        small("t3", "a*b", ("a", "b"), 3),
        small("t4", None, ("x0", "x1"), 4),
        small("t5", None, ("u", "v"), 4),
        *(small(f"d{k}", f"x0**{k}", ("x0",), 10 + k) for k in range(2, 9)),
    ]
    assert len(pool_) == 12
    found = []
    for order in (pool_, pool_[::-1]):
        tasks = [task for task, _ in order]
        values = {t.id: {n: cache.values_digest(x) for n, x in s.named()} for t, s in order}
        found.append(duplicates.groups(tasks, values))
    assert found[0] == found[1]
    assert found[0].formula == (("t1", "t2", "t3"),)
    assert found[0].data == (("t4", "t5"),)
    assert duplicates.closed(found[0]) == {"t1": 0, "t2": 0, "t3": 0, "t4": 1, "t5": 1}


def test_formulas_are_compared_by_their_canonical_trees():
    tasks = [catalogue.get(key) for key in ("strogatz_barmag1", "strogatz_barmag2", "Nguyen-9")]
    assert duplicates.groups(tasks, {}).formula == (("g0594", "g0595"),)


def test_recorded_groups_are_compared_with_recomputed_ones():
    tasks = [catalogue.get(key) for key in ("Keijzer-12", "Nguyen-12", "g0241", "g0271", "g0523", "Nguyen-1")]
    told = duplicates.compared(duplicates.groups(tasks, {}))
    assert told["pairs_in_both"] == 3
    assert told["pairs_only_recomputed"] == 1
    assert told["only_recomputed"] == [["g0621", "g0636"]]


def test_a_changed_cache_is_told_with_its_rows(arena_home):
    task = catalogue.get("Nguyen-1")
    assert verify_task(task).status == "ok"
    file = cache.folder(task) / "ood.parquet"
    table = cache.read_table(file, task.feature_names, task.target.name)
    table.y[137] *= 2
    cache.write_table(file, table, task.target.name)
    report = verify_task(task)
    assert report.status == "failed"
    assert {fault.check for fault in report.faults} == {"digest", "reproducible", "replay"}
    assert all(fault.rows[0].row == 137 for fault in report.faults if fault.rows)
    table.y[137] = np.nan
    cache.write_table(file, table, task.target.name)
    json.dumps(verify_task(task).as_json(), allow_nan=False)
    file.write_bytes(b"")
    assert "cannot be read" in verify_task(task).faults[0].message


def test_other_rows_than_the_frozen_ones_are_told(arena_home, monkeypatch):
    task = catalogue.get("Nguyen-1")
    record = dict(digests.frozen()[task.id])
    monkeypatch.setitem(digests.frozen(), task.id, {**record, "inputs": {"train": "0" * 64}})
    assert any("not those of the frozen manifest" in f.message for f in verify_task(task).faults)
    monkeypatch.delitem(digests.frozen(), task.id)
    assert any("not listed in the frozen manifest" in f.message for f in verify_task(task).faults)


@pytest.mark.slow
def test_the_number_of_processes_does_not_matter(arena_home):
    tasks = selections.resolve(["@classic"])[:10]
    one, two = (verify_many(tasks, workers=count).as_json() for count in (1, 2))
    one.pop("seconds"), two.pop("seconds")
    assert one == two
    assert one["failed"] == 0


def arena_folder(folder, formula="x0 * x1", y=None, rows=500, dataset_id=None):
    folder.mkdir(parents=True)
    dataset = {"target": {"name": "target"}, "features": [{"name": "x0"}, {"name": "x1"}]}
    if dataset_id:
        dataset["dataset_id"] = dataset_id
    (folder / "metadata.yaml").write_text(yaml.safe_dump({"dataset": dataset}))
    if formula:
        (folder / "formula.py").write_text(f"def formula(x0, x1):\n    return {formula}\n")
    generator = np.random.default_rng(len(folder.name))
    for stem in ("train", "ood_test"):
        X = generator.uniform(1, 2, (rows, 2))
        frame = pd.DataFrame(X, columns=["x0", "x1"])
        frame["target"] = X.prod(axis=1) if y is None else np.resize(y, rows)
        frame.to_csv(folder / f"{stem}.csv", index=False)


def test_a_pool_with_a_manifest_adds_up(arena_home, tmp_path):
    home = tmp_path / "pool"
    arena_folder(home / "classes", None, [0, 1])
    arena_folder(home / "steps", None, [1, 2, 7])
    arena_folder(home / "surplus", "x0*x1")
    arena_folder(home / "fine", "x0*x1")
    arena_folder(home / "sound", "x1*x0")
    (home / "manifest.json").write_text(
        json.dumps({"tasks": ["classes", "steps", "fine", "sound", "gone"], "total": 5})
    )
    found = arena.read(home)
    listed = admission.manifest_of(home)
    admissions = admission.admit(found, declared=listed)
    statuses = {one.name: one.status for one in admissions}
    assert statuses == {
        "classes": "warned",
        "steps": "warned",
        "fine": "ok",
        "sound": "ok",
        "surplus": "unlisted",
        "gone": "missing",
    }
    assert not admission.sound(admissions)
    assert admission.against_manifest(listed, found) == [
        "gone is listed but missing",
        "surplus is present but not listed",
    ]
    assert len(selections.resolve(["@imported"])) == 4
    (home / "manifest.json").write_text("[]")
    with pytest.raises(TaskError, match="no manifest with a list of tasks"):
        admission.manifest_of(home)


def test_a_disputed_task_is_kept_with_its_dispute_but_in_no_set(arena_home, tmp_path):
    arena_folder(tmp_path / "pool" / "wrong", "x0 / x1")
    arena_folder(tmp_path / "pool" / "right", "x0 * x1")
    right, wrong = admission.admit(arena.read(tmp_path / "pool"))
    assert (right.status, wrong.status) == ("ok", "disputed")
    assert [task.name for task in selections.resolve(["@imported"])] == ["right"]
    task = catalogue.get(wrong.id)
    assert "500 of 500 rows disagree with the formula" in task.disputed
    assert verify_task(task).status == "disputed"
    assert len(catalogue.full()) == 664


def test_official_data_take_the_place_of_regenerated_rows(arena_home, tmp_path):
    task = catalogue.get("Nguyen-12")
    rows = materialize.splits(task)
    folder = tmp_path / "official"
    folder.mkdir()
    features = [{"name": name} for name in task.feature_names]
    dataset = {"dataset_id": task.id, "target": {"name": "target"}, "features": features}
    (folder / "metadata.yaml").write_text(yaml.safe_dump({"dataset": dataset}))
    (folder / "formula.py").write_text("def formula(x1, x2):\n    return x1**4 - x1**3 + x2**2/2 - x2\n")
    frame = pd.DataFrame(rows.train.X[::-1], columns=list(task.feature_names))
    frame["target"] = rows.train.y[::-1]
    frame.to_csv(folder / "train.csv", index=False)
    (one,) = admission.admit(arena.read(folder), official=True)
    assert (one.status, one.replaces) == ("ok", task.id)
    now = catalogue.get(task.id)
    assert now.provenance.data == "imported"
    assert now.formula == task.formula
    assert len(catalogue.full()) == 664
    splits = materialize.splits(now)
    np.testing.assert_array_equal(splits.train.X, rows.train.X[::-1])
    assert splits.ood is None
    assert imported.remove(task.id)
    assert catalogue.get(task.id) == task
    unknown = arena.read(folder)
    stranger = replace(unknown[0], task=replace(unknown[0].task, recipe={}, name="Stranger"))
    (refused,) = admission.admit([stranger], official=True)
    assert "matches 0 tasks of the Full Task Set" in refused.notes[0]


def official_folder(folder, task, table, formula):
    folder.mkdir()
    features = [{"name": name} for name in task.feature_names]
    dataset = {"dataset_id": task.id, "target": {"name": task.target.name}, "features": features}
    (folder / "metadata.yaml").write_text(yaml.safe_dump({"dataset": dataset}))
    if formula:
        (folder / "formula.py").write_text(
            f"def formula({', '.join(task.feature_names)}):\n    return {formula}\n"
        )
    frame = pd.DataFrame(table.X, columns=list(task.feature_names))
    frame[task.target.name] = table.y
    frame.to_csv(folder / "train.csv", index=False)


@pytest.mark.parametrize("stored", [None, "-0.1*A**2"])
def test_our_ground_truth_serves_official_rows_whose_own_formula_does_not(arena_home, tmp_path, stored):
    task = catalogue.get("CRK34")
    single = materialize.splits(task).train
    X = single.X.astype(np.float32).astype(float)
    official_folder(
        tmp_path / "o", task, Table(single.names, X, single.y.astype(np.float32).astype(float)), stored
    )
    (one,) = admission.admit(arena.read(tmp_path / "o"), official=True)
    assert one.status == "warned"
    assert any("the ground truth is ours" in note for note in one.notes)
    now = catalogue.get(task.id)
    assert now.formula == task.formula
    assert now.provenance.constants == "derived"


def test_official_measurements_keep_their_deviation_from_the_law(arena_home, tmp_path):
    task = catalogue.get("first_principles_hubble")
    table = materialize.splits(task).train
    official_folder(tmp_path / "o", task, Table(table.names, table.X, table.y + 10), "73.3*D")
    (plain,) = admission.admit(arena.read(tmp_path / "o"), keep=False)
    assert plain.status == "disputed"
    (one,) = admission.admit(arena.read(tmp_path / "o"), official=True)
    assert one.status == "ok"
    assert "nominal law" in one.notes[-1]
    assert verify_task(catalogue.get(task.id)).status == "ok"


def test_official_rows_that_no_formula_makes_are_disputed(arena_home, tmp_path):
    task = catalogue.get("CRK1")
    table = materialize.splits(task).train
    official_folder(tmp_path / "o", task, Table(table.names, table.X, table.y * 1.5 + 1), "-0.1*A**2")
    (one,) = admission.admit(arena.read(tmp_path / "o"), official=True)
    assert one.status == "disputed"
    assert catalogue.get("CRK1").disputed


def test_changed_rows_of_an_import_are_noticed(arena_home, tmp_path):
    arena_folder(tmp_path / "t")
    (one,) = admission.admit(arena.read(tmp_path / "t"))
    file = imported.folder() / one.id / "train.parquet"
    table = cache.read_table(file, ("x0", "x1"), "target")
    table.y[0] += 1
    cache.write_table(file, table, "target")
    with pytest.raises(TaskError, match="has been changed; import the task again"):
        materialize.splits(catalogue.get(one.id))
    assert verify_task(catalogue.get(one.id)).status == "failed"


@pytest.mark.slow
def test_all_664_tasks_are_made_and_verified_within_their_bounds(arena_home):
    summary = verify_many(catalogue.full())
    assert summary.as_json()["failed"] == 0
    assert summary.pool == ()
    assert summary.seconds < 600
    size = sum(file.stat().st_size for file in arena_home.rglob("*") if file.is_file())
    assert size < 2 * 10**9
