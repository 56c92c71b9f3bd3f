"""Selectors to compare a core with: the six of C.4 and the proportional-quota check."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling import swaps
from engine.distilling.constraints import family_targets
from engine.distilling.descriptors import formula_shape, response_descriptors, squared_distances, standardized
from engine.distilling.draws import Draws
from engine.distilling.fidelity import fidelity
from engine.distilling.labels import DIFFICULTIES
from engine.distilling.pool import Pool

# SymbolicArena, C.4: each random selector is drawn 100 times.
REPEATS = 100
EMPIRICAL_RANGE = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Measured:
    """One selector's row of table 6, and its mean Info for figure 2.

    ``sd`` and ``low``, ``high`` (empirical 95 % range) are None for selectors without chance; ``members``
    are the ids of the selection (of the first draw where there are several).
    """

    selector: str
    draws: int
    mae: float
    sd: float | None
    low: float | None
    high: float | None
    mean_info: float
    members: tuple[str, ...]


def selectors(pool: Pool, size: int, seed: int) -> dict[str, list[NDArray[np.int64]]]:
    """Run every baseline selector.

    Parameters
    ----------
    pool : Pool
        N tasks.
    size : int
        Tasks to select.
    seed : int
        Of the random selectors.

    Returns
    -------
    dict of str to list of numpy.ndarray
        Sorted rows: 100 draws of each random selector, one selection of the others; the proportional check is
        last.
    """
    families = [fact.family for fact in pool.facts]
    smooth = family_targets(families, size)
    shares = {family: size * families.count(family) / len(families) for family in sorted(set(families))}
    repeats = range(REPEATS)
    return {
        "uniform random": [Draws(seed, 1, k).samples(len(families), size, 1)[0] for k in repeats],
        "smoothed family stratified": [stratified(families, smooth, Draws(seed, 2, k)) for k in repeats],
        "metadata diverse": [metadata_diverse(pool, size)],
        "response K-medoids": [response_medoids(pool, size)],
        "top information": [top_information(pool, size)],
        "difficulty balanced": [difficulty_balanced(pool, size)],
        "proportional family quota": [stratified(families, shares, Draws(seed, 3, k)) for k in repeats],
    }


def measure_selectors(pool: Pool, size: int, seed: int) -> tuple[Measured, ...]:
    """Run every baseline selector and measure its fidelity (table 6 without the core's own row).

    Parameters
    ----------
    pool : Pool
        N tasks.
    size : int
        Tasks to select.
    seed : int
        Of the random selectors.

    Returns
    -------
    tuple of Measured
        In the order of `selectors`.
    """
    return tuple(_measured(pool, name, chosen) for name, chosen in selectors(pool, size, seed).items())


def _measured(pool: Pool, selector: str, chosen: list[NDArray[np.int64]]) -> Measured:
    mae = np.array([fidelity(pool.responses, rows).mae for rows in chosen])
    info = float(np.mean([pool.information.info[rows].mean() for rows in chosen]))
    members = tuple(pool.ids[row] for row in chosen[0])
    if len(chosen) == 1:
        return Measured(selector, 1, float(mae[0]), None, None, None, info, members)
    low, high = (float(value) for value in np.quantile(mae, EMPIRICAL_RANGE))
    return Measured(
        selector, len(chosen), float(mae.mean()), float(mae.std(ddof=1)), low, high, info, members
    )


def largest_remainder(targets: dict[str, float], available: dict[str, int]) -> dict[str, int]:
    """Round targets to whole quotas with the same sum, none above what is available.

    Parameters
    ----------
    targets : dict of str to float
        Summing to a whole number.
    available : dict of str to int
        Upper limits.

    Returns
    -------
    dict of str to int
        Ties in the remainder go to the first name.
    """
    total = round(sum(targets.values()))
    quotas = {name: min(int(target), available[name]) for name, target in targets.items()}
    order = sorted(targets, key=lambda name: (-(targets[name] - int(targets[name])), name))
    while sum(quotas.values()) < total:
        room = [name for name in order if quotas[name] < available[name]]
        for name in room[: total - sum(quotas.values())]:
            quotas[name] += 1
    return quotas


def stratified(families: Sequence[str], targets: dict[str, float], draws: Draws) -> NDArray[np.int64]:
    """Sample within families by rounded targets.

    Parameters
    ----------
    families : sequence of str
        Of the N tasks.
    targets : dict of str to float
        Expected count per family.
    draws : Draws
        Randomness.

    Returns
    -------
    numpy.ndarray
        Sorted rows.
    """
    rows = {family: [row for row, own in enumerate(families) if own == family] for family in targets}
    quotas = largest_remainder(targets, {family: len(own) for family, own in rows.items()})
    picked = [
        np.asarray(rows[family])[draws.samples(len(rows[family]), quotas[family], 1)[0]]
        for family in targets
        if quotas[family]
    ]
    return np.sort(np.concatenate(picked))


def metadata_diverse(pool: Pool, size: int) -> NDArray[np.int64]:
    """Select tasks that lie far apart in metadata.

    The paper names the inputs (family, feature count, formula complexity, sample count) but not the rule.
    Ours: farthest point first over the standardized inputs, from the task nearest to their mean; ties go to
    the lower id.

    Parameters
    ----------
    pool : Pool
        N tasks.
    size : int
        Tasks to select.

    Returns
    -------
    numpy.ndarray
        Sorted rows.
    """
    families = sorted({fact.family for fact in pool.facts})
    points = standardized(
        np.array(
            [
                [float(fact.family == family) for family in families]
                + [fact.features, formula_shape(fact.formula)[0], np.log10(fact.rows + 1)]
                for fact in pool.facts
            ]
        )
    )
    chosen = [int((points**2).sum(axis=1).argmin())]
    nearest = squared_distances(points, points[chosen])[:, 0]
    while len(chosen) < size:
        nearest[chosen] = -1.0
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, squared_distances(points, points[chosen[-1:]])[:, 0])
    return np.sort(np.array(chosen))


def response_medoids(pool: Pool, size: int) -> NDArray[np.int64]:
    """Select K medoids in response space: greedy building, then best swaps until none shortens the distances.

    Parameters
    ----------
    pool : Pool
        N tasks.
    size : int
        K.

    Returns
    -------
    numpy.ndarray
        Sorted rows.
    """
    points = standardized(response_descriptors(pool.responses)[0])
    distance = np.sqrt(squared_distances(points))
    near = distance.max() - distance
    count = len(near)
    members = np.zeros(size, dtype=np.int64)
    first, second, nearest = np.zeros(count), np.zeros(count), np.zeros(count, dtype=np.int64)
    for slot in range(size):
        add = np.zeros(count)
        swaps.facility_gain(near, 1.0, first, add)
        add[members[:slot]] = -1.0
        members[slot] = int(add.argmax())
        swaps.rank_members(near, members, slot + 1, first, second, nearest)
    while True:
        add, loss, repair = np.zeros(count), np.zeros(size), np.zeros((size, count))
        swaps.rank_members(near, members, size, first, second, nearest)
        swaps.facility_scan(near, 1.0, first, second, nearest, add, loss, repair)
        gain = add[None, :] - loss[:, None] + repair
        gain[:, members] = -np.inf
        best = int(gain.argmax())
        if gain.flat[best] <= 1e-9 * count:
            return np.sort(members)
        members[best // count] = best % count


def top_information(pool: Pool, size: int) -> NDArray[np.int64]:
    """Select the tasks with the largest Info; ties go to the lower id.

    Parameters
    ----------
    pool : Pool
        N tasks.
    size : int
        Tasks to select.

    Returns
    -------
    numpy.ndarray
        Sorted rows.
    """
    return np.sort(np.argsort(-pool.information.info, kind="stable")[:size])


def difficulty_balanced(pool: Pool, size: int) -> NDArray[np.int64]:
    """Select equally from the difficulty bins, the largest Info first in each.

    Parameters
    ----------
    pool : Pool
        N tasks.
    size : int
        Tasks to select; what does not divide goes to the easier bins.

    Returns
    -------
    numpy.ndarray
        Sorted rows.
    """
    bins = {
        name: [row for row, own in enumerate(pool.labels.difficulty) if own == name] for name in DIFFICULTIES
    }
    targets = {name: size / len(bins) for name in bins}
    quotas = largest_remainder(targets, {name: len(rows) for name, rows in bins.items()})
    chosen: list[int] = []
    for name, rows in bins.items():
        chosen += sorted(rows, key=lambda row: (-pool.information.info[row], row))[: quotas[name]]
    return np.sort(np.array(chosen))
