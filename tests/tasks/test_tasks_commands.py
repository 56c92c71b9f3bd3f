"""The command ``arena-tui tasks`` as a user meets it."""

import json

import pandas as pd
import pytest
import yaml

from arena_tui.__main__ import main


def run(capsys, *words):
    code = main(["tasks", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_list_gives_all_tasks_as_json(arena_home, capsys):
    code, out, _ = run(capsys, "list", "--json")
    rows = json.loads(out)
    assert code == 0
    assert len(rows) == 664
    assert sum(row["core50"] for row in rows) == 50
    assert {"id", "name", "family", "formula", "formula_type", "complexity"} <= set(rows[0])


def test_list_filters_and_prints_one_line_a_task(arena_home, capsys):
    code, out, _ = run(capsys, "list", "--set", "core50", "--family", "keijzer")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["id", "g0620", "g0625", "2"]


def test_show_tells_provenance_and_plots(arena_home, capsys):
    code, out, _ = run(capsys, "show", "Keijzer-2")
    assert code == 0
    assert "target = 0.3 * x1 * sin(2 * pi * x1)" in " ".join(out.split())
    assert "target over x1: · train, x ID, o OOD" in out
    assert "\x1b[" not in out
    out = run(capsys, "show", "Korns-2", "--feature", "x1")[1]
    assert out.count("target over") == 1
    assert "target over x1" in out
    facts = json.loads(run(capsys, "show", "CRK5", "--json")[1])
    assert facts["provenance"]["constants"] == "drawn"
    assert {constant["known"] for constant in facts["named_constants"]} == {"drawn"}


def test_verify_ends_with_counts(arena_home, capsys):
    code, out, _ = run(capsys, "verify", "Nguyen-1,Korns-2", "--json")
    assert code == 0
    last = json.loads(out.splitlines()[-1])
    assert (last["tasks"], last["failed"]) == (2, 0)
    code, out, _ = run(capsys, "verify", "Nguyen-1")
    assert code == 0
    assert "g0633 Nguyen-1: ok, 220 rows" in out


def test_data_select_and_stats(arena_home, tmp_path, capsys):
    code, out, _ = run(capsys, "data", "Nguyen-7", "--out", str(tmp_path / "n7"), "--as", "parquet", "--json")
    assert code == 0
    assert json.loads(out)["files"]["ood_test.parquet"] == 200
    assert len(pd.read_parquet(tmp_path / "n7" / "train.parquet")) == 16
    assert run(capsys, "select", "--family", "korns", "--name", "mine")[1] == "@mine holds 12 tasks\n"
    assert json.loads(run(capsys, "select", "--json")[1])["mine"] == 12
    stats = json.loads(run(capsys, "stats", "--json")[1])
    assert stats["dimensions"]["formula type"]["paper"]["rational"] == 282
    assert stats["operator_count_quantiles"] == {"one_third": 5, "two_thirds": 8}


def test_stats_show_the_confusion_table(arena_home, capsys, published):
    path = published("reference/full664.tsv")
    against = json.loads(run(capsys, "stats", "--against", str(path), "--json")[1])["against"]
    assert against["agree"] == 615
    assert sum(len(ids) for ids in against["causes"].values()) == 664 - 615


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "feynman-i.12.1"], "is ambiguous; name one of g0241"),
        (["show", "Nguyen-99"], "there is no task 'Nguyen-99'"),
        (["verify"], "no task is named"),
        (["show", "Nguyen-1", "--feature", "q"], "has no feature 'q'; it has x1"),
        (["list", "--set", "nope"], "there is no selection @nope"),
        (["data", "Nguyen-1", "--out", "x", "--max-rows", "0"], "leaves nothing to test on"),
        (["import", "/nowhere", "--format", "arena"], "there is nothing at /nowhere"),
        (["forget", "i00000000"], "no imported task has the id"),
        (["stats", "--against", "/nowhere.tsv"], "cannot be read"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(arena_home, capsys, words, said):
    code, out, err = run(capsys, *words)
    assert code == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_import_reports_disputes_and_exits_1(arena_home, tmp_path, capsys):
    for name, formula in (("right", "2*a"), ("wrong", "3*a")):
        folder = tmp_path / "pool" / name
        folder.mkdir(parents=True)
        dataset = {"target": "t", "features": ["a"]}
        (folder / "metadata.yaml").write_text(yaml.safe_dump({"dataset": dataset}))
        (folder / "formula.py").write_text(f"def formula(a):\n    return {formula}\n")
        pd.DataFrame({"a": [1.0, 2.0, 3.0], "t": [2.0, 4.0, 6.0]}).to_csv(folder / "train.csv", index=False)
    code, out, _ = run(capsys, "import", str(tmp_path / "pool"), "--format", "arena", "--json")
    told = json.loads(out)
    assert code == 1
    assert told["counts"] == {"ok": 1, "disputed": 1}
    code, out, _ = run(capsys, "import", str(tmp_path / "pool" / "right"), "--format", "arena")
    assert code == 0
    identifier = out.split()[3]
    assert run(capsys, "verify", identifier)[0] == 0
    assert run(capsys, "forget", identifier)[1] == f"{identifier} removed\n"


def test_a_plain_table_needs_its_target(arena_home, tmp_path, capsys):
    path = tmp_path / "mine.csv"
    pd.DataFrame({"a": range(20), "t": range(20)}).to_csv(path, index=False)
    code, _, err = run(capsys, "import", str(path), "--format", "csv")
    assert code == 2
    assert "needs --target" in err
    code, out, _ = run(capsys, "import", str(path), "--format", "csv", "--target", "t", "--truth", "a")
    assert code == 0
    assert "mine: ok as i" in out
