import pytest

from engine.judging.representable import representable

F = ("x0", "x1")
POSITIVE = {"x0": (0.5, 3.0), "x1": (0.5, 3.0)}


@pytest.mark.parametrize(
    ("truth", "prediction", "verdict"),
    [
        ("2*x0 + 3*x1", "1.99*x0 + 2.8*x1", "representable"),
        ("2*x0", "1.99*x0 + 0.01*x1", "representable"),
        ("x0**2", "1.0*x0**2 + 0.001*exp(0.3*x1)", "representable"),
        ("0.95*(1 - x0/96.9)*x0 + x0**0.25", "0.94*x0 - 0.0099*x0**2 + 1.01*x0**0.251", "representable"),
        ("sin(2*x0) + x1", "0.98*sin(1.97*x0) + 1.01*x1 + 0.003", "representable"),
        ("x0/(1 + x1)", "0.98*x0/(1.01*x1 + 0.99)", "representable"),
        ("x0*x1", "x0*x1", "representable"),
        ("x0**2", "1.01*x0**3", "different"),
        ("sin(2*x0)", "0.9*cos(2.02*x0)", "different"),
        ("sin(x0)", "0.1 + 0.9*x0 - 0.2*x0**2 - 0.1*x0**3 + 0.01*x0**4", "different"),
        ("x0*x1", "x0 + x1", "different"),
        ("x0", "x0 + foo(x1)", "not_applicable"),
    ],
)  # fmt: skip
def test_free_constants_reach_the_truth_or_do_not(truth, prediction, verdict):
    assert representable(truth, prediction, F, domain=POSITIVE).verdict == verdict


def test_a_protected_form_with_another_domain_is_not_the_truth():
    assert (
        representable("log(x0)", "0.99*log(abs(1.02*x0))", ["x0"], domain={"x0": (0.5, 2.0)}).verdict
        == "representable"
    )
    wide = representable("log(x0)", "0.99*log(abs(1.02*x0))", ["x0"], domain={"x0": (-1.0, 2.0)})
    assert (wide.verdict, wide.detail) == (
        "different",
        "the two have values at different points of the domain",
    )


def test_the_constants_found_are_reported():
    assert representable("2*x0 + 3*x1", "1.99*x0 + 2.8*x1", F, domain=POSITIVE).constants == (2.0, 3.0)
