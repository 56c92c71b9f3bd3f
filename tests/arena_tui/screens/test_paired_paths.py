"""The drill-down: the greedy paths of BANK, LLM and UNION side by side."""

from pathlib import Path

import pytest

from arena_tui.screens.paired import sessions
from engine.reachability.records import UnitKey, unit_file, write
from tests.arena_tui.screens import made_studies
from tests.arena_tui.screens.conftest import console_at, settle, text_of


@pytest.fixture(autouse=True)
def nobody_searches(monkeypatch):
    """Studies of this machine's other users are none of a test's business."""
    monkeypatch.setattr(sessions, "running", dict)


@pytest.fixture
def study() -> Path:
    return made_studies.paired(Path.cwd() / "poly-study")


async def press(pilot, *keys):
    await pilot.press(*keys)
    await settle(pilot)
    return text_of(pilot)


def cells_of(shown, word):
    """The columns of the first line with a word."""
    line = next(line for line in shown.splitlines() if word in line)
    return [" ".join(cell.strip(" │▁▂▃▄▅▆▇█").split()) for cell in line.split(" │ ")]


async def opened(pilot):
    """From the list of studies to the paths of the first gain: BPG10 in seed 0."""
    return await press(pilot, "enter", "v", "v", "enter")


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_paths_stand_side_by_side_and_say_where_they_part(study, size):
    async with console_at(size, first="paired") as pilot:
        shown = await opened(pilot)
        assert "BPG10, seed 0 · L1 · bio_pop_growth · 1 of 2" in shown
        assert cells_of(shown, "LLM-L1") == ["▸ BANK", "LLM-L1", "UNION-L1"]
        assert "◆ LLM parts from BANK and UNION" in shown
        assert cells_of(shown, "+ t*P") == ["+ t*P", "+ P**a", "+ t*P"]
        assert cells_of(shown, "a = 0.25") == ["NMSE 5.00e-01", "a = 0.25", "NMSE 5.00e-01"]
        everything = shown + "".join([await press(pilot, "pagedown") for _ in range(3)])
        assert "◆ BANK and UNION part" in everything
        assert "→ 0.5 in the end" in everything
        assert "proposed only" in everything
        assert "= LLM round 1" in everything
        assert "no round is left" in everything


async def test_a_formula_is_copied_with_all_digits_whichever_are_shown(study, monkeypatch):
    async with console_at((80, 24), first="paired") as pilot:
        copied = []
        monkeypatch.setattr(pilot.app, "copy", copied.append)
        await opened(pilot)
        shown = await press(pilot, "right", "right", "c")
        assert copied == [made_studies.FORMULA]
        assert cells_of(shown, "LLM-L1")[2] == "▸ UNION-L1"
        await press(pilot, "y")
        assert "a = 0.3333333333333423" in copied[1]
        assert "◆ LLM parts from BANK and UNION" in copied[1]
        assert f"UNION-L1 = {made_studies.FORMULA}" in copied[1]
        for _ in range(3):
            if pilot.app.look.digits is not None:
                await press(pilot, "full_stop")
        shown = "".join([await press(pilot, "pagedown") for _ in range(3)])
        assert "0.3333333333333423" in shown


async def test_next_previous_level_and_back(study):
    async with console_at((80, 24), first="paired") as pilot:
        await opened(pilot)
        assert "PO10, seed 1 · L1 · phys_osc · 2 of 2" in await press(pilot, "n")
        shown = await press(pilot, "l")
        assert "PO10, seed 1 · L2" in shown
        assert cells_of(shown, "LLM-L2") == ["▸ BANK", "LLM-L2", "UNION-L2"]
        shown = shown + await press(pilot, "pagedown") + await press(pilot, "pagedown")
        assert "BANK = UNION (the same path to the end)" in shown
        assert "BPG10, seed 0" in await press(pilot, "p")
        assert "Gains and losses" in await press(pilot, "escape")


async def test_help_tells_the_keys_of_the_paths(study):
    async with console_at((100, 40), first="paired") as pilot:
        await opened(pilot)
        shown = await press(pilot, "question_mark")
        assert "Copy formula" in shown
        assert "Next arm" in shown


async def test_an_arm_that_failed_found_nothing_or_did_not_run_says_so(study):
    task = made_studies.TASKS[1]
    place = {arm: unit_file(study, UnitKey(task.id, 0, arm)) for arm in made_studies.ARMS}
    place["bank"].unlink()
    failed = made_studies.unit(task, 0, "llm-l1", solved=False)
    for part in ("path", "terms", "expression", "pool"):
        del failed[part]
    write(place["llm-l1"], failed | {"status": "no candidates", "reason": "0 of 3 usable"})
    async with console_at((80, 24), first="paired") as pilot:
        shown = await press(pilot, "slash", *"BPG10", "enter", "enter")
        assert cells_of(shown, "not run")[:2] == ["not run", "no candidates: 0 of 3"]
        assert "round 1" in shown


@pytest.mark.parametrize("width", [40, 60])
async def test_on_a_small_screen_arms_stand_under_one_another_and_nothing_is_cut(study, width):
    async with console_at((width, 40), first="paired") as pilot:
        shown = await opened(pilot)
        shown += await press(pilot, "pagedown") + await press(pilot, "pagedown")
        for word in ("▸ BANK", "UNION-L1", "+ P**a", "parts from BANK", "0.3333"):
            assert word in shown
        assert "…" not in shown
