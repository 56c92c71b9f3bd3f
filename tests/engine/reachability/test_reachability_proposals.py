import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.expression import parse
from engine.reachability.invariants import invariants
from engine.reachability.libraries import LASR, expand
from engine.reachability.prompts import question
from engine.reachability.proposals import menu, pool, products
from engine.reachability.starts import halton

NAMES = ("t", "P")


def atoms(*texts):
    return json.dumps({"atoms": list(texts)})


def test_atoms_become_positional_and_products_follow():
    found = menu(atoms("P*exp(-a*t)", "sin(a*t)", "P^2", "Abs(P)**a"), NAMES)
    assert found.atoms == ("x1*exp(-a*x0)", "sin(a*x0)", "x1**2", "abs(x1)**a")
    assert found.dropped == ()
    made = products(found.atoms)
    assert "sin(a*x0)*x1**2" in made
    assert not any(text.count("a*") > 1 for text in made)


def test_anonymous_names_are_mapped_back_at_token_boundaries():
    names = tuple(f"x{place}" for place in range(1, 12))
    found = menu(atoms("x1*x11", "exp(-a*x10)"), names)
    assert found.atoms == ("x0*x10", "exp(-a*x9)")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("The growth is logistic, so I suggest P and P squared.", "not JSON"),
        ('{"atoms": ["P", "P**2", "sin(a*', "not JSON"),
        ("", "empty"),
        ('["P", "P**2"]', 'no list "atoms"'),
        ('{"terms": ["P"]}', 'no list "atoms"'),
        ('{"atoms": "P"}', 'no list "atoms"'),
    ],
)
def test_answers_outside_the_contract_give_no_atom_and_a_reason(answer, says):
    found = menu(answer, NAMES)
    assert found.atoms == ()
    assert says in found.reason


def test_a_fenced_object_is_read():
    assert menu('```json\n{"atoms": ["P"]}\n```', NAMES).atoms == ("x1",)


def test_two_hundred_atoms_are_cut_to_the_menu_and_counted():
    found = menu(atoms(*(f"P**{power}" for power in range(1, 201))), NAMES)
    assert found.proposed == 200
    assert len(found.atoms) == 14
    assert len(found.dropped) == 186
    assert {one.reason for one in found.dropped} == {"beyond the menu of 14"}


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ("__import__('os').system('true')", "__import__"),
        ("exp(-a*temperature)", "temperature"),
        ("P.real", "position"),
        ("a", "depends on no input"),
        ("3.5", "depends on no input"),
        ("P +", ""),
        (7, "not a text"),
        ("P" + "+P" * 400, "longer"),
        ("a*P + b*t", "b"),
    ],
)
def test_bad_atoms_are_dropped_with_a_reason_and_the_rest_stays(item, says):
    found = menu(json.dumps({"atoms": [item, "P**2"]}), NAMES)
    assert found.atoms == ("x1**2",)
    assert len(found.dropped) == 1
    assert says in found.dropped[0].reason


def test_duplicates_count_once():
    found = menu(atoms("P*t", "t*P", "2*t*P"), NAMES)
    assert found.atoms == ("x1*x0",)
    assert len(found.dropped) == 2


@pytest.mark.parametrize(
    "same",
    [
        ("P**2", "P**2.0", "P*P", "P^2"),
        ("sqrt(P)", "P**0.5", "P**(1/2)"),
        ("exp(-a*t)", "E**(-a*t)", "exp(-(t*a))", "1/exp(a*t)", "exp(-(-(-a*t)))"),
        ("P*exp(-a*t)", "P/exp(a*t)", "P*exp(a*t)**(-1)"),
        ("P/(a + P)", "P*(P + a)**(-1)", "2*P/(a + P)", "-P/(P + a)"),
        ("P - t", "-t + P", "P + -t"),
        # numbers and inner constants that only scale: the coefficient does that
        ("P", "a*P", "P/a", "-3*P", "P*3*a/2"),
        ("sin(t)", "a*sin(t)"),
    ],
)
def test_spellings_of_one_term_are_one_candidate(same):
    found = menu(atoms(*same), NAMES)
    assert len(found.atoms) == 1
    assert len(found.dropped) == len(same) - 1
    assert "a*" not in found.atoms[0].replace("-a*", "").replace("(a*", "")


@pytest.mark.parametrize(
    "others",
    [("exp(a*t)", "exp(-a*t)"), ("P/(a + P)", "P/(a - P)"), ("P**3", "P**0.333"), ("sin(2*t)", "sin(3*t)")],
)
def test_different_terms_stay_apart(others):
    assert len(menu(atoms(*others), NAMES).atoms) == 2


@given(st.text(max_size=200))
def test_no_answer_raises(text):
    menu(text, NAMES)
    menu(json.dumps({"atoms": [text]}), NAMES)


def test_at_most_twenty_products_and_none_within_one_input():
    listed = [f"x0**{power}" for power in range(1, 8)] + [f"x1**{power}" for power in range(1, 8)]
    made = products(listed)
    assert len(made) == 20
    assert all("x0" in text and "x1" in text for text in made)
    assert products(["x0", "x0**2"]) == ()
    assert products(["sin(a*x0)", "cos(a*x1)"]) == ()


def test_shared_candidates_are_merged_across_spellings():
    bank = expand(LASR, 2)
    menu_ = ("x0*x1", "x1*exp(-a*x0)", "abs(x1)**a", *(f"x1**{power}*x0**{power}" for power in range(2, 13)))
    merged = pool(bank, menu_)
    assert merged.shared == 3
    assert merged.proposed == 11
    assert len(merged.atoms) == 29 + 11


def rows(count=800):
    unit = halton(count, 2, "profile")
    return np.column_stack([1.0 + 53.0 * unit[:, 0], -3.0 + 6.0 * unit[:, 1]])


def facts(function):
    X = rows()
    return invariants(("t", "v"), "y", X, function(*X.T))


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda t, v: v**3, "y is about odd in v"),
        (lambda t, v: v**4, "y is about even in v"),
        (lambda t, v: np.log(t), "y increases with t and levels off"),
        (lambda t, v: t**1.5, "y grows about like t^1.5"),
        (lambda t, v: np.sin(1.1 * t), "y oscillates along t with a period of about 5.7"),
        (lambda t, v: 20.0 - t, "y crosses zero near t = 20"),
        (lambda t, v: 20.0 - t, "y decreases with t"),
        (lambda t, v: 3.0 * t**-0.5, "y grows about like t^-0.5"),
        (lambda t, v: (t - 10.0) * (t - 40.0), "y crosses zero near t = 40"),
    ],
)
def test_structure_is_told_from_the_rows(function, says):
    assert any(says.replace("y grows", "the size of y grows") in fact for fact in facts(function))


def test_noise_shows_no_structure():
    scattered = halton(800, 3, "noise")[:, 2]
    assert facts(lambda t, v: scattered) == ()


def test_the_blind_question_says_the_same_without_names_and_domain():
    X = rows()
    y = X[:, 1] ** 3
    named = question("l1", ("t", "v"), "dv_dt", "a physical oscillator", X, y)
    blind = question("l2", ("t", "v"), "dv_dt", "a physical oscillator", X, y)
    assert "oscillator" in named.text
    assert "dv_dt" in named.text
    assert "oscillator" not in blind.text
    assert "dv_dt" not in blind.text
    assert "odd in v" in named.text
    assert "odd in x2" in blind.text
    ranges = [
        line.split(": ")[1]
        for line in named.text.splitlines()
        if line.startswith(("- t: ", "- v: ", "- y: "))
    ]
    assert len(ranges) == 3
    assert all(span in blind.text for span in ranges)
    assert "menu of 14" in named.text


def test_a_variable_called_a_moves_the_inner_constant():
    X = rows()
    asked = question("l1", ("a", "v"), "y", "", X, X[:, 1])
    assert asked.symbol == "c"
    found = menu(atoms("exp(-c*a)", "a*v"), asked.names, asked.symbol)
    assert found.atoms == ("exp(-a*x0)", "x0*x1")


def test_every_kept_atom_parses():
    for text in menu(atoms("P/(1+P/a)", "ln(P + a)", "sqrt(P)", "P*tanh(a*t)"), NAMES).atoms:
        parse(text, ["x0", "x1", "a"])
