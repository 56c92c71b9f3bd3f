"""Any program as a method: what it prints, how it fails."""

import sys

import pytest

from adapters.command.wrapper import parse_line

SCRIPT = """
import csv, sys, time
rows = list(csv.reader(open(sys.argv[1])))
assert rows[0] == ["x0", "x1", "y"], rows[0]
assert len(rows) == 41
print("# a remark is skipped")
print()
print("0.5\\tx0*x1")
print(f"x0*x1 + x0 + {sys.argv[2]}*0", flush=True)
sys.exit(int(sys.argv[3]))
"""


def command(tmp_path, code="0"):
    script = tmp_path / "search.py"
    script.write_text(SCRIPT)
    return f"{sys.executable} {script} {{csv}} {{seed}} {code}"


def test_each_printed_line_is_an_incumbent_and_the_last_one_counts(plugins, run_worker, table, tmp_path):
    ran = run_worker("command", *table, settings={"command": command(tmp_path)})
    assert ran.code == 0, ran.log
    assert [line["text"] for line in ran.events("incumbent")] == ["x0*x1", "x0*x1 + x0 + 520*0"]
    assert [line["score"] for line in ran.events("incumbent")] == [0.5, None]
    assert ran.events("final")[0]["text"] == "x0*x1 + x0 + 520*0"
    assert ran.events("final")[0]["train_predictions"] is None


def test_a_program_that_fails_keeps_what_it_printed(plugins, run_worker, table, tmp_path):
    ran = run_worker("command", *table, settings={"command": command(tmp_path, "7")})
    assert ran.code == 3
    assert len(ran.events("incumbent")) == 2
    assert "ended with exit code 7" in ran.lines[-1]["message"]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [("", 4, "no program is set"), ("/nowhere/at/all {csv}", 3, "cannot be started")],
)
def test_a_missing_program_is_one_sentence(plugins, run_worker, table, words, code, sentence):
    ran = run_worker("command", *table, settings={"command": words})
    assert ran.code == code
    assert sentence in ran.lines[-1]["message"]


def test_a_tab_belongs_to_a_score_only_after_a_number():
    assert parse_line("1e-3\tx0").score == 1e-3
    assert parse_line("x0\t+ 1").text == "x0\t+ 1"
    assert parse_line("  # nothing") is None
