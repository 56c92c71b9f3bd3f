import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.__main__ import main
from engine.errors import EngineError
from engine.expression import parse
from engine.reachability.columns import evaluated
from engine.reachability.composition import composed, fit, question
from engine.reachability.fixed_composition import report, run
from engine.reachability.greedy import Limits
from engine.reachability.libraries import POLY
from engine.reachability.records import units
from engine.reachability.sources import DEMONSTRATED_COMPOSITIONS, DEMONSTRATION, RecordedSource
from engine.reachability.starts import halton
from engine.reachability.study import paired
from engine.reachability.study import run as run_study
from tasks.selections import resolve
from tests.adapters.llm_stand_in import serving

SMALL = Limits(rows=200, starts=3, evaluations=400)
MENU = ("x1", "x1**2", "exp(-a*x0)", "sin(a*x0)", "x1**a")


def rows(count=200):
    unit = halton(count, 2, "composition")
    return np.column_stack([10.0 * unit[:, 0], 1.0 + 4.0 * unit[:, 1]])


@pytest.mark.parametrize(
    ("terms", "truth"),
    [
        ([[0], [1]], "2.5 * x1 + -0.25 * x1**2"),
        ([[0, 2]], "1.5 * x1 * exp(-0.7 * x0)"),
        ([[0], [3]], "-1.25 * x1 + 0.5 * sin(2.3 * x0)"),
        ([[2], [4]], "3.0 * exp(-0.4 * x0) + 0.5 * x1**1.5"),
        ([[2, 4]], "2.0 * exp(-0.4 * x0) * x1**0.5"),
        ([[3], [3, 0]], "0.5 * sin(2.3 * x0) + 0.2 * sin(0.9 * x0) * x1"),
    ],
)
def test_a_composition_that_is_the_truth_is_fitted_to_it(terms, truth):
    X = rows()
    y = evaluated(truth, X)
    model = fit(MENU, terms, X, y, "key", SMALL)
    assert model.nmse < 1e-18
    fresh = rows(900)[200:]
    assert np.allclose(evaluated(model.text, fresh), evaluated(truth, fresh), rtol=1e-7, atol=1e-9)
    parse(model.text, ["x0", "x1"])


def test_the_same_key_gives_the_same_fit_and_an_undefined_term_is_left_out():
    X = rows()
    y = evaluated("1.5 * x1 * exp(-0.7 * x0)", X)
    assert fit(MENU, [[0, 2]], X, y, "k", SMALL) == fit(MENU, [[0, 2]], X, y, "k", SMALL)
    model = fit(("log(x0 - 5)", "x1"), [[0], [1]], X, 2.0 * X[:, 1], "k", SMALL)
    assert [term.text for term in model.terms] == ["x1"]
    assert model.nmse < 1e-28


@pytest.mark.parametrize(
    ("answer", "terms", "says"),
    [
        ('{"terms": [[1], [2, 1]]}', ((0,), (0, 1)), ()),
        ('```json\n{"terms": [[1]]}\n```', ((0,),), ()),
        (
            '{"terms": [[1], [6], [0], [1, 1, 1, 1], ["x"], 3, [], [true], [1]]}',
            ((0,),),
            ("menu has items", "more"),
        ),
        ('{"terms": [[1, 2], [2, 1]]}', ((0, 1),), ("named twice",)),
        (
            json.dumps({"terms": [[a, b] for a in range(1, 6) for b in range(1, 6)] * 8}),
            None,
            ("beyond 7 terms",),
        ),
    ],
)
def test_terms_name_menu_items_or_are_dropped_with_a_reason(answer, terms, says):
    found = composed(answer, 5, 2)
    assert found.reason is None
    assert terms is None or found.terms == terms
    assert len(found.terms) <= 7
    for word in says:
        assert any(word in why for _, why in found.dropped)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("I would add item 1 and item 2.", "not JSON"),
        ('{"terms": [[1], [2', "not JSON"),
        ('{"atoms": ["x1"]}', 'no list "terms"'),
        ('{"terms": []}', "no usable term"),
        ('{"terms": [["__import__(\'os\')"]]}', "no usable term"),
        ("", "not JSON"),
    ],
)
def test_other_answers_give_no_term_and_a_reason(answer, says):
    found = composed(answer, 5, 2)
    assert found.terms == ()
    assert says in found.reason


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(st.text(max_size=100), json_values)
def test_no_answer_raises_and_none_leaves_the_menu(text, value):
    for answer in (text, json.dumps(value), json.dumps({"terms": value})):
        found = composed(answer, 3, 1)
        assert all(0 <= place < 3 for term in found.terms for place in term)
        assert (found.reason is None) == bool(found.terms)


def test_the_question_shows_the_menu_in_the_names_of_its_level():
    X = rows()
    named = question("l1", ("t", "P"), "dP_dt", "population growth", MENU, X, X[:, 1])
    blind = question("l2", ("t", "P"), "dP_dt", "population growth", MENU, X, X[:, 1])
    assert "5. P**a" in named.text
    assert "5. x2**a" in blind.text
    assert "population" in named.text
    assert "population" not in blind.text
    assert named.schema["required"] == ["terms"]


@pytest.fixture
def searched(arena_home, tmp_path):
    """A paired study whose L1 menu holds the truth of BPG10, and one task whose menu does not."""
    lines = [
        {"demonstration": True},
        {"task": "BPG10", "level": "l1", "atoms": ["P", "P**a", "t"]},
        {"task": "BPG0", "level": "l1", "atoms": ["P", "t"]},
    ]
    file = tmp_path / "menus.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    limits = Limits(rows=100, rounds=2, starts=3)
    study = paired(resolve(["BPG10,BPG0"]), ("llm-l1",), POLY, (0,), limits)
    run_study(study, tmp_path / "study", RecordedSource(file), workers=1)
    return tmp_path / "study"


def test_the_study_pairs_composition_and_search_and_asks_once(searched, tmp_path, capsys):
    def answer(prompt, number):
        return '{"terms": [[1], [2]]}' if "P**a" in prompt else "P and t, I would say."

    with serving(answer) as (url, seen):
        words = ["paired", "study", "composition", str(searched), "--out", str(tmp_path / "out"), "--json"]
        model = ["--model", "stand-in", "--base-url", url, "--workers", "1"]
        assert main([*words, *model]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert main([*words, *model]) == 0
        assert json.loads(capsys.readouterr().out) == shown
    assert len(seen) == 2
    assert seen[0][1]["messages"][0]["content"].startswith("You compose")
    first = next(row for row in shown["tables"]["composition"]["rows"] if row["metric"] == "Strict ID+OOD")
    assert (first["backbone"], first["direct"], first["search"], first["both"]) == ("stand-in (L1)", 1, 1, 1)
    assert (first["neither"], first["cells"]) == (1, 2)
    assert any("no usable composition in 1 cells (the answer is not JSON" in note for note in shown["notes"])
    assert any("demonstration" in note for note in shown["notes"])
    unit = next(unit for unit in units(tmp_path / "out") if unit["status"] == "ok")
    assert unit["terms_named"] == [[1], [2]]
    assert (unit["strict"], unit["representable"]) == (True, "representable")
    assert main(["paired", "compare", str(tmp_path / "out"), str(tmp_path / "out"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tables"]["composition"]["rows"]) == 8


def test_a_model_that_is_not_there_leaves_cells_not_run(searched, tmp_path, capsys):
    with serving(lambda prompt, number: "") as (url, _):
        pass
    words = [
        "paired",
        "study",
        "composition",
        str(searched),
        "--out",
        str(tmp_path / "out"),
        "--workers",
        "1",
    ]
    assert main([*words, "--model", "m", "--base-url", url, "--answer-timeout", "1"]) == 1
    told = capsys.readouterr()
    assert "not run: composition on" in told.err
    assert "2 of 2 cells not run" in told.out
    assert report([tmp_path / "out"]).tables[0].rows[0][-1] == 0


def test_what_cannot_be_composed_is_refused(searched, tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text(json.dumps({"task": "BPG10", "level": "l1", "answer": "{}"}) + "\n")
    source = RecordedSource(file)
    with pytest.raises(EngineError, match="no finished unit of llm-l2"):
        run(searched, tmp_path / "out", "l2", source, None, 1)
    assert main(["paired", "study", "composition", str(searched), "--out", str(tmp_path / "o")]) == 2


def test_the_demonstrated_compositions_fit_the_demonstrated_menus_and_say_what_they_are():
    menus, answers = (
        [json.loads(line) for line in path.read_text().splitlines()]
        for path in (DEMONSTRATION, DEMONSTRATED_COMPOSITIONS)
    )
    assert answers[0]["demonstration"] is True
    by_task = {line["task"]: line["atoms"] for line in menus if line.get("level") == "l1"}
    assert {line["task"] for line in answers[1:]} == set(by_task)
    for line in answers[1:]:
        found = composed(json.dumps(line["answer"]), len(by_task[line["task"]]), 2)
        assert (found.dropped, found.reason) == ((), None)
    assert RecordedSource(DEMONSTRATED_COMPOSITIONS).demonstration
