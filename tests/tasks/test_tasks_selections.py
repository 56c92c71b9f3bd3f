"""Words to tasks, saved selections, filters."""

import pytest

from tasks import catalogue, selections
from tasks.errors import TaskError
from tasks.filters import Filter, matching


def ids(*words):
    return [task.id for task in selections.resolve(words)]


def test_words_are_resolved_in_order_and_each_task_once(arena_home):
    assert ids("Nguyen-2,g0633", "Nguyen-1", "g0637") == ["g0637", "g0633"]
    assert len(ids("@full")) == 664
    assert ids("@classic")[0] == "g0618"
    assert len(ids("@lsr-synth")) == 129
    assert len(ids("@lsr-transform")) == 111


def test_nothing_named_is_an_error(arena_home):
    with pytest.raises(TaskError, match="no task is named"):
        selections.resolve([" ,", ""])


def test_a_saved_selection_is_usable_by_its_name(arena_home):
    selections.save("mine", ["Nguyen-1", "g0001", "g0633"])
    assert ids("@mine") == ["g0633", "g0001"]
    assert "mine" in selections.names()
    assert (arena_home / "data" / "selections" / "mine.json").is_file()


@pytest.mark.parametrize("name", ["full", "core50"])
def test_built_in_sets_cannot_be_replaced(arena_home, name):
    with pytest.raises(TaskError, match="built in"):
        selections.save(name, ["g0001"])


@pytest.mark.parametrize("name", ["../escape", "", "a b", ".hidden", "x" * 65])
def test_a_selection_cannot_be_named_like_a_path(arena_home, name):
    with pytest.raises(TaskError, match="cannot name a selection"):
        selections.save(name, ["g0001"])
    with pytest.raises(TaskError, match="cannot name a selection"):
        selections.load(name)


def test_an_unknown_or_broken_selection_says_so(arena_home):
    with pytest.raises(TaskError, match="there is no selection @nope; known are @full"):
        selections.load("nope")
    selections.save("broken", ["g0001"])
    (arena_home / "data" / "selections" / "broken.json").write_text("{")
    with pytest.raises(TaskError, match="save @broken again"):
        selections.load("broken")


def test_filters_combine():
    found = matching(
        catalogue.full(), Filter(family="srsd", formula_type="trig", features="2-3", complexity="simple")
    )
    assert found
    for task in found:
        assert task.family == "srsd"
        assert task.formula_type == "trigonometric"
        assert len(task.features) in (2, 3)
        assert task.complexity_group == "simple"
    assert matching(catalogue.full(), Filter(text="KEIJZER-1"))[0].id == "g0618"
    assert len(matching(catalogue.full(), Filter(constants="drawn"))) == 64


@pytest.mark.parametrize("wrong", [Filter(family="nope"), Filter(features="many"), Filter(complexity="hard")])
def test_a_filter_that_names_nothing_is_an_error(wrong):
    with pytest.raises(TaskError):
        matching(catalogue.full(), wrong)
