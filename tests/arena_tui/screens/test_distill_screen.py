import asyncio
import dataclasses
import functools
from pathlib import Path

import pytest
from textual.widgets import Input

from arena_tui.screens.distill import demand, rows
from arena_tui.screens.distill.solving import Clashing, Solving, Step
from arena_tui.widgets.table import Table
from engine.distilling.comparison import compare
from engine.distilling.fidelity import random_reference
from engine.distilling.manifest import core_document, keep_comparison, write_json
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
def made_problem(size):
    return pose(small_pool(40), Demand(size=size, delta=0.8, without=LOOSE))


@functools.cache
def made_manifest(size):
    """A manifest as the command writes it, of a small made-up pool."""
    problem = made_problem(size)
    found = dataclasses.replace(select(problem, seconds=200, starts=2), seconds=1.0, cpu_seconds=1.0)
    reference = random_reference(problem.pool.responses, size, 2000)
    made = core_document(problem, found, reference, {})
    return {**made, "command": ["distill", "core", "--responses", "/data/gone.tsv", "--size", str(size)]}


@functools.cache
def made_comparison(size):
    """How it compares, as ``distill compare`` writes it."""
    made = made_manifest(size)
    others = {"@core50": ["t0003", *made["members"][:3], "t0030", "elsewhere"], "@second": ["t0001", "t0009"]}
    found = compare(made_problem(size), "@first", made["members"], others, 0)
    return {**found, "members_sha256": made["members_sha256"]}


def keep_one(name="first", size=8):
    """Leave a manifest and a comparison as the commands do."""
    document = made_manifest(size)
    write_json(locations.data_folder() / "distilled" / f"{name}.json", document)
    keep_comparison(name, made_comparison(size))
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


VIEWS = ("facts", "members", "constraints", "map", "cloud", "balance", "fidelity", "beside")
THEMES = ["arena-dark", pytest.param("arena-colour-blind", marks=pytest.mark.slow)]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("view", VIEWS)
def test_views(snap_compare, view, size, theme):
    keep_one()

    async def prepare(pilot):
        await settle(pilot)
        pilot.app.screen._views.front(view)
        await settle(pilot)

    assert snap_compare(console(None, "distill", theme), terminal_size=size, run_before=prepare)


STEPS = [
    Step(2.0, "swaps, start 1 of 12", 0.671, 0.91),
    Step(4.0, "swaps, start 2 of 12", 0.6745, 0.91),
    Step(9.0, "cutting planes", 0.6745, 0.681),
    Step(30.0, "branching", 0.6771, 0.6797),
]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("how", ["running", "refused"])
def test_search(snap_compare, how, size, theme):
    keep_one()

    async def prepare(pilot):
        await settle(pilot)
        views = pilot.app.screen._views
        views.front("search")
        if how == "running":
            views.show_search(rows.progress(STEPS[-1], 31.0, "120s"), STEPS)
        else:
            clash = Clashing(("exactly 600 tasks", "36 to 240 tasks won by udsr"), ("winner",))
            views.show_search(rows.refusal("", clash), ())
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
        assert any(note.message == "saved as @mini" for note in pilot.app._notifications)
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
