"""When PyOperon's search ends, without PyOperon."""

import pytest

from adapters.pyoperon.wrapper import stops


@pytest.mark.parametrize(
    ("left", "slowest", "budget", "ends"),
    [
        (0.9, 0.3, 20.0, False),
        (0.6, 0.3, 20.0, True),  # one more like the slowest would be in time only if none is slower
        (0.5, 0.01, 10_800.0, False),
        (0.25, 0.01, 10_800.0, True),
        (0.2, 0.001, 3.0, False),
        (0.06, 0.001, 3.0, True),
    ],
)
def test_no_generation_begins_that_would_leave_no_time_for_a_slower_one(left, slowest, budget, ends):
    assert stops(left, slowest, budget) is ends
