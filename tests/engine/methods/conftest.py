"""Plugins that are installed for the length of a test."""

from pathlib import Path

import pytest

from engine.methods import registry

PLUGINS = Path(__file__).resolve().parents[2] / "adapters" / "plugins"


@pytest.fixture
def plugins(monkeypatch, arena_home):
    """The two example adapters, found through their entry points."""
    monkeypatch.syspath_prepend(str(PLUGINS))
    registry.forget()
    yield PLUGINS
    registry.forget()
