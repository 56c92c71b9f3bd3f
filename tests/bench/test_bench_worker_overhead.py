"""What the worker adds to a method that publishes one incumbent a second: target under 3 % of a core."""

import time

import pytest

from adapters.gplearn.wrapper import program_text
from adapters.interface import Clock, Equation
from adapters.record import Record

pytestmark = pytest.mark.slow

INCUMBENTS = 2_000
TARGET = 0.03


class Function:
    arity, name = 2, "add"


def long_program(terms=500):
    """A gplearn program of a thousand nodes, far above what it keeps."""
    return [Function()] * (terms - 1) + [0.123456789 + index for index in range(terms)]


def test_one_incumbent_a_second_costs_a_worker_next_to_nothing(tmp_path, record_property):
    program = long_program()
    with (tmp_path / "record").open("wb", buffering=0) as file:
        clock = Clock()
        clock.begin()
        record = Record(file.fileno(), clock)
        began = time.process_time()
        for index in range(INCUMBENTS):
            program[-1] = float(index)
            text = program_text(program)
            record.incumbent(Equation(text, text, 1.0 / (index + 1), "mse", index))
        used = time.process_time() - began
    share = used / INCUMBENTS
    record_property("share of a core at one incumbent a second", share)
    print(f"{1e6 * share:.0f} microseconds an incumbent of a thousand nodes: {100 * share:.3f} % of a core")
    assert share < TARGET
