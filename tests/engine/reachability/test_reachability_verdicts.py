import pytest

from engine.expression import parse
from engine.reachability.atoms import atom
from engine.reachability.knockout import candidates, diagnostic_tasks, families, family_of
from engine.reachability.libraries import LASR, expand
from engine.reachability.representable import representable
from tasks.selections import resolve

# Paper 2, D.2.
PAPERS_FIFTEEN = {
    "BPG1", "BPG12", "BPG0", "PO19", "PO10", "PO6", "PO28", "CRK22", "CRK13", "CRK35", "CRK16",
    "MatSci13", "MatSci20", "MatSci19", "MatSci0",
}  # fmt: skip


def verdict(truth, terms, *, both_signs=True, low=(1.0, 1.0), high=(50.0, 80.0)):
    return representable(truth, ["t", "P"], terms, low, high, both_signs=both_signs).verdict


def test_free_constants_of_the_prediction_may_become_the_truths():
    terms = [("x0", None), ("x1", None), ("exp(-a*x0)*x1", 0.9), ("sin(a*x0)", 3.0)]
    assert verdict("0.3*P*exp(-0.054*t) + 2*sin(1.7*t)", terms) == "representable"


def test_constants_of_the_truth_are_fixed():
    assert verdict("sin(0.5*t) + sin(0.7*t)", [("sin(a*x0)", 0.5)]) == "different"


def test_surplus_terms_may_vanish():
    assert (
        verdict("2*P", [("x0", None), ("x1", None), ("exp(-a*x0)", 0.2), ("abs(x1)**a", 1.4)])
        == "representable"
    )


def test_a_close_mimic_is_not_the_truth():
    assert (
        verdict("P**2/(9.87*P + 1)", [("x1", None), ("abs(x0)**a", 0.05), ("log(abs(x1) + a)", 2.0)])
        == "different"
    )


def test_a_wider_domain_is_another_function_unless_only_the_data_count():
    terms = [("x1", None), ("abs(x1)**a", 1 / 3)]
    assert verdict("0.1*P**0.333333333333333 + 0.1*P", terms) == "different"
    assert verdict("0.1*P**0.333333333333333 + 0.1*P", terms, both_signs=False) == "representable"


def test_a_shifted_sine_needs_both_phases():
    truth = "P*sin(t - 287.7)"
    assert verdict(truth, [("sin(a*x0)*x1", 1.0)]) == "different"
    assert verdict(truth, [("sin(a*x0)*x1", 1.0), ("cos(a*x0)*x1", 1.0)]) == "representable"


def test_generic_atoms_take_the_truths_numbers():
    assert verdict("3*P/(2.5 + P)", [("x1/(a + x1)", 2.4)], both_signs=False) == "representable"


def test_an_operator_without_a_precise_form_leaves_the_verdict_open():
    assert verdict("where(P > 3, P, t)", [("x1", None)]) == "undetermined"


def test_the_papers_fifteen_tasks_follow_from_the_rule():
    chosen = diagnostic_tasks(resolve(["@lsr-synth"]))
    assert {task.name for task, _ in chosen} == PAPERS_FIFTEEN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqrt(x0)", {"fractional power"}),
        ("x0**3/(1 + x0**2)", set()),
        ("exp(-x0)*cos(x0)", {"exponential", "trigonometric"}),
        ("log(x0 + 1)", {"logarithmic"}),
        ("x0**(1/3)", {"fractional power"}),
        ("x0**2.0", set()),
    ],
)
def test_families_of_expressions(text, expected):
    assert families(parse(text, ["x0"])) == expected


def test_knockouts_are_matched_in_number_and_repeatable():
    for task, family in diagnostic_tasks(resolve(["@lsr-synth"])):
        full = candidates(LASR, task, family, "full")
        target = candidates(LASR, task, family, "target-ko")
        sham = candidates(LASR, task, family, "sham-ko")
        assert full == expand(LASR, len(task.features))
        assert len(target) == len(sham) < len(full)
        assert all(family_of(atom(text)) != family for text in target)
        assert {text for text in full if family_of(atom(text)) == family} <= set(sham)
        assert sham == candidates(LASR, task, family, "sham-ko")
