"""``arena-tui expr`` from the command line: single expressions, files of rows, and what goes wrong."""

import json

import pytest

from arena_tui.__main__ import main


def run(capsys, *words):
    code = main(["expr", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def answers(text):
    return [json.loads(line) for line in text.splitlines()]


def test_eval_at_a_point_and_over_a_table(capsys, tmp_path):
    code, out, _ = run(capsys, "eval", "x0**2 + sin(x1)", "--at", "x0=2,x1=0", "--json")
    assert (code, answers(out)) == (0, [{"status": "ok", "value": 4.0}])
    table = tmp_path / "data.csv"
    table.write_text("a,b\n1,2\n0,1\n")
    code, out, _ = run(capsys, "eval", "b/a", "--data", str(table), "--json")
    assert code == 0
    assert answers(out) == [{"status": "nonfinite", "rows": 2, "nonfinite": 1, "values": [2.0, None]}]
    code, out, _ = run(
        capsys, "eval", "add(X1, div(X0, 0.0))", "--dialect", "gplearn", "--at", "x0=3,x1=2", "--json"
    )
    assert answers(out) == [{"status": "ok", "value": 3.0}]


def test_show_prints_every_form(capsys):
    code, out, _ = run(capsys, "show", "sqrt(theta)/x0", "--json")
    found = answers(out)[0]
    assert code == 0
    assert found["latex"] == r"\frac{\sqrt{\theta}}{x_{0}}"
    assert found["complexity"] == 7
    assert found["variables"] == ["theta", "x0"]
    code, out, _ = run(capsys, "show", "sqrt(theta)/x0")
    assert "complexity     7" in out


def test_simplify_and_compare(capsys):
    _, out, _ = run(capsys, "simplify", "1.0*x0*x1 + x0*x2", "--json")
    assert answers(out)[0]["expression"] == "x0*(x1 + x2)"
    for domain, verdict in (("x0=-2:2", "different"), ("x0=1:2", "equivalent")):
        _, out, _ = run(capsys, "compare", "sqrt(x0**2)", "x0", "--domain", domain, "--json")
        assert answers(out)[0]["verdict"] == verdict


def test_score_over_a_file_gives_one_line_a_row(capsys, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "\n".join(
            json.dumps(row)
            for row in (
                {"truth": "x0*(x0+2*x1)", "prediction": "x0**2+2*x0*x1"},
                {"truth": "x0", "prediction": "x0 +"},
                {"truth": "x0", "prediction": None},
                {"truth": "x0 + x1", "prediction": "X1 + X2", "dialect": "operon", "features": ["x0", "x1"]},
                {"truth": "x0 + 1", "prediction": "9**9**9*x0"},
            )
        )
    )
    code, out, _ = run(capsys, "score", "--file", str(rows), "--json")
    assert code == 0
    first, broken, missing, operon, tower = answers(out)
    assert (first["C_ref"], first["C_pred"], first["min"], first["sym"]) == (7, 8, 0.875, 1.0)
    assert first["equivalence"] == "equivalent"
    for row in (broken, missing):
        assert (row["sym"], row["min"], row["status"]) == (0.0, 0.0, "invalid expression")
    assert operon["sym"] == 1.0
    assert tower["equivalence"] != "equivalent"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["eval", "x0 + foo(1)"], "foo"),
        (["eval", "x0"], "--at x0=1"),
        (["eval"], "--file"),
        (["show", "x0", "--dialect", "gplern"], "gplearn"),
        (["score", "x0 +", "x0"], "truth"),
        (["compare", "x0", "x0", "--domain", "x0:1"], "range"),
        (["show", "--file", "/nowhere.jsonl"], "nowhere"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_broken_row_of_a_file_is_a_status(capsys, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"expression": "x0 + x0"}\n{"expression": "x0 +"}\n{"text": "x0"}\n')
    code, out, _ = run(capsys, "simplify", "--file", str(rows), "--json")
    assert code == 1
    assert [row["status"] for row in answers(out)] == ["simplified", "error", "error"]
    rows.write_text("not json\n")
    code, _, err = run(capsys, "simplify", "--file", str(rows), "--json")
    assert code == 2
    assert "line 1" in err


BIG = (
    "({})**4 * (tan(x0*x1)+tan(x2*x3))**3/(1+cos(x0+x1+x2+x3))**3",
    "sin(x0+x1)*cos(x0-x1)*sin(x2+x3)*cos(x2-x3)",
    "sin(x0-x2)*cos(x1+x3)*sin(2*x0+x3)*cos(x1-2*x2)",
)


def test_pairs_that_algebra_alone_gets_wrong_pain_37_and_46(capsys, tmp_path):
    form, first, second = BIG
    one, swapped = form.format(f"{first} + {second}"), form.format(f"{second} + {first}")
    pairs = [
        ("(1.0*x0-x1)**2.0", "(x0-x1)**2", None, "equivalent"),
        ("x0**3.0/x0", "x0**2", None, "equivalent"),
        ("0.1*x0+0.2*x0", "0.3*x0", None, "equivalent"),
        ("sqrt(x0**2)", "x0", {"x0": [-2, 2]}, "different"),
        ("sqrt(x0**2)", "x0", {"x0": [1, 2]}, "equivalent"),
        (one, "x0*x1", None, "different"),
        (one, swapped, None, "equivalent"),
    ]
    rows = tmp_path / "pairs.jsonl"
    rows.write_text("\n".join(json.dumps({"a": a, "b": b, "domain": domain}) for a, b, domain, _ in pairs))
    code, out, _ = run(capsys, "compare", "--file", str(rows), "--json")
    assert code == 0
    assert [row["verdict"] for row in answers(out)] == [verdict for *_, verdict in pairs]
