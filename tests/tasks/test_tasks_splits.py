"""Splits: deterministic, cached with digests, by the rule of each family."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tasks import cache, catalogue, materialize
from tasks.errors import TaskError
from tasks.generators import drawn_constants, first_principles, ranges, strogatz
from tasks.generators.classic import grid
from tasks.outside import linear, logarithmic
from tasks.randomness import Stream, seed_of

SAMPLE = (
    "Nguyen-9",
    "Keijzer-4",
    "Vladislavleva-5",
    "Korns-9",
    "BPG3",
    "PO19",
    "MatSci21",
    "g0384",
    "I.10.7_1_0",
    "strogatz_predprey2",
    "first_principles_hubble",
    "first_principles_planck",
)


def records(path):
    with path.open() as lines:
        return [json.loads(line) for line in lines]


def test_seeds_and_uniforms_are_fixed_forever():
    assert seed_of("g0001", "split") == 173705858312893479294896893237581435184
    stream, words = Stream("g0001", "split"), np.random.PCG64(seed_of("g0001", "split")).random_raw(3)
    np.testing.assert_array_equal(stream.unit(3), [(int(word) >> 11) / 2**53 for word in words])


def test_normals_come_by_inversion():
    values = Stream("test", "normal").normal(200_000)
    assert abs(values.mean()) < 0.01
    assert abs(values.std() - 1) < 0.01
    assert np.isfinite(values).all()


def test_permutations_hold_every_index_once():
    np.testing.assert_array_equal(np.sort(Stream("test", "permutation").permutation(1000)), np.arange(1000))


@pytest.mark.parametrize("key", SAMPLE)
def test_splits_have_the_recorded_sizes_and_come_back_from_the_cache_bit_for_bit(arena_home, key):
    task = catalogue.get(key)
    made = materialize.splits(task)
    again = materialize.splits(task)
    assert cache.manifest(task)["task"] == task.id
    for (name, one), (_, two) in zip(made.named(), again.named(), strict=True):
        assert one.rows == getattr(task.sizes, name)
        assert one.names == task.feature_names
        np.testing.assert_array_equal(one.X, two.X)
        np.testing.assert_array_equal(one.y, two.y)
        assert np.isfinite(one.X).all()
        assert np.isfinite(one.y).all()


def test_another_process_makes_the_same_rows_whatever_its_hash_seed_and_locale(arena_home):
    code = (
        "from tasks import cache, catalogue, materialize\n"
        "for key in ('Nguyen-9', 'I.10.7_1_0', 'g0384'):\n"
        "    task = catalogue.get(key)\n"
        "    tables = materialize.generate(task).named()\n"
        "    print(*(cache.table_digest(table, task.target.name) for _, table in tables))\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": zone, "ARENA_HOME": str(arena_home)},
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    ]
    assert said[0] == said[1]
    assert len(said[0].split()) == 12


def test_a_damaged_cache_is_made_again(arena_home):
    task = catalogue.get("Nguyen-1")
    made = materialize.splits(task)
    file = cache.folder(task) / "ood.parquet"
    changed = cache.read_table(file, task.feature_names, task.target.name)
    changed.y[137] *= 2
    cache.write_table(file, changed, task.target.name)
    assert cache.read(task) is None
    np.testing.assert_array_equal(materialize.splits(task).ood.y, made.ood.y)
    file.write_bytes(b"PAR1 nonsense")
    np.testing.assert_array_equal(materialize.splits(task).ood.y, made.ood.y)
    (cache.folder(task) / "manifest.json").write_text("[]")
    np.testing.assert_array_equal(materialize.splits(task).ood.y, made.ood.y)


def test_many_may_ask_for_the_same_rows_at_once(arena_home):
    task = catalogue.get("Nguyen-3")
    home = cache.folder(task)
    for damaged in (False, True):
        if damaged:
            (home / "train.parquet").write_bytes(b"")
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: materialize.splits(task), range(16)))
        assert len({cache.table_digest(splits.ood, "target") for splits in made}) == 1
        assert cache.read(task) is not None
        assert [path.name for path in home.parent.iterdir()] == [home.name]


def test_making_and_reading_rows_imports_no_pandas(arena_home):
    code = (
        "import sys\n"
        "from tasks import catalogue, materialize\n"
        "for _ in range(2):\n"
        "    materialize.splits(catalogue.get('Nguyen-1'))\n"
        "print('pandas' in sys.modules, 'scipy' in sys.modules)\n"
    )
    environment = {"ARENA_HOME": str(arena_home)}
    said = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    assert said.stdout == "False False\n"


def test_a_cap_cuts_test_splits_only_and_keeps_the_same_rows(arena_home):
    task = catalogue.get("Keijzer-10")
    whole, cut = materialize.splits(task), materialize.splits(task, max_rows=500)
    assert (cut.train.rows, cut.valid.rows, cut.id.rows, cut.ood.rows) == (90, 10, 500, 500)
    rows = {tuple(row) for row in whole.id.X.tolist()}
    assert all(tuple(row) in rows for row in cut.id.X.tolist())
    np.testing.assert_array_equal(cut.id.X, materialize.splits(task, max_rows=500).id.X)
    assert materialize.splits(task, max_rows=10**6).id.rows == whole.id.rows
    with pytest.raises(TaskError, match="at least 1"):
        materialize.splits(task, max_rows=0)


def test_grids_count_their_points_as_the_sources_do():
    assert len(grid(-1, 1, 0.1)) == 21
    assert len(grid(-0.25, 6.35, 0.2)) == 33
    assert len(grid(0, 1, 20)) == 20


def test_outside_intervals_of_ranges_guard_zero():
    assert linear(0, 2).left is None
    assert linear(0, 2).right == (2, 2.2)
    assert linear(-2, 0).right is None
    assert linear(1, 5).left == (0.8, 1)
    assert linear(0, 2, guard=False).left == (-0.1, 0)
    low, high = logarithmic(0.01, 1.0).left[0], logarithmic(0.01, 1.0).right[1]
    assert low == pytest.approx(0.01 * 100**-0.05)
    assert high == pytest.approx(100**0.05)
    assert logarithmic(1e-21, 1e-19).left is None


def test_outside_values_choose_sides_by_length():
    rule = linear(1, 5)
    stream = Stream("test", "outside")
    values = rule.draw(stream.unit(10_000), stream.unit(10_000))
    assert rule.holds(values).all()
    assert abs((values < 1).mean() - 0.5) < 0.02


def test_classic_intervals_agree_with_the_specifications(published):
    for record in records(published("catalogue/classic.jsonl")):
        if "ood_intervals" not in record:
            continue
        task = catalogue.get(record["name"])
        for name, sides in record["ood_intervals"].items():
            spec = task.recipe["train"][name]
            rule = linear(spec["low"], spec["high"])
            for ours, theirs in ((rule.left, sides["left"]), (rule.right, sides["right"])):
                assert (ours is None) == (theirs is None)
                if ours is not None:
                    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_core50_intervals_follow_from_their_training_ranges(published):
    checked = 0
    for record in records(published("catalogue/core50_ranges.jsonl")):
        if record["family"] != "srsd" and record["subgroup"] != "feynman":
            continue
        task = next(
            t for t in catalogue.full() if (t.name, t.subgroup) == (record["name"], record["subgroup"])
        )
        for feature, variable in zip(record["features"], task.features, strict=True):
            assert feature["name"] == variable.name
            low, high = feature["train_range"]
            by_ratio = task.recipe["sampling"][variable.name]["kind"] == "log-uniform" and low > 0
            rule = logarithmic(low, high) if by_ratio else linear(low, high)
            (left, _), (_, right) = feature["ood_range"]
            # the release writes a missing left side as the empty interval at the least value
            np.testing.assert_allclose(rule.extended, (left, right), rtol=1e-5)
            checked += 1
    assert checked == 82


def test_core50_rows_reach_as_far_as_the_published_ones(arena_home, published):
    """Samples differ, so ends agree to the spacing of extremes only; the rule itself is tested above."""
    for record in records(published("catalogue/core50_ranges.jsonl")):
        if record["family"] not in ("srsd", "srbench1.0"):
            continue
        task = next(
            t for t in catalogue.full() if (t.name, t.subgroup) == (record["name"], record["subgroup"])
        )
        ood = materialize.generate(task).ood
        for j, feature in enumerate(record["features"]):
            low, high = feature["ood_range"][0][0], feature["ood_range"][-1][1]
            width = high - low
            slack = 0.02 * width
            assert (
                abs(ood.X[:, j].min() - low) < slack
                or feature["ood_range"][0][0] == feature["ood_range"][0][1]
            )
            assert abs(ood.X[:, j].max() - high) < slack


def test_lsr_synth_tasks_with_known_constants_reproduce_the_published_ranges(published):
    """Ends agree to the published digits; two forced oscillators magnify the rounding of their constants."""
    sensitive = {"PO12": 5e-3, "PO40": 6e-3}
    checked = 0
    for record in records(published("catalogue/lsr_synth_ranges.jsonl")):
        if record["record"] != "task" or not record["splits"] or record["name"] == "CRK33":
            continue
        task = catalogue.get(record["name"])
        assert task.provenance.constants in ("published", "derived")
        ood = materialize.generate(task).ood
        for name, (low, high) in record["splits"]["ood_test"]["ranges"].items():
            values = ood.y if name == task.target.name else ood.X[:, task.feature_names.index(name)]
            slack = sensitive.get(task.name, 1e-4) * (high - low)
            assert abs(values.min() - low) <= slack
            assert abs(values.max() - high) <= slack
        checked += 1
    assert checked == 32


def test_drawn_constants_are_drawn_again_from_their_seed():
    drawn = [
        task
        for task in catalogue.full()
        if task.provenance.constants == "drawn" and task.family == "llm-srbench"
    ]
    assert len(drawn) == 63
    for task in drawn[::7]:
        names = [constant.name for constant in task.constants]
        grid_, initial = tuple(task.recipe["grid"]), tuple(task.recipe["initial"])
        structure = task.recipe["structure"]
        values = drawn_constants.draw(task.id, structure, names, task.subgroup, grid_, initial)
        assert values == {constant.name: constant.value for constant in task.constants}
        assert drawn_constants.substitute(structure, values) == task.formula


def test_crk5_has_two_rates_and_moves():
    splits = materialize.generate(catalogue.get("CRK5"))
    assert {constant.name for constant in catalogue.get("CRK5").constants} == {"k", "k_f", "beta"}
    assert splits.train.y.std() > 0
    assert splits.ood.y.std() > 0


def test_the_strogatz_integrator_starts_at_the_stored_values_and_steps_by_its_rule():
    path = strogatz.trajectory("-y", "x", (1.0, 0.5), 0.1, 3)
    assert path[0].tolist() == [1.0, 0.5]
    assert path[1, 0] == pytest.approx(1.0 - 0.1 * 0.5)
    slope = -0.5
    k = [1.0, 1.0 + 0.05 * slope, 1.0 + 0.075 * slope]
    assert path[1, 1] == pytest.approx(0.5 + 0.1 * (2 * k[0] + 3 * k[1] + 4 * k[2]) / 9)


@pytest.mark.parametrize("key", ["strogatz_bacres1", "strogatz_shearflow2", "strogatz_vdp1", "strogatz_lv2"])
def test_strogatz_trajectories_meet_the_recorded_extremes_of_the_source_rows(key):
    task = catalogue.get(key)
    recipe = task.recipe
    rows = np.concatenate(
        [
            strogatz.trajectory(
                recipe["ode"]["x"], recipe["ode"]["y"], tuple(start), recipe["step"], recipe["points"]
            )
            for start in recipe["initial"]
        ]
    )
    for j, variable in enumerate(task.features):
        assert rows[:, j].min() == pytest.approx(variable.low, rel=1e-11, abs=1e-13)
        assert rows[:, j].max() == pytest.approx(variable.high, rel=1e-11)


def test_srsd_rows_are_redrawn_outside_the_float32_range():
    splits = materialize.generate(catalogue.get("g0384"))
    for _, table in splits.named():
        assert (np.abs(table.y) >= 1.17549435e-38).all()


def test_log_uniform_columns_fill_every_decade_and_both_signs():
    sampling = {"kind": "log-uniform", "low": 1e-2, "high": 1.0, "sign": "both"}
    values = ranges.column(sampling, Stream("test", "column"), 20_000)
    assert abs((values > 0).mean() - 0.5) < 0.02
    assert abs((np.abs(values) < 0.1).mean() - 0.5) < 0.02
    whole = ranges.column({"kind": "integer-uniform", "low": 1, "high": 10}, Stream("t", "i"), 5000)
    assert set(whole.tolist()) == set(map(float, range(1, 10)))


@pytest.mark.parametrize("name", ["first_principles_hubble", "first_principles_leavitt"])
def test_published_extreme_rows_are_the_ones_our_rule_finds(name):
    splits = materialize.generate(catalogue.get(name))
    X = np.concatenate([table.X for _, table in splits.named()])
    outward = np.argsort(-first_principles.extremeness(X), kind="stable")[: splits.ood.rows]
    assert {tuple(row) for row in X[outward].tolist()} == {tuple(row) for row in splits.ood.X.tolist()}


def test_observed_rows_are_measurements_and_stand_ins_say_so():
    for task in catalogue.full():
        if task.subgroup == "firstprinciples":
            assert (task.provenance.data == "stand-in") == (task.recipe["stand_in"] is not None)
            if task.provenance.data == "stand-in":
                assert "stand in for unavailable ones" in task.provenance.note


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("a file where the folder should be")
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    with pytest.raises(TaskError, match=r"cannot be cached below .*; make room there or set ARENA_HOME"):
        materialize.splits(catalogue.get("Nguyen-1"))


def test_a_task_without_a_rule_says_so():
    from dataclasses import replace

    with pytest.raises(TaskError, match="no rule"):
        materialize.generate(replace(catalogue.get("g0633"), recipe={"rule": "nope"}))
