import itertools
import math

import numpy as np
import pytest
from scipy import stats

from engine.scoring import bootstrap
from engine.scoring.comparison import critical_difference, holm, paired, pareto, sign_test, wilcoxon


def test_sign_test_of_pain_61():
    assert sign_test(5, 1) == 14 / 64
    assert sign_test(0, 0) is None
    assert sign_test(12, 12) == 1.0
    assert sign_test(0, 2000) < 1e-300


def cells(gained, lost, tied):
    a = {f"c{k:02}": 1.0 for k in range(gained)}
    b = dict.fromkeys(a, 0.0)
    for k in range(gained, gained + lost):
        a[f"c{k:02}"], b[f"c{k:02}"] = 0.0, 1.0
    for k in range(gained + lost, gained + lost + tied):
        a[f"c{k:02}"] = b[f"c{k:02}"] = 1.0
    return a, b


def test_paired_arms_of_pain_61():
    result = paired(*cells(5, 1, 34))
    assert (result.net, result.wins, result.losses, result.ties) == (4, 5, 1, 34)
    assert result.sign_p == 0.21875
    equal = paired(*cells(0, 0, 40))
    assert (equal.net, equal.sign_p, equal.wilcoxon_p) == (0, None, None)
    assert "no differing cells" in equal.sentence
    assert paired(*cells(12, 12, 16)).sign_p == 1.0


def test_cells_of_one_arm_are_listed_and_left_out():
    result = paired({"a": 1.0, "b": 2.0}, {"b": 1.0, "c": 5.0})
    assert result.missing == ("a", "c")
    assert (result.wins, result.losses, result.ties) == (1, 0, 0)


def test_wilcoxon_equals_enumeration_with_ties_and_scipy_without():
    d = [0.5, -0.5, 1.0, 2.0, 0.0, 2.0, -3.0]
    nonzero = np.array([v for v in d if v])
    ranks = stats.rankdata(np.abs(nonzero))
    sums = [
        sum(r for r, s in zip(ranks, signs, strict=True) if s)
        for signs in itertools.product((0, 1), repeat=6)
    ]
    low = min(ranks[nonzero > 0].sum(), ranks[nonzero < 0].sum())
    assert wilcoxon(d) == pytest.approx(min(1.0, 2 * np.mean(np.array(sums) <= low)))
    clean = [0.3, -0.1, 0.8, 1.2, -0.4, 0.9, 2.2, 0.05]
    assert wilcoxon(clean) == pytest.approx(stats.wilcoxon(clean, method="exact").pvalue)
    assert wilcoxon([0.0, 0.0]) is None


def test_holm_steps_down():
    assert holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])


def test_critical_difference_of_demsars_example():
    # Demsar 2006: 4 methods on 14 data sets, CD = 1.25 at 0.05.
    scores = {m: {f"t{k}": float(j + 0.1 * k) for k in range(14)} for j, m in enumerate("abcd")}
    result = critical_difference(scores)
    assert result.difference == pytest.approx(1.25, abs=0.005)
    assert result.methods == ("d", "c", "b", "a")
    assert result.ranks == (1.0, 2.0, 3.0, 4.0)
    assert result.groups == (("d", "c"), ("c", "b"), ("b", "a"))
    assert critical_difference({"a": {"t": 1.0}, "b": {"t": 1.0}}) is None
    same = critical_difference({m: {"t1": 1.0, "t2": 2.0} for m in "abc"})
    assert same.friedman_p == 1.0


def test_pareto_keeps_what_nothing_beats():
    points = [(1.0, 5), (0.5, 7), (2.0, 3), (1.0, 6), (0.5, 7), (math.nan, 1), (0.1, 20)]
    assert pareto(points) == (2, 0, 1, 6)


def test_bootstrap_draws_are_fixed_for_ever():
    drawn = bootstrap.draws(50)
    assert drawn.shape == (1000, 50)
    assert drawn.min() == 0
    assert drawn.max() == 49
    assert drawn[0, :6].tolist() == bootstrap.draws(50)[0, :6].tolist()
    words = np.random.PCG64(bootstrap.SEED).random_raw(3)
    assert drawn[0, :3].tolist() == [int((int(w) >> 11) * 2.0**-53 * 50) for w in words]


def test_interval_by_hand():
    drawn = np.array([[0, 0], [0, 1], [1, 1]])
    sums, counts = [3.0, 1.0], [3, 2]
    assert bootstrap.replicate_means(sums, counts, drawn).tolist() == [1.0, 0.8, 0.5]
    result = bootstrap.interval(sums, counts, drawn)
    assert result.mean == pytest.approx(0.8)
    assert (result.low, result.high) == pytest.approx((0.515, 0.99))
    assert bootstrap.interval([0.0], [0], np.array([[0]])) is None


def test_a_method_does_not_differ_from_itself():
    drawn = bootstrap.draws(5, replicates=50)
    arm = ([1.0, 0.2, 0.3, 0.9, 0.0], [1, 1, 1, 1, 1])
    result = bootstrap.paired_difference(arm, arm, drawn)
    assert (result.mean, result.low, result.high) == (0.0, 0.0, 0.0)
