"""Campaigns, Tasks and Methods by their keys: plan, select, change a setting, pick a panel of probes."""

import argparse
import json
from pathlib import Path

import pytest
from textual.widgets import Input

from arena_tui import starting
from arena_tui.commands.run_words import add_campaign_flags, draft_of
from arena_tui.screens.campaigns import plan
from arena_tui.screens.campaigns.form import NewCampaign
from arena_tui.screens.methods.probes import ProbePanel, read_candidates
from arena_tui.widgets.chart import ChartView
from arena_tui.widgets.expression import ExpressionView
from arena_tui.widgets.table import Table
from engine.errors import EngineError
from tasks import catalogue, locations, selections
from tests.arena_tui.screens.conftest import console_at, methods, settle, text_of
from tests.arena_tui.screens.made_campaigns import Plan, write

GOOD = {"out": "c", "methods": "bank,b=bank", "tasks": "Nguyen-1,Keijzer-2", "seeds": "520,521",
        "conditions": "clean,0.05", "preset": "", "budget": "20s", "interval": "5s", "workers": "2",
        "data": "", "target": "", "threads": "", "semantics": "no", "memory": "", "set": ""}  # fmt: skip


def test_a_good_plan_is_counted_and_written_as_a_command():
    verdict = plan.check(GOOD)
    assert verdict.good
    assert verdict.summary.startswith("16 runs, 64 checkpoints")
    assert starting.command_line(verdict.words) == (
        "arena-tui run --out c --methods bank,b=bank --tasks Nguyen-1,Keijzer-2 --seeds 520,521 "
        "--conditions clean,0.05 --budget 20s --interval 5s --workers 2"
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("methods", "bnk", "did you mean"), ("methods", "bank,bank", "twice"), ("tasks", "", "no task"),
        ("tasks", "Nguyen-99", "Nguyen-9"), ("seeds", "x", "whole number"), ("seeds", "4294967296", "below"),
        ("conditions", "loud", "unknown"),
        ("budget", "0", "longer than nothing"), ("interval", "30s", "longer than the budget"),
        ("workers", "0", "at least 1"), ("workers", "9", "starve"), ("memory", "2", "at least 16"),
        ("set", "bank", "LABEL.SETTING=VALUE"), ("set", "nobody.x=1", "no method"),
        ("preset", "huge", "unknown"), ("threads", "0", "positive whole number"),
        ("threads", "c=2", "no method"), ("threads", "3", "6 with all workers > 4 cores"),
        ("semantics", "maybe", "yes or no"), ("data", "none.csv", "no table none.csv"),
    ],
)  # fmt: skip
def test_each_wrong_field_is_told_apart(name, text, said):
    verdict = plan.check({**GOOD, name: text})
    assert verdict.notes[name].wrong
    assert said in verdict.notes[name].text
    assert not verdict.good


def test_a_table_of_ones_own_with_threads_and_semantics_is_written_as_a_command(monkeypatch):
    monkeypatch.setenv("HOME", str(Path.cwd()))
    Path("mine.csv").write_text("a,b,y\n" + "".join(f"{i},{i * i},{i + 1}\n" for i in range(20)))
    own = {**GOOD, "tasks": "", "data": "~/mine.csv", "target": "y", "threads": "1,b=2", "semantics": "yes"}
    verdict = plan.check(own)
    assert verdict.good
    assert verdict.notes["data"].text == "20 rows: a, b, y"
    assert verdict.notes["target"].text == "from a, b"
    assert verdict.notes["threads"].text == "bank 1, b 2"
    assert verdict.summary.startswith("8 runs")
    command = starting.command_line(verdict.words)
    assert f"--data {Path.cwd() / 'mine.csv'} --target y" in command
    assert "--threads 1,b=2 --semantics" in command
    flags = argparse.ArgumentParser()
    flags.add_argument("--out")
    add_campaign_flags(flags)
    draft = draft_of(flags.parse_args(verdict.words[1:]))
    assert (draft.tables[0].target, draft.semantics) == ("y", True)
    assert [entry.threads for entry in draft.methods] == [0, 2]
    assert plan.check({**own, "tasks": "Nguyen-1"}).summary.startswith("16 runs")


def test_a_table_and_its_target_go_together():
    Path("mine.csv").write_text("a,y\n1,2\n2,3\n3,4\n")
    assert "a, y" in plan.check({**GOOD, "data": "mine.csv"}).notes["target"].text
    assert "a, y" in plan.check({**GOOD, "data": "mine.csv", "target": "z"}).notes["target"].text
    assert plan.check({**GOOD, "target": "y"}).notes["data"].wrong
    Path("mine.csv").write_text("a,y\n1,2\n2,oops\n3,4\n")
    assert "oops" in plan.check({**GOOD, "data": "mine.csv", "target": "y"}).notes["data"].text
    Path("mine.csv").write_text("y\n1\n2\n3\n")
    assert plan.check({**GOOD, "data": "mine.csv", "target": "y"}).notes["target"].wrong


def test_a_folder_that_holds_a_campaign_is_refused(ended):
    assert plan.check({**GOOD, "out": str(ended)}).notes["out"].wrong


async def test_the_form_checks_while_one_types_and_starts_the_campaign(monkeypatch):
    started = []

    def start(words):
        started.append(words)
        write(Path.cwd() / "mine", Plan())
        return "running"

    monkeypatch.setattr(starting, "start", start)
    async with console_at(size=(120, 40)) as pilot:
        await pilot.press("n")
        await settle(pilot)
        form = pilot.app.screen
        assert isinstance(form, NewCampaign)
        for name, text in (("out", "mine"), ("methods", "bank"), ("tasks", "Nguyen-1")):
            form.query_one(f"#{name}", Input).value = text
        await settle(pilot)
        assert "1 runs, 12 checkpoints" in text_of(pilot)
        assert "$ arena-tui run --out mine --methods bank --tasks Nguyen-1" in text_of(pilot)
        await pilot.press("ctrl+s")
        await settle(pilot)
        await settle(pilot)
        assert pilot.app.screen.ROOM == "monitor"
        assert pilot.app.campaign == Path.cwd() / "mine"
    assert started[0][:3] == ("run", "--out", "mine")


async def test_a_refused_start_is_a_toast_and_the_form_stays(monkeypatch):
    def start(words):
        raise EngineError("the disk is full")

    monkeypatch.setattr(starting, "start", start)
    async with console_at(size=(120, 40)) as pilot:
        pilot.app.new_campaign(methods="bank", tasks="Nguyen-1")
        await settle(pilot)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert isinstance(pilot.app.screen, NewCampaign)
        assert any("disk is full" in note.message for note in pilot.app._notifications)


async def test_campaigns_lists_what_lies_here_and_opens_it(mixed, ended):
    async with console_at(size=(120, 40)) as pilot:
        table = pilot.app.screen.query_one(Table)
        states = {row: table.get(row).values["state"] for row in table.visible_keys}
        assert states == {str(mixed): "running", str(ended): "ended"}
        table.put_cursor(str(ended))
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.screen.ROOM == "monitor"
        assert pilot.app.campaign == ended


async def test_a_folder_is_opened_by_its_path_and_a_wrong_one_can_be_put_right(ended):
    async with console_at(size=(120, 40)) as pilot:
        await pilot.press("o")
        await settle(pilot)
        await pilot.press(*"nowhere", "enter")
        await settle(pilot)
        assert "nowhere holds no campaign.toml" in text_of(pilot).replace("\n", "")
        pilot.app.screen.query_one(Input).value = "all-done"
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.campaign == ended


async def test_a_broken_campaign_says_why(ended):
    (ended / "campaign.toml").write_text("[nonsense]\n")
    async with console_at(size=(120, 40)) as pilot:
        assert "broken" in text_of(pilot)


async def test_tasks_filter_detail_and_selection():
    async with console_at(size=(160, 48), first="tasks") as pilot:
        table = pilot.app.screen.query_one("#tasks", Table)
        assert table.total == len(catalogue.full())
        await pilot.press("slash", *"name:nguyen-", "enter")
        await settle(pilot)
        assert len(table.visible_keys) == 12
        task = catalogue.get(table.cursor)
        assert pilot.app.screen.query_one("#formula", ExpressionView).text == task.formula
        assert {line.name for line in pilot.app.screen.query_one(ChartView).chart.series} >= {"train", "id"}
        await pilot.press("space", "space", "w")
        await settle(pilot)
        await pilot.press(*"two", "enter")
        await settle(pilot)
        assert [member.id for member in selections.load("two")] == table.visible_keys[:2]
        await pilot.press("u", "l")
        await settle(pilot)
        assert "@two" in text_of(pilot) or "@core50" in text_of(pilot)


async def test_marked_tasks_go_into_the_form():
    async with console_at(first="tasks") as pilot:
        await pilot.press("space", "space", "n")
        await settle(pilot)
        ids = [task.id for task in catalogue.full()[:2]]
        assert pilot.app.screen.query_one("#tasks", Input).value == ",".join(ids)


async def test_a_setting_is_checked_remembered_and_goes_into_the_form(monkeypatch):
    monkeypatch.setattr("arena_tui.screens.methods.overriding.read_methods", methods)
    async with console_at(size=(140, 40), first="methods") as pilot:
        await pilot.press("v", "enter")
        await settle(pilot)
        typed = pilot.app.screen.query_one(Input)
        typed.value = "1"
        await pilot.press("enter")
        await settle(pilot)
        assert "✗" in text_of(pilot)
        assert "at least 2" in text_of(pilot)
        typed.value = "500"
        await pilot.press("enter")
        await settle(pilot)
        kept = json.loads((locations.config_folder() / "console.json").read_text())
        assert kept["methods.overrides"] == {"alpha": {"population_size": 500}}
        await pilot.press("n")
        await settle(pilot)
        assert pilot.app.screen.query_one("#set", Input).value == "alpha.population_size=500"


async def test_the_probe_panel_follows_the_choice_at_once(published):
    found = read_candidates(published("reference/calibration200_12methods.tsv"))
    async with console_at(size=(140, 40), first="methods") as pilot:
        pilot.app.screen._front("probes")
        panel = pilot.app.screen.query_one(ProbePanel)
        panel.load(found)
        panel.take_focus()
        await settle(pilot)
        shown = text_of(pilot)
        assert "0.971250" in shown
        assert "1 of 468 feasible" in shown
        panel.query_one(Table).put_cursor("imcts")
        await pilot.press("space")
        await settle(pilot)
        assert "chosen 3 of 4" in text_of(pilot)
        panel.query_one(Table).put_cursor("qlattice")
        await pilot.press("space")
        await settle(pilot)
        assert "0.969375" in text_of(pilot)
        assert "2 of 468 feasible" in text_of(pilot)
