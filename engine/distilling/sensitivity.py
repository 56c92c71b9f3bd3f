"""How much a core depends on the weights of J: single-weight restarts and joint weight vectors (F.2)."""

import dataclasses
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.distilling.draws import Draws
from engine.distilling.fidelity import fidelity
from engine.distilling.pool import Pool
from engine.distilling.problem import RESPONSE_SHARE, STRUCTURAL_SHARE, Problem
from engine.distilling.selection import cores
from engine.distilling.starts import Layout, lay_out, run_start

# SymbolicArena, F.2: each weight takes values in its range, 30 restarts per setting, 450 in all.
RANGES = {"Coverage": (0.40, 0.50), "MeanInfo": (0.30, 0.40), "Balance": (0.15, 0.25)}
VALUES_PER_RANGE = 5
RESTARTS = 30
JOINT_VECTORS = 5000
# The paper's restart is one greedy and its swaps. A few kicks more keep restarts comparable under the
# fidelity bound, where single swaps alone end early.
RESTART_KICKS = 4
BOX_STREAM = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class Restart:
    """One restart: the weight and its value, the rows it ended in, their parts of J, feasibility."""

    weight: str
    value: float
    rows: NDArray[np.int64]
    parts: NDArray[np.float64]
    feasible: bool


@dataclass(frozen=True, slots=True)
class SingleRow:
    """One row of table 10, with the number of feasible restarts that it summarizes."""

    weight: str
    low: float
    high: float
    restarts: int
    median_jaccard: float
    overlapping: float
    within_jaccard: float
    ranking_rate: float


@dataclass(frozen=True, slots=True)
class OptimalSet:
    """One row of table 11: an optimal set, how many weight vectors choose it, Jaccard with the default."""

    name: str
    members: tuple[str, ...]
    selections: int
    share: float
    jaccard: float


@dataclass(frozen=True, slots=True)
class Joint:
    """Tables 11 and 12: optimal sets under joint weights, and what they share."""

    vectors: int
    candidates: int
    sets: tuple[OptimalSet, ...]
    mean_jaccard: float
    least_overlap: int
    ranking_rate: float
    in_all: int
    in_90: int
    in_75: int


def settings() -> list[tuple[str, float, tuple[float, float, float]]]:
    """List the single-weight settings: the others are renormalized to sum to one.

    Returns
    -------
    list of tuple
        Name, value and the three weights; 15 settings.
    """
    default = dict(zip(RANGES, (0.45, 0.35, 0.20), strict=True))
    found = []
    for name, (low, high) in RANGES.items():
        for value in np.linspace(low, high, VALUES_PER_RANGE):
            rest = 1 - default[name]
            weights = [
                float(value) if other == name else default[other] * (1 - float(value)) / rest
                for other in default
            ]
            found.append((name, float(value), (weights[0], weights[1], 1 - weights[0] - weights[1])))
    return found


def restart_all(
    problem: Problem, seed: int, restarts: int = RESTARTS, watch: Callable[[int, int], None] | None = None
) -> tuple[Restart, ...]:
    """Run every restart of every single-weight setting.

    Parameters
    ----------
    problem : Problem
        Pool and constraints; its weights are replaced.
    seed : int
        Of the restarts.
    restarts : int
        Per setting.
    watch : callable, optional
        Called with restarts done and planned.

    Returns
    -------
    tuple of Restart
        In the order of settings and restarts, whatever the number of threads.
    """
    jobs: list[tuple[str, float, Layout, int]] = []
    for place, (name, value, weights) in enumerate(settings()):
        demand = dataclasses.replace(problem.demand, weights=weights)
        layout = lay_out(dataclasses.replace(problem, demand=demand))
        # Start 0 is the plain greedy; restarts differ by chance, so they count from 1.
        jobs += [(name, value, layout, 1 + place * restarts + k) for k in range(restarts)]

    def run(job: tuple[str, float, Layout, int]) -> Restart:
        name, value, layout, start = job
        found = run_start(layout, seed, start, RESTART_KICKS)
        return Restart(name, value, found.members, problem.parts(found.members), found.feasible)

    done: list[Restart] = []
    with ThreadPoolExecutor(max_workers=cores()) as workers:
        for restart in workers.map(run, jobs):
            done.append(restart)
            if watch is not None:
                watch(len(done), len(jobs))
    return tuple(done)


def jaccard(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Return the Jaccard similarity of two sets of rows.

    Parameters
    ----------
    one, other : numpy.ndarray
        Distinct rows.

    Returns
    -------
    float
        Shared over united.
    """
    shared = len(np.intersect1d(one, other))
    return shared / (len(one) + len(other) - shared)


def single_rows(
    pool: Pool, default: NDArray[np.int64], restarts: tuple[Restart, ...]
) -> tuple[SingleRow, ...]:
    """Summarize the restarts by weight (table 10).

    Parameters
    ----------
    pool : Pool
        For the order of probes.
    default : numpy.ndarray
        Rows of the default-weight selection.
    restarts : tuple of Restart
        Of all settings; infeasible ones are left out of the medians.

    Returns
    -------
    tuple of SingleRow
        Coverage, MeanInfo, Balance.
    """
    rows = []
    for name, (low, high) in RANGES.items():
        own = [restart for restart in restarts if restart.weight == name and restart.feasible]
        if not own:
            rows.append(SingleRow(name, low, high, 0, 0.0, 0.0, 0.0, 0.0))
            continue
        within = [jaccard(a.rows, b.rows) for a, b in combinations(own, 2) if a.value == b.value]
        rows.append(
            SingleRow(
                name,
                low,
                high,
                len(own),
                float(np.median([jaccard(default, r.rows) for r in own])),
                float(np.median([len(np.intersect1d(default, r.rows)) for r in own])),
                float(np.median(within)) if within else 1.0,
                float(np.mean([fidelity(pool.responses, r.rows).order_kept for r in own])),
            )
        )
    return tuple(rows)


def box_vectors(count: int, seed: int) -> NDArray[np.float64]:
    """Draw weight vectors uniformly from the box of F.2, by rejection.

    Parameters
    ----------
    count, seed : int
        How many, from which seed.

    Returns
    -------
    numpy.ndarray
        (count, 3), rows summing to one.
    """
    draws = Draws(seed, BOX_STREAM)
    (c_low, c_high), (i_low, i_high), (b_low, b_high) = RANGES.values()
    kept: list[NDArray[np.float64]] = []
    while sum(map(len, kept)) < count:
        u = draws.uniforms(count, 2)
        pair = np.array([c_low, i_low]) + u * np.array([c_high - c_low, i_high - i_low])
        balance = 1 - pair.sum(axis=1)
        kept.append(np.column_stack([pair, balance])[(balance >= b_low) & (balance <= b_high)])
    return np.concatenate(kept)[:count]


def joint(
    problem: Problem,
    default: NDArray[np.int64],
    restarts: tuple[Restart, ...],
    seed: int,
    vectors: int = JOINT_VECTORS,
) -> Joint:
    """Rescore all candidate sets under joint weights (tables 11 and 12).

    Parameters
    ----------
    problem : Problem
        Pool and constraints.
    default : numpy.ndarray
        Rows of the default-weight selection; the first candidate.
    restarts : tuple of Restart
        Whose feasible sets are the other candidates.
    seed, vectors : int
        Of the weight vectors.

    Returns
    -------
    Joint
        Equal scores go to the default, then to the set found first.
    """
    distinct: dict[bytes, tuple[NDArray[np.int64], NDArray[np.float64]]] = {
        default.tobytes(): (default, problem.parts(default))
    }
    for restart in restarts:
        if restart.feasible:
            distinct.setdefault(restart.rows.tobytes(), (restart.rows, restart.parts))
    rows = [members for members, _ in distinct.values()]
    parts = np.array([own for _, own in distinct.values()])
    terms = np.column_stack([STRUCTURAL_SHARE * parts[:, 0] + RESPONSE_SHARE * parts[:, 1], parts[:, 2:]])
    chosen = (box_vectors(vectors, seed) @ terms.T).argmax(axis=1)
    counts = np.bincount(chosen, minlength=len(rows))
    order = [0, *(int(k) for k in np.argsort(-counts, kind="stable") if k != 0 and counts[k])]
    pool = problem.pool
    sets = tuple(
        OptimalSet(
            f"S{place}",
            tuple(pool.ids[row] for row in rows[k]),
            int(counts[k]),
            counts[k] / vectors,
            jaccard(default, rows[k]),
        )
        for place, k in enumerate(order)
    )
    inclusion = np.zeros(len(pool.ids))
    for k in order:
        inclusion[rows[k]] += counts[k] / vectors
    share = counts / vectors
    used = [k for k in order if counts[k]]
    return Joint(
        vectors,
        len(rows),
        sets,
        float(sum(share[k] * jaccard(default, rows[k]) for k in used)),
        min(len(np.intersect1d(default, rows[k])) for k in used),
        float(sum(share[k] * fidelity(pool.responses, rows[k]).order_kept for k in used)),
        int((inclusion >= 1 - 1e-9).sum()),
        int((inclusion >= 0.9 - 1e-9).sum()),
        int((inclusion >= 0.75 - 1e-9).sum()),
    )
