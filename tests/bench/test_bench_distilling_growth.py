"""How time and memory of a core selection grow with the pool: 664, 2,000 and 10,000 synthetic tasks.

Run with: pytest -m slow tests/bench/test_bench_distilling_growth.py -s
"""

import resource
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from engine.distilling.facts import TaskFacts
from engine.distilling.pool import build_pool
from engine.distilling.problem import Demand, pose
from engine.distilling.responses import COLUMNS, from_frame
from engine.distilling.selection import select

SHAPES = (
    "{a}*x0 + {b}",
    "sin({a}*x0)*x1",
    "x0/(x1 + {a})",
    "exp(-x0)*x1**{n} + {b}",
    "sqrt(x0**2 + x1**2)*{a}",
)


def synthetic(count, seed=3):
    """Tasks in 12 families whose probes respond alike within a family, with seed noise."""
    rng = np.random.default_rng(seed)
    facts, rows = [], []
    for k in range(count):
        family = int(rng.integers(12))
        formula = " + ".join(
            SHAPES[int(rng.integers(len(SHAPES)))].format(a=k % 17, b=k % 5, n=1 + k % 4)
            for _ in range(1 + int(rng.integers(4)))
        )
        task = f"s{k:06d}"
        facts.append(
            TaskFacts(
                task,
                f"synthetic-{k}",
                f"family-{family}",
                f"group-{family}-{int(rng.integers(4))}",
                1 + int(rng.integers(9)),
                1000,
                formula,
                ("polynomial", "trigonometric", "rational", "exponential")[family % 4],
                bool(k % 6 == 0),
                f"duplicates-{k // 2}" if k % 3 == 0 else task,
            )
        )
        level = rng.normal(-4 + family / 4, 3)
        for probe in range(4):
            middle = float(np.clip(level + rng.normal(-probe / 3, 2.5), -12, 12))
            valid = int(rng.choice([0, 1, 2, 3], p=[0.02, 0.02, 0.04, 0.92]))
            rows.append(
                [
                    task,
                    f"probe{probe}",
                    valid,
                    3,
                    0,
                    middle,
                    min(12.0, middle + abs(rng.normal(0, 1))),
                    *np.abs(rng.normal(0, 0.4, 2)).tolist(),
                ]
            )
    return tuple(facts), from_frame(pd.DataFrame(rows, columns=list(COLUMNS)), "synthetic")


def measure(count, seconds):
    """Select 50 of ``count`` tasks and say what it took."""
    facts, responses = synthetic(count)
    began, cpu = time.monotonic(), time.process_time()
    pool = build_pool(facts, responses, "computed")
    built = time.process_time() - cpu
    problem = pose(pool, Demand())
    found = select(problem, seconds=seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{count} tasks: pool {built:.1f} s CPU; {found.solver}, {found.starts} starts, "
        f"J {found.terms.J:.5f}, bound {found.bound:.5f}, gap {found.gap:.3%}; "
        f"{time.monotonic() - began:.0f} s, "
        f"{time.process_time() - cpu:.0f} s CPU, {peak:.0f} MiB; unmet {len(problem.violated(found.rows))}"
    )


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("count", "seconds"), [(664, 60), (2000, 120), (10_000, 300)])
def test_growth(count, seconds):
    # A process of its own, so that the peak of memory is this pool's.
    run = subprocess.run(
        [sys.executable, __file__, str(count), str(seconds)], capture_output=True, text=True, check=True
    )
    print(run.stdout.strip())
    assert run.stdout.strip().endswith("unmet 0")
    assert "gap inf" not in run.stdout


if __name__ == "__main__":
    print(measure(int(sys.argv[1]), float(sys.argv[2])))
