"""``arena-tui methods``: what a person sees, what a script reads, exit codes."""

import json

from arena_tui.__main__ import main
from engine.methods import installing


def test_list_prints_every_method_and_its_state(plugins, capsys):
    assert main(["methods", "list", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert len(rows) >= 20
    for row in rows.values():
        assert row["paradigm"]
        assert row["licence"]
        assert row["source"]
        assert row["state"]
    assert rows["bank"]["state"] == "built in"
    assert rows["gplearn"]["state"] == "not installed"
    assert main(["methods", "list"]) == 0
    assert "gplearn" in capsys.readouterr().out


def test_show_prints_settings_with_their_source(plugins, capsys):
    assert main(["methods", "show", "gplearn", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    setting = next(entry for entry in row["settings"] if entry["name"] == "population_size")
    assert setting["default"] == 1000
    assert setting["source"] == "paper 1, table 17"
    assert main(["methods", "show", "pyoperon"]) == 0
    assert "population_size = 500" in capsys.readouterr().out


def test_doctor_says_what_is_missing_and_its_exit_code_too(plugins, capsys):
    assert main(["methods", "doctor", "bank", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["status"] == "ready"
    assert main(["methods", "doctor", "bank", "gplearn"]) == 1
    assert "not installed" in capsys.readouterr().out


def test_bad_input_is_one_sentence_and_exit_2(plugins, capsys):
    for words, sentence in (
        (["show", "gplern"], "did you mean gplearn"),
        (["install", "qlattice"], "--accept-licence"),
        (["install", "dso"], "bring its checkout"),
        (["install", "gplearn", "--source", "/x"], "takes no --source"),
        (["uninstall", "gplearn"], "gplearn is not installed"),
        (["uninstall", "bank"], "is built in"),
        (["install", "gplearn", "nothing-like-it"], "there is no method"),
    ):
        assert main(["methods", *words]) == 2
        printed = capsys.readouterr()
        assert sentence in printed.err
        assert printed.out == ""
        assert "Traceback" not in printed.err


def test_check_installs_what_can_be_had_and_says_of_the_others_what_they_lack(plugins, capsys, monkeypatch):
    installed = []
    monkeypatch.setattr(installing, "install", lambda method, **_: installed.append(method.name))
    assert main(["methods", "check", "gplearn", "qlattice", "dso", "--json"]) == 1
    assert installed == ["gplearn"]
    reports = json.loads(capsys.readouterr().out)
    assert [report["passed"] for report in reports] == [False, False, False]
    assert "install dso --source" in reports[2]["items"][0]["detail"]
