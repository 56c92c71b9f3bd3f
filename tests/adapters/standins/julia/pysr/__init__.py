"""Stands in for PySR: writes result files the way a Julia search does, and knows no search."""

import os
import time
from pathlib import Path

import numpy as np

FRONTS = [
    [(1, 5.0, "1.0f0")],
    [(1, 5.0, "1.0f0"), (3, 0.5, "x0 * x1")],
    [(1, 5.0, "1.0f0"), (3, 0.5, "x0 * x1"), (5, 1e-9, "x0 * (x1 + 1.0f0)")],
]


def _record_size():
    return os.fstat(int(os.environ["ARENA_RECORD_FD"])).st_size


def _wait_until_read(before):
    """Search on until the record has a new line: however slow the machine, no front is overtaken."""
    deadline = time.monotonic() + 30
    while _record_size() == before and time.monotonic() < deadline:
        time.sleep(0.02)


class PySRRegressor:
    def __init__(self, **options):
        if "parallelism" in options:
            assert options["deterministic"] is (options["parallelism"] == "serial")
        self.options = options

    def set_params(self, **options):
        self.options.update(options)
        return self

    def fit(self, X, y, variable_names=None):
        assert variable_names is None, "the fronts here count x0, x1"
        folder = Path(self.options.get("output_directory") or "outputs")
        folder = folder / (self.options.get("run_id") or "20260101_000000_abc")
        folder.mkdir(parents=True)
        for front in FRONTS:
            before = _record_size()
            rows = "".join(f'{c},{loss},"{equation}"\n' for c, loss, equation in front)
            for name in ("hall_of_fame.csv", "hall_of_fame.csv.bak"):
                (folder / name).write_text(f"Complexity,Loss,Equation\n{rows}")
            _wait_until_read(before)
        return self

    def predict(self, X):
        return (X[:, 0] * (X[:, 1] + 1)).astype(np.float32)

    def get_best(self):
        class Row:
            equation = "x0 * (x1 + 1.0)"
            loss = FRONTS[-1][-1][1]

        return Row()
