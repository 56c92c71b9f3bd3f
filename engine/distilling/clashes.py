"""Why a demand cannot be met: a smallest set of constraints that clash, by leaving out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from engine.distilling.constraints import Constraint
from engine.distilling.linear import INFEASIBLE, Rows, branch
from engine.distilling.problem import Problem
from engine.errors import EngineError

# Kinds with one row per group of tasks are named as a whole: nobody wants 180 duplicate groups listed.
WHOLE_KINDS = {
    "duplicate": "at most one task per duplicate group",
    "basename": "at most one task per basename",
}
PROBE_S = 10.0


@dataclass(frozen=True, slots=True)
class Clash:
    """Names of constraints that cannot hold together with the size, each needed for the clash.

    ``kinds`` are theirs: without any one of these the clash is gone.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]


class ClashError(EngineError):
    """No selection can meet the demand; ``clash`` says which constraints exclude each other."""

    def __init__(self, clash: Clash) -> None:
        super().__init__(
            f"no selection can meet these together: {'; '.join(clash.names)}. "
            "Change the size, or leave out a kind of constraint (--without)"
        )
        self.clash = clash


def find_clash(problem: Problem) -> Clash | None:
    """Find an irreducible set of clashing constraints.

    Parameters
    ----------
    problem : Problem
        A problem for which no feasible set was found.

    Returns
    -------
    Clash or None
        None when the constraints do not clash, or it could not be proven in a few seconds each.
    """
    items: list[tuple[str, list[Constraint]]] = []
    for kind, name in WHOLE_KINDS.items():
        rows = [row for row in problem.constraints if row.kind == kind]
        if rows:
            items.append((name, rows))
    items += [(row.name, [row]) for row in problem.constraints if row.kind not in WHOLE_KINDS]
    if _can_hold(problem, [row for _, rows in items for row in rows]):
        return None
    # Whole kinds of rows leave first; of what must stay, single rows leave next.
    kinds = dict.fromkeys(rows[0].kind for _, rows in items)
    for kind in kinds:
        rest = [item for item in items if item[1][0].kind != kind]
        if not _can_hold(problem, [row for _, rows in rest for row in rows]):
            items = rest
    for item in list(items):
        rest = [other for other in items if other is not item]
        if not _can_hold(problem, [row for _, rows in rest for row in rows]):
            items = rest
    return Clash(
        (f"exactly {problem.size} tasks", *(name for name, _ in items)),
        tuple(dict.fromkeys(rows[0].kind for _, rows in items)),
    )


def _can_hold(problem: Problem, rows: Sequence[Constraint]) -> bool:
    """Say whether some set meets the rows; an undecided case counts as possible."""
    count = len(problem.allowed)
    parts = [
        sparse.csr_array(np.ones((1, count))),
        *(sparse.csr_array(row.coefficients[None, :]) for row in rows),
    ]
    matrix = sparse.vstack(parts, format="csr")
    low = np.array([float(problem.size), *(row.low for row in rows)])
    high = np.array([float(problem.size), *(row.high for row in rows)])
    both = Rows(
        sparse.csr_array(sparse.vstack([matrix, -matrix], format="csr")),
        np.concatenate([high, -low]),
        np.zeros(count),
        problem.allowed.astype(float),
    )
    whole = np.ones(count, dtype=np.int64)
    return branch(np.zeros(count), both, whole, PROBE_S, 0.0).status != INFEASIBLE
