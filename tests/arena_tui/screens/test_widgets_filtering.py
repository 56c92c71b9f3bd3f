"""The table's filter, order, groups, marks and frozen order."""

import pytest
from textual.app import App

from arena_tui.theme import THEMES
from arena_tui.widgets import filtering
from arena_tui.widgets.table import Column, Row, Table

COLUMNS = (
    Column("name", "name", 12, grow=1),
    Column("status", "status", 9, show=lambda value: {"completed": "✓ done"}.get(str(value), str(value))),
    Column("q", "q", 6, right=True),
    Column("d", "d", 3, right=True),
)
ROWS = [
    Row("a", {"name": "alpha", "status": "completed", "q": 0.9, "d": 3}),
    Row("b", {"name": "beta", "status": "failed", "q": 0.2, "d": 1}),
    Row("c", {"name": "gamma", "status": "running", "q": None, "d": 2}),
    Row("d", {"name": "delta", "status": "completed", "q": float("nan"), "d": 2}),
]


class Shown(App):
    def get_theme_variable_defaults(self):
        return THEMES[0].variables

    def compose(self):
        yield Table(COLUMNS, pinned=1)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", "abcd"), ("al", "a"), ("ta", "bd"), ("!ta", "ac"), ("status:done", "ad"),
        ("status=completed", "ad"), ("status!=completed", "bc"), ("q<0.5", "b"), ("q>=0.2", "ab"),
        ("d=2", "cd"), ("d>1 status:completed", "ad"), ('"lt"', "d"), ("nothing", ""),
    ],
)  # fmt: skip
async def test_filter(text, keys):
    async with Shown().run_test() as pilot:
        table = pilot.app.query_one(Table)
        table.load(ROWS)
        assert table.set_filter(text) is None
        assert "".join(table.visible_keys) == keys


@pytest.mark.parametrize(
    ("text", "problem"), [("nope:3", "no column nope"), ("q<many", "q< needs a number, not many")]
)
def test_what_is_not_understood_is_said(text, problem):
    assert problem in filtering.parse(text, [column.name for column in COLUMNS]).problem


async def test_order_puts_missing_values_last_both_ways():
    async with Shown().run_test() as pilot:
        table = pilot.app.query_one(Table)
        table.load(ROWS)
        table.set_sort("q")
        assert table.visible_keys[:2] == ["b", "a"]
        table.set_sort("q", descending=True)
        assert table.visible_keys == ["a", "b", "c", "d"]


async def test_frozen_order_stays_while_values_move():
    async with Shown().run_test() as pilot:
        table = pilot.app.query_one(Table)
        table.load(ROWS)
        table.set_sort("q")
        table.freeze(frozen=True)
        before = table.visible_keys
        turned = [Row(row.key, {**row.values, "q": 1 - (row.values["q"] or 0)}) for row in ROWS]
        table.load([*turned, Row("e", {})])
        assert table.visible_keys == before
        assert table.get("b").values["q"] == 0.8
        table.freeze(frozen=False)
        table.load(turned)
        assert table.visible_keys[0] == "a"


async def test_cursor_stays_on_its_row_when_the_order_changes():
    async with Shown().run_test() as pilot:
        table = pilot.app.query_one(Table)
        table.load(ROWS)
        table.put_cursor("c")
        table.set_sort("name", descending=True)
        assert table.cursor == "c"
        table.set_filter("alpha")
        assert table.cursor == "a"


async def test_groups_have_a_line_of_their_own_and_the_cursor_passes_over_it():
    async with Shown().run_test() as pilot:
        table = pilot.app.query_one(Table)
        table.load(ROWS)
        table.set_group("status", lambda rows: f"{len(rows)} rows")
        assert [line.text for line in table._shown.lines if line.key is None] == [
            "completed  2 rows", "failed  1 rows", "running  1 rows",
        ]  # fmt: skip
        table.put_cursor("d")
        table.action_move(1)
        assert table.cursor == "b"


async def test_a_click_on_a_heading_sorts_and_a_second_turns_round():
    async with Shown().run_test() as pilot:
        table = pilot.app.query_one(Table)
        table.load(ROWS)
        await pilot.click(Table, offset=(4, 0))
        assert (table.arrangement.sort, table.arrangement.descending) == ("name", False)
        await pilot.click(Table, offset=(4, 0))
        assert table.arrangement.descending
        await pilot.click(Table, offset=(4, 2))
        assert table.cursor == table.visible_keys[1]


async def test_copy_has_every_column_in_full():
    async with Shown().run_test() as pilot:
        table = pilot.app.query_one(Table)
        table.load([Row("x", {"name": "a\tb\nc", "status": "completed", "q": 0.123456789012345})])
        assert table.as_tsv() == "name\tstatus\tq\td\na b c\tcompleted\t0.123456789012345\t\n"
