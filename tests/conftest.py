"""What every test may ask for: a private ARENA_HOME and the published records where they lie."""

from pathlib import Path

import pytest
from hypothesis import settings

# An example may take as long as it takes: on a busy machine time says nothing about a property.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def arena_home(tmp_path, monkeypatch):
    """An ARENA_HOME of this test's own."""
    home = tmp_path / "arena-home"
    monkeypatch.setenv("ARENA_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def published():
    """Return the path of a published record below ../shared, or skip the test and say so."""

    def path(name: str) -> Path:
        file = SHARED / name
        if not file.exists():
            pytest.skip(
                f"the published record {name} is not beside this checkout, so this comparison was skipped"
            )
        return file

    return path
