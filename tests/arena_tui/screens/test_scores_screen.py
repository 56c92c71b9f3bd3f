"""The Scores screen: what was scored is shown, scoring happens beside the loop, published rows are marked."""

import pytest

from arena_tui.screens.scores import keys, rows
from arena_tui.screens.scores.strip import ViewStrip
from arena_tui.widgets.table import Table
from engine.scoring import tables
from engine.scoring.campaign import score
from engine.scoring.processing import Processed
from tests.arena_tui.screens.conftest import console, console_at, settle, text_of


class Unchanged:
    """Leaves expressions as they are: what a time limit allows must not change a picture."""

    def dependencies(self, expression):
        return {"simplifier": "none", "text": expression.text}

    def process(self, expressions):
        return [(expression, Processed(expression.text, "unchanged", None)) for expression in expressions]


@pytest.fixture
def scored(mixed):
    """A campaign of 18 runs in every state, scored."""
    tables.save(score(mixed, simplifier=Unchanged()))
    return mixed


async def test_an_unscored_campaign_says_so_and_is_scored_on_request(ended):
    async with console_at((120, 40), ended, "scores") as pilot:
        assert "not scored yet; e scores this campaign" in text_of(pilot)
        await pilot.press("e")
        await settle(pilot)
        shown = text_of(pilot)
        assert "judge: deterministic" in shown
        for method in ("bank", "gplearn", "pyoperon"):
            assert method in shown


async def test_missing_runs_are_counted_and_not_zero(scored):
    async with console_at((160, 40), scored, "scores") as pilot:
        shown = text_of(pilot)
        assert "5/6" in shown, shown
        table = pilot.app.screen.query_one("#methods", Table)
        assert table.total == 3


async def test_published_rows_are_marked(scored):
    async with console_at((160, 40), scored, "scores") as pilot:
        await pilot.press("p")
        await settle(pilot)
        assert "iMCTS (published)" in text_of(pilot), text_of(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert "published)" not in text_of(pilot)


async def test_the_views_are_turned_over_with_v(scored):
    async with console_at((160, 48), scored, "scores") as pilot:
        seen = []
        for _ in keys.VIEWS:
            await pilot.press("v")
            await settle(pilot)
            seen.append(pilot.app.screen.query_one(ViewStrip).front)
        assert seen == ["tasks", "runs", "pairs", "noise", "axes", "front", "profile"]
        await pilot.press("V", "V", "V", "V", "V")
        await settle(pilot)
        assert "ID NMSE" in text_of(pilot)
        assert "evidence" in text_of(pilot)


async def test_a_campaign_without_noise_says_how_to_get_some(scored):
    async with console_at((160, 48), scored, "scores") as pilot:
        await pilot.press("n")
        await settle(pilot)
        assert "no noisy runs beside clean ones" in text_of(pilot)


def test_the_best_and_the_second_are_marked_under_their_own_labels():
    def record(label, value, condition="clean"):
        axes = dict.fromkeys(rows.AXES, value)
        counts = {f"{axis}_{part}": 3 for axis in rows.AXES for part in ("n", "of", "low", "high")}
        return {"label": label, "condition": condition, **axes, **counts}

    records = [
        record("a", 50.0),
        record("b", 70.0),
        record("c", 70.0),
        record("d", None),
        record("e", 9.0, "noise005"),
    ]
    column = next(column for column in rows.METHOD_COLUMNS if column.name == "ID")
    shown = [column.show(rows.method_row(one, records).values["ID"]) for one in records]
    assert shown == ["50.00²", "70.00¹", "70.00¹", "–", "9.00"]
    shown = [column.show(rows.method_row(one, records[:2]).values["ID"]) for one in records[:2]]
    assert shown == ["50.00²", "70.00¹"]
    assert [rows.place(one, "ID", records[1:3]) for one in records[1:3]] == [0, 0], "nobody is ahead"


async def test_tables_are_exported_from_the_screen(ended, tmp_path):
    async with console_at((120, 40), ended, "scores") as pilot:
        await pilot.press("x", "enter")
        await settle(pilot)
        pilot.app.screen.query_one("Input").value = str(tmp_path / "latex")
        await pilot.press("enter")
        await settle(pilot)
        assert any("wrote" in said.message for said in pilot.app._notifications)
    written = sorted((tmp_path / "latex").glob("*.tex"))
    assert written
    assert any("toprule" in file.read_text() for file in written)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 12), (20, 5)])
async def test_small_terminals_show_what_fits(scored, size):
    async with console_at(size, scored, "scores") as pilot:
        assert text_of(pilot).strip()


@pytest.mark.parametrize("theme", ["arena-dark", "arena-colour-blind"])
@pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_scores(snap_compare, scored, size, theme):
    async def prepare(pilot):
        await settle(pilot)
        await pilot.press("down")
        await settle(pilot)

    assert snap_compare(console(scored, "scores", theme), terminal_size=size, run_before=prepare)
