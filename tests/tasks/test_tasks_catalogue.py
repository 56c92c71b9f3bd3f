"""The Full Task Set as a whole: counts, schema, names, and labels that are computed and never stored."""

import csv
import json
from collections import Counter
from importlib import resources

import pytest

from tasks import catalogue, labels, selections, statistics
from tasks.classification import complexity_group, formula_type, operator_count
from tasks.errors import TaskError
from tasks.schema import KNOWN


@pytest.fixture(scope="module")
def listed(published):
    with published("reference/full664.tsv").open(newline="") as lines:
        return {row["task_id"]: row for row in csv.DictReader(lines, delimiter="\t")}


def test_holds_the_664_tasks_with_the_papers_counts_per_source():
    tasks = catalogue.full()
    assert [task.id for task in tasks] == [f"g{number:04d}" for number in range(1, 665)]
    assert Counter(task.family for task in tasks) == statistics.PAPER_FAMILIES


def test_core50_and_calibration_sets_have_their_published_sizes():
    core = selections.load("core50")
    assert Counter(task.family for task in core) == statistics.CORE50_FAMILIES
    assert sum(statistics.CORE50_FAMILIES.values()) == len(core) == statistics.PAPER_CORE50
    groups = Counter(label.calibration_group for label in labels.published().values())
    assert (groups["A"], groups["B"], groups["C"]) == (140, 20, 40)
    assert len(selections.load("calibration200")) == 200


def test_agrees_with_the_published_task_list(listed):
    for task in catalogue.full():
        row = listed[task.id]
        assert (task.name, task.family, task.subgroup) == (row["name"], row["family"], row["subgroup"])
        assert len(task.features) == int(row["n_features"])
        assert task.target.name == row["target"]
        sizes = (task.sizes.train, task.sizes.valid, task.sizes.id, task.sizes.ood)
        assert sizes == tuple(int(row[name]) for name in ("n_train", "n_valid", "n_id", "n_ood"))
        assert task.duplicate_group == row["semantic_duplicate_group"]
        label = labels.of(task.id)
        assert (label.difficulty, label.failure_mode) == (row["difficulty"], row["failure_mode"])
        assert (label.eligibility, label.winning_probe) == (row["eligibility"], row["winning_probe"])
        assert label.core50 == (row["core50"] == "True")


def test_every_task_says_how_each_constant_and_range_is_known():
    for task in catalogue.full():
        facts = task.provenance
        assert task.formula
        assert task.source_formula
        assert facts.source
        assert facts.licence
        assert {facts.formula, facts.constants, facts.ranges} <= set(KNOWN)
        assert {variable.known for variable in task.features} <= set(KNOWN)
        assert {constant.known for constant in task.constants} <= set(KNOWN)
        assert facts.data in ("generated", "observed", "stand-in")
        if facts.constants == "drawn":
            assert "drawn" in facts.note
            assert "drawn" in {constant.known for constant in task.constants}
        for variable in task.features:
            assert variable.low is not None
            assert variable.low < variable.high


def test_only_srsd_variants_have_distractors_and_their_formulas_do_not_use_them():
    for task in catalogue.full():
        assert task.has_dummies == task.subgroup.endswith("_dummy")


def test_formula_types_and_complexity_are_computed_and_stored_nowhere():
    forbidden = {
        "formula_type",
        "operator_group",
        "complexity",
        "complexity_group",
        "variable_bin",
        "operator_count",
    }

    def keys(value):
        if isinstance(value, dict):
            yield from value
            value = list(value.values())
        if isinstance(value, list):
            for inner in value:
                yield from keys(inner)

    folder = resources.files("tasks.catalogue")
    for name in (*catalogue.FILES, "labels.jsonl", "frozen.jsonl"):
        for line in folder.joinpath(name).read_text(encoding="utf-8").splitlines():
            assert not forbidden & set(keys(json.loads(line)))


def test_types_follow_the_expression():
    assert formula_type("x0*x1 + sqrt(x0)") == "polynomial"
    assert formula_type("x0/x1") == formula_type("x0*x1**-2") == formula_type("pdiv(x0, x1)") == "rational"
    assert formula_type("x0/sin(x1)") == "trigonometric"
    assert formula_type("tanh(x0)") == formula_type("log(x0)") == "exponential_log"
    assert formula_type("sin(log(x0))") == "mixed_elementary"
    assert formula_type(None) == "unknown"


def test_operator_counts_follow_the_papers_rule():
    # Keijzer-1: four binary operations in the target expression itself (paper 1, B.3, last paragraph)
    assert operator_count("0.3*x1*sin(2*pi*x1)") == 4
    assert operator_count("where(-x0 > 1, x0, exp(x0))") == 2
    assert [complexity_group(count) for count in (5, 6, 8, 9, None)] == [
        "simple",
        "moderate",
        "moderate",
        "complex",
        "unknown",
    ]


def test_our_own_tertiles_are_the_papers_boundaries():
    assert statistics.quantile_boundaries(catalogue.full()) == (5, 8)
    dimensions = {d.name: d for d in statistics.composition(catalogue.full(), whole=True)}
    assert dimensions["complexity"].ours == {"simple": 294, "moderate": 174, "complex": 196}
    assert sum(dimensions["formula type"].ours.values()) == 664


def test_every_difference_from_the_published_types_has_its_cause(listed):
    agree = 0
    for task in catalogue.full():
        row = listed[task.id]
        cause = statistics.cause_of_difference(task, row["source_return_expression"], row["operator_group"])
        if task.formula_type == row["operator_group"]:
            assert cause == ""
            agree += 1
        else:
            assert cause not in ("", "the two texts write the law with different functions")
    assert agree == 615


def test_the_names_that_occur_twice_list_their_candidates():
    names = Counter(task.name for task in catalogue.full())
    twice = [name for name, count in names.items() if count == 2]
    assert len(twice) == 115
    for name in twice:
        with pytest.raises(TaskError, match=r"ambiguous; name one of g\d{4} \(.*\), g\d{4} \(.*\)"):
            catalogue.get(name)
    assert all(catalogue.get(name).name == name for name, count in names.items() if count == 1)


def test_unknown_names_get_close_matches():
    with pytest.raises(TaskError, match="did you mean Nguyen-1"):
        catalogue.get("Nguyen1")
    with pytest.raises(TaskError, match="see `arena-tui tasks list`"):
        catalogue.get("zzzzzz")
    assert catalogue.get(" NGUYEN-1 ").id == catalogue.get("G0633").id == "g0633"
