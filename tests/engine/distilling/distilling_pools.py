"""Small pools with planted properties, for the distillation tests."""

import numpy as np
import pandas as pd

from engine.distilling.facts import TaskFacts
from engine.distilling.pool import build_pool
from engine.distilling.responses import from_frame

PROBES = ("alpha", "beta", "gamma", "delta")
FAMILIES = ("north", "south", "east")


def facts(count, **changes):
    rng = np.random.default_rng(5)
    made = []
    for k in range(count):
        terms = " + ".join(f"x{j}**{j + 1}" for j in range(1 + int(rng.integers(5))))
        made.append(
            TaskFacts(
                id=f"t{k:04d}",
                name=f"task-{k}",
                family=FAMILIES[k % 3],
                subgroup=f"{FAMILIES[k % 3]}-{k % 7}",
                features=1 + int(rng.integers(6)),
                rows=100 * (1 + k % 5),
                formula=terms if k % 4 else f"sin({terms})",
                formula_type="polynomial" if k % 4 else "trigonometric",
                dummy=k % 5 == 0,
                duplicate_group=changes.get("groups", {}).get(k, f"t{k:04d}"),
            )
        )
    return tuple(made)


def response_frame(count, seed=11, probes=PROBES):
    rng = np.random.default_rng(seed)
    level = rng.normal(-4, 3, count)
    rows = []
    for k in range(count):
        for p, probe in enumerate(probes):
            valid = int(rng.integers(1, 4))
            middle = float(np.clip(level[k] + rng.normal(0, 2) - p / 2, -12, 12))
            rows.append(
                {
                    "task_id": f"t{k:04d}",
                    "method": probe,
                    "valid_seeds": valid,
                    "scheduled_seeds": 3,
                    "timeout_seeds": 0,
                    "median_log_id_nmse": middle,
                    "median_log_ood_nmse": float(np.clip(middle + abs(rng.normal(0, 1)), -12, 12)),
                    "iqr_log_id_nmse": float(abs(rng.normal(0, 0.3))),
                    "iqr_log_ood_nmse": float(abs(rng.normal(0, 0.5))),
                }
            )
    return pd.DataFrame(rows)


def small_pool(count=14, **changes):
    return build_pool(facts(count, **changes), from_frame(response_frame(count), "test"), "computed")
