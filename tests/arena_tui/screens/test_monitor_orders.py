"""Orders as the Monitor shows them: what is asked before, and what the engine has heeded afterwards."""

import json
import time

from arena_tui.screens.monitor import orders
from arena_tui.screens.monitor.heeded import Heeded, Orders
from arena_tui.screens.monitor.progress import ProgressLine
from arena_tui.widgets.table import Table
from engine.running import control, journal, layout, lease, reader
from engine.running.records import RunKey
from tests.arena_tui.screens.conftest import KEIJZER, KORNS, NGUYEN, console_at, settle, text_of, wait_for
from tests.arena_tui.screens.made_campaigns import Plan, result

PLANNED, OTHER = f"bank/{KORNS}/521", f"gplearn/{KORNS}/521"


def begin(folder):
    """Write that the engine of the made campaign has started now, after all that was heeded before."""
    before = journal.now()
    while journal.now() == before:
        time.sleep(0.001)
    line = json.dumps({"at": journal.now(), "event": "engine-started", "workers": 1})
    (folder / "events-elsewhere-4242.jsonl").write_text(line + "\n")


def heed(folder, action, runs):
    control.acknowledge(folder, control.ask(folder, action, runs), runs)


async def test_a_drain_and_a_dropped_run_are_seen(mixed):
    begin(mixed)
    async with console_at(size=(80, 24), campaign=mixed) as pilot:
        screen = pilot.app.screen
        table = screen.query_one("#table", Table)
        assert table.get(PLANNED).values["status"] == "planned"
        heed(mixed, "stop", [PLANNED])
        heed(mixed, "drain", [OTHER])
        screen._feed.hurry()
        await wait_for(pilot, lambda: table.get(PLANNED).values["status"] == "dropped")
        assert table.get(OTHER).values["status"] == "planned"
        assert "draining: nothing new starts" in str(screen.query_one(ProgressLine).content)
        await pilot.press("slash", *"status:dropped", "enter")
        await settle(pilot)
        assert table.visible_keys == [PLANNED]
        assert "dropped" in text_of(pilot)


def test_what_an_earlier_engine_heeded_is_over(mixed):
    heed(mixed, "drain", [PLANNED])
    heed(mixed, "stop", [OTHER])
    begin(mixed)
    seen, owner = Orders(mixed), lease.owner(mixed)
    assert seen.look(owner) == Heeded()
    heed(mixed, "stop", [OTHER, PLANNED])
    heed(mixed, "retry", [OTHER])
    assert seen.look(owner) == Heeded(dropped=frozenset([PLANNED]))
    assert seen.look(None) == Heeded()


def test_the_question_tells_running_runs_from_planned_ones(mixed):
    runs = {run.id: run for run in reader.read_campaign(mixed).runs}
    running, planned = runs[f"gplearn/{NGUYEN}/520"], runs[PLANNED]
    both = orders.sentence("stop", [running, runs[f"gplearn/{KEIJZER}/520"], planned])
    assert "End these 2 runs now?" in both
    assert "Take this planned run off the list?" in both
    assert "cannot be undone" not in orders.sentence("stop", [planned])
    assert "off the list" not in orders.sentence("stop", [running])
    many = orders.sentence("retry", list(runs.values()))
    assert "these 18 runs" in many
    assert "and 12 more" in many


def crash(folder, task, name):
    key = RunKey("gplearn", task, 520)
    record = result(Plan(), key, "crashed", name, [], "x1", "x0")
    (layout.attempt_folder(folder, key, 1) / layout.RESULT).write_text(json.dumps(record))


async def test_a_failure_rings_and_asks_the_terminal_to_notify(mixed, monkeypatch):
    rung, notified = [], []
    async with console_at(size=(80, 24), campaign=mixed) as pilot:
        monkeypatch.setattr(pilot.app, "bell", lambda: rung.append(True))
        monkeypatch.setattr(pilot.app, "notify_terminal", notified.append)
        crash(mixed, NGUYEN, "Nguyen-1")
        pilot.app.screen._feed.hurry()
        await wait_for(pilot, lambda: len(notified) > 0)
        assert notified[0].startswith(f"gplearn/{NGUYEN}/520 Nguyen-1: ")
        assert rung == [True]
        await pilot.press("N")
        crash(mixed, KEIJZER, "Keijzer-2")
        pilot.app.screen._feed.hurry()
        table = pilot.app.screen.query_one("#table", Table)
        await wait_for(pilot, lambda: table.get(f"gplearn/{KEIJZER}/520").values["status"] == "crashed")
        await settle(pilot)
        assert len(notified) == 1
