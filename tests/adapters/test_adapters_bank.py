"""The library search as a method of the arena."""

import numpy as np

from adapters.bank.wrapper import Bank
from adapters.interface import Request
from engine.expression import evaluate, parse
from engine.methods import registry
from engine.methods.settings import merge


def test_its_text_speaks_of_the_variables_it_was_asked_about(tmp_path):
    features = ("a b", "lambda")
    request = Request(
        seed=1, threads=1, budget_s=5.0, evaluation_limit=None, features=features, target="y", native=tmp_path
    )
    method = Bank(merge(registry.get("bank"), {"library": "poly"}), request)
    X = np.random.default_rng(0).normal(size=(50, 2))
    reported = []
    method.fit(X, X[:, 0] * X[:, 1] + X[:, 1], reported.append)
    for equation in (*reported, method.get_optimal_equation()):
        assert "x0" not in equation.text
        assert np.isfinite(evaluate(parse(equation.text, features), X)).all()
    final = method.get_optimal_equation()
    assert np.array_equal(evaluate(parse(final.text, features), X), method.predict(X))
