"""What the command does when the machine under it gives way."""

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
