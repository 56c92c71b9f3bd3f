"""The Julia methods against a stand-in module that writes recorded result files; Julia itself is not here."""

from pathlib import Path

import numpy as np

from engine.expression import evaluate, parse
from engine.methods import registry
from engine.methods.doctor import examine_one

STANDINS = Path(__file__).parent / "standins"


def test_pysr_publishes_the_front_while_it_searches(plugins, run_worker, table):
    ran = run_worker("pysr", *table, path=STANDINS / "julia", budget_s=60)
    assert ran.code == 0, ran.log
    incumbents = ran.events("incumbent")
    assert [line["native"] for line in incumbents] == ["1.0f0", "x0 * x1", "x0 * (x1 + 1.0f0)"]
    assert [line["score"] for line in incumbents] == [5.0, 0.5, 1e-9]
    assert [line["event"] for line in ran.lines][:4] == ["fit-began", "incumbent", "incumbent", "incumbent"]
    final = ran.events("final")[0]
    values = evaluate(parse(final["text"], ["x0", "x1"], "pysr"), table[0])
    native = np.load(ran.scratch / final["train_predictions"], allow_pickle=False)
    np.testing.assert_allclose(values, native, rtol=1e-5)
    assert len(ran.events("total")[0]["total"]) == 3


def test_pysrs_own_files_are_kept_for_audit(plugins, run_worker, table):
    ran = run_worker("pysr", *table, path=STANDINS / "julia", budget_s=60)
    assert (ran.scratch / "native" / "pysr" / "run" / "hall_of_fame.csv").exists()


def test_symbolfits_incumbents_are_over_unscaled_columns(plugins, run_worker, table):
    X, y = table
    ran = run_worker("symbolfit", X, y + 3, path=STANDINS / "julia", budget_s=60)
    assert ran.code == 0, ran.log
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    product = next(line for line in ran.events("incumbent") if line["native"] == "x0 * x1")
    values = evaluate(parse(product["text"], ["x0", "x1"], "symbolfit"), X)
    np.testing.assert_allclose(values, np.mean(y + 3) * scaled[:, 0] * scaled[:, 1], rtol=1e-9)
    final = ran.events("final")[0]
    assert final["score"] == 1e-7
    np.testing.assert_allclose(evaluate(parse(final["text"], ["x0", "x1"], "symbolfit"), X), y, atol=1e-9)


def test_where_julia_is_missing_the_doctor_says_so_and_what_to_do(plugins, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("pysr", "symbolfit", "fepysr"):
        found = examine_one(registry.get(name))
        assert found.status == "julia missing"
        assert "install Julia" in found.detail
        assert f"arena-tui methods install {name}" in found.detail


def test_fepysrs_incumbents_have_its_features_put_in(plugins, run_worker, table):
    ran = run_worker(
        "fepysr", *table, path=STANDINS / "julia", source=STANDINS / "fepysr_checkout", budget_s=60
    )
    assert ran.code == 0, ran.log
    product = next(line for line in ran.events("incumbent") if line["native"] == "x0 * x1")
    X = table[0]
    values = evaluate(parse(product["text"], ["a", "b"], "fepysr"), X)
    np.testing.assert_allclose(values, X[:, 1] * np.sin(X[:, 0]), rtol=1e-12)
    final = ran.events("final")[0]
    native = np.load(ran.scratch / final["train_predictions"], allow_pickle=False)
    np.testing.assert_allclose(evaluate(parse(final["text"], ["a", "b"], "fepysr"), X), native, rtol=1e-12)
    assert len(ran.events("total")[0]["total"]) == 3
