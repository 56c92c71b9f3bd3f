"""The Paired screen: studies are found, followed while they are searched, and read view by view."""

from pathlib import Path

import pytest

from arena_tui.screens.paired import sessions
from arena_tui.screens.paired.sessions import Session
from engine.reachability.records import UnitKey, unit_file, write
from tests.arena_tui.screens import made_studies
from tests.arena_tui.screens.conftest import NOON, console_at, settle, text_of


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


def line_of(shown, word):
    return next(" ".join(line.split()) for line in shown.splitlines() if word in line)


async def test_a_study_is_found_and_its_outcomes_stand_by_arm_metric_and_domain(study):
    async with console_at((160, 48), first="paired") as pilot:
        shown = text_of(pilot)
        assert "poly-study" in shown
        assert "30 of 30 units" in shown
        assert "UNION-L1 50.00 ± 16.67" in line_of(shown, "UNION-L1 ")
        assert "BANK" in line_of(shown, "ΔL1")
        assert "bio_pop_growth 2 1.00 1.00 0.50 1.50 1.00 +0.50 0.00" in line_of(shown, "bio_pop")
        assert "total 3 1.50" in line_of(shown, "total")
        assert "Acc0.01" in shown
        assert "Strict ID+OOD" in await press(pilot, "m", "m")


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_a_person_reads_a_bank_union_table(study, size):
    async with console_at(size, first="paired") as pilot:
        shown = await press(pilot, "enter", "v")
        assert "Four cells · Acc0.01 · L1" in shown
        # Of what only BANK solved (BPG0 in seed 1, PO10 in seed 1) UNION keeps one.
        assert "BANK correct 1 UNION 1/1 2 UNION 1/2" in line_of(shown, "BANK correct")
        assert "BANK incorrect 1 UNION 1/1 2 UNION 0/2" in line_of(shown, "BANK incorrect")
        assert "BPG10 0 LLM only ✓" in line_of(shown, "LLM only")
        shown = await press(pilot, "v")
        assert "net 0 (0.00 per seed): 1 gained, 1 lost, 4 the same" in " ".join(shown.split())
        assert "BPG10 +1 0 – 1" in line_of(shown, "BPG10")
        assert "PO10 -1 – 1 1" in line_of(shown, "PO10")
        assert "delta_prior = UNION-L2" in await press(pilot, "l")
        shown = await press(pilot, "v")
        assert "Retention" in shown
        assert "correct incorrect 50.0 (1/2)" in line_of(shown, "50.0 (1/2)")


async def test_filters_narrow_the_cells(study):
    async with console_at((120, 40), first="paired") as pilot:
        shown = await press(pilot, "enter", "v", "slash", *"cell:bank", "enter")
        assert "2 of 6" in shown
        assert "neither" not in shown


async def test_a_unit_tells_its_path_its_verdict_and_what_was_dropped(study):
    async with console_at((160, 48), first="paired") as pilot:
        shown = await press(pilot, "slash", *"llm-l1", "enter", "down")
        assert "Units" in shown
        assert "x1**a" in shown
        assert "[bold]P" in shown
        assert "written for demonstration" in shown
        assert "__import__" in shown


async def test_every_table_of_the_report_is_there_and_is_copied_whole(study, monkeypatch):
    async with console_at((80, 24), first="paired") as pilot:
        copied = []
        monkeypatch.setattr(pilot.app, "copy", copied.append)
        await press(pilot, "V", "c")
        assert "1/6" not in text_of(pilot)
        assert "All tables" in text_of(pilot)
        for word in ("table 2", "table 3", "table 8", "table 13", "eqs. 5, 6", "UNION-L1 - BANK"):
            assert word in copied[0]


async def test_the_tables_are_written_for_a_paper(study):
    async with console_at((80, 24), first="paired") as pilot:
        await press(pilot, "e")
        told = [one.message for one in pilot.app._notifications]
        assert any("Parquet and LaTeX, in poly-study/tables" in text for text in told)
    assert "UNION-L1" in (study / "tables" / "rates.tex").read_text()


async def test_a_knockout_shows_its_effect_and_its_cells(study):
    made_studies.knockout(Path.cwd() / "a-knockout")
    async with console_at((80, 24), first="paired") as pilot:
        shown = text_of(pilot)
        assert "SHAM - TARGET" in shown
        assert "+66.7" in shown
        shown = await press(pilot, "enter", "v")
        assert "of 6 cells that the full library solves, 4 are lost" in " ".join(shown.split())
        assert "PO10 0 fractional power ✓ ✗ ✓" in line_of(shown, "PO10")
        shown = await press(pilot, "enter")
        assert "FULL" in line_of(shown, "TARGET-KO")
        assert "SHAM-KO" in line_of(shown, "TARGET-KO")


async def test_a_study_that_is_searched_is_followed(study, monkeypatch):
    monkeypatch.setattr(sessions, "running", lambda: {study: Session(1, NOON)})
    task = made_studies.TASKS[2]
    for arm in made_studies.ARMS:
        unit_file(study, UnitKey(task.id, 1, arm)).unlink()
    async with console_at((120, 40), first="paired") as pilot:
        shown = text_of(pilot)
        assert "25/30 ▶" in line_of(shown, "▶ ")
        assert "is running: 25 of 30 units" in shown
        assert "5/6" in line_of(shown, "UNION-L2 ")
        for arm in made_studies.ARMS:
            write(unit_file(study, UnitKey(task.id, 1, arm)), made_studies.unit(task, 1, arm, solved=True))
        monkeypatch.setattr(sessions, "running", dict)
        pilot.app.screen._hurry()
        for _ in range(100):
            await settle(pilot)
            if "6/6" in text_of(pilot):
                break
            await pilot.pause(0.05)
        shown = text_of(pilot)
        assert "✓ poly-study: 30 of 30 units" in shown
        told = [one.message for one in pilot.app._notifications]
        assert "poly-study is finished: 30 units" in told
        assert "6/6" in line_of(shown, "UNION-L2 ")


async def test_a_file_of_the_same_name_is_no_study_and_a_damaged_unit_is_not_counted_as_solved(study):
    other = Path.cwd() / "other"
    other.mkdir()
    (other / "paired.json").write_text('{"arms": "none of ours"}')
    unit_file(study, UnitKey(made_studies.TASKS[0].id, 0, "bank")).write_text('{"schema": 1, "task"')
    async with console_at((120, 40), first="paired") as pilot:
        shown = text_of(pilot)
        assert "other" not in shown
        assert "5/6" in line_of(shown, "BANK  ")
        assert not pilot.app._notifications


async def test_a_folder_without_a_study_is_one_sentence(tmp_path):
    async with console_at((120, 40), first="paired") as pilot:
        assert "no study below this folder" in text_of(pilot)
        await press(pilot, "v", "m", "l", "enter", "x", "R", "w", "c", "y")
        await press(pilot, "o", *str(tmp_path), "enter")
        assert any("holds no paired study" in told.message for told in pilot.app._notifications)


async def test_a_study_elsewhere_is_opened_and_remembered(study, monkeypatch, tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    monkeypatch.chdir(away)
    async with console_at((160, 48), first="paired") as pilot:
        assert "poly-study" not in text_of(pilot)
        await pilot.press("o", *str(study), "enter")
        for _ in range(100):
            await settle(pilot)
            if "UNION-L1" in text_of(pilot):
                break
            await pilot.pause(0.05)
        assert "UNION-L1" in text_of(pilot)
    async with console_at((160, 48), first="paired") as pilot:
        assert "UNION-L1" in text_of(pilot)
