"""How stable a panel is: bootstrap, alpha-tau grid, member removal, paradigms (SymbolicArena, F.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from engine.distilling.draws import Draws
from engine.distilling.panels import LEAST_PARADIGMS, PANEL_SIZE, Panel, Ranking, feasible_panels, rank_panels
from engine.distilling.usability import DEFAULT_TAU, CandidateErrors, usability

# SymbolicArena, F.1.
REPLICATES = 1000
GRID_ALPHAS = tuple(Fraction(percent, 100) for percent in range(30, 71, 5))
GRID_TAUS = (10.0, 30.0, 100.0, 300.0, 1000.0)


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Table 8's right half and the panel's own shares, all as fractions of the replicates.

    Attributes
    ----------
    replicates, seed : int
        How many, drawn from which seed.
    unique, optimal, mass : float
        The default panel is the only optimum; is among the optima; its share with ties split evenly.
    median_rank, rank_quartiles : float, tuple of float
        Of the default panel's competition rank.
    inclusion, any_optimum : dict of str to float
        Per candidate: with ties split evenly; in any optimal panel.
    """

    replicates: int
    seed: int
    unique: float
    optimal: float
    mass: float
    median_rank: float
    rank_quartiles: tuple[float, float]
    inclusion: dict[str, float]
    any_optimum: dict[str, float]


def bootstrap(
    candidates: CandidateErrors,
    paradigms: Mapping[str, str],
    panel: frozenset[str],
    seed: int,
    replicates: int = REPLICATES,
) -> Bootstrap:
    """Resample tasks within families and select again, at alpha 1/2 and tau 100.

    Parameters
    ----------
    candidates : CandidateErrors
        N tasks; the errors of all candidates on a task move as one block.
    paradigms : mapping of str to str
        Of each candidate.
    panel : frozenset of str
        The panel whose stability is asked for.
    seed, replicates : int
        Of the resampling.

    Returns
    -------
    Bootstrap
        Exact in every replicate: at alpha 1/2 a panel's usability is a whole number of half tasks.
    """
    # q + 1 - b, in tasks: an integer per task and candidate, so that sums and ties are exact.
    points = candidates.available.astype(np.int64) + 1 - candidates.explosions(DEFAULT_TAU).astype(np.int64)
    panels = feasible_panels(paradigms, PANEL_SIZE, LEAST_PARADIGMS)
    columns = np.array([[candidates.methods.index(m) for m in members] for members in panels])
    default = next(place for place, members in enumerate(panels) if frozenset(members) == panel)
    draws = Draws(seed)
    groups = _groups(candidates.families)
    inclusion = np.zeros(len(candidates.methods))
    touched = np.zeros(len(candidates.methods))
    unique = optimal = 0
    mass = 0.0
    ranks = []
    for _ in range(replicates):
        rows = np.concatenate([group[draws.below(len(group), len(group))] for group in groups])
        totals = points[rows].sum(axis=0)[columns].sum(axis=1)
        best = np.flatnonzero(totals == totals.max())
        ranks.append(1 + int((totals > totals[default]).sum()))
        if default in best:
            optimal += 1
            unique += len(best) == 1
            mass += 1 / len(best)
        counts = np.bincount(columns[best].ravel(), minlength=len(inclusion))
        inclusion += counts / len(best)
        touched += counts > 0
    quartiles = np.quantile(ranks, (0.25, 0.5, 0.75))
    return Bootstrap(
        replicates,
        seed,
        unique / replicates,
        optimal / replicates,
        mass / replicates,
        float(quartiles[1]),
        (float(quartiles[0]), float(quartiles[2])),
        dict(zip(candidates.methods, (inclusion / replicates).tolist(), strict=True)),
        dict(zip(candidates.methods, (touched / replicates).tolist(), strict=True)),
    )


def _groups(families: tuple[str, ...]) -> list[NDArray[np.int64]]:
    return [
        np.array([row for row, own in enumerate(families) if own == family])
        for family in sorted(set(families))
    ]


@dataclass(frozen=True, slots=True)
class GridCell:
    """One setting of alpha and tau: the default panel's rank, whether it is an optimum, the only one."""

    alpha: Fraction
    tau: float
    rank: int
    optimal: bool
    unique: bool
    best: tuple[tuple[str, ...], ...]


def grid(
    candidates: CandidateErrors, paradigms: Mapping[str, str], panel: frozenset[str]
) -> tuple[GridCell, ...]:
    """Select under every alpha and tau of F.1.

    Parameters
    ----------
    candidates : CandidateErrors
        N tasks, M candidates.
    paradigms : mapping of str to str
        Of each candidate.
    panel : frozenset of str
        The default panel.

    Returns
    -------
    tuple of GridCell
        45 settings.
    """
    cells = []
    for alpha in GRID_ALPHAS:
        for tau in GRID_TAUS:
            ranking = rank_panels(usability(candidates, alpha, tau), paradigms)
            best = tuple(found.members for found in ranking.optimal)
            rank = ranking.rank_of(panel)
            assert rank is not None
            cells.append(GridCell(alpha, tau, rank, rank == 1, rank == 1 and len(best) == 1, best))
    return tuple(cells)


@dataclass(frozen=True, slots=True)
class Replacement:
    """Table 9: a removed member, who comes in, the best usability without it and the loss."""

    removed: str
    panels: tuple[Panel, ...]
    entering: tuple[str, ...]
    U: Fraction
    loss: Fraction


def replacements(
    candidates: CandidateErrors, paradigms: Mapping[str, str], panel: Panel
) -> tuple[Replacement, ...]:
    """Remove each member in turn and select again (table 9).

    Parameters
    ----------
    candidates : CandidateErrors
        N tasks, M candidates.
    paradigms : mapping of str to str
        Of each candidate.
    panel : Panel
        The default panel with its usability.

    Returns
    -------
    tuple of Replacement
        By increasing loss.
    """
    found = []
    for member in panel.members:
        rest = candidates.without(member)
        ranking = rank_panels(usability(rest), {m: paradigms[m] for m in rest.methods})
        best = ranking.optimal
        entering = sorted({m for other in best for m in other.members} - set(panel.members))
        found.append(Replacement(member, best, tuple(entering), best[0].U, panel.U - best[0].U))
    return tuple(sorted(found, key=lambda one: (one.loss, one.removed)))


def coverage(H: Mapping[str, Fraction], paradigms: Mapping[str, str]) -> dict[int, Ranking]:
    """Select under every least number of paradigms from 1 to 4 that some panel reaches.

    Parameters
    ----------
    H : mapping of str to fractions.Fraction
        Usability of each candidate.
    paradigms : mapping of str to str
        Of each candidate.

    Returns
    -------
    dict of int to Ranking
        By least number of paradigms.
    """
    most = min(PANEL_SIZE, len(set(paradigms.values())))
    return {least: rank_panels(H, paradigms, PANEL_SIZE, least) for least in range(1, most + 1)}
