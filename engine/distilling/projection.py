"""What figure 2 shows: where a selection lies in descriptor space, its trade-off, its sources."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling.descriptors import response_descriptors, standardized, structural_descriptors
from engine.distilling.pool import Pool


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """First two principal components of the joint descriptors: (N, 2) points, explained variance."""

    points: NDArray[np.float64]
    explained: tuple[float, float]


def project(pool: Pool) -> Projection:
    """Project structural and response descriptors together (figure 2a).

    Parameters
    ----------
    pool : Pool
        N tasks.

    Returns
    -------
    Projection
        Each component's sign makes its largest loading positive, so that the picture does not depend on the
        linear algebra library.
    """
    joint = np.hstack(
        [
            standardized(structural_descriptors(pool.facts)[0]),
            standardized(response_descriptors(pool.responses)[0]),
        ]
    )
    _, values, axes = np.linalg.svd(joint, full_matrices=False)
    axes = axes[:2]
    axes = axes * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    shares = values**2 / (values**2).sum()
    return Projection(joint @ axes.T, (float(shares[0]), float(shares[1])))


def composition(pool: Pool, selections: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Return the share of every source family in the pool and in selections (figure 2c).

    Parameters
    ----------
    pool : Pool
        N tasks.
    selections : mapping of str to sequence of str
        Task ids by the selection's name.

    Returns
    -------
    dict of str to dict of str to float
        By selection (``full`` first), then family.
    """
    family = {fact.id: fact.family for fact in pool.facts}
    families = sorted(set(family.values()))
    shares = {}
    for name, members in {"full": pool.ids, **selections}.items():
        counts = Counter(family[task] for task in members)
        shares[name] = {own: counts[own] / len(members) for own in families}
    return shares
