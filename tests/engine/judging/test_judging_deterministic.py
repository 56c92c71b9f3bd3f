import json
import time

import judging_pairs
import pytest

from engine.judging.deterministic import judge

F = ("x0", "x1", "x2", "x3")


def test_floats_that_are_integers_are_equal_pain_37():
    assert judge("(1.0*x0-x1)**2.0", "(x0-x1)**2", F).verdict == "equivalent"
    assert judge("x0**3.0/x0", "x0**2", F).verdict == "equivalent"
    assert judge("0.1*x0+0.2*x0", "0.3*x0", F).verdict == "equivalent"
    assert judge("0.30000000000000004*x0", "0.3*x0", F).evidence == "numerical"


def test_the_domain_decides_pain_37():
    wide = judge("sqrt(x0**2)", "x0", ["x0"], domain={"x0": (-2.0, 2.0)})
    assert wide.verdict == "different"
    assert wide.witness.point["x0"] < 0
    narrow = judge("sqrt(x0**2)", "x0", ["x0"], domain={"x0": (1.0, 2.0)})
    assert narrow.verdict == "equivalent"
    assert "declared domain" in narrow.detail


def test_fitted_constants_that_agree_to_1e_12_are_equal_even_where_terms_cancel():
    fitted = "P*(0.9539969835279953 - 0.009844470838642832*P) + 0.9539969835279837*P**0.3333333333333511"
    truth = "0.9539969835279999*(1 - P/96.90688297671034)*P + 0.9539969835279999*P**0.3333333333333333"
    verdict = judge(fitted, truth, ["P"], domain={"P": (1.0, 120.0)})
    assert (verdict.verdict, verdict.evidence) == ("equivalent", "numerical")
    off = fitted.replace("0.9539969835279953", "0.9539969835379953")
    assert judge(off, truth, ["P"], domain={"P": (1.0, 120.0)}).verdict == "same_structure"


def test_a_tiny_offset_is_not_equivalence():
    verdict = judge("sin(x1)+sin(x2**2)+1.1685188e-8", "sin(x1)+sin(x2**2)", F)
    assert verdict.verdict == "different"
    assert float(verdict.witness.a) - float(verdict.witness.b) == pytest.approx(1.1685188e-8, rel=1e-4)


HARD = (
    "(sin(x0+x1)*cos(x0-x1)*sin(x2+x3)*cos(x2-x3) + sin(x0-x2)*cos(x1+x3)*sin(2*x0+x3)*cos(x1-2*x2))**4"
    " * (tan(x0*x1)+tan(x2*x3))**3/(1+cos(x0+x1+x2+x3))**3"
)
SWAPPED = (
    "(sin(x0-x2)*cos(x1+x3)*sin(2*x0+x3)*cos(x1-2*x2) + sin(x0+x1)*cos(x0-x1)*sin(x2+x3)*cos(x2-x3))**4"
    " * (tan(x0*x1)+tan(x2*x3))**3/(1+cos(x0+x1+x2+x3))**3"
)


def test_what_simplify_cannot_finish_is_judged_at_once_pain_46():
    assert judge(HARD, "x0*x1", F).verdict == "different"
    assert judge(HARD, SWAPPED, F).verdict == "equivalent"


def test_where_no_domain_is_declared_the_common_one_counts():
    verdict = judge("log(x0**2)", "2*log(x0)", ["x0"])
    assert verdict.verdict == "equivalent"
    assert "no domain was declared" in verdict.detail
    assert judge("log(x0**2)", "2*log(x0)", ["x0"], domain={"x0": (-1.0, 1.0)}).verdict == "different"


def test_protected_operators_are_not_ordinary_ones():
    from engine.expression import parse

    ordinary = parse("x0/x1", F)
    protected = parse("div(X0, X1)", F, "gplearn")
    near_zero = {"x0": (1.0, 2.0), "x1": (-1e-3, 1e-3), "x2": (0.0, 1.0), "x3": (0.0, 1.0)}
    away = {**near_zero, "x1": (1.0, 2.0)}
    assert judge(ordinary, protected, F, domain=near_zero).verdict == "different"
    assert judge(ordinary, protected, F, domain=away).verdict == "equivalent"


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("0.9999998*x0 + x1", "x0 + x1", "same_structure"),
        ("x0 - x1", "x0 + x1", "different"),
        ("2.5*x0 - 0.3*x1", "1.5*x0 + 0.7*x1", "same_structure"),
        ("x0**2", "x0**3", "different"),
        ("x0**2.1", "x0**2.3", "same_structure"),
        ("x0 + 1.5", "x0", "different"),
        ("3.5*sin(2.1*x0 + 0.3)", "1.2*sin(0.4*x0 - 1.9)", "same_structure"),
        ("3.5*sin(2.1*x0)", "3.5*cos(2.1*x0)", "different"),
        ("x0*exp(-1.5*x1)", "x0*exp(-1.5*x2)", "different"),
        ("(x0 + 1.5)*(x1 + 2.5)", "(x0 + 3.5)*(x1 - 0.5)", "same_structure"),
        ("max(2.5, x0)", "max(x0, 3.1)", "same_structure"),
    ],
)
def test_structure_after_abstraction_of_constants(a, b, verdict):
    assert judge(a, b, F).verdict == verdict


def test_what_cannot_be_read_or_lacks_a_constant_is_not_applicable():
    assert judge("x0 + foo(x1)", "x0", F).verdict == "not_applicable"
    assert judge("x0 +", "x0", F).verdict == "not_applicable"


@pytest.mark.parametrize(
    "text",
    [
        "10**10**10",
        "9**9**9*x0",
        "exp(exp(exp(exp(x0))))",
        "x0**x0**x0**x0**x0",
        "gamma(gamma(gamma(x0+10)))",
        "1e308*1e308*x0",
        "sin(exp(exp(exp(x0))))",
        "log(log(log(log(x0))))",
        "(x0+1)**(10**7)",
        "0*x0/0",
        "+".join(f"sin({k}.5*x0)**{k}" for k in range(1, 400)),
        "(" * 60 + "x0" + "+1)**2" * 60,
    ],
)
def test_nasty_expressions_end_with_a_verdict(text):
    start = time.monotonic()
    verdict = judge(text, "x0*x1", F, seconds=3.0)
    assert verdict.verdict in {"different", "undetermined", "not_applicable"}
    assert time.monotonic() - start < 20
    assert judge(text, text, F, seconds=3.0).verdict in {"equivalent", "undetermined", "not_applicable"}


def test_a_branch_that_is_not_taken_may_fail():
    assert judge("where(x0 > 0, log(x0), 0)", "where(x0 <= 0, 0, log(x0))", ["x0"]).verdict == "equivalent"


def verdicts(pairs):
    return [(pair, judge(pair.a, pair.b, pair.features, domain=pair.domain)) for pair in pairs]


def check(positives, misses, structures):
    found = [v.verdict == "equivalent" for _, v in verdicts(judging_pairs.positives(positives))]
    assert sum(found) >= 0.95 * positives
    wrong = [p for p, v in verdicts(judging_pairs.near_misses(misses)) if v.verdict == "equivalent"]
    assert wrong == []
    same = [
        v.verdict == "same_structure" for _, v in verdicts(judging_pairs.structure_pairs(structures, True))
    ]
    assert sum(same) >= 0.95 * structures
    false = [p for p, v in verdicts(judging_pairs.structure_pairs(structures, False)) if v.consistent]
    assert false == []


def test_a_sample_of_made_pairs():
    check(30, 40, 20)


@pytest.mark.slow
def test_all_made_pairs_in_under_five_minutes():
    start = time.monotonic()
    check(300, 300, 100)
    assert time.monotonic() - start < 300


def recorded(published):
    rows = [json.loads(line) for line in published("reference/scored_runs.jsonl").read_text().splitlines()]
    return [row for row in rows if row["valid"]]


def names_in(*texts):
    import re

    words = set(re.findall(r"[A-Za-z_]\w*", " ".join(texts)))
    functions = (
        "sin cos tan exp log sqrt abs tanh asin acos atan pi e max min Abs sinh cosh where Piecewise True np"
    )
    return sorted(words - {*functions.split(), "Max", "Min"})


def test_recorded_rows_agree(published):
    rows = recorded(published)
    disagreements = []
    for row in rows:
        features = names_in(row["simplified"], row["truth_simplified"])
        verdict = judge(row["simplified"], row["truth_simplified"], features)
        assert verdict.verdict != "not_applicable", (row, verdict)
        if (verdict.verdict == "equivalent") != row["equivalent"]:
            disagreements.append((row["algorithm"], row["task"], row["seed"], verdict))
    assert len(rows) == 104
    # The prediction's second term, x0*x1 beside 1.9e34*x0*x1, is 5e-35 of its first, far within the 1e-12 of
    # SPEC 3; the published judge saw one term more.
    assert [(v.evidence, task) for _, task, _, v in disagreements] == [("numerical", "feynman-iii.7.38")]
