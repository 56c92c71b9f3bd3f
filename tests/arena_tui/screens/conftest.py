"""A console for tests: its own memory, a stopped clock, no blinking, a way to wait until it is settled."""

import threading
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from arena_tui.app import Console
from arena_tui.screens.methods.rows import Known
from engine.methods.environments import State
from engine.methods.registry import Method
from engine.methods.settings import Setting
from tasks import catalogue
from tests.arena_tui.screens.made_campaigns import Plan, write

# 2026-11-30 10:00 UTC: what the new campaign's folder is named after.
NOON = 1_796_032_800.0
NGUYEN, KEIJZER, KORNS = (catalogue.get(name).id for name in ("Nguyen-1", "Keijzer-2", "Korns-1"))


@pytest.fixture(autouse=True)
def quiet_place(arena_home, tmp_path, monkeypatch):
    """Every test has a home and a current folder of its own, and a caret that does not blink."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(Input, "cursor_blink", False)
    monkeypatch.setattr("engine.running.capacity.cores", lambda: 4)
    # A toast stays until a test has read it, however slow the machine is.
    monkeypatch.setattr("arena_tui.app._TOAST_S", 900.0)
    monkeypatch.setattr("arena_tui.app._TROUBLE_S", 900.0)
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)


@pytest.fixture
def mixed() -> Path:
    """A campaign of 18 runs in every state that a run can be in."""
    states = {
        f"gplearn/{NGUYEN}/520": "running",
        f"gplearn/{KEIJZER}/520": "running",
        f"pyoperon/{KORNS}/521": "crashed",
        f"pyoperon/{NGUYEN}/521": "timeout",
        f"bank/{KORNS}/521": "planned",
        f"gplearn/{KORNS}/521": "planned",
        f"gplearn/{KEIJZER}/521": "starting",
        f"bank/{KEIJZER}/521": "memory",
        f"pyoperon/{KEIJZER}/521": "start failed",
    }
    return write(Path.cwd() / "first-light", Plan(states=states))


@pytest.fixture
def ended() -> Path:
    """A campaign of 18 completed runs."""
    return write(Path.cwd() / "all-done", Plan())


def console(campaign: Path | None = None, first: str | None = None, theme: str | None = None) -> Console:
    """Return a console that was not started yet."""
    app = Console(campaign, clock=lambda: NOON, first=first)
    if theme is not None:
        app.theme = theme
    return app


@asynccontextmanager
async def console_at(size=(120, 40), campaign=None, first=None, theme=None):
    """Run a console headless; yields its pilot after the first paint with all data."""
    app = console(campaign, first, theme)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


# How long a test waits for what must come; a machine with much else to do may need it.
PATIENCE_S = 90.0


async def settle(pilot) -> None:
    """Wait until the background has delivered everything and the loop has painted it."""
    ends = time.monotonic() + PATIENCE_S
    quiet = 0
    # Twice quiet: what a thread has delivered last may ask the next question in the look between.
    while quiet < 2 and time.monotonic() < ends:
        await pilot.pause()
        busy = any(thread.name.startswith("arena-background") for thread in threading.enumerate())
        screen = pilot.app.screen_stack[0] if pilot.app.screen_stack else None
        reading = getattr(screen, "_feed", None) is not None and getattr(screen, "_picture", True) is None
        survey = getattr(screen, "_survey", None)
        listing = survey is not None and not (survey.complete and survey.listed == len(screen._known))
        moving = getattr(screen, "_settling", None) is not None
        quiet = 0 if busy or reading or listing or moving else quiet + 1
        if not quiet:
            await pilot.pause(0.02)
    await pilot.pause()


async def wait_for(pilot, condition) -> None:
    """Wait until something holds; fail when it does not in a long while."""
    ends = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < ends:
        await pilot.pause(0.02)
    assert condition()


def text_of(pilot) -> str:
    """Return what is on the screen, line by line."""
    width, height = pilot.app.size
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip)[:width] for strip in lines[:height])


def methods() -> list[Known]:
    """Four methods in four states, as the Methods screen would read them."""

    def known(name: str, kind: str, status: str, detail: str = "", **facts) -> Known:
        method = Method(
            name=name, title=name.title(), paradigm="Evolutionary Search", kind=kind, wrapper="w:W",
            dialect="infix", licence="MIT", source="the package index", folder=Path(), package="p",
            schema=(
                Setting("population_size", "int", 1000, "individuals of a generation", minimum=2,
                        source="paper 1, table 17"),
                Setting("metric", "str", "mse", "what is minimized", choices=("mse", "mae")),
            ), **facts,
        )  # fmt: skip
        return Known(method, State(name, status, detail))

    return [
        known("alpha", "builtin", "built in"),
        known("beta", "packaged", "installed", installed_mb=300, download_mb=90, threads=4),
        known(
            "gamma",
            "packaged",
            "not installed",
            "gamma is not installed; run: arena-tui methods install gamma",
        ),
        known(
            "delta", "checkout", "broken", "the checkout has moved", accept_licence=True, note="slow to start"
        ),
    ]
