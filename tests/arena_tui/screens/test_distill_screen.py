import asyncio
import dataclasses
import functools
from pathlib import Path

import pytest
from textual.widgets import Input

from arena_tui.commands import distill_report
from arena_tui.screens.distill import rows
from arena_tui.screens.distill.form import DemandForm
from arena_tui.screens.distill.solving import Clashing, Solving, Step
from arena_tui.widgets.table import Table
from engine.distilling import sensitivity
from engine.distilling.comparison import compare
from engine.distilling.fidelity import random_reference
from engine.distilling.manifest import COMPARED, WEIGHED, core_document, keep_study, write_json
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


@functools.cache
def made_weighing(size):
    """How it depends on the weights, as ``distill sensitivity`` writes it."""
    made, problem = made_manifest(size), made_problem(size)
    default = problem.pool.places(made["members"])
    restarts = sensitivity.restart_all(problem, 0, 1)
    single = sensitivity.single_rows(problem.pool, default, restarts)
    joint = sensitivity.joint(problem, default, restarts, 0, 60)
    found = distill_report.sensitivity(made["members"], single, joint, 0)
    return {**found, "members_sha256": made["members_sha256"]}


def keep_one(name="first", size=8):
    """Leave a manifest and a comparison as the commands do."""
    document = made_manifest(size)
    write_json(locations.data_folder() / "distilled" / f"{name}.json", document)
    keep_study(COMPARED, name, made_comparison(size))
    keep_study(WEIGHED, name, made_weighing(size))
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


VIEWS = ("facts", "members", "constraints", "map", "cloud", "balance", "fidelity", "beside", "weights")


def looks(names):
    """Each of these in two sizes and themes; wide or colour-blind ones are mostly left to the slow tests."""
    for name in names:
        for size in SIZES:
            for theme in ("arena-dark", "arena-colour-blind"):
                slow = theme != "arena-dark" or (size != SIZES[0] and name not in ("map", "beside"))
                marks = [pytest.mark.slow] if slow else []
                yield pytest.param(name, size, theme, id=f"{name}-{size[0]}x{size[1]}-{theme}", marks=marks)


@pytest.mark.parametrize(("view", "size", "theme"), list(looks(VIEWS)))
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


@pytest.mark.parametrize(("how", "size", "theme"), list(looks(("running", "refused"))))
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


async def type_over(pilot, text):
    await pilot.press("ctrl+u", *text)


async def child_ended(pilot, busy):
    """Wait until a child process has ended and the screen has heard of it."""
    for _ in range(1200):
        await asyncio.sleep(0.1)
        if not busy():
            break
    await settle(pilot)


async def test_a_selection_is_asked_for_by_keys_runs_while_one_is_elsewhere_and_is_measured(responses):
    async with console_at((160, 48), first="distill") as pilot:
        screen = pilot.app.screen
        await pilot.press("e")
        screen.query_one("#responses", Input).value = str(responses)
        await settle(pilot)
        assert "60 tasks, 4 probes: alpha, beta, delta, gamma" in text_of(pilot)
        # After the responses: labels, size, weights, fidelity, within, without, time, seed, name.
        await pilot.press("tab", "tab")
        await type_over(pilot, "6x")
        assert "'6x' is not a whole number" in text_of(pilot)
        await type_over(pilot, "6")
        await pilot.press("tab", "tab")
        await type_over(pilot, "off")
        screen.query_one("#without", Input).value = ",".join(LOOSE)
        await pilot.press("tab", "tab", "tab", "tab", "tab")
        await type_over(pilot, "mini")
        await pilot.press("enter")
        await pilot.pause()
        assert "s of 120s" in text_of(pilot)
        await pilot.press("3")
        await child_ended(pilot, lambda: screen._solving is not None)
        await pilot.press("5")
        await settle(pilot)
        assert len(selections.load("mini")) == 6
        assert screen.query_one("#shelf", Table).cursor == "mini"
        assert "arena-tui distill core --responses" in text_of(pilot)
        assert screen._steps[-1].bound >= screen._steps[-1].incumbent - 1e-9

        await pilot.press("w", *["down"] * 6, "enter")
        await settle(pilot)
        await child_ended(pilot, lambda: screen._studies.busy)
        shown = text_of(pilot)
        assert "uniform random" in shown
        assert "top information" in shown
        assert "20000 random draws" in shown
        await pilot.press("v")
        await settle(pilot)
        assert screen._views.border_title == "Beside @core50"
        assert "Jaccard" in text_of(pilot)

        # Asking again under a name that is taken asks first.
        await pilot.press("escape", "r")
        await settle(pilot)
        assert "@mini is a saved selection of 6 tasks" in text_of(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert screen._solving is None


async def test_a_refusal_stays_on_the_screen_in_one_sentence(responses):
    async with console_at((160, 48), first="distill") as pilot:
        screen = pilot.app.screen
        screen.query_one("#responses", Input).value = str(responses)
        screen.query_one("#size", Input).value = "61"
        await pilot.press("r")
        await child_ended(pilot, lambda: screen._solving is not None)
        assert "size 61 is larger than the pool: 60 tasks can be selected" in text_of(pilot)


async def test_constraints_are_left_out_by_keys_and_the_demand_of_a_selection_is_taken():
    keep_one()
    async with console_at((80, 24), first="distill") as pilot:
        form = pilot.app.screen.query_one(DemandForm)
        await pilot.press("l", "down", "down", "space", "down", "space", "enter")
        await settle(pilot)
        assert form.values["without"] == "subgroup,family"
        await pilot.press("enter")
        await settle(pilot)
        assert (form.values["size"], form.values["responses"]) == ("8", "/data/gone.tsv")
        assert form.values["without"] == ""


async def test_an_open_campaign_is_a_source_of_responses(ended):
    async with console_at((160, 48), campaign=ended, first="distill") as pilot:
        assert str(ended) in pilot.app.screen.query_one(DemandForm).values["responses"]
        assert "3 tasks, 3 probes: bank, gplearn, pyoperon" in text_of(pilot)


async def test_the_map_tells_what_is_covered_without_colour():
    document = keep_one()
    census = document["census"]
    covered = sum(1 for cell in census["cells"] if cell["selected"])
    async with console_at((160, 48), first="distill", theme="arena-mono") as pilot:
        pilot.app.screen._views.front("map")
        await settle(pilot)
        shown = text_of(pilot)
        assert f"{covered} of {len(census['cells'])} cells" in shown
        assert "●" in shown
        assert "○0/" in shown


async def test_what_is_put_beside_is_chosen_and_listed_by_where_it_is():
    keep_one()
    found = made_comparison(8)
    async with console_at((160, 48), first="distill") as pilot:
        screen = pilot.app.screen
        screen._views.front("beside")
        await settle(pilot)
        table = screen.query_one("#both", Table)
        where = [table.get(key).values["where"] for key in table.visible_keys]
        assert where.count("in both") == len(found["overlaps"][0]["both"]) == 3
        assert where.count("there only") == 3
        assert "measured on other responses" not in text_of(pilot)
        screen._other = "@second"
        screen._views.front("beside")
        await settle(pilot)
        assert screen._views.border_title == "Beside @second"
        assert {"t0001", "t0009"} <= set(table.visible_keys)


async def test_figures_from_other_responses_than_the_selections_own_say_so():
    keep_one()
    moved = {**made_comparison(8), "A_full": [1.0, 2.0, 3.0, 4.0]}
    keep_study(COMPARED, "first", moved)
    async with console_at((160, 48), first="distill") as pilot:
        for view in ("fidelity", "beside"):
            pilot.app.screen._views.front(view)
            await settle(pilot)
            assert "easured on other responses than it was selected from" in text_of(pilot)


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


def test_a_search_that_was_long_enough_is_kept(responses, arena_home):
    line = ["distill", "core", "--responses", str(responses), "--size", "6", "--fidelity", "off"]
    solving = Solving(
        [*line, "--without", ",".join(LOOSE), "--name", "early", "--time", "1000s", "--progress"]
    )
    document = solving.run(lambda step: solving.enough() if step.incumbent is not None else None)
    assert document["saved_as"] == "@early"
    assert len(selections.load("early")) == 6
    assert solving._process.poll() == 0
