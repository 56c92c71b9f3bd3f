"""Every screen as it looks at two sizes in two themes: compare with `pytest --snapshot-update` in mind."""

import pytest

from arena_tui import screens
from tests.arena_tui.screens.conftest import console, methods, settle, wait_for


@pytest.fixture(autouse=True)
def own_screens(monkeypatch):
    """The masthead names the first four screens only, whatever screens there are besides."""
    monkeypatch.setattr(screens, "ENTRIES", screens.ENTRIES[:4])


SIZES = [(80, 24), (160, 48)]
# The second theme takes as long again; it is held by the slow tests.
THEMES = ["arena-dark", pytest.param("arena-colour-blind", marks=pytest.mark.slow)]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("room", ["campaigns", "monitor", "tasks", "methods"])
def test_screen(snap_compare, mixed, monkeypatch, room, size, theme):
    monkeypatch.setattr("arena_tui.screens.methods.overriding.read_methods", methods)
    keys = {
        "monitor": ["down", "space", "space", "space"],
        "tasks": ["slash", *"nguyen", "enter", "down"],
        "methods": ["down", "down"],
    }

    async def prepare(pilot):
        await settle(pilot)
        await pilot.press(*keys.get(room, []))
        await settle(pilot)

    assert snap_compare(console(mixed, room, theme), terminal_size=size, run_before=prepare)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_new_campaign_form(snap_compare, size, theme):
    async def prepare(pilot):
        await settle(pilot)
        await pilot.press("n")
        await settle(pilot)
        await pilot.press(*"bank", "down", *"Nguyen-1,Nope")
        await settle(pilot)

    assert snap_compare(console(None, "campaigns", theme), terminal_size=size, run_before=prepare)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_help(snap_compare, mixed, size):
    async def prepare(pilot):
        await settle(pilot)
        # The log behind the help scrolls to its end one layout later than its text arrives.
        log = pilot.app.screen.query_one("#log VerticalScroll")
        if log.size.height:
            await wait_for(pilot, lambda: 0 < log.max_scroll_y <= log.scroll_offset.y)
        await pilot.press("question_mark")
        await settle(pilot)

    assert snap_compare(console(mixed, "monitor"), terminal_size=size, run_before=prepare)


def test_without_colour(snap_compare, mixed):
    async def prepare(pilot):
        await settle(pilot)
        await pilot.press("down", "space")
        await settle(pilot)

    assert snap_compare(console(mixed, "monitor", "arena-mono"), terminal_size=(80, 24), run_before=prepare)


def test_light(snap_compare, mixed):
    async def prepare(pilot):
        await settle(pilot)
        await pilot.press("space", "space", "m")
        await settle(pilot)

    assert snap_compare(console(mixed, "monitor", "arena-light"), terminal_size=(120, 40), run_before=prepare)
