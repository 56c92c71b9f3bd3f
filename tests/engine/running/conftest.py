"""No test leaves an engine or a run behind, however it ends."""

import pytest

from tests.engine.running.running_campaigns import end_engines


@pytest.fixture(autouse=True)
def no_engine_is_left():
    """End what a test started and did not see the end of."""
    yield
    end_engines()
