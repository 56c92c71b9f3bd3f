"""Charts, sparklines, numbers and expressions: values in, text out."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual.app import App

from arena_tui.theme import THEMES
from arena_tui.widgets import numbers
from arena_tui.widgets.chart import ChartView
from arena_tui.widgets.drawing import Chart, Series, draw
from arena_tui.widgets.expression import coloured, shortened
from arena_tui.widgets.sparkline import spark


def lines_of(picture):
    return ["".join(text for text, _ in line) for line in picture.lines]


def chart(*series, **options):
    return draw(Chart([Series("s", *pair) for pair in series], log=True, **options), 40, 10)


def test_all_zero_series_lies_on_the_marked_floor():
    picture = chart(([0, 1, 2], [0, 0, 0]))
    assert picture.floored == 3
    assert sum(line.count("▾") for line in lines_of(picture)[:8]) == 3
    assert any("1e-12" in line for line in lines_of(picture))


def test_one_zero_does_not_collapse_the_axis():
    picture = chart(([0, 1, 2], [0, 1e-3, 1e-6]))
    lines = lines_of(picture)
    assert lines[7].startswith("1e-12┤▾")
    assert lines[0].lstrip().startswith("1e-3┤")
    assert "▾1 at 0" in lines[-1]


def test_not_finite_values_are_gaps_and_counted():
    picture = chart(([0, 1, 2], [math.nan, 0.5, math.inf]))
    assert picture.skipped == 2
    assert sum(line.count("•") for line in lines_of(picture)) == 1
    assert "2 skipped" in lines_of(picture)[-1]


def test_one_point_is_drawn():
    assert any("•" in line for line in lines_of(chart(([3], [0.25]))))


@pytest.mark.parametrize("series", [[], [([], [])], [([1, 2], [None, math.nan])]])
def test_nothing_to_draw_says_so(series):
    assert any("no data" in line for line in lines_of(chart(*series)))


def test_a_gap_stays_empty():
    picture = draw(Chart([Series("s", [0, 1, 2, 3, 4], [0.1, 0.1, None, 0.9, 0.9], step=True)]), 60, 12)
    columns = [
        "".join(column) for column in zip(*(line[5:] for line in lines_of(picture)[:-2]), strict=False)
    ]
    drawn = [any("⠀" < letter <= "⣿" for letter in column) for column in columns]
    assert not all(drawn[20:35])
    assert any(drawn[:15])
    assert any(drawn[42:])


def test_budget_mark_and_band_are_seen():
    series = Series("s", [0, 5, 10], [0.2, 0.5, 0.8], low=[0.1, 0.3, 0.6], high=[0.3, 0.7, 0.9])
    text = "\n".join(lines_of(draw(Chart([series], marks=[(10, "budget")]), 60, 14)))
    assert "budget" in text
    assert "░" in text


@example(points=[(0.0, 9.999999999999347e307)], width=12, height=4, log=True)
@example(points=[(0.0, 4.0000000040000005e161)], width=12, height=4, log=False)
@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.none() | st.floats()), max_size=30),
    st.integers(1, 90),
    st.integers(1, 30),
    st.booleans(),
)
def test_any_series_fills_exactly_its_cells(points, width, height, log):
    xs = sorted(x for x, _ in points)
    picture = draw(Chart([Series("s", xs, [y for _, y in points])], log=log), width, height)
    assert [len(line) for line in lines_of(picture)] == [width] * height


@given(st.lists(st.none() | st.floats(allow_infinity=True, allow_nan=True), max_size=60), st.integers(0, 40))
def test_a_sparkline_has_the_asked_width(values, width):
    assert len(spark(values, width)) == width


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.0, "0"), (1e-9, "1.0e-09"), (0.123456, "0.123"), (12345.0, "1.2e+04"), (math.nan, "–")],
)
def test_errors_in_seven_cells(value, text):
    assert numbers.nmse(value) == text


@given(st.floats(0, 1e300))
def test_no_error_is_wider_than_its_column(value):
    assert len(numbers.nmse(value)) <= 8


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (9.5, "9.5s"), (42.0, "42s"), (727.0, "12:07"), (11100.0, "3h05"), (187200.0, "2d04h")],
)
def test_durations(seconds, text):
    assert numbers.duration(seconds) == text


def test_few_digits_drop_no_term():
    assert shortened("x0 + 0.00012345678*x1 - 123456.789", 3) == "x0 + 0.000123*x1 - 1.23e+05"
    assert shortened("x0 + 0.00012345678*x1", None) == "x0 + 0.00012345678*x1"
    assert shortened("x10**2 + 100000*x1 + log10(x0)", 3) == "x10**2 + 100000*x1 + log10(x0)"


@given(st.text(max_size=60))
def test_colouring_changes_no_letter(text):
    from arena_tui.widgets.plain import printable

    assert coloured(text).plain == printable(text)


def test_lines_carry_their_sign_at_their_end_and_points_at_each_value():
    lines = [
        Series("a", [0, 5], [0.2, 0.2], colour=1, step=True, sign="●"),
        Series("b", [0, 10], [0.2, 0.2], colour=2, step=True, sign="■"),
        Series("c", [1, 2, 3], [0.9, 0.9, 0.9], colour=3, points=True, sign="▲"),
    ]
    pieces = [piece for line in draw(Chart(lines, y_limits=(0.0, 1.0)), 40, 10).lines for piece in line]
    signs = {sign: [role for text, role in pieces for letter in text if letter == sign] for sign in "●■▲"}
    assert signs == {"●": ["series1"], "■": ["series2"], "▲": ["series3"] * 3}


@pytest.mark.parametrize(("size", "lines", "left"), [((40, 24), 4, 0), ((40, 12), 2, 4), ((40, 5), 1, 9)])
async def test_names_take_the_lines_that_a_chart_can_spare_and_the_rest_is_counted(size, lines, left):
    class Shown(App):
        def get_theme_variable_defaults(self):
            return THEMES[0].variables

        def compose(self):
            yield ChartView()

    series = [Series(f"m{at:02}", [0, 1], [0, at], colour=at % 8) for at in range(20 if lines == 4 else 14)]
    async with Shown().run_test(size=size) as pilot:
        view = pilot.app.query_one(ChartView)
        view.show(Chart(series), legend=True)
        names = view._legend()
        told = [text for line in names for text, _ in line]
        assert len(names) <= lines
        assert all(sum(len(text) for text, _ in line) <= size[0] for line in names)
        counted = int(told[-1]) if told[-1].startswith("+") else 0
        assert counted == left
        assert len([text for text in told if not text.startswith("+")]) + counted == len(series)
