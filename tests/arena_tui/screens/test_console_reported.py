"""What users of other consoles reported, tried here: long tables, refresh rates, scripts off a terminal."""

import os
import subprocess
import sys
from collections import Counter

import pytest
from textual.app import App

from arena_tui import copying
from arena_tui.theme import THEMES
from arena_tui.widgets.table import Column, Row, Table
from tests.arena_tui.screens.conftest import console_at

COLUMNS, ROWS, HEIGHT = 20, 664, 40


class Wide(App):
    """A table of 664 rows and 20 columns, ten cells of which hold 4,000 letters; counts what it writes."""

    def __init__(self):
        super().__init__()
        self.written = Counter()

    def get_theme_variable_defaults(self):
        return THEMES[0].variables

    def _show(self, value):
        self.written["cells"] += 1
        return str(value)

    def compose(self):
        yield Table([Column(f"c{at}", f"c{at}", 9, show=self._show) for at in range(COLUMNS)], pinned=1)


async def test_only_what_is_seen_is_drawn_of_a_long_table_pain_5():
    long = "sin(x0)+" * 500
    rows = [
        Row(f"r{at}", {f"c{column}": long if at < 10 and column == 3 else at * column
                       for column in range(COLUMNS)})
        for at in range(ROWS)
    ]  # fmt: skip
    app = Wide()
    async with app.run_test(size=(120, HEIGHT)) as pilot:
        table = app.query_one(Table)
        table.load(rows)
        await pilot.pause()
        most = 0
        for _ in range(2):
            table.focus()
            await pilot.press("home")
            await pilot.pause()
            while table.cursor != f"r{ROWS - 1}":
                app.written.clear()
                await pilot.press("pagedown")
                await pilot.pause()
                most = max(most, app.written["cells"])
                assert all(strip.cell_length == 120 for strip in app.screen._compositor.render_strips())
        # Two paintings of what is seen at most, of 13,280 cells there are.
        assert most <= 2 * HEIGHT * COLUMNS
        app.written.clear()
        await pilot.press("up")
        await pilot.pause()
        assert app.written["cells"] <= HEIGHT * COLUMNS


async def test_how_often_is_read_can_be_chosen_pain_68(mixed):
    async with console_at(size=(80, 24), campaign=mixed) as pilot:
        feed = pilot.app.screen._feed
        paces = [feed.interval]
        for key in ("minus", "minus", "plus", "plus", "plus", "plus"):
            await pilot.press(key)
            paces.append(feed.interval)
        assert paces == [1.0, 2.0, 5.0, 2.0, 1.0, 0.5, 0.5]
        assert [note.message for note in pilot.app._notifications][-1] == "reading every 0.5 s"


@pytest.mark.parametrize("headless", [True, False])
def test_copying_never_claims_more_than_it_knows_pain_47(arena_home, headless):
    text = "sin(x0) + " * 300 + "µ"
    file, problem = copying.to_file(text)
    assert problem is None
    assert file.read_text("utf-8") == text
    said = copying.Copied(file, sent=not headless).sentence
    assert str(file) in said
    assert ("sent to the terminal" in said) == (not headless)
    assert "copied" not in said.replace(str(file), "")


def run(*words):
    environment = {name: value for name, value in os.environ.items() if name != "TERM"}
    return subprocess.run(
        [sys.executable, "-m", "arena_tui", *words],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, timeout=300, check=False,
    )  # fmt: skip


# What `run` and `score` do without a terminal is tested beside those commands.
@pytest.mark.parametrize(
    "words", [("status", "CAMPAIGN"), ("tasks", "list", "--family", "nguyen"), ("methods", "list")]
)
def test_commands_that_only_print_need_no_terminal_pain_76(ended, words):
    done = run(*(str(ended) if word == "CAMPAIGN" else word for word in words))
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert len(done.stdout.splitlines()) > 3
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("methods", "doctor", "bank"), ("export", "CAMPAIGN", "--as", "csv", "--out", "tables")]
)
def test_commands_that_work_longer_need_no_terminal_pain_76(ended, words):
    done = run(*(str(ended) if word == "CAMPAIGN" else word for word in words))
    assert done.returncode in (0, 1), done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
