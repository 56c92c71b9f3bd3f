"""What the command does when the machine under it gives way."""

import os
import subprocess
import sys
from pathlib import Path

from arena_tui.__main__ import main


def test_an_error_of_the_machine_is_one_sentence_and_exit_2(monkeypatch, capsys):
    from arena_tui.commands import status

    def fail(_):
        raise PermissionError(13, "Permission denied", "/some/where")

    monkeypatch.setattr(status, "run", fail)
    assert main(["status", "campaign"]) == 2
    assert capsys.readouterr().err == ("arena-tui: /some/where: Permission denied; see to it and try again\n")


def test_output_that_nothing_can_take_is_one_sentence(arena_home):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "arena_tui", "expr", "eval", "1 + 1"],
            stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == b"arena-tui: No space left on device; see to it and try again\n"


def test_output_is_the_same_under_every_locale(arena_home):
    words = [sys.executable, "-m", "arena_tui", "tasks", "show", "g0072", "--json"]
    said = {
        subprocess.run(words, capture_output=True, check=True, env=os.environ | more).stdout
        for more in (
            {"PYTHONHASHSEED": "1"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "Asia/Kathmandu"},
            {"PYTHONIOENCODING": "ascii", "LC_ALL": "tr_TR.UTF-8", "PYTHONWARNINGS": "error"},
        )
    }
    assert len(said) == 1


def test_foreign_text_is_shown_on_one_line_and_not_obeyed():
    from arena_tui.commands.run_table import one_line

    assert one_line("a\n\tb\x1b[31m\u202e") == "a b\ufffd[31m\ufffd"


def test_text_in_latex_breaks_no_cell():
    from engine.scoring.writers import escaped

    assert escaped("a\n\nb_\x07%") == r"a  b\_ \%"
