"""Pictures of the Paired screen: every view, the paths side by side, the form."""

from pathlib import Path

import pytest

from arena_tui.screens.paired import sessions
from arena_tui.screens.paired.sessions import Session
from tests.arena_tui.screens import made_studies
from tests.arena_tui.screens.conftest import NOON, console, settle

SIZES = [(80, 24), (160, 48)]
# The second theme takes as long again; it is held by the slow tests.
THEMES = ["arena-dark", pytest.param("arena-colour-blind", marks=pytest.mark.slow)]
# The plainer views too: their words are held by other tests.
VIEWS = [
    "paths",
    "form",
    "gains",
    *(
        pytest.param(view, marks=pytest.mark.slow)
        for view in ("studies", "cells", "retention", "units", "knockouts")
    ),
]
KEYS = {
    "studies": [],
    "cells": ["enter", "v"],
    "gains": ["enter", "v", "v"],
    "retention": ["enter", "v", "v", "v"],
    "units": ["enter", "v", "v", "v", "v", "down"],
    "paths": ["enter", "v", "v", "enter"],
    "form": ["n"],
    "knockouts": ["up", "enter", "v"],
}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("view", VIEWS)
def test_paired_looks(snap_compare, monkeypatch, view, size, theme):
    knockout = made_studies.knockout(Path.cwd() / "a-knockout")
    made_studies.paired(Path.cwd() / "poly-study")
    monkeypatch.setattr(sessions, "running", lambda: {knockout: Session(1, NOON)})

    async def prepare(pilot):
        await settle(pilot)
        for key in ["down", *KEYS[view]]:
            await pilot.press(key)
            await settle(pilot)
        if view == "form":
            await pilot.press(*"BPG10,PO10", "down", "down", "down", "down", *"demonstration")
            await settle(pilot)
            await settle(pilot)

    assert snap_compare(console(None, "paired", theme), terminal_size=size, run_before=prepare)
