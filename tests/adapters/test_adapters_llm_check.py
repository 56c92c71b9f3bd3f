"""The conformance kit on the built-in LLM methods, against a local model server."""

import zlib

import pytest

from engine.methods import check
from engine.methods.registry import get
from tests.adapters.llm_stand_in import serving

STRUCTURES = (
    "return params[0]*x0 + params[1]",
    "return params[0]*x0*x1 + params[1]*x0",
    "return params[0]*x0**2 + params[1]*x1 + params[2]",
    "return params[0]*x0**2 + params[1]*np.sin(x1)",
)


def answer(prompt, number):
    """A model whose answer hangs on the prompt alone, so that the method's own repeatability shows."""
    if "No code." in prompt:
        return "The residuals show no trend."
    return STRUCTURES[zlib.crc32(prompt.encode()) % len(STRUCTURES)]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["llm-sr", "drsr"])
def test_the_kit_passes(name, arena_home):
    with serving(answer) as (url, _):
        report = check.check(
            get(name), budget_s=8.0, endpoint={"url": url, "token": "t", "model": "stand-in"}
        )
    failed = [] if report.passed else list(report.items)
    assert failed == []
    assert len(report.items) >= 12
