import json
from pathlib import Path

import pytest

from arena_tui.__main__ import main
from engine.distilling.tables import read_table, write_table
from tasks import catalogue, selections
from tests.engine.distilling.distilling_pools import response_frame

LOOSE = "family,difficulty,limited,failure,winner,subgroup"


@pytest.fixture
def responses(tmp_path):
    ids = [task.id for task in catalogue.full()][:600:15]
    frame = response_frame(40)
    frame["task_id"] = frame["task_id"].map({f"t{k:04d}": task for k, task in enumerate(ids)})
    path = tmp_path / "responses.parquet"
    write_table(frame, path)
    return str(path)


def said(capsys):
    return json.loads(capsys.readouterr().out)


def test_core_selects_saves_and_gives_its_manifest(arena_home, responses, tmp_path, capsys):
    out = tmp_path / "core.json"
    line = ["distill", "core", "--responses", responses, "--size", "8", "--fidelity", "0.8", "--time", "100s"]
    assert main([*line, "--without", LOOSE, "--name", "mine", "--json", "--out", str(out)]) == 0
    document = said(capsys)
    assert len(document["members"]) == 8
    assert document["upper_bound"] >= document["J"]
    assert 0 <= document["gap"] < 0.05
    assert all(row["met"] for row in document["constraints"])
    assert {"coverage", "mean_info", "balance", "mae", "mae_percentile"} <= set(document)
    assert [task.id for task in selections.resolve(["@mine"])] == document["members"]
    kept = json.loads((arena_home / "data" / "distilled" / "mine.json").read_text())
    assert kept["members"] == document["members"] == json.loads(out.read_text())["members"]
    assert kept["sources_sha256"]["responses.parquet"]
    assert kept["versions"]["scipy"]

    assert main(["distill", "fidelity", "--responses", responses, "--members", "@mine", "--json"]) == 0
    fidelity = said(capsys)
    assert fidelity["mae"] == pytest.approx(document["mae"])
    assert fidelity["A_full"] == pytest.approx(document["A_full"])
    assert fidelity["A_subset"] == pytest.approx(document["A_subset"])

    inner = ["--size", "5", "--within", "@mine", "--fidelity", "off", "--without", LOOSE, "--time", "100s"]
    assert main(["distill", "core", "--responses", responses, *inner, "--json"]) == 0
    assert set(said(capsys)["members"]) <= set(document["members"])


def test_fidelity_reads_members_of_every_kind_and_ranks_scores(responses, tmp_path, capsys):
    ids = list(read_table(Path(responses))["task_id"].unique())[:6]
    (tmp_path / "m.txt").write_text("\n".join(ids))
    (tmp_path / "m.json").write_text(json.dumps({"members": ids}))
    (tmp_path / "m.tsv").write_text("task_id\n" + "\n".join(ids) + "\n")
    (tmp_path / "scores.tsv").write_text("method\tfull\tsubset\na\t1\t2\nb\t2\t3\nc\t3\t2.5\n")
    mae = set()
    for ending in ("txt", "json", "tsv"):
        line = ["distill", "fidelity", "--responses", responses, "--members", str(tmp_path / f"m.{ending}")]
        assert main([*line, "--scores", str(tmp_path / "scores.tsv"), "--json"]) == 0
        document = said(capsys)
        mae.add(document["mae"])
    assert len(mae) == 1
    order = document["agreement"]["scores"]
    assert (order["pairs_kept"], order["pairs"]) == (2, 3)
    assert order["spearman"] == pytest.approx(0.5)
    assert order["kendall"] == pytest.approx(1 / 3)


def test_baselines_measure_every_selector_and_draw_figure_2(responses, tmp_path, capsys):
    ids = list(read_table(Path(responses))["task_id"].unique())[:6]
    (tmp_path / "m.txt").write_text("\n".join(ids))
    line = [
        "distill",
        "baselines",
        "--responses",
        responses,
        "--size",
        "6",
        "--members",
        str(tmp_path / "m.txt"),
    ]
    assert main([*line, "--json", "--figure", str(tmp_path / "f.svg"), "--out", str(tmp_path / "t.tsv")]) == 0
    document = said(capsys)
    assert [one["draws"] for one in document["selectors"]] == [100, 100, 1, 1, 1, 1, 100, 1]
    assert all(len(set(one["members"])) == 6 for one in document["selectors"])
    assert document["selectors"][4]["mean_info"] == max(one["mean_info"] for one in document["selectors"])
    assert all(sum(shares.values()) == pytest.approx(1) for shares in document["composition"].values())
    assert len(read_table(tmp_path / "t.tsv")) == 8
    first = (tmp_path / "f.svg").read_bytes()
    assert main([*line, "--figure", str(tmp_path / "f.svg")]) == 0
    assert (tmp_path / "f.svg").read_bytes() == first
    assert "proportional family quota" in capsys.readouterr().out


def test_sensitivity_gives_tables_10_to_12(responses, capsys):
    line = ["distill", "sensitivity", "--responses", responses, "--size", "6", "--fidelity", "off"]
    assert main([*line, "--without", LOOSE, "--restarts", "2", "--vectors", "200", "--json"]) == 0
    document = said(capsys)
    assert [row["weight"] for row in document["single"]] == ["Coverage", "MeanInfo", "Balance"]
    assert [row["restarts"] for row in document["single"]] == [10, 10, 10]
    joint = document["joint"]
    assert sum(one["selections"] for one in joint["sets"]) == 200
    assert joint["sets"][0]["members"] == document["default"]
    assert joint["in_all"] <= joint["in_90"] <= joint["in_75"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--size", "41"], "size 41 is larger than the pool: 40 tasks can be selected"),
        (["--weights", ".5,.5,.5"], "weights 0.5, 0.5, 0.5 sum to 1.5; they must sum to one"),
        (["--within", "@nowhere"], "there is no selection @nowhere"),
        (["--name", "core50"], "@core50 is built in"),
        (["--name", "../x"], "'../x' cannot name a selection"),
        (["--without", "colour"], "there is no kind of constraint 'colour'"),
        (["--labels", "published"], "is not among the probes alpha, beta, delta, gamma"),
    ],
)
def test_wrong_demands_end_with_one_sentence(arena_home, responses, words, sentence, capsys):
    assert main(["distill", "core", "--responses", responses, *words]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_calibrate_and_probes_as_json_and_text(published, tmp_path, capsys):
    two = str(published("reference/two_probe_responses.tsv"))
    assert main(["distill", "calibrate", "--records", two, "--json", "--out", str(tmp_path / "c.tsv")]) == 0
    document = said(capsys)
    assert [len(document["groups"][name]["tasks"]) for name in "ABC"] == [140, 20, 40]
    assert len(read_table(tmp_path / "c.tsv")) == 200
    twelve = str(published("reference/calibration200_12methods.tsv"))
    assert main(["distill", "probes", "--records", twelve, "--json"]) == 0
    document = said(capsys)
    assert (document["feasible"], document["enumerated"]) == (468, 495)
    assert document["panels"][0]["U"] == 0.97125
    assert document["optimal"] == [["dso", "imcts", "pyoperon", "udsr"]]
    assert main(["distill", "probes", "--records", twelve, "--replicates", "50"]) == 0
    assert "0.971250  dso, imcts, pyoperon, udsr" in capsys.readouterr().out
    assert main(["distill", "calibrate", "--records", two, "--one-sided", "150"]) == 2
    assert "there are 149 one-sided tasks but 150 are asked for" in capsys.readouterr().err


def test_nothing_but_data_is_printed_when_stderr_is_no_terminal(arena_home, responses, capsys):
    line = [
        "distill",
        "core",
        "--responses",
        responses,
        "--size",
        "4",
        "--fidelity",
        "off",
        "--solver",
        "swap",
    ]
    assert main([*line, "--without", LOOSE, "--json"]) == 0
    assert capsys.readouterr().err == ""


def test_a_core_is_put_beside_others_and_beside_the_baselines(arena_home, responses, tmp_path, capsys):
    core = ["distill", "core", "--responses", responses, "--size", "8", "--time", "100s", "--fidelity", "off"]
    assert main([*core, "--without", LOOSE, "--name", "mine", "--json"]) == 0
    made = said(capsys)
    assert "command" not in made
    kept = json.loads((arena_home / "data" / "distilled" / "mine.json").read_text())
    assert kept["command"][:4] == ["distill", "core", "--responses", responses]

    ids = sorted(read_table(Path(responses))["task_id"].unique())
    (tmp_path / "first.txt").write_text("\n".join([*ids[:8], "g0002"]))
    line = ["distill", "compare", "--responses", responses, "--members", "@mine", "--without", LOOSE]
    assert main([*line, "--fidelity", "off", "--with", str(tmp_path / "first.txt"), "--json"]) == 0
    document = said(capsys)
    own, other = document["selections"]
    assert own["terms"]["J"] == pytest.approx(made["J"])
    assert own["mae"] == pytest.approx(made["mae"])
    assert own["broken"] == []
    assert other["terms"]["J"] <= made["upper_bound"] + 1e-9
    assert (other["size"], other["missing"]) == (8, 1)
    overlap = document["overlaps"][0]
    assert len(overlap["both"]) + len(overlap["only_first"]) == 8
    assert len(overlap["both"]) + len(overlap["only_second"]) == 9
    assert overlap["jaccard"] == pytest.approx(len(overlap["both"]) / (17 - len(overlap["both"])))
    spread = {row["selector"]: row["sd"] for row in document["selectors"]}
    assert spread["uniform random"] > 0
    assert spread["top information"] is None
    assert (arena_home / "data" / "distilled" / "compared" / "mine.json").is_file()

    census = document["census"]
    assert sum(cell["pool"] for cell in census["cells"]) == census["pool"] == 40
    assert sum(cell["selected"] for cell in census["cells"]) == census["selected"] == 8
    for attribute in ("family", "formula type", "variables", "difficulty", "failure"):
        own_shares = [one for one in census["shares"] if one["attribute"] == attribute]
        assert sum(one["selected"] for one in own_shares) == 8

    (tmp_path / "elsewhere.txt").write_text("g0002\ng0003\n")
    assert main([*line, "--with", str(tmp_path / "elsewhere.txt")]) == 0
    assert "elsewhere.txt: none of its members has responses here" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["d.json", "d.tsv", "d.csv", "d.parquet"])
def test_what_cannot_be_written_is_one_sentence(tmp_path, capsys, name):
    import argparse

    from arena_tui.commands.distill_options import give
    from engine.errors import EngineError

    (tmp_path / "folder").write_text("in the way")
    args = argparse.Namespace(out=tmp_path / "folder" / name, json=False)
    with pytest.raises(EngineError, match="could not be written"):
        give(args, {"a": 1}, [{"a": 1}], "text")
