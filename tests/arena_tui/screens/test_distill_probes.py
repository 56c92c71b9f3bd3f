"""The probe panel of the Methods screen: usability, a panel of four by keys, its U, the paradigm rule."""

from pathlib import Path

import pandas as pd
import pytest
from textual.widgets import Input

from arena_tui.screens.methods.probes import ProbePanel, read_candidates
from arena_tui.widgets.table import Table
from engine.distilling.tables import write_table
from tests.arena_tui.screens.conftest import console, console_at, methods, settle, text_of
from tests.arena_tui.screens.made_campaigns import Plan, write

SIZES = [(80, 24), pytest.param((160, 48), marks=pytest.mark.slow)]
THEMES = ["arena-dark", pytest.param("arena-colour-blind", marks=pytest.mark.slow)]
# By label: of four tasks, how many have a finite result, and how many of these explode.
RECORDS = {
    "dso": (4, 0),
    "udsr": (4, 1),
    "imcts": (3, 0),
    "pyoperon": (4, 2),
    "gplearn": (3, 1),
}


@pytest.fixture
def runs() -> Path:
    """One run of five candidates on each of four tasks."""
    rows = []
    for method, (finite, exploded) in RECORDS.items():
        for task in range(4):
            error = None if task >= finite else 1000.0 if task < exploded else 0.01
            rows.append(
                {"task_id": f"t{task}", "method": method, "family": "made", "seed": 1}
                | {f"{split}_nmse": error for split in ("train", "id", "ood")}
            )
    path = Path.cwd() / "runs.tsv"
    write_table(pd.DataFrame(rows), path)
    return path


async def open_probes(pilot, runs):
    """Go the way a person goes: the pane, the key for records, the path."""
    await pilot.press("v", "v")
    await pilot.press("b")
    await settle(pilot)
    pilot.app.screen.query_one(Input).value = str(runs)
    await pilot.press("enter")
    await settle(pilot)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_look(snap_compare, runs, monkeypatch, size, theme):
    monkeypatch.setattr("arena_tui.screens.methods.overriding.read_methods", methods)

    async def prepare(pilot):
        await settle(pilot)
        await open_probes(pilot, runs)

    assert snap_compare(console(None, "methods", theme), terminal_size=size, run_before=prepare)


async def test_a_panel_is_picked_by_keys_and_a_campaign_planned_of_it(runs):
    async with console_at((80, 24), first="methods") as pilot:
        await open_probes(pilot, runs)
        panel = pilot.app.screen.query_one(ProbePanel)
        shown = text_of(pilot)
        assert "✓ 3 of at least 3: evolutionary, neural policy, structured" in shown
        # H: dso 1, udsr 7/8, imcts 7/8, pyoperon 3/4, gplearn 3/4.
        assert "0.875000 (7/8)" in shown
        assert panel.members == ["dso", "gplearn", "imcts", "udsr"]
        assert "1 of 4 feasible" in shown

        panel.query_one(Table).put_cursor("imcts")
        await pilot.press("space")
        await settle(pilot)
        assert "chosen 3 of 4, mean H 0.875000" in text_of(pilot)
        panel.query_one(Table).put_cursor("pyoperon")
        await pilot.press("space")
        await settle(pilot)
        shown = text_of(pilot)
        assert "✗ 2 of at least 3: evolutionary, neural policy" in shown
        assert "not feasible: too few paradigms" in shown

        await pilot.press("n")
        await settle(pilot)
        assert pilot.app.screen.query_one("#methods", Input).value == "dso,gplearn,pyoperon,udsr"


async def test_a_list_can_be_read_to_its_end_in_a_small_terminal(runs):
    async with console_at((80, 24), first="methods") as pilot:
        await open_probes(pilot, runs)
        await pilot.press("tab", "end")
        await settle(pilot)
        assert "an error over 100" in text_of(pilot)


def test_too_few_candidates_for_a_panel_still_show_their_usability():
    plan = Plan(methods=("bank", "gplearn"), tasks=("Nguyen-1",), seeds=(520,))
    found = read_candidates(write(Path.cwd() / "few", plan))
    assert found.ranking.panels == ()
    assert found.paradigms == {"bank": "library", "gplearn": "evolutionary"}
    assert set(found.H) == {"bank", "gplearn"}
