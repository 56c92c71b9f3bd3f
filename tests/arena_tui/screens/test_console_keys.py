"""The console by its keys: screens, help, palette, themes, memory, copying, small terminals, odd texts."""

import base64
import itertools
import json

import pytest
from textual import events

from arena_tui import copying, remembered, screens
from arena_tui.app import Console
from arena_tui.palette import Everything
from arena_tui.screens import ENTRIES
from arena_tui.screens.monitor.rows import COLUMNS
from arena_tui.theme import THEMES
from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.keybar import KeyBar
from arena_tui.widgets.masthead import Masthead
from arena_tui.widgets.plain import printable
from arena_tui.widgets.table import Table
from tests.arena_tui.screens.conftest import KEIJZER, NGUYEN, console, console_at, settle, text_of, wait_for
from tests.arena_tui.screens.made_campaigns import Plan, write

ODD_EXPRESSION, ODD_ERROR, ODD_NAME = "x[/]+[b", "bad token '[/' at [12", "set[1]"


async def test_digits_and_function_keys_change_the_screen():
    async with console_at() as pilot:
        for entry in ENTRIES:
            await pilot.press(entry.key)
            await settle(pilot)
            assert entry.name == pilot.app.screen.ROOM
        await pilot.press("f1")
        assert pilot.app.screen.ROOM == "campaigns"


async def test_what_is_typed_ahead_goes_where_the_keys_before_it_lead(mixed):
    async with console_at(campaign=mixed) as pilot:
        for key, letter in (("3", "3"), ("slash", "/"), *((letter, letter) for letter in "korns1234567")):
            pilot.app.post_message(events.Key(key, letter))
        await settle(pilot)
        assert pilot.app.screen.ROOM == "tasks"
        assert pilot.app.screen.query_one(FilterBar).text == "korns1234567"
        await pilot.press("backspace", "enter", "2")
        await settle(pilot)
        assert pilot.app.screen.ROOM == "monitor"


async def test_help_names_the_keys_of_the_screen_and_closes(mixed):
    async with console_at(campaign=mixed) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        shown = text_of(pilot)
        assert "Help: Monitor" in shown
        assert "PAUSED" in shown
        await pilot.press("escape")
        assert pilot.app.screen.ROOM == "monitor"


@pytest.mark.parametrize("room", [entry.name for entry in ENTRIES])
async def test_the_help_tells_every_key(mixed, room):
    async with console_at(campaign=mixed, first=room) as pilot:
        screen = pilot.app.screen
        screen.set_focus(next(table for table in screen.query(Table) if table.display))
        await pilot.press("question_mark")
        await pilot.pause()
        told = {text for _, text in pilot.app.screen._keys}
        bindings = [*type(screen).BINDINGS, *Table.BINDINGS, *Console.BINDINGS]
        assert {binding.description for binding in bindings} - told <= {"Help"}


async def test_palette_offers_every_action(mixed):
    async with console_at(campaign=mixed) as pilot:
        offered = {name for name, _, _ in pilot.app.offered_bindings(pilot.app.screen)}
        described = {binding.description for binding in pilot.app.screen.BINDINGS}
        assert offered >= described
        await pilot.press("ctrl+p", *"seed bands", "enter")
        await settle(pilot)
        assert pilot.app.screen._view.bands


async def test_palette_does_what_another_screen_can_do(mixed):
    async with console_at(campaign=mixed) as pilot:
        await pilot.press("ctrl+p", *"tasks: mark all shown")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.screen.ROOM == "tasks"
        found = Everything(pilot.app.screen)
        offered = {name for name, _, _ in itertools.chain(found._offers(), found._elsewhere())}
        for entry in ENTRIES:
            for binding in screens.kind(entry).BINDINGS:
                assert binding.description in offered or f"{entry.title}: {binding.description}" in offered


async def test_palette_goes_to_a_screen_and_takes_a_theme():
    async with console_at() as pilot:
        await pilot.press("ctrl+p", *"go to tasks", "enter")
        await settle(pilot)
        assert pilot.app.screen.ROOM == "tasks"
        await pilot.press("ctrl+p", *"arena-light", "enter")
        await settle(pilot)
        assert pilot.app.theme == "arena-light"


async def test_theme_filter_and_campaign_are_remembered(mixed):
    async with console_at(campaign=mixed) as pilot:
        await pilot.press("ctrl+t", "slash", *"method:gplearn", "enter")
        await settle(pilot)
        theme = pilot.app.theme
    assert remembered.campaigns(remembered.load()) == [mixed]
    async with console_at(campaign=mixed) as pilot:
        assert pilot.app.theme == theme != THEMES[0].name
        assert len(pilot.app.screen.query_one(Table).visible_keys) == 6


async def test_order_group_and_view_are_remembered(ended):
    async with console_at(campaign=ended) as pilot:
        await pilot.press("S", "s", "s", "o", "m", "n")
        await settle(pilot)
        table = pilot.app.screen.query_one("#table", Table)
        keys, view = table.visible_keys, pilot.app.screen._view
        assert (table.arrangement.sort, table.arrangement.descending) == ("method", True)
        await pilot.press("q")
    async with console_at(campaign=ended) as pilot:
        table = pilot.app.screen.query_one("#table", Table)
        assert table.visible_keys == keys
        assert table.arrangement.group == "method"
        assert pilot.app.screen._view == view
        assert (view.metric, view.bands) == ("id", True)


async def test_the_filter_of_one_campaign_hides_nothing_of_another(mixed, ended):
    async with console_at(campaign=mixed) as pilot:
        await pilot.press("slash", *"method:gplearn", "enter")
        await settle(pilot)
        pilot.app.open_campaign(ended)
        await settle(pilot)
        assert len(pilot.app.screen.query_one(Table).visible_keys) == 18
        assert "method:gplearn" not in text_of(pilot)


async def test_a_broken_memory_keeps_nobody_out(arena_home):
    (arena_home / "config").mkdir(parents=True)
    (arena_home / "config" / "console.json").write_text("{not json")
    async with console_at() as pilot:
        assert pilot.app.screen.ROOM == "campaigns"


def test_no_color_takes_the_theme_without_colour(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert console().theme == "arena-mono"


async def test_theme_without_colour_emits_none(mixed):
    async with console_at(size=(80, 24), campaign=mixed, theme="arena-mono") as pilot:
        await pilot.press("down", "space")
        await settle(pilot)
        filters = pilot.app._filters
        painted = [
            segment
            for strip in pilot.app.screen._compositor.render_strips()
            for segment in strip.apply_filter(filters[-1], pilot.app.screen.background_colors[1])
        ]
        assert all(s.style is None or (s.style.color is None and s.style.bgcolor is None) for s in painted)
        assert any(s.style is not None and s.style.reverse for s in painted)


SHRINK = [(200, 60), (80, 24), (60, 20), (40, 12), (20, 5), (1, 1), (120, 40)]


# Seven sizes of seven screens take a while; the later screens are resized by the slow tests.
@pytest.mark.parametrize(
    "room",
    [pytest.param(e.name, marks=[] if int(e.key) <= 4 else pytest.mark.slow) for e in ENTRIES],
)
async def test_resizing_keeps_keys_readable_and_the_selection_pain_59(mixed, room):
    async with console_at(size=(200, 60), campaign=mixed, first=room) as pilot:
        await pilot.press("down")
        await settle(pilot)
        before = pilot.app.screen.query(Table).first().cursor
        for width, height in SHRINK:
            await pilot.resize_terminal(width, height)
            await settle(pilot)
            lines = text_of(pilot).splitlines()
            if (width, height) == (20, 5):
                assert "terminal too small" in text_of(pilot)
            elif width >= 40:
                assert "? help" in lines[-1]
                assert "q quit" in lines[-1]
            if width >= 80:
                first = next(b.description for b in pilot.app.screen.BINDINGS if b.show)
                assert first in lines[-1]
        assert pilot.app.screen.query(Table).first().cursor == before
        assert any(entry.title in text_of(pilot).splitlines()[0] for entry in ENTRIES)


async def test_odd_texts_are_shown_letter_for_letter_pain_20():
    key = f"bank/{NGUYEN}/520"
    folder = write(
        console_folder(),
        Plan(
            methods=("bank",), tasks=("Nguyen-1",), seeds=(520,), states={key: "crashed"},
            expressions={key: ODD_EXPRESSION}, reasons={key: ODD_ERROR}, names={NGUYEN: ODD_NAME},
        ),
    )  # fmt: skip
    async with console_at(size=(160, 48), campaign=folder) as pilot:
        shown = text_of(pilot)
        assert ODD_NAME in shown
        assert ODD_EXPRESSION in shown
        assert ODD_ERROR in shown
        pilot.app.tell(ODD_ERROR, "error")
        await pilot.press("w")
        await settle(pilot)
        assert ODD_NAME in text_of(pilot)
        await pilot.press("escape", "c")
        await settle(pilot)
        assert ODD_ERROR in text_of(pilot)
    file, _ = copying.to_file(ODD_EXPRESSION)
    assert file.read_text() == ODD_EXPRESSION


def console_folder():
    from pathlib import Path

    return Path.cwd() / "odd"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a�[31mb"),
        ("tab\there", "tab    here"),
        ("two\nlines", "two⏎lines"),
        ("left\u202eright", "left�right"),
    ],
)
def test_control_characters_never_reach_the_terminal(text, shown):
    assert printable(text) == shown


async def test_copy_without_a_terminal_promises_only_the_file_pain_47(ended):
    async with console_at(campaign=ended) as pilot:
        await pilot.press("c")
        await settle(pilot)
        said = [notification.message for notification in pilot.app._notifications]
        assert len(said) == 1
        assert "clipboard" not in said[0]
        assert "written to" in said[0]
        run = pilot.app.screen._current()
    from tasks import locations

    assert (locations.cache_folder() / "copied.txt").read_text() == run.expression


async def test_plain_text_without_a_terminal_is_a_dialog_and_keeps_the_truth_hidden(ended):
    async with console_at(campaign=ended) as pilot:
        run = pilot.app.screen._current()
        await pilot.press("P")
        await settle(pilot)
        text = pilot.app.screen.text
        assert run.expression in text
        assert text.startswith("\t".join(column.name for column in COLUMNS))
        assert len(text.split("\n\n")[0].splitlines()) == 1 + 18
        await pilot.press("escape", "ctrl+p", *"plain text", "enter")
        await settle(pilot)
        assert pilot.app.screen.text == text


def test_the_clipboard_sequence_carries_the_exact_text_pain_47():
    text = "sin(x0) + µ*x1\n" * 200
    code = copying.sequence(text)
    assert code.startswith("\x1b]52;c;")
    assert code.endswith("\x07")
    assert base64.b64decode(code[7:-1]).decode() == text
    assert "not every terminal" in copying.Copied(None, True).sentence


def test_too_long_a_text_is_only_written():
    assert copying.sequence("x" * 100_000) is None


async def test_an_error_of_the_engine_is_a_toast(ended):
    async with console_at(campaign=ended) as pilot:
        (ended / "campaign.toml").write_text("broken [")
        pilot.app.screen._feed.hurry()
        await wait_for(pilot, lambda: len(pilot.app._notifications) > 0)
        assert any("not valid TOML" in n.message for n in pilot.app._notifications)
        assert pilot.app.screen.query_one(Table).total == 18


async def test_memory_is_plain_json(ended, arena_home):
    async with console_at(campaign=ended) as pilot:
        await pilot.press("ctrl+t")
    state = json.loads((arena_home / "config" / "console.json").read_text())
    assert state["campaigns"] == [str(ended)]
    assert KEIJZER not in json.dumps(state)


async def test_the_mouse_goes_where_it_points(mixed):
    async with console_at(size=(120, 40), campaign=mixed) as pilot:
        table = pilot.app.screen.query_one("#table", Table)
        await pilot.click("#table", offset=(20, 4))
        assert table.cursor == table.visible_keys[3]
        await pilot.click("#table", offset=(20, 6), times=2)
        await settle(pilot)
        assert table.cursor == table.visible_keys[5]
        assert pilot.app.screen.has_class("-zoomed")
        masthead = text_of(pilot).splitlines()[0]
        await pilot.click(Masthead, offset=(masthead.index("Tasks"), 0))
        await settle(pilot)
        assert pilot.app.screen.ROOM == "tasks"
        keys = text_of(pilot).splitlines()[-1]
        await pilot.click(KeyBar, offset=(keys.index("help"), 0))
        await settle(pilot)
        assert "Help: Tasks" in text_of(pilot)
