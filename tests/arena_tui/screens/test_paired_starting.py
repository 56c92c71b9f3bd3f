"""A new study: the form checks while one types; the study is a process of its own that a key stops."""

import time
from pathlib import Path

import psutil
import pytest
from textual.widgets import Input

from arena_tui.screens.paired import sessions, study_plan
from engine.errors import EngineError
from engine.reachability.records import PLAN, units
from tests.arena_tui.screens import made_studies
from tests.arena_tui.screens.conftest import console_at, settle, text_of


async def settled(pilot):
    """Wait for the form's own questions too."""
    await settle(pilot)
    await settle(pilot)
    return " ".join(text_of(pilot).replace("│", " ").split())


def field(pilot, name):
    return pilot.app.screen.query_one(f"#{name}", Input)


def values(**typed):
    given = {line.name: line.value for line in study_plan.FIELDS} | {"out": "new", "tasks": "BPG10"}
    return given | {name.replace("_", "-"): text for name, text in typed.items()}


@pytest.fixture
def form(monkeypatch):
    monkeypatch.setattr(sessions, "running", dict)


async def test_the_form_checks_while_one_types_and_shows_the_command(form, monkeypatch):
    async with console_at((80, 24), first="paired") as pilot:
        copied = []
        monkeypatch.setattr(pilot.app, "copy", copied.append)
        await pilot.press("n")
        assert "no task is named" in await settled(pilot)
        await pilot.press(*"BPG0,PO10")
        field(pilot, "seeds").value = "0,one"
        shown = await settled(pilot)
        assert "2 tasks: BPG0, PO10" in shown
        assert "'one' is no whole number" in shown
        assert "to be put right: seeds, proposals" in shown
        field(pilot, "seeds").value = "0,1"
        field(pilot, "proposals").value = "demonstration"
        shown = await settled(pilot)
        assert "written by hand, no model's; answers 8 of 8 questions" in shown
        assert "2 tasks × 2 seeds × 5 arms = 20 units" in shown
        await pilot.press("ctrl+y")
        command = "arena-tui paired run --out study-1130-1000 --tasks BPG0,PO10 --seeds 0,1"
        assert copied == [f"{command} --proposals demonstration --workers 1"]
        await pilot.press("escape")
        assert "no study below this folder" in await settled(pilot)


async def test_what_is_wrong_is_said_and_nothing_is_started(form, monkeypatch):
    async with console_at((80, 24), first="paired") as pilot:
        monkeypatch.setattr(sessions, "start", lambda *_: pytest.fail("started"))
        await pilot.press("n", "ctrl+s")
        await settled(pilot)
        assert any("tasks: no task is named" in told.message for told in pilot.app._notifications)


@pytest.mark.parametrize(
    ("typed", "name", "says"),
    [
        ({"arms": "bank,llm-l3"}, "arms", "'llm-l3' is none of"),
        ({"library": "nowhere.toml"}, "library", "neither a library"),
        ({"proposals": "nowhere.jsonl"}, "proposals", "cannot be read"),
        ({"proposals": "demonstration", "tasks": "Nguyen-1"}, "proposals", "answers none of the 8 questions"),
        ({"proposals": "demonstration", "model": "claude-opus-5"}, "proposals", "not both"),
        ({"model": "claude-opus-5"}, "model", "set ANTHROPIC_API_KEY"),
        ({"model": "m", "base_url": "localhost"}, "base-url", "an address such as"),
        ({"max_calls": "some"}, "max-calls", "a whole number"),
        ({"price": "1"}, "price", "two numbers"),
        ({"workers": "9"}, "workers", "9 > 4 cores"),
        ({"kind": "other"}, "kind", "paired or knockout"),
        ({"out": "poly-study"}, "out", "holds a study with BANK-Poly"),
    ],
)
def test_each_field_says_what_is_wrong_with_it(typed, name, says, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    made_studies.paired(Path.cwd() / "poly-study")
    note = study_plan.check(values(**typed)).notes[name]
    assert note.wrong
    assert says in note.text


def test_a_study_at_rest_is_gone_on_with_as_it_was_started():
    folder = made_studies.paired(Path.cwd() / "poly-study")
    (folder / "proposals.jsonl").write_text(
        '{"task": "g0001", "seed": 0, "level": "l1", "answer": "x", "source": {"demonstration": true}}\n'
    )
    found = study_plan.values_of(folder, {"workers": "2", "max-calls": "7", "tasks": "BPG0"})
    assert (found["workers"], found["max-calls"]) == ("2", "7")
    assert found["proposals"] == "demonstration"
    verdict = study_plan.check(values() | found)
    assert verdict.good
    assert verdict.summary == "3 tasks × 2 seeds × 5 arms = 30 units, 30 of them on disk"
    assert verdict.words[:5] == ("paired", "run", "--out", "poly-study", "--tasks")


def test_a_knockout_asks_for_nothing_that_it_does_not_need():
    verdict = study_plan.check(values(kind="knockout", tasks=""))
    assert verdict.good
    assert verdict.summary == "15 tasks × 4 seeds × 3 arms = 180 units"
    assert verdict.words == ("paired", "knockout", "--out", "new", "--workers", "1")


async def test_what_was_typed_is_there_again_when_a_study_goes_on(form, monkeypatch):
    folder = made_studies.paired(Path.cwd() / "poly-study")
    monkeypatch.setattr(sessions, "start", lambda *_: "it runs")
    async with console_at((80, 24), first="paired") as pilot:
        await pilot.press("R")
        await settled(pilot)
        typed = {
            "library": "poly",
            "model": "stand-in",
            "base-url": "http://localhost:8000/v1",
            "workers": "2",
        }
        for name, text in typed.items():
            field(pilot, name).value = text
        await settled(pilot)
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert len(pilot.app.screen_stack) == 1
    async with console_at((80, 24), first="paired") as pilot:
        await pilot.press("R")
        await settled(pilot)
        assert {name: field(pilot, name).value for name in typed} == typed
        assert field(pilot, "out").value == folder.name


async def test_a_study_is_started_outlives_the_console_and_is_stopped_by_a_key():
    folder = Path.cwd() / "mine"
    async with console_at((80, 24), first="paired") as pilot:
        await pilot.press("n")
        await settled(pilot)
        for name, text in (("out", "mine"), ("tasks", "@lsr-synth"), ("arms", "bank"), ("seeds", "0,1,2,3")):
            field(pilot, name).value = text
        await settled(pilot)
        await pilot.press("ctrl+s")
        for _ in range(1200):
            await pilot.pause(0.05)
            if (folder / PLAN).exists() and len(pilot.app.screen_stack) == 1:
                break
    session = sessions.running()[folder.resolve()]
    assert psutil.Process(session.pid).is_running()
    async with console_at((80, 24), first="paired") as pilot:
        assert "▶ mine is running" in await settled(pilot)
        await pilot.press("R")
        await settled(pilot)
        assert any("running already" in told.message for told in pilot.app._notifications)
        await pilot.press("x", "y")
        for _ in range(400):
            await pilot.pause(0.05)
            if "at rest" in text_of(pilot):
                break
        assert "‖ mine is at rest" in await settled(pilot)
    assert folder.resolve() not in sessions.running()
    assert not psutil.pid_exists(session.pid) or psutil.Process(session.pid).status() == psutil.STATUS_ZOMBIE


def test_a_refusal_is_the_commands_own_sentence_and_leaves_nothing():
    words = ("paired", "run", "--tasks", "BPG10", "--arms", "llm-l1", "--seeds", "0", "--out", "refused")
    with pytest.raises(EngineError, match="these arms need proposals"):
        sessions.start(words, Path.cwd() / "refused")
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.slow
def test_a_small_study_runs_to_its_end_on_its_own():
    folder = Path.cwd() / "small"
    words = ("paired", "run", "--tasks", "BPG10", "--arms", "bank", "--seeds", "0", "--library", "poly")
    sessions.start((*words, "--workers", "1", "--out", "small"), folder)
    deadline = time.monotonic() + 120
    while folder.resolve() in sessions.running() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [unit["status"] for unit in units(folder)] == ["ok"]
    assert sessions.said(folder) == ""
