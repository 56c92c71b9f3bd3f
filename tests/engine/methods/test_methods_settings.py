"""Typed settings: defaults of every method, overrides as values or words, refusals in one sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.methods import registry
from engine.methods.settings import Setting, coerce, merge, read_schema


@pytest.mark.parametrize("name", registry.names())
def test_the_defaults_of_every_method_are_valid_and_plain_json(name):
    method = registry.get(name)
    values = merge(method, {})
    assert list(values) == [setting.name for setting in method.schema]
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    for setting in method.schema:
        if setting.default is not None:
            typed = coerce(name, setting, setting.default)
            assert typed == (list(setting.default) if isinstance(setting.default, tuple) else setting.default)
        assert setting.doc


def test_table_17s_values_are_the_defaults():
    gplearn = merge(registry.get("gplearn"), {})
    assert gplearn["population_size"] == 1000
    assert gplearn["tournament_size"] == 20
    assert gplearn["metric"] == "mean absolute error"
    assert gplearn["parsimony_coefficient"] == 0.001
    operon = merge(registry.get("pyoperon"), {})
    assert (operon["population_size"], operon["pool_size"], operon["max_length"]) == (500, 500, 50)
    assert registry.get("pyoperon").threads == 4
    assert merge(registry.get("imcts"), {})["K"] == 500
    assert merge(registry.get("udsr"), {})["max_length"] == 100


def test_words_of_a_command_line_become_typed_values():
    method = registry.get("gplearn")
    given = {"population_size": "2_000", "p_crossover": "0.5", "function_set": "add, mul", "stop_at": "none"}
    values = merge(method, given)
    assert values["population_size"] == 2000
    assert values["p_crossover"] == 0.5
    assert values["function_set"] == ["add", "mul"]
    assert values["stop_at"] is None


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ({"populaton_size": 5}, "did you mean population_size"),
        ({"zzz": 5}, "it has population_size"),
        ({"population_size": "many"}, "a whole number, at least 2"),
        ({"population_size": 1}, "at least 2"),
        ({"population_size": True}, "a whole number"),
        ({"p_crossover": "nan"}, "a number"),
        ({"p_crossover": 1.5}, "at most 1"),
        ({"metric": "accuracy"}, "one of mean absolute error"),
        ({"function_set": "add,foo"}, "any of add"),
        ({"population_size": None}, "a whole number"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_would(overrides, sentence):
    with pytest.raises(EngineError) as refused:
        merge(registry.get("gplearn"), overrides)
    assert sentence in str(refused.value)
    assert "gplearn" in str(refused.value)


@given(st.integers(-(10**12), 10**12))
def test_a_whole_number_survives_being_written(value):
    setting = Setting("n", "int", 0, "")
    assert coerce("m", setting, str(value)) == coerce("m", setting, value) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_survives_being_written(value):
    setting = Setting("x", "float", 0.0, "")
    assert coerce("m", setting, repr(value)) == value


@given(st.text(max_size=20))
def test_any_text_is_typed_or_refused_and_nothing_else(text):
    for kind in ("int", "float", "bool", "str", "words"):
        setting = Setting("s", kind, None, "")
        try:
            typed = coerce("m", setting, text)
        except EngineError:
            continue
        assert type(typed) is {"words": list}.get(kind) or isinstance(typed, (int, float, bool, str))


def test_a_schema_of_an_unknown_type_is_refused():
    with pytest.raises(EngineError, match="has type 'integer'"):
        read_schema("m", {"n": {"type": "integer", "default": 1}})
    with pytest.raises(EngineError, match="setting n cannot be"):
        read_schema("m", {"n": {"type": "int", "default": "many"}})
