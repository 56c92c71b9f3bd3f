"""Expressions in two dimensions: what they look like, that they fit, and that nothing of them is lost."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from arena_tui import copying
from arena_tui.widgets.expression import ExpressionView, Formula, Look
from arena_tui.widgets.typesetting import typeset
from engine.expression import parse
from tests.arena_tui.screens.conftest import KORNS, NGUYEN, console_at, settle, text_of
from tests.arena_tui.screens.made_campaigns import Plan, write

NAMES = ("x", "y", "x10")


def laid(text, width=60, features=NAMES):
    box = typeset(parse(text, features), features, width)
    return None if box is None else [row.rstrip() for row in box.rows()]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x/(y+1)", ["  x", "─────", "y + 1"]),
        ("x**2*y**-1", ["x²·y⁻¹"]),
        ("x**0.5", [" 0.5", "x"]),
        ("x**(1/2)", [" 1/2", "x"]),
        ("2**(x+1)", [" x + 1", "2"]),
        ("(x+y)**2", ["(x + y)²"]),
        ("(x/y)**2", ["⎛x⎞²", "⎜─⎟", "⎝y⎠"]),
        ("sqrt(x+1)", ["  _____", "╲╱x + 1"]),
        ("abs(x) - (x - y)", ["│x│ - (x - y)"]),
        ("-2*x + -3*y", ["-2·x - 3·y"]),
        ("x - (-y)", ["x - (-y)"]),
        ("1.5e-17*x", ["1.5·10⁻¹⁷·x"]),
        ("exp(-x**2)", [" -x²", "e"]),
        ("exp(x/y)", ["   ⎛x⎞", "exp⎜─⎟", "   ⎝y⎠"]),
        ("x % y <= pi", ["x mod y ≤ π"]),
        ("gp_div(x, max(y, 1))", ["gp_div(x, max(y, 1))"]),
        ("where(x > 1, x, -x)", ["⎧ x   if x > 1", "⎨", "⎩ -x  otherwise"]),
    ],
)
def test_layouts(text, lines):
    assert laid(text) == lines


def test_a_wide_sum_goes_on_in_further_lines():
    assert laid("sin(x) + cos(y)*x10 - x/y + 12", 14) == [
        "sin(x)", " + cos(y)·x10", "   x", " - ─ + 12", "   y",
    ]  # fmt: skip
    assert laid("x10*sin(x + 2.5*y + x10)", 16) == ["x10", "    ⎛x + 2.5·y⎞", "·sin⎝ + x10   ⎠"]


def test_what_cannot_be_folded_to_the_width_is_one_line():
    text = "x10**(1.25 + x10**(2.25 + x10))"
    assert laid(text, 10) is None
    assert Formula(text, Look(None)).content(10).plain == text
    assert Formula("bad token '[/' at [12", Look()).content(60).plain == "bad token '[/' at [12"
    deep = "x"
    for _ in range(60):
        deep = f"1/(1 + {deep})"
    assert laid(deep) is None


def test_the_digits_change_the_numbers_only():
    text = "1.23456789*x/y"
    assert "1.23·x" in Formula(text, Look(3)).content(40).plain
    assert "1.23456789·x" in Formula(text, Look(None)).content(40).plain
    assert Formula(text, Look(3, flat=True)).content(40).plain == "1.23*x/y"


LEAVES = st.sampled_from(["x", "y", "x10", "2", "0.5", "3.25e-07", "pi"])


def _grow(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda two: f"({two[0]} + {two[1]})"),
        pair.map(lambda two: f"({two[0]} - {two[1]})"),
        pair.map(lambda two: f"({two[0]})*({two[1]})"),
        pair.map(lambda two: f"({two[0]})/({two[1]})"),
        pair.map(lambda two: f"({two[0]})**({two[1]})"),
        pair.map(lambda two: f"where({two[0]} > {two[1]}, {two[0]}, 1)"),
        st.tuples(st.sampled_from(["sin", "exp", "sqrt", "abs", "log", "-"]), inner).map(
            lambda two: f"{two[0]}({two[1]})"
        ),
    )


@settings(max_examples=120, deadline=None)
@given(st.recursive(LEAVES, _grow, max_leaves=12), st.integers(8, 90))
def test_any_layout_fits_and_keeps_every_name(text, width):
    box = typeset(parse(text, NAMES), NAMES, width)
    if box is None:
        return
    rows = box.rows()
    assert {cell_len(row) for row in rows} == {box.width}
    assert box.width <= width
    assert 0 <= box.base < box.height
    shown = re.findall(r"x10|x|y", re.sub(r"[a-wz]{3,}|exp", "", " ".join(rows)))
    written = re.findall(r"x10|x|y", text.replace("exp", ""))
    assert sorted(shown) == sorted(written)


LONG = "0.5*x1 + sin(x1)/(x1**2 + 1.23456789)"


@pytest.fixture
def one():
    from pathlib import Path

    return write(
        Path.cwd() / "one",
        Plan(methods=("bank",), tasks=("Nguyen-1",), seeds=(520,), expressions={f"bank/{NGUYEN}/520": LONG}),
    )


async def test_the_monitor_shows_a_formula_and_copies_the_exact_text(one):
    async with console_at(size=(120, 40), campaign=one) as pilot:
        assert "x1² + 1.235" in text_of(pilot)
        assert "──" in text_of(pilot)
        await pilot.press("i")
        await settle(pilot)
        assert "0.5*x1 + sin(x1)/(x1**2 + 1.235)" in text_of(pilot)
        await pilot.press("full_stop", "full_stop", "c")
        await settle(pilot)
        assert LONG in text_of(pilot)
    from tasks import locations

    assert (locations.cache_folder() / "copied.txt").read_text() == LONG
    assert copying.sequence(LONG) is not None


async def test_how_expressions_are_shown_is_remembered_on_every_screen(one, arena_home):
    async with console_at(campaign=one) as pilot:
        await pilot.press("i", "full_stop")
        await settle(pilot)
    kept = json.loads((arena_home / "config" / "console.json").read_text())
    assert kept["expressions"] == {"digits": 6, "flat": True}
    async with console_at(campaign=one, first="tasks") as pilot:
        pilot.app.screen.query_one("#tasks").put_cursor(KORNS)
        await settle(pilot)
        assert pilot.app.screen.query_one(ExpressionView).look == Look(6, flat=True)


async def test_a_formula_is_laid_out_again_when_the_pane_gets_narrow(one):
    async with console_at(size=(160, 40), campaign=one) as pilot:
        assert "x1² + 1.235" in text_of(pilot)
        await pilot.resize_terminal(60, 24)
        await pilot.press("v")
        await settle(pilot)
        assert "x1² + 1.235" in text_of(pilot)
