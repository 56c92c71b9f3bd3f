import csv
import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys

import pytest

from arena_tui.__main__ import main
from engine.running.records import RunKey
from engine.scoring.published import published as published_rows
from tasks import catalogue
from tests.bench.scoring_campaign import make_campaign, write_run


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Two methods, three tasks, three seeds, ten checkpoints; one run has not been made."""
    folder = tmp_path_factory.mktemp("small") / "campaign"
    tasks = make_campaign(folder, methods=2, tasks=3, checkpoints=10)
    shutil.rmtree(folder / "runs" / "method01" / tasks[0].id / "522")
    assert main(["score", str(folder)]) == 0
    return folder


def document(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_table_names_axes_and_missing_runs(small, capsys):
    assert main(["score", str(small), "--with-published", "--compare"]) == 0
    shown = capsys.readouterr().out
    head = shown.splitlines()[1].split()
    assert head == ["Paradigm", "Algorithm", "ID", "OOD", "SYM", "MIN", "EFF", "STAB"]
    assert "(8 of 9)" in shown
    assert "(2 of 3)" in shown
    assert "iMCTS (published)" in shown
    assert "judge: deterministic" in shown
    assert "not ended: 1 of 18 runs" in shown


def test_json_holds_everything(small, capsys):
    found = document(capsys, "score", str(small))
    assert len(found["runs"]) == 18
    assert [m["label"] for m in found["methods"]] == ["method00", "method01"]
    assert (found["methods"][1]["ID_n"], found["methods"][1]["ID_of"]) == (8, 9)
    assert found["methods"][0]["ID_low"] <= found["methods"][0]["ID"] <= found["methods"][0]["ID_high"]
    assert {"correlations", "comparisons", "rankings", "pareto", "noise_deltas", "nmse"} <= found.keys()
    missing = [run for run in found["runs"] if run["state"] == "missing"]
    assert [(run["ID"], run["SYM"], run["EFF"]) for run in missing] == [(None, None, None)]


def test_csv_lists_every_cell_and_reads_back_to_the_same_axes_pain_82(small, tmp_path, capsys):
    assert main(["export", str(small), "--as", "csv", "--out", str(tmp_path / "csv")]) == 0
    with (tmp_path / "csv" / "runs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 18
    assert all(row["status"] for row in rows)
    planned = [row for row in rows if row["status"] == "planned"]
    assert [(row["ID"], row["SYM"], row["id_nmse"]) for row in planned] == [("", "", "")]
    capsys.readouterr()
    again = tmp_path / "again"
    made = document(
        capsys,
        "results",
        "import",
        str(tmp_path / "csv" / "runs.csv"),
        "--format",
        "arena",
        "--out",
        str(again),
    )
    assert (made["runs"], made["planned"], made["unreadable"]) == (17, 1, [])
    # Judgments are keyed by content: those of one campaign serve another with the same expressions.
    shutil.copytree(small / "judgments", again / "judgments")
    first, second = document(capsys, "score", str(small)), document(capsys, "score", str(again))
    for a, b in zip(first["methods"], second["methods"], strict=True):
        for axis in ("SYM", "MIN", "EFF", "SYM_n", "STAB_n", "ID_of"):
            assert a[axis] == pytest.approx(b[axis]), axis


def test_latex_marks_best_and_second_and_keeps_published_apart(small, tmp_path):
    words = ["export", str(small), "--as", "latex", "--out", str(tmp_path), "--with-published"]
    assert main(words) == 0
    table = (tmp_path / "table2.tex").read_text(encoding="utf-8")
    assert r"\toprule" in table
    assert r"iMCTS (published) & \textbf{77.91} & \textbf{73.35} & 42.15" in table
    assert r"PySR (published) & \underline{70.34}" in table
    assert "Label" in (tmp_path / "table17.tex").read_text(encoding="utf-8")


def test_parquet_and_the_python_interface_agree(small, tmp_path):
    import pandas as pd

    from engine.scoring import tables

    assert main(["export", str(small), "--as", "parquet", "--out", str(tmp_path)]) == 0
    frames = tables.load(small)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "runs.parquet"), frames["runs"])
    assert frames["methods"].set_index("label").loc["method00", "ID"] > 0


def test_plots_are_made_as_png_and_svg_and_the_same_again(small, tmp_path):
    words = ["export", str(small), "--as", "plots", "--out"]
    assert main([*words, str(tmp_path / "a")]) == 0
    assert main([*words, str(tmp_path / "b")]) == 0
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert {"figure4-profiles.png", "figure5-responses.svg", "figure6-usability.png"} <= names
    assert {"figure9-intervals.png", "trajectories.svg", "pareto.png"} <= names
    # Two methods have no correlation across methods, and one condition no noise.
    assert not any(name.startswith(("noise", "figure8")) for name in names)
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_bundle_is_complete_and_checks_out(small, tmp_path):
    assert main(["export", str(small), "--as", "bundle", "--out", str(tmp_path)]) == 0
    for line in (tmp_path / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {
        "campaign.toml",
        "judgments/verdicts.jsonl",
        "csv/table2.csv",
        "versions.json",
        "tasks.json",
    } <= names
    everything = b"".join(
        path.read_bytes() for path in tmp_path.rglob("*") if path.suffix in {".json", ".csv"}
    )
    assert str(small).encode() not in everything


def test_published_rows_are_the_papers():
    rows = published_rows()
    assert len(rows) == 45
    clean = {row.algorithm: row.axes for row in rows if row.condition == "clean"}
    assert clean["FePySR"]["MIN"] == 89.55
    noisy = {row.algorithm: row.axes for row in rows if row.condition == "noise005"}
    assert round(noisy["DSO"]["ID"] - clean["DSO"]["ID"], 2) == -0.95


def test_the_cost_of_a_model_judge_is_estimated_without_a_key(small, capsys, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert main(["score", str(small), "--judge", "claude", "--estimate"]) == 0
    assert "calls of claude-opus-5" in capsys.readouterr().out
    assert main(["score", str(small), "--judge", "claude"]) == 2
    assert "set ANTHROPIC_API_KEY" in capsys.readouterr().err


def test_an_export_that_is_to_estimate_asks_nobody_and_writes_nothing(small, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    out = tmp_path / "latex"
    words = ["export", str(small), "--as", "latex", "--out", str(out), "--judge", "claude", "--estimate"]
    assert main(words) == 0
    assert "at most" in capsys.readouterr().out
    assert not out.exists()


def test_symbolic_accuracy_frees_the_constants(tmp_path, capsys):
    rows = [
        {"task": "Nguyen-9", "seed": 1, "expression": "0.98*sin(1.01*x0) + 1.02*sin(x1**2)"},
        {"task": "Nguyen-9", "seed": 2, "expression": "0.98*sin(x0)"},
        {"task": "Nguyen-9", "seed": 3, "expression": "foo(x0)"},
    ]
    file = write_csv(tmp_path / "mine.csv", rows)
    assert main(["results", "import", str(file), "--format", "csv"]) == 1
    capsys.readouterr()
    found = document(capsys, "score", str(tmp_path / "mine"), "--sa", "deterministic")
    assert [run["sa"] for run in found["runs"]] == [True, False, False]
    assert found["methods"][0]["SA"] == pytest.approx(100 / 3)
    assert (
        "SA" in (main(["score", str(tmp_path / "mine"), "--sa", "deterministic"]), capsys.readouterr())[1].out
    )


def write_csv(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_csv_of_expressions_is_scored_as_any_other(tmp_path, capsys):
    nguyen = catalogue.get("Nguyen-9")
    rows = [
        {"task": "Nguyen-9", "seed": 1, "method": "mine", "expression": nguyen.formula},
        {"task": nguyen.id, "seed": 2, "method": "mine", "expression": "sin(x0)+sin(x1^2)"},
        {"task": nguyen.id, "seed": 3, "method": "mine", "expression": "foo(x0)"},
        {"task": nguyen.id, "seed": 4, "method": "mine", "expression": ""},
    ]
    file = write_csv(tmp_path / "mine.csv", rows)
    assert main(["results", "import", str(file), "--format", "csv"]) == 1
    assert "foo" in capsys.readouterr().out
    found = document(capsys, "score", str(tmp_path / "mine"))
    assert [run["SYM"] for run in found["runs"]] == [1.0, 1.0, 0.0, 0.0]
    assert [run["ID"] for run in found["runs"]] == [1.0, 1.0, 0.0, 0.0]
    assert all(run["EFF"] is None for run in found["runs"])
    assert found["methods"][0]["EFF_n"] == 0
    assert main(["results", "import", str(file), "--format", "csv"]) == 2


def test_srbench_results_and_a_pysr_hall_of_fame(tmp_path, capsys):
    record = {"dataset": "Nguyen-9", "algorithm": "Operon", "random_state": 860, "target_noise": 0.0,
              "symbolic_model": "x0 + x1**2", "r2_test": 0.9}  # fmt: skip
    file = tmp_path / "Operon.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    assert main(["results", "import", str(file), "--format", "srbench"]) == 0
    hall = tmp_path / "hall_of_fame.csv"
    hall.write_text(
        'Complexity,Loss,Equation\n1,0.5,"x0"\n4,1e-13,"sin(x0) + sin(x1^2)"\n9,9e-14,"sin(x0)+sin(x1^2.)"\n',
        encoding="utf-8",
    )
    assert main(["results", "import", str(hall), "--format", "pysr", "--task", "Nguyen-9"]) == 0
    capsys.readouterr()
    found = document(capsys, "score", str(tmp_path / "hall_of_fame"))
    assert [(run["label"], run["SYM"]) for run in found["runs"]] == [("pysr", 1.0)]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "task,seed\nNguyen-9,1\n", "there is no column 'expression'"),
        ("b.csv", "task,expression\nno-such-task,x0\n", "no-such-task"),
        ("c.csv", "task,expression\nNguyen-9,x0\nNguyen-9,x1\n", "more than once"),
        ("d.json", "{", "cannot be read"),
        ("e.csv", "task,expression,seed\nNguyen-9,x0,one\n", "is no number"),
        ("f.csv", "", "holds no results"),
        ("g.jsonl", '{"task": "Nguyen-9", "expression": "x0"}\nnull\n', "row 2 is 'None' and no record"),
        ("h.json", "[1, 2]", "row 1 is '1' and no record"),
        ("i.json", "[" * 100_000, "cannot be read"),
        ("j.json", '{"task": "Nguyen-9", "expression": "x0", "seed": [1]}', "is no number"),
        ("k.csv", "task,expression,seed\nNguyen-9,x0,1.5\n", "no whole one"),
    ],
)
def test_result_files_that_cannot_be_used_are_one_sentence(tmp_path, capsys, name, text, words):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert main(["results", "import", str(file), "--format", "csv"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("arena", "label,task,status\na,Nguyen-9,banana\n", "'banana' is no status"),
        ("pysr", "Complexity,Loss,Equation\nmany,low,x0\n", "has no row with Complexity, Loss and Equation"),
    ],
)
def test_odd_values_of_other_formats_are_one_sentence(tmp_path, capsys, kind, text, words):
    file = tmp_path / "r.csv"
    file.write_text(text, encoding="utf-8")
    assert main(["results", "import", str(file), "--format", kind, "--task", "Nguyen-9"]) == 2
    assert words in capsys.readouterr().err


def test_an_expression_of_any_length_is_imported_as_a_result(tmp_path, capsys):
    file = tmp_path / "long.csv"
    file.write_text("task,expression\nNguyen-9," + "x0+" * 70_000 + "x0\n", encoding="utf-8")
    assert main(["results", "import", str(file), "--format", "csv"]) == 1
    assert "at most 200000 are read" in capsys.readouterr().out


def test_an_import_that_ends_half_way_leaves_no_campaign(tmp_path, monkeypatch, capsys):
    from engine.scoring import importing

    file = tmp_path / "r.csv"
    file.write_text("task,expression,seed\nNguyen-9,x0,1\nNguyen-9,x0,2\n", encoding="utf-8")

    def fail(row, *_):
        if row.seed == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return {"status": "ok"}

    monkeypatch.setattr(importing, "_final", fail)
    assert main(["results", "import", str(file), "--format", "csv", "--out", str(tmp_path / "c")]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]


def test_no_campaign_is_one_sentence(tmp_path, capsys):
    assert main(["score", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_without_a_terminal_nothing_but_the_document_is_printed_pain_76(small):
    run = subprocess.run(
        [sys.executable, "-m", "arena_tui", "score", str(small), "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={name: value for name, value in os.environ.items() if name != "TERM"},
        check=True,
    )
    assert json.loads(run.stdout)["schema"] == 1
    assert run.stderr == b""
    assert b"\x1b" not in run.stdout


def test_a_campaign_with_all_kinds_of_endings_pain_82(tmp_path, capsys):
    from engine.running import spec_file
    from engine.running.spec import Block, CampaignSpec, Limits, MethodEntry

    nguyen = catalogue.get("Nguyen-9")
    seeds = tuple(range(1, 13))
    spec = CampaignSpec(
        "0123456789abcdef", "2026-11-01T00:00:00+00:00", (MethodEntry("a", "gplearn", seeds=seeds),),
        (Block(("a",), (nguyen.id,), (nguyen.name,), seeds),), Limits(300.0, 60.0),
    )  # fmt: skip
    folder = tmp_path / "c"
    folder.mkdir()
    spec_file.write(folder, spec)
    for seed, status in zip(seeds, ["completed"] * 7 + ["timeout"] * 2 + ["memory"], strict=False):
        write_run(
            folder,
            RunKey("a", nguyen.id, seed),
            nguyen,
            nguyen.formula,
            0.0,
            0.0,
            checkpoints=5,
            status=status,
        )
    found = document(capsys, "score", str(folder))
    assert len(found["runs"]) == 12
    assert [run["status"] for run in found["runs"]].count("planned") == 2
    assert (found["methods"][0]["ID_n"], found["methods"][0]["ID_of"]) == (10, 12)


def test_an_export_that_fails_half_way_leaves_nothing_and_replaces_nothing(
    small, tmp_path, monkeypatch, capsys
):
    from engine.scoring import export

    def fail(_scores, out, _published):
        (out / "runs.csv").write_text("half a ta")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    out = tmp_path / "out"
    out.mkdir()
    (out / "runs.csv").write_text("an older one\n")
    monkeypatch.setitem(export._KINDS, "csv", fail)
    assert main(["export", str(small), "--as", "csv", "--out", str(out)]) == 2
    assert "cannot be written: No space left on device" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["runs.csv"]
    assert (out / "runs.csv").read_text() == "an older one\n"
