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


def script(tmp_path, text):
    path = tmp_path / "prints.py"
    path.write_text(text)
    return f"{sys.executable} {path}"


def test_bytes_that_are_no_text_do_not_end_the_run(plugins, run_worker, table, tmp_path):
    words = script(tmp_path, r"import sys; sys.stdout.buffer.write(b'\xff\xfe\x00\nx0*x1\n')")
    ran = run_worker("command", *table, settings={"command": words})
    assert ran.code == 0, ran.log
    assert ran.events("final")[0]["text"] == "x0*x1"


def test_a_flood_of_expressions_is_thinned_and_the_last_one_kept(plugins, run_worker, table, tmp_path):
    words = script(tmp_path, "for i in range(50_000): print(f'x0*{i}')")
    ran = run_worker("command", *table, settings={"command": words})
    assert ran.code == 0, ran.log
    assert 200 <= len(ran.events("incumbent")) < 5_000
    assert ran.events("incumbent")[0]["text"] == "x0*0"
    assert ran.events("incumbent")[-1]["text"] == ran.events("final")[0]["text"] == "x0*49999"


def test_a_line_without_end_is_cut(plugins, run_worker, table, tmp_path):
    words = script(tmp_path, "print('x0+' * 3_000_000 + 'x0'); print('x1')")
    ran = run_worker("command", *table, settings={"command": words})
    assert [line["text"] for line in ran.events("incumbent")[1:]] == ["x1"]
    assert ran.events("incumbent")[0]["characters"] < 2 << 20
