import itertools

import numpy as np
import pytest

from engine.expression import evaluate, parse
from engine.reachability.atoms import atom
from engine.reachability.columns import box, constant, design, field, grid
from engine.reachability.fit import Batch, basis, minimize, project
from engine.reachability.greedy import Limits, search
from engine.reachability.libraries import LASR, POLY, expand, fitted
from engine.reachability.proposals import pool
from engine.reachability.starts import drawn, halton, moved, peaks, tabulate
from engine.reachability.subsample import subsample

QUICK = Limits(rows=200, starts=6)


def rows(function, features=2, count=200, low=0.2, high=6.0):
    # Low-discrepancy rows: the same everywhere, no generator's version matters.
    X = low + (high - low) * halton(count, features, "test rows")
    return X, function(*X.T)


def found(candidates, X, y, key="task:0", limits=QUICK):
    return search([atom(text) for text in candidates], X, y, key, limits)


def test_an_exact_sum_is_recovered_with_its_constants():
    X, y = rows(lambda u, v: 0.7 * u - 1.3 * np.sin(2.2 * u) + 0.4 * v**1.7)
    result = search(fitted(expand(LASR, 2)), X, y, "exact:0", QUICK)
    assert {step.added for step in result.path} == {"sin(a*x0)", "abs(x1)**a"}
    constants = {term.text: term.constant for term in result.model.terms}
    assert constants["sin(a*x0)"] == pytest.approx(2.2, abs=1e-6)
    assert constants["abs(x1)**a"] == pytest.approx(1.7, abs=1e-6)
    assert result.model.nmse < 1e-20
    assert result.stopped == "stop"


def test_forty_cycles_over_the_range_are_found():
    X, y = rows(lambda u: np.sin(40.0 * u), features=1, count=600)
    result = found(["sin(a*x0)"], X, y)
    assert result.model.nmse < 1e-20


def test_what_is_saved_is_what_was_fitted():
    X, y = rows(lambda u, v: np.exp(-0.3 * u) * v + np.log(v + 2.0))
    result = search(fitted(expand(LASR, 2)), X, y, "saved:0", QUICK)
    values = evaluate(parse(result.model.text, ["x0", "x1"]), X)
    assert np.mean((values - y) ** 2) / np.var(y) == pytest.approx(result.model.nmse, rel=1e-6, abs=1e-28)


def test_the_same_seed_takes_the_same_path_and_prints_the_same_formula():
    X, y = rows(lambda u, v: u / (1.0 + v) + np.cos(u))
    texts = {search(fitted(expand(LASR, 2)), X, y, "same:3", QUICK).model.text for _ in range(2)}
    assert len(texts) == 1


def test_the_training_error_never_rises_along_the_path():
    X, y = rows(lambda u, v: np.tanh(u) * v + u**2 / (1.0 + v))
    errors = [step.nmse for step in search(fitted(expand(LASR, 2)), X, y, "path:0", QUICK).path]
    assert all(later <= 0.999 * earlier for earlier, later in itertools.pairwise(errors))


def test_a_term_that_helps_too_little_is_not_taken():
    X, y = rows(lambda u, v: u + 2.0 * v)
    result = found(["sin(a*x0)"], X, y)
    assert result.path == ()


def test_a_constant_target_and_constant_inputs_are_survived():
    X, _ = rows(lambda u, v: u)
    X[:, 1] = 3.0
    result = found(["x0**2", "abs(x1)**a", "sin(a*x1)"], X, np.full(len(X), 2.0))
    assert np.isfinite(result.model.nmse)


def test_candidates_that_are_undefined_on_a_row_are_never_taken():
    X, y = rows(lambda u, v: np.abs(u) ** 0.5, low=-2.0, high=2.0)
    result = found(["log(x0)", "x0**a", "sqrt(abs(x0))"], X, y)
    assert [step.added for step in result.path] == ["sqrt(abs(x0))"]


def test_a_caller_can_end_the_search_between_rounds():
    X, y = rows(lambda u, v: u**2 + np.sin(3.0 * v) + np.exp(0.3 * u))
    seen = []

    def on_round(model, evaluations):
        seen.append((len(model.terms), evaluations))
        return len(seen) < 2

    result = search(fitted(expand(LASR, 2)), X, y, "cut:0", QUICK, on_round)
    assert result.stopped == "cut"
    assert len(result.path) == 1
    assert seen[1][1] > seen[0][1]


def test_terms_that_must_all_move_to_let_a_third_in_mostly_do():
    # Before the decay comes in, the sine and the growth have taken part of it over. Starts that draw every
    # constant anew from its whole box reach the exact sum for one key in 24.
    X, y = rows(lambda u, v: np.sin(2.0 * u) + np.exp(-1.5 * u) + 0.02 * np.exp(0.7 * u))
    pool_ = ["sin(a*x0)", "exp(-a*x0)", "exp(a*x0)"]
    errors = [found(pool_, X, y, f"move:{seed}", Limits(rows=200)).model.nmse for seed in range(8)]
    assert sum(error < 1e-20 for error in errors) >= 3


def test_starts_that_move_the_model_stay_near_or_draw_one_constant_anew():
    X, y = rows(lambda u, v: u)
    texts = ["sin(a*x0)", "exp(-a*x1)", "log(abs(x0) + a)", "abs(x1)**a", "x0/(a + x1)"]
    atoms = [atom(text) for text in texts]
    table = tabulate(field(atoms, X, y))
    members, warm = list(range(len(atoms))), [3.0, 2.0, -1.0, 1.5, 6.0]
    before = [constant(one, theta, X) for one, theta in zip(atoms, warm, strict=True)]
    anew = set()
    for place, shares in enumerate(halton(20, len(members), "moved")):
        again = moved(table, members, warm, place, shares)
        if place % 2:
            ratios = [
                constant(one, theta, X) / was for one, theta, was in zip(atoms, again, before, strict=True)
            ]
            assert all(0.25 <= ratio <= 4.0 for ratio in ratios)
            assert len({round(ratio, 6) for ratio in ratios}) == len(ratios)
        else:
            changed = [member for member in members if again[member] != warm[member]]
            assert len(changed) == 1
            low, high = box(atoms[changed[0]], X)
            assert low <= again[changed[0]] <= high
            anew |= set(changed)
    assert anew == set(members)


def test_rates_are_drawn_by_their_ratio():
    # Evenly drawn rates would hardly ever be slow: half of all draws decay within a 150th of the range.
    X, y = rows(lambda u, v: u)
    table = tabulate(field([atom("exp(-a*x0)")], X, y))
    slow, fast = drawn(table, 0, 0.0), drawn(table, 0, 1.0)
    assert drawn(table, 0, 0.5) == pytest.approx(np.sqrt(slow * fast), rel=0.01)


def test_the_cap_counts_residual_evaluations_of_each_start():
    X, y = rows(lambda u: np.sin(2.0 * u) + 0.01 * u**5, features=1)
    kept = field([atom("x0"), atom("sin(a*x0)")], X, y)
    batch = Batch(
        kept,
        basis(kept.static),
        project(basis(kept.static), y[None])[0],
        (),
        np.full((3, 1), 0.05),
        np.full((3, 1), 60.0),
        np.array([1, 1, 1]),
    )
    spent = minimize(batch, np.array([[1.0], [9.0], [30.0]]), iterations=4, tolerance=0.0, floor=0.0)[2]
    assert spent.max() <= 4


def test_adding_candidates_leaves_the_others_starts_alone():
    # A rival that is useless here must not change what the shared candidates find: starts hang on the
    # candidate and the current terms, not on the place in the pool.
    X, y = rows(lambda u, v: np.sin(1.9 * u) + np.sin(0.7 * v) + 0.2 * np.exp(-0.5 * u) * v)
    alone = search(fitted(expand(LASR, 2)), X, y, "paired:1", QUICK)
    useless = [atom("1/(a + x0**9)"), *fitted(expand(LASR, 2))]
    assert search(useless, X, y, "paired:1", QUICK).model.text == alone.model.text


@pytest.mark.parametrize(
    "text", ["sin(a*x0)", "exp(-a*x0)*x1", "log(abs(x0) + a)", "abs(x1)**a", "x0/(a + x1)"]
)
def test_slopes_are_those_of_the_columns(text):
    X, y = rows(lambda u, v: u)
    one = atom(text)
    kept = field([one], X, y)
    low, high = box(one, X)
    theta = np.array([low + 0.41 * (high - low)])
    at = np.array([0])
    step = 1e-6
    values, slopes = design(kept, at, theta)
    above, below = design(kept, at, theta + step)[0], design(kept, at, theta - step)[0]
    numeric = (above - below) / (2 * step)
    # Up to a multiple of the column itself, which the projection takes out.
    unit = values / np.linalg.norm(values)
    left, right = numeric - (numeric @ unit.T) * unit, slopes - (slopes @ unit.T) * unit
    assert np.allclose(left, right, rtol=1e-4, atol=1e-6 * np.abs(right).max())


@pytest.mark.parametrize("text", ["sin(a*x0)", "exp(-a*x0)*x1", "log(abs(x0) + a)", "abs(x1)**a"])
def test_scaled_columns_are_multiples_of_the_text_with_its_constant(text):
    X, y = rows(lambda u, v: u)
    one = atom(text)
    kept = field([one], X, y)
    for theta in grid(one, X)[3::17]:
        values = design(kept, np.array([0]), np.array([theta]))[0][0]
        exact = evaluate(
            parse(text, ["x0", "x1", "a"]), np.column_stack([X, np.full(len(X), constant(one, theta, X))])
        )
        ratio = values[np.abs(exact) > 1e-200] / exact[np.abs(exact) > 1e-200]
        assert np.allclose(ratio, ratio[0], rtol=1e-8)


def test_candidate_competition():
    # BANK alone takes the exact pair; a proposal that fits better in the first round leads elsewhere.
    X, y = rows(lambda u, v: u**2 + 0.1 * u**3)
    bank = ["x0**2", "x0**3"]
    rival = "x0**2 + 0.1*x0**3 + 0.02*sin(3*x1)"
    two_rounds = Limits(rows=200, rounds=2, starts=6)
    assert found(bank, X, y, limits=two_rounds).model.nmse < 1e-20
    union = search(pool(bank, [rival]).atoms, X, y, "task:0", two_rounds)
    assert union.path[0].added == rival
    assert union.model.nmse > 1e-8


def test_candidate_interaction():
    # Neither pool holds both terms; the union does.
    X, y = rows(lambda u, v: np.exp(-0.4 * u) * v + np.sin(1.3 * v))
    bank, proposed = ["sin(a*x1)"], ["exp(-a*x0)*x1"]
    assert found(bank, X, y).model.nmse > 1e-6
    assert found(proposed, X, y).model.nmse > 1e-6
    assert search(pool(bank, proposed).atoms, X, y, "task:0", QUICK).model.nmse < 1e-20


def test_a_real_gap_is_filled_under_the_polynomial_library():
    # BPG10: P^(1/3) + P (paper 2, D.3).
    X, y = rows(lambda t, P: 0.101 * P ** (1 / 3) + 0.101 * P, high=40.0)
    bank = expand(POLY, 2)
    alone = found(bank, X, y)
    union = search(pool(bank, ["abs(x1)**a"]).atoms, X, y, "task:0", QUICK)
    assert alone.model.nmse > 1e-12
    assert union.model.nmse < 1e-24
    assert union.path[0].added == "abs(x1)**a"
    assert union.model.terms[-1].constant == pytest.approx(1 / 3, abs=1e-9)


def test_subsamples_are_keyed_and_ascending():
    one, other = subsample(4000, 800, "g0001:0"), subsample(4000, 800, "g0001:1")
    assert len(set(one)) == 800
    assert np.array_equal(one, np.sort(one))
    assert np.array_equal(one, subsample(4000, 800, "g0001:0"))
    assert not np.array_equal(one, other)
    assert np.array_equal(subsample(5, 800, "x"), np.arange(5))
    assert one[:5].tolist() == subsample(4000, 800, "g0001:0")[:5].tolist()


def test_peaks_come_best_first_and_ends_count():
    assert peaks(np.array([3.0, 1.0, 2.0, 5.0, 4.0, 6.0]), 2).tolist() == [5, 3]
    assert peaks(np.zeros(4), 3).tolist() == []
