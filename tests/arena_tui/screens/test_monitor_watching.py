"""The Monitor by its keys: trajectories, pause, orders, alarms, slow disks."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from arena_tui.screens.monitor import alarms, orders, rows, trajectories
from arena_tui.screens.monitor.detail import Resources
from arena_tui.screens.monitor.side import Side
from arena_tui.screens.monitor.trajectories import View
from arena_tui.widgets.chart import ChartView
from arena_tui.widgets.masthead import Masthead
from arena_tui.widgets.table import Table
from engine.running import layout, reader
from engine.running.records import RunKey
from tests.arena_tui.screens.conftest import KEIJZER, KORNS, NGUYEN, console_at, settle, text_of, wait_for
from tests.arena_tui.screens.made_campaigns import Plan, result, trajectory, write, write_run


def monitor_table(pilot):
    return pilot.app.screen.query_one("#table", Table)


async def test_the_table_says_of_every_run_what_its_record_says(mixed):
    async with console_at(size=(80, 24), campaign=mixed) as pilot:
        campaign = reader.read_campaign(mixed)
        table = monitor_table(pilot)
        assert table.visible_keys == [run.id for run in campaign.runs]
        for run in campaign.runs:
            values = table.get(run.id).values
            assert values["status"] == run.status
            assert values["id"] == run.id_nmse
            assert values["ood"] == run.ood_nmse
        shown = text_of(pilot)
        for word in ("running", "13/18", "failed", "33s/1:00", "90%"):
            assert word in shown


async def test_the_chart_shows_exactly_the_stored_checkpoints():
    run_id = f"bank/{NGUYEN}/520"
    plan = Plan(methods=("bank",), tasks=("Nguyen-1",), seeds=(520,), budget=15.0, interval=0.5,
                states={run_id: "running"})  # fmt: skip
    folder = write(Path.cwd() / "live", plan)
    telemetry = layout.attempt_folder(folder, RunKey("bank", NGUYEN, 520), 1) / layout.TELEMETRY
    _sample(telemetry, 5.0)
    async with console_at(campaign=folder) as pilot:
        stored = reader.checkpoints(reader.read_campaign(folder).runs[0])
        chart = pilot.app.screen.query_one(ChartView).chart
        assert len(stored) == 10
        assert list(chart.series[0].y) == [point.q for point in stored]
        assert list(chart.series[0].x) == [point.t for point in stored]
        record = result(plan, RunKey("bank", NGUYEN, 520), "completed", "Nguyen-1",
                        trajectory(run_id, plan, 15.0), "x1", "x0")  # fmt: skip
        write_later = telemetry.parent
        for name in (layout.INCUMBENTS, layout.EVALUATIONS):
            (write_later / name).unlink()
        again = write(Path.cwd() / "again", Plan(methods=("bank",), tasks=("Nguyen-1",), seeds=(520,),
                                                 budget=15.0, interval=0.5))  # fmt: skip
        source = layout.attempt_folder(again, RunKey("bank", NGUYEN, 520), 1)
        for name in (layout.INCUMBENTS, layout.EVALUATIONS):
            (write_later / name).write_text((source / name).read_text())
        (write_later / layout.RESULT).write_text(json.dumps(record))
        pilot.app.screen._feed.hurry()
        await wait_for(pilot, lambda: len(pilot.app.screen.query_one(ChartView).chart.series[0].y) == 30)
        stored = reader.checkpoints(reader.read_campaign(folder).runs[0])
        assert list(pilot.app.screen.query_one(ChartView).chart.series[0].y) == [p.q for p in stored]


def _sample(telemetry: Path, t: float) -> None:
    line = {"t": t, "at": 4e9, "cpu_s": t, "rss": 2**20, "processes": 1, "threads": 1}
    telemetry.write_text(json.dumps(line) + "\n")


def test_best_so_far_never_gets_worse_and_bands_hold_the_median(ended):
    runs = reader.read_campaign(ended).runs
    for metric, better in (("q", max), ("id", min)):
        chart = trajectories.trajectories(runs[:3], View(metric=metric, best=True))
        for line in chart.series:
            known = [value for value in line.y if value is not None]
            assert known == [better(known[: at + 1]) for at in range(len(known))]
    chart = trajectories.bands(runs, runs[:1], View())
    line = chart.series[0]
    assert "2 seeds" in line.name
    assert all(
        low <= y <= high for low, y, high in zip(line.low, line.y, line.high, strict=True) if y is not None
    )


def test_the_pareto_front_has_no_point_that_another_beats(ended):
    chart = trajectories.pareto(reader.read_campaign(ended).runs, KORNS)
    front = list(zip(chart.series[0].x, chart.series[0].y, strict=True))
    points = [pair for line in chart.series[1:] for pair in zip(line.x, line.y, strict=True)]
    assert set(front) <= set(points)
    for size, error in front:
        assert not any((s < size and e <= error) or (s <= size and e < error) for s, e in points)


async def test_every_view_key_changes_the_chart(ended):
    async with console_at(campaign=ended) as pilot:
        titles = []
        for key in ("m", "m", "b", "l", "n", "f"):
            await pilot.press(key)
            await settle(pilot)
            titles.append(pilot.app.screen.query_one("#plot").border_title)
        assert titles == [
            "ID NMSE, log", "OOD NMSE, log", "OOD NMSE, log, best so far", "OOD NMSE, best so far",
            "OOD NMSE, best so far, median and range of seeds", "Pareto front: ID NMSE against nodes",
        ]  # fmt: skip


async def test_an_empty_chart_says_why(mixed):
    async with console_at(campaign=mixed) as pilot:
        monitor_table(pilot).put_cursor(f"bank/{KORNS}/521")
        await settle(pilot)
        assert "not started yet" in text_of(pilot)


async def test_marked_runs_are_drawn_over_one_another(ended):
    async with console_at(campaign=ended) as pilot:
        await pilot.press("space", "space", "space")
        await settle(pilot)
        marked = list(monitor_table(pilot).marks)
        assert len(pilot.app.screen.query_one(ChartView).chart.series) == 3
        assert marked == monitor_table(pilot).visible_keys[:3]
        await pilot.press("u")
        await settle(pilot)
        assert len(pilot.app.screen.query_one(ChartView).chart.series) == 1


async def test_groups_and_filter(mixed):
    async with console_at(campaign=mixed) as pilot:
        await pilot.press("o")
        await settle(pilot)
        assert "gplearn  6 runs" in text_of(pilot)
        await pilot.press("slash", *"status:crashed", "enter")
        await settle(pilot)
        assert monitor_table(pilot).visible_keys == [f"pyoperon/{KORNS}/521"]
        assert "1 of 18" in text_of(pilot)


async def test_paused_rows_stay_and_an_order_hits_the_run_under_the_cursor_pain_68(mixed, monkeypatch):
    monkeypatch.setattr(orders, "_PATIENCE_S", 0.1)
    async with console_at(campaign=mixed) as pilot:
        table = monitor_table(pilot)
        table.set_sort("q", descending=True)
        await pilot.press("p")
        await settle(pilot)
        assert pilot.app.screen.query_one(Masthead).banner == "PAUSED"
        assert "PAUSED" in text_of(pilot).splitlines()[0]
        before = table.visible_keys
        # Meanwhile a run that was planned is found to be the best of all.
        plan = Plan()
        write_run(mixed, plan, RunKey("bank", KORNS, 521), "completed", "Korns-1")
        pilot.app.screen._feed.hurry()
        await wait_for(pilot, lambda: table.get(f"bank/{KORNS}/521").values["status"] == "completed")
        assert table.visible_keys == before
        table.put_cursor(f"gplearn/{NGUYEN}/520")
        await pilot.press("x")
        await settle(pilot)
        assert f"gplearn/{NGUYEN}/520" in text_of(pilot)
        await pilot.press("y")
        await wait_for(pilot, lambda: list((mixed / layout.REQUESTS).glob("*.json")))
        request = json.loads(next((mixed / layout.REQUESTS).glob("*.json")).read_text())
        assert request["action"] == "stop"
        assert request["runs"] == [f"gplearn/{NGUYEN}/520"]
        await pilot.press("p")
        await settle(pilot)
        assert table.visible_keys != before
        assert pilot.app.screen.query_one(Masthead).banner == ""


async def test_an_order_is_asked_for_and_no_means_no(mixed):
    async with console_at(campaign=mixed) as pilot:
        await pilot.press("d")
        await settle(pilot)
        assert "Start nothing new" in text_of(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert not (mixed / layout.REQUESTS).exists()


@pytest.mark.parametrize(
    ("kind", "fitting"),
    [("stop", {"running", "starting", "planned"}), ("retry", {"crashed", "timeout", "completed"})],
)
def test_orders_go_only_to_runs_they_can_mean(mixed, kind, fitting):
    chosen = orders.fitting(kind, reader.read_campaign(mixed).runs)
    assert fitting <= {run.status for run in chosen}
    assert ("completed" in {run.status for run in chosen}) == (kind == "retry")


def test_alarms_tell_failures_once_and_the_end(mixed, ended):
    watch = alarms.Alarms()
    runs = list(reader.read_campaign(mixed).runs)
    assert watch.look(runs) == []
    assert watch.look(runs) == []
    key = RunKey("gplearn", NGUYEN, 520)
    place = layout.attempt_folder(mixed, key, 1)
    (place / layout.RESULT).write_text(json.dumps(result(Plan(), key, "crashed", "Nguyen-1", [], "x1", "x0")))
    events = watch.look(reader.read_campaign(mixed).runs)
    assert [event.failure for event in events] == [True]
    assert "killed (signal 9" in events[0].text
    end = alarms.Alarms()
    done = list(reader.read_campaign(ended).runs)
    planned = reader.read_campaign(mixed).run(f"bank/{KORNS}/521")
    end.look([*done[:-1], planned])
    assert "has ended" in end.look(done)[-1].text


def test_a_starved_run_shows(ended):
    run = reader.read_campaign(ended).runs[0]
    tone = next(column.tone for column in rows.COLUMNS if column.name == "cpu")
    assert tone(rows.row(replace(run, elapsed=20.0, cpu_s=4.0)).values["cpu"]) == "bad"
    assert tone(rows.row(replace(run, elapsed=20.0, cpu_s=19.0)).values["cpu"]) == ""
    # Four threads that shared one core starved; CPU seconds of the start-up stand beside its own time.
    assert tone(rows.row(replace(run, elapsed=20.0, cpu_s=19.0, threads=4)).values["cpu"]) == "bad"
    assert rows.row(replace(run, elapsed=2.0, startup=3.0, cpu_s=4.5)).values["cpu"] == 0.9


async def test_a_slow_disk_never_holds_a_key_up_and_what_is_old_says_so_pain_83(mixed, monkeypatch):
    read, asked, released = reader.Follower.refresh, threading.Event(), threading.Event()

    def stuck(self):
        if getattr(self, "seen", False):
            asked.set()
            released.wait(600)
        self.seen = True
        return read(self)

    monkeypatch.setattr(reader.Follower, "refresh", stuck)
    monkeypatch.setattr("arena_tui.screens.monitor.screen._STALE_AFTER", -3.0)
    async with console_at(size=(120, 40), campaign=mixed) as pilot:
        table = monitor_table(pilot)
        pilot.app.screen._feed.hurry()
        await wait_for(pilot, asked.is_set)
        for _ in range(10):
            before = table.cursor
            await pilot.press("down")
            assert table.cursor != before
        await wait_for(pilot, lambda: "not read since" in text_of(pilot))
    # It has been left in the middle of a reading.
    assert not released.is_set()
    released.set()


async def test_keys_go_on_while_a_simplification_takes_long_pain_83(ended, monkeypatch):
    released = threading.Event()

    def endless(run):
        released.wait(600)
        return "x1", "simplified"

    monkeypatch.setattr("arena_tui.screens.monitor.asking.simplified", endless)
    async with console_at(size=(120, 40), campaign=ended) as pilot:
        table = monitor_table(pilot)
        await pilot.press("e")
        for _ in range(5):
            before = table.cursor
            await pilot.press("down")
            assert table.cursor != before
        released.set()
        await settle(pilot)
        # It was another run's: nothing is shown beside this one.
        assert "simplified form" not in text_of(pilot)


async def test_simplified_form_and_truth_appear_only_when_asked(ended):
    async with console_at(size=(160, 48), campaign=ended) as pilot:
        assert "ground truth" not in text_of(pilot)
        table = monitor_table(pilot)
        table.put_cursor(f"bank/{KEIJZER}/520")
        await settle(pilot)
        await pilot.press("t")
        await settle(pilot)
        await wait_for(pilot, lambda: "normalized edit distance" in text_of(pilot))
        assert "F1 of variables" in text_of(pilot)
        assert "only found: " in text_of(pilot)
        await pilot.press("e")
        await settle(pilot)
        await wait_for(pilot, lambda: "simplified" in text_of(pilot))
        await pilot.press("down")
        await settle(pilot)
        assert "ground truth" not in text_of(pilot)


async def test_the_log_stays_at_its_end_until_somebody_scrolls_up(mixed):
    async with console_at(size=(160, 48), campaign=mixed) as pilot:
        side = pilot.app.screen.query_one(Side)
        tail = side.query_one("#tail")
        lines = [f"line {at}" for at in range(60)]

        async def grow(to):
            side.show_about(Resources((), (), 1), "\n".join(lines[:to]))
            await pilot.pause()
            await pilot.pause()
            return tail.scroll_offset.y, tail.max_scroll_y

        for to in (30, 40):
            at, end = await grow(to)
            assert at == end > 0
        tail.focus()
        await pilot.press("home")
        await settle(pilot)
        assert await grow(50) == (0, end + 10)
        monitor_table(pilot).focus()
        await pilot.press("down")
        await settle(pilot)
        at, end = await grow(60)
        assert at == end
