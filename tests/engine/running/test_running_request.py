"""What a worker's request tells of a task's names."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.running.prepared import PreparedTask
from engine.running.request import lends_names, worker_names


def task(features, target="y"):
    return PreparedTask("u1", "mine", features, target, "key", {}, Path())


@pytest.mark.parametrize(
    ("features", "target", "lent"),
    [
        (("P", "t"), "dP", True),
        (("body mass", "t"), "y", False),
        (("lambda", "t"), "y", False),
        (("P", "t"), "growth rate", False),
    ],
)
def test_names_that_no_expression_can_hold_stay_with_the_engine(features, target, lent):
    told = task(features, target)
    spec = SimpleNamespace(semantics=True)
    assert lends_names(spec, told) is lent
    assert worker_names(spec, told) == (features if lent else ("x0", "x1"))
    assert worker_names(SimpleNamespace(semantics=False), told) == ("x0", "x1")
