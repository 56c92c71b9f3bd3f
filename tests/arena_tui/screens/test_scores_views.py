"""The views of the Scores screen: down to a run and its judgments, and what lies between methods."""

import dataclasses
from pathlib import Path

import pytest

from arena_tui.screens.scores import axis_rows, front, hexagon, noise_rows, pair_rows, rows, survey
from arena_tui.screens.scores.listing import Listing
from arena_tui.widgets.table import Table
from engine.scoring import tables
from engine.scoring.correlation import ENOUGH, LEAST
from engine.scoring.restoring import restored
from tests.arena_tui.screens.conftest import console, console_at, settle, text_of
from tests.arena_tui.screens.made_scores import SKILLS, write_scored


@pytest.fixture
def studied() -> Path:
    """A scored campaign of five methods on seven tasks, clean and under noise."""
    return write_scored(Path.cwd() / "studied")


@pytest.fixture
def small() -> survey.Scored:
    """The scores of three methods on two tasks, without noise."""
    folder = write_scored(
        Path.cwd() / "few", names=("Nguyen-1", "Keijzer-2"), labels=tuple(SKILLS)[:3], conditions=("clean",)
    )
    return survey.read(folder)


def listing(pilot, name) -> Listing:
    return pilot.app.screen.query_one(f"#{name}", Listing)


async def pressed(pilot, *keys) -> str:
    await pilot.press(*keys)
    await settle(pilot)
    return text_of(pilot)


async def test_enter_goes_from_a_method_to_the_run_on_the_monitor_and_escape_comes_back(studied):
    async with console_at((120, 40), studied, "scores") as pilot:
        shown = await pressed(pilot, "enter")
        assert "bank, clean labels" in shown
        assert "same structure" in shown, "STAB is told with its parts"
        assert "seeds 520 and 521: same_structure" in shown
        shown = await pressed(pilot, "enter")
        assert "Nguyen-1 only" in shown
        assert listing(pilot, "runs").table.visible_keys == [
            key for key in listing(pilot, "runs").table.visible_keys if key.startswith("bank/")
        ]
        await pressed(pilot, "down", "enter")
        run = "bank/" + next(iter(survey.read(studied).scores.runs)).task + "/521"
        for _ in range(600):
            if pilot.app.current_mode == "monitor":
                table = pilot.app.screen.query_one("#table", Table)
                if table.cursor == run:
                    break
            await pilot.pause(0.05)
        assert (pilot.app.current_mode, table.cursor) == ("monitor", run)
        shown = await pressed(pilot, "6")
        assert "Nguyen-1 only" in shown, "the screen is as it was left"
        shown = await pressed(pilot, "escape")
        assert "enter opens a task's runs" in shown
        await pressed(pilot, "escape")
        assert pilot.app.screen.query_one("#methods", Table).has_focus


async def test_a_verdict_is_told_with_its_witness_its_judge_and_the_truth(studied):
    async with console_at((120, 48), studied, "scores") as pilot:
        shown = await pressed(pilot, "right_square_bracket", "u", "z")
        for words in ("witness: the values differ at a point", "0.3141592653589793", "1.4775220390551",
                      "deterministic, version 1; frozen 2026-11-30", "ground truth"):  # fmt: skip
            assert words in shown, words
        # The third row is another task's, whose runs nobody judged.
        shown = await pressed(pilot, "down", "down")
        assert "nothing was judged" in shown


async def test_all_methods_or_one_and_a_filter(studied):
    async with console_at((120, 40), studied, "scores") as pilot:
        await pressed(pilot, "t")
        table = listing(pilot, "tasks").table
        assert table.total == 7
        await pressed(pilot, "a")
        assert table.total == 35
        await pressed(pilot, "slash", *"keijzer-11", "enter")
        assert len(table.visible_keys) == 5
        await pressed(pilot, "a", "right_square_bracket")
        assert table.visible_keys == [key for key in table.visible_keys if key.startswith("gplearn/")]


async def test_noise_is_told_per_method_and_axis(studied):
    async with console_at((120, 40), studied, "scores") as pilot:
        shown = await pressed(pilot, "n")
        assert "Score under noise minus clean" in shown
        row = next(
            line for line in shown.splitlines() if "bank" in line and "noise005" in line and "*" in line
        )
        assert "-" in row
        assert "bank, noise005 against clean labels" in shown
        shown = await pressed(pilot, "p")
        assert "iMCTS (published)" in shown
        await pressed(pilot, "enter")
        assert pilot.app.screen.query_one("#methods", Table).cursor == "bank noise005"


async def test_correlations_tell_on_how_many_methods_they_rest(studied):
    async with console_at((120, 40), studied, "scores") as pilot:
        shown = await pressed(pilot, "w")
        assert "Spearman across 5 methods" in shown
        assert "ID across methods, clean labels" in shown
        shown = await pressed(pilot, "p", "down", "end")
        assert "published" in shown
        assert "(15 methods)" in shown


def test_few_methods_and_tasks_are_said_to_mean_nothing(small):
    relations = survey.relations(small, "clean")
    assert "too few to mean anything" in axis_rows.axis_note(relations, LEAST, ENOUGH)
    assert "1 in 3 times" in axis_rows.axis_note(relations, LEAST, ENOUGH)
    none = survey.relations(small, "noise005")
    assert "needs 3 methods" in axis_rows.axis_note(none, LEAST, ENOUGH)
    assert survey.noise(small) == ()
    assert noise_rows.noise_note(()) == ""


def test_a_full_score_keeps_its_marks_in_the_column():
    column = next(column for column in rows.METHOD_COLUMNS if column.name == "MIN")
    shown = column.show((100.0, 1, 6, 1))
    assert shown == "100.0¹°"
    assert len(shown) <= column.width


async def test_pareto_names_every_point_in_chart_and_table(studied):
    async with console_at((160, 48), studied, "scores") as pilot:
        shown = await pressed(pilot, "f")
        assert "median ID NMSE (low is good), median nodes" in shown
        table = listing(pilot, "front-points").table
        assert set(table.visible_keys) == set(SKILLS)
        seen = "\n".join(line[:79] for line in shown.splitlines())
        for letter in "abcde":
            assert f"{letter}" in seen
        assert "mean search time" in await pressed(pilot, "m")
        assert "mean CPU time" in await pressed(pilot, "m")
        shown = await pressed(pilot, "m")
        assert "runs of Nguyen-1: ID NMSE" in shown
        assert table.total == 10
        await pressed(pilot, "m")
        assert table.total == 5


def test_a_point_off_the_front_says_what_is_no_worse(small):
    laid = front.Laid("size", "clean", "", survey.trade_offs(small, "clean", "size"))
    off = next(point for point in laid.points if not point.front)
    facts = dict(front.about_point(off, laid))
    assert off.beaten_by is not None
    assert f"{off.beaten_by} is at least as accurate and costs no more" in facts[""]


def test_comparisons_are_seen_from_the_method_that_is_looked_at(small):
    pairs = survey.pairs(small, "clean")
    (row, pair), *_ = pair_rows.pair_rows(pairs, "gplearn").values()
    same, _ = pair_rows.pair_rows(pairs, None)["ID bank gplearn"]
    assert (row.values["method"], row.values["other"]) == ("gplearn", "bank")
    assert row.values["difference"] == -same.values["difference"]
    assert (row.values["won"], row.values["lost"]) == (same.values["lost"], same.values["won"])
    facts = pair_rows.about_pair(row, pair)
    assert [name for name, _ in facts[-2:]] == ["Nguyen-1", "Keijzer-2"] or len(pair.cells) == 2


async def test_what_is_shown_is_copied_and_zoom_gives_it_the_screen(studied, monkeypatch):
    async with console_at((80, 24), studied, "scores") as pilot:
        copied = []
        monkeypatch.setattr(pilot.app, "copy", copied.append)
        shown = await pressed(pilot, "d", "z")
        assert "judge" not in shown.splitlines()[1]
        assert not pilot.app.screen.query_one("#list").display
        await pressed(pilot, "c", "y", "escape")
        assert "bank minus gplearn on ID" in copied[0]
        assert copied[1].startswith("axis\tmethod\tother")
        assert pilot.app.screen.query_one("#list").display


async def test_all_that_is_told_of_a_run_can_be_read_on_a_small_screen(studied):
    async with console_at((80, 24), studied, "scores") as pilot:
        shown = await pressed(pilot, "u")
        for _ in range(8):
            shown += await pressed(pilot, "J")
        for words in ("judge", "frozen 2026-11-30", "ground truth", "agreement", "of search"):
            assert words in shown, words
        assert listing(pilot, "runs").table.has_focus


async def test_views_of_an_unscored_campaign_say_so(ended):
    async with console_at((80, 24), ended, "scores") as pilot:
        for key in ("t", "u", "d", "n", "w", "f"):
            assert "not scored yet" in await pressed(pilot, key)


VIEWS = {"tasks": "t", "runs": "u", "pairs": "d", "noise": "n", "axes": "w", "front": "f"}
SMALL, LARGE = (80, 24), (160, 48)
DARK, SAFE = "arena-dark", "arena-colour-blind"
# Tasks and runs are the table and the facts of other pictures; two of four show how they are laid out.
PICTURES = [
    *((view, size, theme) for view in list(VIEWS)[2:] for size in (SMALL, LARGE) for theme in (DARK, SAFE)),
    *((view, size, theme) for view in list(VIEWS)[:2] for size, theme in ((SMALL, DARK), (LARGE, SAFE))),
]


@pytest.mark.parametrize(
    ("view", "size", "theme"),
    PICTURES,
    ids=lambda one: f"{one[0]}x{one[1]}" if isinstance(one, tuple) else one,
)
def test_picture_of_a_view(snap_compare, studied, view, size, theme):
    async def prepare(pilot):
        await settle(pilot)
        await pilot.press(VIEWS[view])
        await settle(pilot)

    assert snap_compare(console(studied, "scores", theme), terminal_size=size, run_before=prepare)


async def test_runs_that_ended_since_the_scoring_are_told(studied):
    scores = restored(studied)
    first = dataclasses.replace(scores.runs[0], status="running", state="missing", scores={})
    tables.save(dataclasses.replace(scores, runs=(first, *scores.runs[1:])))
    async with console_at((80, 24), studied, "scores") as pilot:
        assert "1 ended since: e" in text_of(pilot)


async def test_another_judges_scores_are_exported_as_they_are_and_not_replaced_unasked(studied, tmp_path):
    scores = restored(studied)
    tables.save(dataclasses.replace(scores, judge="model some-model"))
    written = survey.export_as(studied, "csv", tmp_path / "csv", with_published=False)
    assert any(path.name == "methods.csv" for path in written)
    assert restored(studied).judge == "model some-model"
    async with console_at((120, 40), studied, "scores") as pilot:
        assert "These scores are by the judge: model some-model." in await pressed(pilot, "e")
        await pressed(pilot, "n")
        assert restored(studied).judge == "model some-model"


def test_a_hexagon_leaves_a_corner_without_a_score_open():
    corners = [("ID", 90.0), ("OOD", 70.0), ("SYM", 40.0), ("MIN", 60.0), ("EFF", 95.0), ("STAB", None)]
    lines = ["".join(text for text, _ in line) for line in hexagon.draw(corners, 60, 22)]
    assert [len(line) for line in lines] == [60] * 22
    for words in ("ID 90.0", "OOD 70.0", "SYM 40.0", "MIN 60.0", "EFF 95.0", "STAB n/a"):
        assert any(words in line for line in lines), words
    assert hexagon.draw(corners, 30, 22) == []
