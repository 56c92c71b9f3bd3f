"""Campaign specs: what is written reads back, what is added is appended, what is broken is named."""

import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.running import capacity, conditions, durations, spec_file
from engine.running.presets import preset
from engine.running.spec import Block, CampaignSpec, Limits, MethodEntry, check

words = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,10}", fullmatch=True)
values = (
    st.integers(-9, 9)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
entries = st.builds(
    MethodEntry,
    label=words,
    method=words,
    settings=st.dictionaries(words, values | st.lists(st.text(max_size=3), max_size=2), max_size=3),
    seeds=st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=3, unique=True).map(tuple),
    threads=st.integers(1, 4),
    evaluation_limit=st.none() | st.integers(1, 10**6),
)


@st.composite
def specs(draw):
    methods = draw(st.lists(entries, min_size=1, max_size=3, unique_by=lambda entry: entry.label))
    tasks = draw(st.lists(words, min_size=1, max_size=3, unique=True))
    block = Block(
        labels=tuple(entry.label for entry in methods),
        tasks=tuple(tasks),
        names=tuple(draw(st.lists(st.text(max_size=6), min_size=len(tasks), max_size=len(tasks)))),
        seeds=draw(st.none() | st.just((520, 521))),
        conditions=draw(st.sampled_from([("clean",), ("clean", "noise001"), ("noise1.5",)])),
    )
    memory = draw(st.none() | st.just(512 * 2**20))
    limits = Limits(draw(st.floats(1, 1e5)), 1.0, memory_bytes=memory, workers=2)
    name = draw(st.none() | st.text(max_size=6))
    return check(CampaignSpec("id", "now", tuple(methods), (block,), limits, name=name))


@settings(max_examples=20)
@given(specs())
def test_a_written_spec_reads_back_equal(spec):
    assert spec_file.parse(spec_file.render(spec), "campaign.toml") == spec


@settings(max_examples=20)
@given(specs())
def test_an_extension_only_appends(spec):
    text = spec_file.render(spec)
    further = MethodEntry("later", "bank", {"x": 1}, (7,))
    longer = replace(
        spec,
        methods=(*spec.methods, further) if "later" not in spec.labels else spec.methods,
        blocks=(*spec.blocks, Block(spec.labels, ("g0001",), ("One",), (9,))),
    )
    extended = spec_file.extended_text(text, spec, longer, "campaign.toml")
    assert extended.startswith(text.rstrip("\n"))
    assert spec_file.parse(extended, "campaign.toml") == longer
    assert set(spec.grid()) <= set(longer.grid())


def test_a_change_is_refused():
    spec = check(four_workers())
    changed = replace(spec, limits=Limits(10, 1))
    with pytest.raises(EngineError, match="can only be extended"):
        spec_file.extended_text(spec_file.render(spec), spec, changed, "campaign.toml")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("tasks = [,]", r"not valid TOML: .*line 2"),
        ("budgett = 5", r"unknown key 'budgett'"),
        ("[limits]\nbudget = 0\ninterval = 1", r"budget 0 must be longer than nothing"),
        ("[limits]\nbudget = 5\ninterval = 'soon'", r"interval 'soon' is not a length of time"),
        ("[limits]\nbudget = 5", r"has no interval"),
    ],
)
def test_a_broken_line_is_named(line, sentence):
    text = "schema = 1\n" + line
    if "[limits]" in line:
        text += "\n[methods.a]\nthreads = 1\nseeds = [1]\n[[grid]]\ntasks = ['g1']\n"
    with pytest.raises(EngineError, match=sentence):
        spec_file.parse(text, "campaign.toml")


def test_one_method_may_stand_twice_with_seeds_and_settings_of_its_own():
    spec = CampaignSpec(
        "i", "n",
        (
            MethodEntry("small", "gplearn", {"population_size": 100}, (520,)),
            MethodEntry("large", "gplearn", {"population_size": 5000}, (1314,), threads=2),
        ),
        (Block(("small", "large"), ("g1", "g2"), ("x", "y"), None, ("clean", "noise005")),), Limits(60, 10),
    )  # fmt: skip
    keys = check(spec).grid()
    assert len(keys) == 8
    assert {key.seed for key in keys if key.label == "large"} == {1314}
    assert "large/g2/1314-noise005" in {key.id for key in keys}


def test_the_presets_are_the_papers():
    assert preset("formal").budget_s / preset("formal").interval_s == 180
    assert preset("formal").seeds_of("pysr") == (520, 521, 522)
    assert preset("fidelity").budget_s == 3600
    assert preset("fidelity").seeds_of("pysr") == (1314,)
    assert preset("fidelity").seeds_of("gplearn") == (520, 521, 522)
    assert len(preset("calibration").seeds) == 1
    with pytest.raises(EngineError, match="calibration, construction, fidelity, formal"):
        preset("final")


@pytest.mark.parametrize(
    ("text", "seconds"), [("20s", 20), ("1h30m", 5400), (90, 90), ("0.5", 0.5), ("3 h", 10800)]
)
def test_lengths_of_time(text, seconds):
    assert durations.seconds(text, "budget") == seconds


@pytest.mark.parametrize("text", ["", "soon", "-5s", "0s", "5 parsecs", True, float("inf")])
def test_lengths_that_are_none(text):
    with pytest.raises(EngineError, match="budget"):
        durations.seconds(text, "budget")


@pytest.mark.parametrize(
    ("word", "name", "sigma"),
    [
        ("clean", "clean", 0),
        ("0.01", "noise001", 0.01),
        ("noise005", "noise005", 0.05),
        ("0.1", "noise010", 0.1),
        ("noise01", "noise010", 0.1),
        ("0.025", "noise0025", 0.025),
        ("1.5", "noise1.5", 1.5),
        ("0.0", "clean", 0),
    ],
)
def test_conditions_have_one_name(word, name, sigma):
    assert conditions.canonical(word) == name
    assert conditions.sigma(name) == sigma
    assert conditions.canonical(name) == name


def test_noise_depends_on_task_condition_and_seed_only():
    import numpy as np

    y = np.linspace(0, 1, 50)
    noisy = conditions.perturb(y, "g0001", "noise005", 520)
    assert np.array_equal(noisy, conditions.perturb(y, "g0001", "noise005", 520))
    assert not np.array_equal(noisy, conditions.perturb(y, "g0001", "noise005", 521))
    assert not np.array_equal(noisy, conditions.perturb(y, "g0002", "noise005", 520))
    many = np.tile(y, 400)
    noise = (conditions.perturb(many, "g1", "noise005", 1) - many) / np.std(many)
    assert np.std(noise) == pytest.approx(0.05, rel=0.03)
    assert conditions.perturb(y, "g0001", "clean", 520) is y


def four_workers(**changes):
    block = Block(("a",), ("g1",), ("x",), None)
    return CampaignSpec(
        "i", "n", (MethodEntry("a", "a", seeds=(1,)),), (block,), Limits(9, 1, workers=4), **changes
    )


def test_more_threads_than_cores_are_refused_unless_told():
    with pytest.raises(EngineError, match=r"4 workers x 1 threads = 4 > 2 cores"):
        capacity.check(four_workers(), available=2)
    assert "4 > 2" in capacity.check(four_workers(oversubscribe=True), available=2)
    assert capacity.check(four_workers(), available=4) is None


def test_cores_are_counted_by_affinity_and_quota(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    monkeypatch.setattr(capacity, "quota", lambda: None)
    assert capacity.cores() == 3
    monkeypatch.setattr(capacity, "quota", lambda: 1.5)
    assert capacity.cores() == 1
    monkeypatch.undo()
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "cpu.max").write_text("150000 100000\n")
    (tmp_path / "a" / "b" / "cpu.max").write_text("max 100000\n")
    membership = tmp_path / "cgroup"
    membership.write_text("0::/a/b\n")
    assert capacity.quota(tmp_path, membership) == 1.5
