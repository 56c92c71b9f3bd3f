"""The Paired screen: studies are found, tables and units are shown, a unit tells its path."""

from pathlib import Path

import pytest

from engine.reachability.records import PLAN, UnitKey, unit_file, write
from tests.arena_tui.screens.conftest import console, console_at, settle, text_of


def unit(task, arm, solved, status="ok"):
    record = {
        "schema": 1, "task": task, "name": {"g0001": "BPG0", "g0003": "BPG10"}[task],
        "domain": "bio_pop_growth", "seed": 0, "arm": arm, "status": status, "reason": None,
        "truth": "0.1*P**0.333 + 0.1*P",
        "truth_constants": "published", "proposals": None,
    }  # fmt: skip
    if arm != "bank":
        record["proposals"] = {
            "usable": 2, "proposed": 3, "reason": None, "source": {"demonstration": True},
            "dropped": [{"text": "__import__('os')", "reason": "the function '__import__' is not known"}],
        }  # fmt: skip
    if status == "no candidates":
        return record | {"reason": "0 of 3 usable"}
    return record | {
        "acc0.01": solved, "acc0.001": solved, "strict": solved, "id_nmse": 1.5e-12 if solved else 2.5e-3,
        "ood_nmse": 3.5e-11 if solved else None, "representable": "representable" if solved else "different",
        "representable_evidence": "equal to 60 digits at 72 points", "representable_here": "representable",
        "expression": "0.1*P + 0.1*[bold]P", "terms": [{}, {}], "stopped": "stop",
        "path": [{"added": "abs(x1)**a", "nmse": 1.0e-12, "tried": 10}],
        "pool": {"bank": 11, "proposed": 2, "shared": 0},
    }  # fmt: skip


@pytest.fixture
def study() -> Path:
    folder = Path.cwd() / "poly-study"
    plan = {
        "schema": 1,
        "library": {"title": "BANK-Poly"},
        "tasks": [
            {"id": "g0001", "name": "BPG0", "domain": "bio_pop_growth"},
            {"id": "g0003", "name": "BPG10", "domain": "bio_pop_growth"},
        ],
        "arms": ["bank", "llm-l1", "union-l1"],
        "seeds": [0],
    }
    write(folder / PLAN, plan)
    for task in ("g0001", "g0003"):
        for arm in plan["arms"]:
            status = "no candidates" if (task, arm) == ("g0001", "union-l1") else "ok"
            record = unit(task, arm, arm != "bank", status)
            write(unit_file(folder, UnitKey(task, 0, arm)), record)
    return folder


async def test_a_study_is_found_and_its_tables_are_shown(study):
    async with console_at((160, 48), first="paired") as pilot:
        shown = text_of(pilot)
        assert "poly-study" in shown
        assert "6/6" in shown
        assert "BANK-Poly: 2 tasks" in shown
        assert "UNION-L1" in shown


async def test_a_unit_tells_its_path_its_verdict_and_what_was_dropped(study):
    async with console_at((160, 48), first="paired") as pilot:
        await pilot.press("v")
        await settle(pilot)
        await pilot.press("slash", *"llm-l1", "enter", "down", "down")
        await settle(pilot)
        shown = text_of(pilot)
        assert "abs(x1)**a" in shown
        assert "[bold]P" in shown
        assert "written for demonstration" in shown
        assert "__import__" in shown


async def test_a_folder_without_a_study_is_one_sentence(tmp_path):
    async with console_at((120, 40), first="paired") as pilot:
        assert "no study below this folder" in text_of(pilot)
        await pilot.press("o", *str(tmp_path), "enter")
        await settle(pilot)
        assert any("holds no paired study" in told.message for told in pilot.app._notifications)


async def test_a_study_elsewhere_is_opened_and_remembered(study, monkeypatch, tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    monkeypatch.chdir(away)
    async with console_at((160, 48), first="paired") as pilot:
        assert "poly-study" not in text_of(pilot)
        await pilot.press("o", *str(study), "enter")
        await settle(pilot)
        assert "BANK-Poly: 2 tasks" in text_of(pilot)
    async with console_at((160, 48), first="paired") as pilot:
        assert "BANK-Poly: 2 tasks" in text_of(pilot)


@pytest.mark.parametrize("theme", ["arena-dark", "arena-colour-blind"])
@pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_paired_looks(snap_compare, study, size, theme):
    async def prepare(pilot):
        await settle(pilot)
        await pilot.press("v", "down")
        await settle(pilot)

    assert snap_compare(console(None, "paired", theme), terminal_size=size, run_before=prepare)
