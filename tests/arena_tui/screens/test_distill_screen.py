import asyncio
import dataclasses
import functools
from pathlib import Path

import pytest
from textual.widgets import Input

from arena_tui.screens.distill import demand
from arena_tui.screens.distill.solving import Solving
from arena_tui.widgets.table import Table
from engine.distilling.fidelity import random_reference
from engine.distilling.manifest import core_document, write_json
from engine.distilling.problem import Demand, pose
from engine.distilling.selection import select
from engine.distilling.tables import write_table
from engine.errors import EngineError
from tasks import catalogue, locations, selections
from tests.arena_tui.screens.conftest import console, console_at, settle, text_of
from tests.engine.distilling.distilling_pools import response_frame, small_pool

SIZES = [(80, 24), (160, 48)]
LOOSE = ("family", "difficulty", "limited", "failure", "winner", "subgroup")


@functools.cache
def made_manifest(size):
    """A manifest as the command writes it, of a small made-up pool."""
    pool = small_pool(40)
    problem = pose(pool, Demand(size=size, delta=0.8, without=LOOSE))
    found = dataclasses.replace(select(problem, seconds=200, starts=2), seconds=1.0, cpu_seconds=1.0)
    return core_document(problem, found, random_reference(pool.responses, size, 2000), {})


def keep_one(name="first", size=8):
    """Leave a manifest as the command does."""
    document = made_manifest(size)
    write_json(locations.data_folder() / "distilled" / f"{name}.json", document)
    return document


@pytest.fixture
def responses() -> Path:
    """Responses of four made-up probes on 60 catalogue tasks."""
    ids = [task.id for task in catalogue.full()][:600:10]
    frame = response_frame(60)
    place = {f"t{k:04d}": task for k, task in enumerate(ids)}
    frame["task_id"] = frame["task_id"].map(place)
    path = Path.cwd() / "responses.tsv"
    write_table(frame, path)
    return path


VIEWS = {"facts": 0, "members": 1, "constraints": 2, "cloud": 4}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    ("view", "theme"),
    [
        ("facts", "arena-dark"),
        ("facts", "arena-colour-blind"),
        *((view, "arena-dark") for view in list(VIEWS)[1:]),
    ],
)
def test_views(snap_compare, view, size, theme):
    keep_one()
    presses = VIEWS[view]

    async def prepare(pilot):
        await settle(pilot)
        await pilot.press(*["v"] * presses)
        await settle(pilot)

    assert snap_compare(console(None, "distill", theme), terminal_size=size, run_before=prepare)


async def test_nothing_distilled_yet():
    async with console_at((100, 30), first="distill") as pilot:
        assert "nothing distilled yet" in text_of(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert isinstance(pilot.app.focused, Input)
        assert pilot.app.focused.id == "responses"


async def test_the_figures_of_a_selection_are_shown():
    document = keep_one()
    async with console_at((160, 48), first="distill") as pilot:
        text = text_of(pilot)
        assert f"{document['J']:.6f}" in text
        assert f"{document['mae']:.4f}" in text
        assert "all met" in text
        await pilot.press("v")
        await settle(pilot)
        table = pilot.app.screen.query_one("#members", Table)
        assert table.visible_keys == document["members"]


async def test_a_selection_runs_is_watched_and_is_saved(responses):
    async with console_at((160, 48), first="distill") as pilot:
        screen = pilot.app.screen
        screen.query_one("#responses", Input).value = str(responses)
        screen.query_one("#size", Input).value = "6"
        screen.query_one("#name", Input).value = "mini"
        # The made-up pool has none of the paper's quotas; the form has no field for leaving them out.
        words = [*demand.words(screen._values()), "--fidelity", "off", "--without", ",".join(LOOSE)]
        await run_words(pilot, words)
        assert "saved as @mini" in text_of(pilot)
        assert len(selections.load("mini")) == 6
        assert screen.query_one("#shelf", Table).cursor == "mini"
        assert screen._steps[-1].bound >= screen._steps[-1].incumbent - 1e-9


async def run_words(pilot, words):
    from arena_tui.screens.distill import screen as module

    original = module.demand.words
    module.demand.words = lambda values: words
    try:
        await pilot.press("r")
        for _ in range(600):
            await asyncio.sleep(0.1)
            if pilot.app.screen._solving is None:
                break
        await settle(pilot)
    finally:
        module.demand.words = original


async def test_a_refusal_is_one_sentence(responses):
    async with console_at((160, 48), first="distill") as pilot:
        screen = pilot.app.screen
        screen.query_one("#responses", Input).value = str(responses)
        await run_words(pilot, ["distill", "core", "--responses", str(responses), "--size", "61"])
        assert screen._solving is None
        notes = [note.message for note in pilot.app._notifications]
        assert any("size 61 is larger than the pool: 60 tasks can be selected" in note for note in notes)


def test_a_stopped_selection_leaves_no_process_and_saves_nothing(responses, arena_home):
    solving = Solving(["distill", "core", "--responses", str(responses), "--size", "6", "--time", "100s"])
    solving.stop()
    with pytest.raises(EngineError, match="stopped; nothing was saved"):
        solving.run(lambda step: None)
    assert solving._process.poll() is not None
    assert "distilled6" not in selections.names()


def test_a_result_larger_than_a_pipe_arrives(monkeypatch, tmp_path):
    # A stand-in for the interpreter that writes 200 kB to stdout before it closes stderr.
    speaker = tmp_path / "speaker"
    speaker.write_text("#!/bin/sh\nprintf '\"'; head -c 200000 /dev/zero | tr '\\0' a; printf '\"'\n")
    speaker.chmod(0o755)
    monkeypatch.setattr("arena_tui.screens.distill.solving.sys.executable", str(speaker))
    assert len(Solving(["distill", "core"]).run(lambda step: None)) == 200_000
