"""Methods installed from the console: what is asked before, the child's lines while they come, its end."""

import pytest

from arena_tui.screens.methods import installing
from arena_tui.widgets.plain import Plain
from arena_tui.widgets.table import Table
from engine.running import control
from tests.arena_tui.screens.conftest import KORNS, console_at, methods, settle, text_of, wait_for


@pytest.fixture(autouse=True)
def four_methods(monkeypatch):
    monkeypatch.setattr("arena_tui.screens.methods.overriding.read_methods", methods)


class Asked:
    """Stands in for the child process; remembers what it was asked for."""

    words: list

    def __init__(self, words, line, ended):
        Asked.words = words
        self.line, self.ended = line, ended

    def end(self):
        self.line("stopped")
        self.ended(143)


async def at_method(pilot, name):
    pilot.app.screen.query_one("#methods", Table).put_cursor(name)
    await settle(pilot)


async def test_a_child_is_shown_while_it_writes_and_when_it_ends():
    async with console_at(size=(120, 40), first="methods") as pilot:
        screen = pilot.app.screen
        screen._run(["tasks", "show", KORNS])
        await wait_for(pilot, lambda: screen._child is None)
        await settle(pilot)
        written = str(screen.query_one("#lines", Plain).content)
        assert written.startswith(f"$ arena-tui tasks show {KORNS}\n")
        assert "Korns-1" in written
        assert written.endswith("\ndone")
        assert "done" in text_of(pilot)


async def test_what_fails_is_told_with_its_exit_code():
    async with console_at(size=(120, 40), first="methods") as pilot:
        screen = pilot.app.screen
        screen._run(["methods", "install", "no-such-method"])
        await wait_for(pilot, lambda: screen._child is None)
        await settle(pilot)
        assert "exit code 2" in str(screen.query_one("#lines", Plain).content)
        assert any("no-such-method" in note.message for note in pilot.app._notifications)


async def test_a_licence_and_a_checkout_are_asked_for_first(monkeypatch):
    monkeypatch.setattr("arena_tui.screens.methods.screen.Child", Asked)
    async with console_at(size=(120, 40), first="methods") as pilot:
        await at_method(pilot, "gamma")
        await pilot.press("i")
        await settle(pilot)
        assert Asked.words == ["methods", "install", "gamma"]
        await pilot.press("i")
        await settle(pilot)
        assert any("one installation at a time" in note.message for note in pilot.app._notifications)
        await pilot.press("X")
        await settle(pilot)
        assert "exit code 143" in text_of(pilot)
        await at_method(pilot, "delta")
        await pilot.press("i")
        await settle(pilot)
        assert "folder or git address" in text_of(pilot)
        await pilot.press(*"here", "enter")
        await settle(pilot)
        assert "Do you accept it?" in text_of(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert Asked.words == ["methods", "install", "delta", "--source", "here", "--accept-licence"]


async def test_the_doctor_is_asked_and_answers_from_the_top(monkeypatch):
    found = {name: ("ready" if name == "alpha" else "broken", f"why {name}") for name in ("alpha", "beta")}
    monkeypatch.setattr("arena_tui.screens.methods.overriding.examine", lambda names: found)
    async with console_at(size=(120, 40), first="methods") as pilot:
        await pilot.press("H")
        await settle(pilot)
        shown = text_of(pilot)
        assert "alpha ready            why alpha" in shown
        assert "beta  broken           why beta" in shown
        assert pilot.app.screen.query_one("#methods", Table).get("beta").values["doctor"] == "broken"


async def test_leaving_ends_an_installation_and_nothing_else(monkeypatch):
    ended = []
    monkeypatch.setattr(installing.Child, "end", lambda self: ended.append(self._process.wait(60)))
    async with console_at(size=(80, 24), first="methods") as pilot:
        pilot.app.screen._run(["tasks", "show", KORNS])
        await pilot.press("q")
    assert ended == [0]


async def test_resume_starts_an_engine_for_the_open_campaign(mixed, monkeypatch):
    started = []
    monkeypatch.setattr(
        "arena_tui.starting.start", lambda words: started.append(list(words)) or "an engine has it"
    )
    async with console_at(size=(80, 24), campaign=mixed) as pilot:
        await pilot.press("R")
        await settle(pilot)
        assert started == [["run", str(mixed)]]
        assert any(note.message == "an engine has it" for note in pilot.app._notifications)
    assert control.pending(mixed) == ()
