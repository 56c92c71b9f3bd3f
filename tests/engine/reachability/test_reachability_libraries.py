import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.__main__ import main
from engine.errors import EngineError
from engine.expression import parse
from engine.reachability.atoms import atom, normalized
from engine.reachability.libraries import BUILT_IN, LASR, POLY, SRBENCH_PYSR, expand, fitted
from engine.reachability.library_files import load


@pytest.mark.parametrize(
    ("library", "sizes"),
    [(LASR, (10, 30, 60)), (SRBENCH_PYSR, (8, 24, 48)), (POLY, (4, 11, 21))],
    ids=lambda value: getattr(value, "name", ""),
)
def test_sizes_are_the_papers(library, sizes):
    assert tuple(len(expand(library, count)) for count in (1, 2, 3)) == sizes


def test_srbench_drops_cosine_and_free_powers_everywhere():
    texts = expand(SRBENCH_PYSR, 3)
    assert not [text for text in texts if "cos(" in text or ")**a" in text]
    assert set(texts) < set(expand(LASR, 3))


def test_commutative_twins_are_listed_and_fitted_once():
    texts = expand(LASR, 2)
    assert {"x0*x1", "x1*x0"} <= set(texts)
    assert len(fitted(texts)) == 29
    assert len({one.normal for one in fitted(texts)}) == 29


@pytest.mark.parametrize("library", BUILT_IN.values(), ids=lambda library: library.name)
def test_every_candidate_parses_and_is_fitted_quickly(library):
    for text in expand(library, 3):
        parse(text, ["x0", "x1", "x2", "a"])
        assert atom(text).shape != "generic", text


@pytest.mark.parametrize(
    ("text", "shape", "column", "sign", "factor"),
    [
        ("exp(-a*x0)*x1", "exponential", 0, -1, "(x1)"),
        ("x1*exp(a*x0)", "exponential", 0, 1, "(x1)"),
        ("x1/x2*sin(x0*a)", "sine", 0, 1, "(x1) * (1 / x2)"),
        ("log(a + abs(x3))", "logarithm", 3, 1, "1"),
        ("x1**a", "power", 1, 1, "1"),
        ("1/(1 + a*x0)", "generic", -1, 1, "1"),
        ("sin(a*x0)*exp(-a*x1)", "generic", -1, 1, "1"),
        ("x0**2/x1", "static", -1, 1, "1"),
    ],
)
def test_shapes_are_recognized(text, shape, column, sign, factor):
    one = atom(text)
    assert (one.shape, one.column, one.sign, one.factor) == (shape, column, sign, factor)


FACTORS = st.lists(
    st.sampled_from(["x0", "x1", "sin(a*x0)", "exp(-a*x1)", "(x0 + x1)", "abs(x1)**a", "x0**2"]),
    min_size=1,
    max_size=4,
)


@given(FACTORS, st.randoms(use_true_random=False))
def test_the_order_of_factors_does_not_matter(factors, random):
    shuffled = list(factors)
    random.shuffle(shuffled)
    assert normalized("*".join(factors)) == normalized(" * ".join(shuffled))


@pytest.mark.parametrize(
    ("one", "other"),
    [("x0*x0", "x0**2"), ("2.5*x0", "x0"), ("-x0", "x0"), ("x1/x0", "x1*x0**(-1)"), ("x0+1", "(1 + x0)")],
)
def test_equal_normal_forms(one, other):
    assert normalized(one) == normalized(other)


@pytest.mark.parametrize(("one", "other"), [("x0**2", "x0**3"), ("sin(2*x0)", "sin(x0)"), ("x0-x1", "x0+x1")])
def test_different_normal_forms(one, other):
    assert normalized(one) != normalized(other)


def test_a_library_of_ones_own(tmp_path):
    path = tmp_path / "rational.toml"
    path.write_text('title = "Rational"\nsingle = ["v", "1/(a + v)"]\nunordered = ["u*v"]\n')
    library = load(str(path))
    assert library.title == "Rational"
    assert expand(library, 3) == (
        "x0", "1/(a + x0)", "x1", "1/(a + x1)", "x2", "1/(a + x2)", "x0*x1", "x0*x2", "x1*x2",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("single = [", "TOML"),
        ("single = []", "empty"),
        ('single = ["v"]\npairs = ["u*v"]', "pairs"),
        ('single = ["v*w"]', "w"),
        ('single = ["__import__(v)"]', "__import__"),
        ("single = 3", "list"),
    ],
)
def test_a_broken_library_file_is_one_sentence(tmp_path, text, says):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(EngineError, match=r"mine\.toml") as caught:
        load(str(path))
    assert says in str(caught.value)


def test_the_command_lists_candidates(capsys):
    assert main(["paired", "library", "lasr", "--variables", "3", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["count"] == 60 == len(shown["candidates"])


@pytest.mark.parametrize("words", [["nolibrary", "--variables", "2"], ["lasr", "--variables", "0"]])
def test_the_command_refuses_in_one_sentence(words, capsys):
    assert main(["paired", "library", *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "Traceback" not in error
