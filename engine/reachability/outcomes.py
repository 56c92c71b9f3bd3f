"""What a paired study shows: rates, four-cell tables, gains, retention, domains (paper 2, 3.2 and 4)."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Unit = Mapping[str, Any]
Cell = tuple[str, int]
"""A task id and a seed."""

METRICS: Mapping[str, Callable[[Unit], bool | None]] = {
    "acc0.01": lambda unit: unit.get("acc0.01"),
    "acc0.001": lambda unit: unit.get("acc0.001"),
    "strict": lambda unit: unit.get("strict"),
    "sa": lambda unit: (
        None if unit.get("representable") is None else unit["representable"] == "representable"
    ),
}
TITLES: Mapping[str, str] = {
    "acc0.01": "Acc0.01",
    "acc0.001": "Acc0.001",
    "strict": "Strict ID+OOD",
    "sa": "SA (offline)",
}


@dataclass(frozen=True, slots=True)
class Rate:
    """A success rate over seeds.

    Attributes
    ----------
    mean, sd
        Mean and population standard deviation of the rate over seeds, as shares; None without units.
    cells, expected
        Task-seed cells with an outcome, and cells there should be.
    defaulted
        Cells of a UNION arm without usable proposals, which equal BANK by default.
    """

    mean: float | None
    sd: float | None
    cells: int
    expected: int
    defaulted: int


@dataclass(frozen=True, slots=True)
class Gain:
    """A paired comparison of one arm against another over the cells both have.

    Attributes
    ----------
    wins, losses, ties
        Cells that only the first arm solves, only the second, and the rest.
    left_out
        Cells missing in one arm or equal by default.
    p
        Two-sided exact sign test on the cells that differ; None where none does.
    """

    wins: int
    losses: int
    ties: int
    left_out: int
    p: float | None

    @property
    def net(self) -> int:
        """Cells gained minus cells lost."""
        return self.wins - self.losses


class Outcomes:
    """All units of one study, by cell and arm.

    Parameters
    ----------
    units
        Unit records.
    plan
        The study's plan, which says what should be there.
    """

    def __init__(self, units: Iterable[Unit], plan: Mapping[str, Any]) -> None:
        self.arms: tuple[str, ...] = tuple(plan["arms"])
        self.seeds: tuple[int, ...] = tuple(plan["seeds"])
        self.tasks: tuple[str, ...] = tuple(task["id"] for task in plan["tasks"])
        self.domains: dict[str, str] = {task["id"]: task["domain"] for task in plan["tasks"]}
        self.units: dict[tuple[str, Cell], Unit] = {
            (unit["arm"], (unit["task"], unit["seed"])): unit for unit in units
        }

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every task and seed of the plan."""
        return tuple((task, seed) for seed in self.seeds for task in self.tasks)

    def defaulted(self, arm: str, cell: Cell) -> bool:
        """Tell whether a UNION cell had no usable proposal and so equals BANK."""
        unit = self.units.get((arm, cell))
        return arm.startswith("union-") and unit is not None and unit["status"] == "no candidates"

    def success(self, arm: str, cell: Cell, metric: str) -> bool | None:
        """Return whether an arm solved a cell; None where it did not run."""
        if self.defaulted(arm, cell):
            arm = "bank"
        unit = self.units.get((arm, cell))
        if unit is None or unit["status"] == "failed":
            return None
        if unit["status"] in ("no candidates", "no expression"):
            return False
        return METRICS[metric](unit)

    def rate(self, arm: str, metric: str, tasks: Sequence[str] | None = None) -> Rate:
        """Return an arm's success rate, mean and population sd over seeds."""
        chosen = self.tasks if tasks is None else tuple(tasks)
        shares, cells, defaulted = [], 0, 0
        for seed in self.seeds:
            found = [self.success(arm, (task, seed), metric) for task in chosen]
            known = [value for value in found if value is not None]
            cells += len(known)
            defaulted += sum(self.defaulted(arm, (task, seed)) for task in chosen)
            if known:
                shares.append(sum(known) / len(known))
        expected = len(chosen) * len(self.seeds)
        if not shares:
            return Rate(None, None, 0, expected, defaulted)
        return Rate(float(np.mean(shares)), float(np.std(shares)), cells, expected, defaulted)

    def unsolved(self, arm: str, metric: str, seeds: Sequence[int]) -> tuple[str, ...]:
        """List the tasks that an arm solved in none of some seeds, those without any outcome left out."""
        found = {task: [self.success(arm, (task, seed), metric) for seed in seeds] for task in self.tasks}
        return tuple(task for task, row in found.items() if True not in row and False in row)

    def four_cells(self, first: str, second: str, metric: str) -> dict[tuple[bool, bool], list[Cell]]:
        """Sort the cells that both arms have by who solved them: (first solved, second solved)."""
        table: dict[tuple[bool, bool], list[Cell]] = {
            (one, other): [] for one in (True, False) for other in (True, False)
        }
        for cell in self.cells:
            one, other = self.success(first, cell, metric), self.success(second, cell, metric)
            if one is not None and other is not None:
                table[one, other].append(cell)
        return table

    def compared(self, arm: str, base: str, metric: str) -> dict[tuple[bool, bool], list[Cell]]:
        """Sort the cells of an arm that do not equal the base by default by who solved them."""
        table = self.four_cells(arm, base, metric)
        return {
            who: [cell for cell in cells if not self.defaulted(arm, cell)] for who, cells in table.items()
        }

    def gain(self, arm: str, base: str, metric: str) -> Gain:
        """Compare an arm with a base, pair by pair (eq. 5; exact sign test)."""
        table = {who: len(cells) for who, cells in self.compared(arm, base, metric).items()}
        wins, losses = table[True, False], table[False, True]
        ties = table[True, True] + table[False, False]
        left_out = len(self.cells) - wins - losses - ties
        return Gain(wins, losses, ties, left_out, sign_test(wins, losses))

    def retention(self, level: str, metric: str) -> dict[tuple[bool, bool], tuple[int, int]]:
        """Count UNION successes within each BANK / LLM cell (table 13): (retained, cells)."""
        found = {}
        for key, cells in self.four_cells("bank", f"llm-{level}", metric).items():
            union = [self.success(f"union-{level}", cell, metric) for cell in cells]
            known = [value for value in union if value is not None]
            found[key] = (sum(known), len(known))
        return found

    def solved(self, arm: str, metric: str, tasks: Sequence[str]) -> float | None:
        """Return the mean number of some tasks that an arm solves, over seeds (table 8)."""
        rate = self.rate(arm, metric, tasks)
        return None if rate.mean is None or rate.cells < rate.expected else rate.mean * len(tasks)


def sign_test(wins: int, losses: int) -> float | None:
    """Return the two-sided exact sign test's p.

    Parameters
    ----------
    wins, losses
        Differing pairs either way; ties are left out.

    Returns
    -------
    float or None
        None where no pair differs.
    """
    differing = wins + losses
    if differing == 0:
        return None
    tail = sum(math.comb(differing, count) for count in range(min(wins, losses) + 1))
    return min(1.0, 2.0 * tail / 2.0**differing)


def clustered_interval(
    differences: Sequence[Sequence[float]], seed: int = 0, draws: int = 10_000
) -> tuple[float, float]:
    """Return the 95 % percentile interval of a mean, resampling tasks with all their seeds together.

    Parameters
    ----------
    differences
        For each task, the difference in each seed.
    seed
        Of the resampling, recorded with the result.
    draws
        Resamples.

    Returns
    -------
    (float, float)
        2.5 % and 97.5 % percentiles.
    """
    means = np.array([float(np.mean(row)) for row in differences])
    words = np.random.PCG64(seed).random_raw(draws * len(means)) % np.uint64(len(means))
    drawn = means[words.astype(np.intp).reshape(draws, len(means))].mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)
