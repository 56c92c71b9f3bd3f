"""How fast the console is on a finished campaign of 2,250 runs and while 50 runs stream.

Benchmarks, not gates: they print their figures
(``pytest -m slow -s -p no:cacheprovider tests/bench/test_bench_console.py``). ARENA_BENCH_MINUTES sets how
long it streams (1 by default). They count CPU time beside wall time, for machines that do other things too.
"""

import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.bench.console_campaign import INTERVAL_S, STREAMING, written

pytestmark = [pytest.mark.slow, pytest.mark.timeout(6000)]

_OPENING = """
import asyncio, json, sys, time
began = time.perf_counter()
from pathlib import Path
from arena_tui.app import Console
from arena_tui.widgets.chart import ChartView
from arena_tui.widgets.table import Table
imported = time.perf_counter()

def full(screen):
    read = getattr(screen, "_picture", None)
    return read and screen.query_one(Table).total and screen.query_one(ChartView).chart.series

async def main():
    app = Console(Path(sys.argv[1]))
    async with app.run_test(size=(120, 40)) as pilot:
        while not full(app.screen):
            await asyncio.sleep(0.01)
        await pilot.pause()
        opened = time.perf_counter()
        used = time.process_time()
        runs = app.screen.query_one(Table).total
        points = len(app.screen.query_one(ChartView).chart.series[0].x)
    found = {"imports_s": imported - began, "opening_s": opened - began, "cpu_s": used}
    print(json.dumps(found | {"runs": runs, "points": points}))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return written(tmp_path_factory.mktemp("console") / "finished")


def _forget(folder: Path) -> None:
    """Drop the campaign's files from the page cache."""
    os.sync()
    for file in folder.rglob("*"):
        if file.is_file():
            descriptor = os.open(file, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def _open(folder: Path) -> dict:
    # A user's interpreter keeps its compiled modules; a test machine may forbid that.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(folder.parent / "pycache")
    words = [sys.executable, "-c", _OPENING, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300, env=env)
    return json.loads(done.stdout.splitlines()[-1])


def test_opening_a_finished_campaign(finished, arena_home):
    _open(finished)
    warm = [_open(finished) for _ in range(3)]
    cold = []
    for _ in range(3):
        _forget(finished)
        cold.append(_open(finished))
    assert warm[0]["runs"] == 2250
    assert warm[0]["points"] == 10_800 / INTERVAL_S
    for name, found in (("warm", warm), ("cold", cold)):
        times = sorted(one["opening_s"] for one in found)
        imports, used = (statistics.median(one[key] for one in found) for key in ("imports_s", "cpu_s"))
        print(
            f"\n2,250 runs, {name} file cache: first full Monitor after {times[1]:.2f} s "
            f"(of that imports {imports:.2f} s; CPU time {used:.2f} s from the process's start)"
        )


async def _pressed(pilot, keys: int) -> list[tuple[float, float]]:
    """Press keys one after another; returns wall and CPU seconds from each key to the painted answer."""
    from arena_tui.widgets.table import Table

    table = pilot.app.screen.query_one(Table)
    taken = []
    for at in range(keys):
        before = table.cursor
        began, work = time.perf_counter(), time.thread_time()
        # As far down as up in all, or an hour of it would run into the end of the table.
        await pilot.press("down" if at // 50 % 2 == 0 else "up")
        taken.append((time.perf_counter() - began, time.thread_time() - work))
        assert table.cursor != before
        await asyncio.sleep(0.05)
    return taken


async def test_keys_while_fifty_runs_stream(tmp_path, arena_home):
    from arena_tui.app import Console

    folder = written(tmp_path / "streaming", live=STREAMING)
    minutes = float(os.environ.get("ARENA_BENCH_MINUTES", "1"))
    words = ["-m", "tests.bench.console_campaign", str(folder), str(60 * minutes + 900)]
    writer = await asyncio.create_subprocess_exec(sys.executable, *words)
    me = psutil.Process()
    try:
        app = Console(folder)
        async with app.run_test(size=(120, 40)) as pilot:
            await asyncio.sleep(5)
            table = app.screen.query_one("#table")
            table.set_sort("q", descending=True)
            table.put_cursor(table.visible_keys[table.total // 2])
            began_rss = me.memory_info().rss
            ends = time.monotonic() + 60 * minutes
            taken: list[tuple[float, float]] = []
            while time.monotonic() < ends or not taken:
                taken += await _pressed(pilot, 200)
            wall = sorted(seconds for seconds, _ in taken)
            work = statistics.median(seconds for _, seconds in taken)
            began_cpu, began = sum(me.cpu_times()[:2]), time.monotonic()
            await asyncio.sleep(10)
            busy = (sum(me.cpu_times()[:2]) - began_cpu) / (time.monotonic() - began)
            gc.collect()
            print(
                f"\n50 runs streaming, 2,250 in the table: a key is answered after "
                f"{1e3 * wall[len(wall) // 2]:.0f} ms (median), "
                f"{1e3 * wall[int(len(wall) * 0.99)]:.0f} ms (p99), "
                f"{1e3 * wall[-1]:.0f} ms (worst of {len(wall)}), {1e3 * work:.0f} ms of it CPU; "
                f"{100 * busy:.1f} % of a core while streaming; {me.memory_info().rss / 2**20:.0f} MiB after "
                f"{minutes:g} minutes, {began_rss / 2**20:.0f} MiB at their start"
            )
    finally:
        with suppress(ProcessLookupError):
            writer.kill()
        await writer.wait()


async def test_idle_console(finished, arena_home):
    from arena_tui.app import Console

    me = psutil.Process()
    app = Console(finished)
    async with app.run_test(size=(120, 40)):
        await asyncio.sleep(5)
        began_cpu, began = sum(me.cpu_times()[:2]), time.monotonic()
        await asyncio.sleep(20)
        busy = (sum(me.cpu_times()[:2]) - began_cpu) / (time.monotonic() - began)
    print(f"\nidle on a finished campaign of 2,250 runs: CPU {100 * busy:.2f} % of a core")


async def test_page_down_through_664_tasks_with_long_formulas(arena_home):
    from textual.app import App

    from arena_tui.screens.tasks.rows import COLUMNS, rows
    from arena_tui.theme import THEMES
    from arena_tui.widgets.table import Column, Row, Table

    long = Column("formula", "formula", 24)
    wide = tuple(long if column.name == "formula" else column for column in COLUMNS)
    data = [
        Row(row.key, {**row.values, "formula": "sin(x0)+" * 500} if at % 66 == 0 else row.values)
        for at, row in enumerate(rows())
    ]

    class Shown(App):
        def get_theme_variable_defaults(self):
            return THEMES[0].variables

        def compose(self):
            yield Table(wide, pinned=2)

    me = psutil.Process()
    app = Shown()
    async with app.run_test(size=(120, 40)) as pilot:
        table = app.query_one(Table)
        table.load(data)
        began = time.perf_counter()
        table.focus()
        await pilot.pause()
        focused = time.perf_counter() - began
        taken, memory = [], []
        for _ in range(10):
            table.action_edge(-1)
            while table.cursor != table.visible_keys[-1]:
                began = time.perf_counter()
                table.action_page(1)
                await pilot.pause()
                taken.append(time.perf_counter() - began)
            memory.append(me.memory_info().rss)
    taken.sort()
    assert len(wide) == 20
    print(
        f"\n664 rows x {len(wide)} columns: Page-Down {1e3 * taken[len(taken) // 2]:.0f} ms (median), "
        f"{1e3 * taken[-1]:.0f} ms (worst); focus {1e3 * focused:.0f} ms; "
        f"memory grew by {(memory[-1] - memory[0]) / 2**20:.1f} MiB over ten passes"
    )
