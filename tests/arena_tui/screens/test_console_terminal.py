"""A console in a real terminal (a pty): given back as it was, honest copies, and why it cannot start."""

import base64
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.arena_tui.screens.made_campaigns import Plan, write

_WAIT_S = 90.0
_ENDINGS = ("?1000l", "?1002l", "?1003l", "?1006l", "?2004l", "?1049l", "?25h")


class Terminal:
    """A child in a pty of 80x24; ``text`` is everything that it has written."""

    def __init__(self, words, env=None, code=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(slave)
        command = (
            [sys.executable, "-m", "arena_tui", *words] if code is None else [sys.executable, "-c", code]
        )
        self.child = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", **(env or {})},
        )  # fmt: skip
        self.slave = slave
        self.text = ""

    def read(self, until="", seconds=_WAIT_S):
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and (not until or until not in self.text):
            if select.select([self.master], [], [], 0.05)[0]:
                self.text += os.read(self.master, 65536).decode("utf-8", "replace")
            elif self.child.poll() is not None:
                break
        assert until in self.text, self.text[-3000:]

    def keys(self, text):
        os.write(self.master, text.encode())

    def end(self):
        # Reading all the while: a child whose terminal is full would wait to be read before it ends.
        ends = time.monotonic() + _WAIT_S
        while self.child.poll() is None and time.monotonic() < ends:
            self.read(seconds=0.1)
        self.read(seconds=0.3)
        return self.child.wait(1)

    def close(self):
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        os.close(self.slave)
        os.close(self.master)

    def restored(self):
        last_on = max(self.text.rfind("\x1b[?1049h"), 0)
        after = self.text[last_on:]
        return all(f"\x1b[{ending}" in after for ending in _ENDINGS) and (
            termios.tcgetattr(self.slave) == self.before
        )


@pytest.fixture
def terminal():
    opened = []

    def make(*words, **options):
        opened.append(Terminal(words, **options))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def test_quitting_by_key_restores_the_terminal_pain_32(terminal):
    shown = terminal()
    shown.read("New campaign")
    assert "\x1b[?1049h" in shown.text
    shown.keys("q")
    assert shown.end() == 0
    assert shown.restored()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_terminal_pain_32(terminal, number):
    shown = terminal()
    shown.read("New campaign")
    shown.child.send_signal(number)
    assert shown.end() == 128 + number
    assert shown.restored()


BROKEN_VIEW = """
import sys
from arena_tui.screens.campaigns import survey
survey.Survey.take = lambda self: ()
from arena_tui.widgets.table import Table
def broken(self, y):
    raise RuntimeError("a view broke [/oops")
from arena_tui.commands.console import open_console
from arena_tui.widgets.filterbar import FilterBar
Table.action_page = lambda self, direction: setattr(Table, "render_line", broken) or self.refresh()
sys.exit(open_console(None))
"""


def test_an_exception_in_a_view_ends_in_one_sentence_pain_32(terminal, arena_home):
    shown = terminal(code=BROKEN_VIEW)
    shown.read("New campaign")
    shown.keys("\x1b[6~")
    assert shown.end() == 1
    assert shown.restored()
    after = shown.text[shown.text.rfind("\x1b[?1049l") :]
    assert "a view broke [/oops" in after
    assert "Traceback" not in after
    assert "a view broke" in (arena_home / "cache" / "console-error.txt").read_text()


def test_after_a_kill_the_reset_command_restores_pain_32(terminal):
    shown = terminal()
    shown.read("New campaign")
    shown.child.kill()
    shown.child.wait()
    helper = terminal("monitor", "--reset-terminal")
    helper.end()
    assert all(f"\x1b[{ending}" in helper.text for ending in _ENDINGS)


def test_copy_sends_one_sequence_with_the_exact_text_pain_47(terminal, arena_home):
    long = "sin(x0)+" * 375 + "x0"
    folder = write(
        Path.cwd() / "long",
        Plan(methods=("bank",), tasks=("Nguyen-1",), seeds=(520,), expressions={"bank/g0633/520": long}),
    )
    shown = terminal("monitor", str(folder))
    shown.read("done")
    shown.keys("c")
    shown.read("not every")
    codes = re.findall(r"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", shown.text)
    assert [base64.b64decode(code).decode() for code in codes] == [long]
    assert (arena_home / "cache" / "copied.txt").read_text() == long
    shown.keys("q")
    assert shown.end() == 0


@pytest.mark.parametrize("leaving", ["any key", "a signal"])
def test_plain_text_is_shown_whole_outside_the_screen_with_the_mouse_off(terminal, leaving):
    long = "sin(x0)+" * 375 + "x0"
    folder = write(
        Path.cwd() / "long",
        Plan(methods=("bank",), tasks=("Nguyen-1",), seeds=(520,), expressions={"bank/g0633/520": long}),
    )
    shown = terminal("monitor", str(folder))
    shown.read("done")
    shown.keys("P")
    shown.read("any key")
    assert long in shown.text
    outside = shown.text[: shown.text.index(long)]
    for mode in ("?1049", "?1000", "?1003", "?1006"):
        assert outside.rfind(f"\x1b[{mode}l") > outside.rfind(f"\x1b[{mode}h")
    if leaving == "any key":
        shown.text = ""
        shown.keys("\x03")
        shown.read("\x1b[?1000h")
        assert "\x1b[?1049h" in shown.text
        shown.read("Overlay")
        shown.keys("q")
        assert shown.end() == 0
    else:
        shown.child.send_signal(signal.SIGTERM)
        assert shown.end() == 128 + signal.SIGTERM
    assert shown.restored()


@pytest.mark.parametrize("term", ["xterm", "", "dumb"])
def test_without_a_terminal_it_says_why_and_what_instead_pain_76(term):
    ended = subprocess.run(
        [sys.executable, "-m", "arena_tui"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={**os.environ, "TERM": term}, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1
    assert "arena-tui run" in ended.stderr


def test_a_dumb_terminal_is_told_so(terminal):
    shown = terminal(env={"TERM": "dumb"})
    assert shown.end() == 2
    assert "TERM is dumb" in shown.text
    assert "\x1b" not in shown.text


def test_a_folder_without_a_campaign_is_bad_input():
    ended = subprocess.run(
        [sys.executable, "-m", "arena_tui", "monitor", "."], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "campaign.toml" in ended.stderr
