"""Algorithm 1 of paper 2: greedy forward search, every constant refitted with every trial term."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.reachability.atoms import Atom, atom
from engine.reachability.columns import Array, Field, box, constant, design, field, thinned
from engine.reachability.fit import Batch, basis, minimize, project
from engine.reachability.model import Model, model
from engine.reachability.starts import Table, drawn, gains, halton, moved, peaks, tabulate


@dataclass(frozen=True, slots=True)
class Limits:
    """How far the search goes; the defaults are paper 2, table 6 (main experiment).

    Attributes
    ----------
    rows
        Most training rows.
    rounds
        Most greedy additions.
    reduction
        Least relative reduction of the training NMSE for which a term is accepted.
    starts
        Starts of each candidate's inner parameters.
    evaluations
        Most residual evaluations of each start.
    stop
        Training NMSE below which no further term is added; the final fit goes on below it.
    """

    rows: int = 800
    rounds: int = 5
    reduction: float = 1e-3
    starts: int = 10
    evaluations: int = 5000
    stop: float = 1e-10


KNOCKOUT_LIMITS = Limits(rows=300, starts=4, evaluations=1200)
"""Paper 2, table 6, matched knockout."""

WARM_STARTS = 6  # peaks of the one-parameter profile tried with the current model's parameters
MOVED_STARTS = 4  # at least so many starts move the current model's parameters too
SCREEN_ROWS = 256  # evenly spaced rows on which starts and candidates are screened
SCREEN_EVALUATIONS, SCREEN_TOLERANCE = 60, 1e-4
POLISHED = 12  # candidates fitted to stagnation before one is chosen
POLISH_EVALUATIONS, POLISH_TOLERANCE = 300, 1e-9
STAGNATION = 1e-9  # of the last fit of the saved model
TIE = 1e-3  # within this fraction a candidate without an inner constant is preferred
NEGLIGIBLE = 1e-26  # NMSE at which a fit is rounding error and goes no further


@dataclass(frozen=True, slots=True)
class Round:
    """One accepted term.

    Attributes
    ----------
    added
        The atom's text.
    nmse
        Training NMSE after all constants were refitted.
    tried
        Candidates that were fitted in this round.
    evaluations
        Residual evaluations spent in this round.
    """

    added: str
    nmse: float
    tried: int
    evaluations: int


@dataclass(frozen=True, slots=True)
class Found:
    """A finished search.

    Attributes
    ----------
    model
        Terms, constants and the saved formula.
    path
        Greedy choices in order.
    stopped
        Why no further term was added: ``rounds``, ``reduction``, ``stop``, ``candidates``
        (none is left that can be fitted) or ``cut`` (by the caller).
    evaluations
        Residual evaluations in total.
    """

    model: Model
    path: tuple[Round, ...]
    stopped: str
    evaluations: int


def search(
    candidates: Sequence[Atom],
    X: Array,
    y: Array,
    key: str,
    limits: Limits,
    on_round: Callable[[Model, int], bool] | None = None,
) -> Found:
    """Run the greedy search on one pool of candidates.

    Parameters
    ----------
    candidates
        Pool; each normalized form once. First-order terms need not be in it.
    X
        (n, d) training rows, already subsampled.
    y
        (n,) target.
    key
        Task and seed: starts are drawn from it, the candidate and the current terms, never from a
        candidate's place in the pool, so that pools with common candidates stay paired.
    limits
        Rounds, starts and stops.
    on_round
        Called with the model of the first-order terms and after each accepted term, and with the residual
        evaluations spent so far; the search ends when it returns False.

    Returns
    -------
    Found
    """
    first = [atom(f"x{index}") for index in range(X.shape[1])]
    normals = {one.normal for one in first}
    pool = [*first, *(one for one in candidates if one.normal not in normals)]
    state = _State(field(pool, X, y), list(range(len(first))), {}, key)
    table = tabulate(state.field)
    some = np.linspace(0, len(y) - 1, min(len(y), SCREEN_ROWS)).round().astype(np.intp)
    coarse = thinned(state.field, some)
    spread = float(np.var(y)) * len(y) or 1.0
    current = state.sse() / spread
    path: list[Round] = []
    spent, stopped = 0, "rounds"
    going = on_round is None or on_round(state.model(), spent)
    for _ in range(limits.rounds):
        if not going or current < limits.stop:
            stopped = "stop" if going else "cut"
            break
        choice = _choose(state, coarse, table, limits, NEGLIGIBLE * spread)
        if choice is None:
            stopped = "candidates"
            break
        spent += choice.evaluations
        if not choice.sse / spread <= (1.0 - limits.reduction) * current:
            stopped = "reduction"
            break
        state.accept(choice)
        current = choice.sse / spread
        path.append(
            Round(state.field.atoms[choice.candidate].text, current, choice.tried, choice.evaluations)
        )
        going = on_round is None or on_round(state.model(), spent)
    else:
        stopped = "stop" if current < limits.stop else "rounds"
    spent += state.polish(limits.evaluations, NEGLIGIBLE * spread)
    return Found(state.model(), tuple(path), stopped, spent)


@dataclass(frozen=True, slots=True)
class _Choice:
    """The candidate that lowers the error most, with every inner parameter refitted."""

    candidate: int
    theta: Array
    sse: float
    tried: int
    evaluations: int


@dataclass(slots=True)
class _State:
    """The current model: which atoms are in it, in order, and theta of the parametric ones."""

    field: Field
    chosen: list[int]
    theta: dict[int, float]
    key: str

    def split(self) -> tuple[list[int], list[int]]:
        """Return the static and the parametric atoms of the model, in order."""
        static = [index for index in self.chosen if index not in self.theta]
        return static, [index for index in self.chosen if index in self.theta]

    def span(self) -> Array:
        """Return an orthonormal basis of the model's columns."""
        which = np.array(self.chosen, dtype=np.intp)
        theta = np.array([self.theta.get(index, 0.0) for index in self.chosen])
        values = design(self.field, which, theta)[0]
        return basis(values[np.isfinite(values).all(axis=1)])

    def residual(self) -> Array:
        """Return what the model leaves of the target."""
        left: Array = project(self.span(), self.field.y[None])[0]
        return left

    def sse(self) -> float:
        """Return the current sum of squares."""
        left = self.residual()
        return float(left @ left)

    def accept(self, choice: _Choice) -> None:
        """Add a candidate and take over the refitted parameters."""
        parametric = self.split()[1]
        self.chosen.append(choice.candidate)
        self.theta.update(zip(parametric, choice.theta[:-1].tolist(), strict=True))
        if self.field.atoms[choice.candidate].parametric:
            self.theta[choice.candidate] = float(choice.theta[-1])

    def polish(self, evaluations: int, floor: float) -> int:
        """Refit every inner parameter to stagnation; return the residual evaluations spent."""
        if not self.theta:
            return 0
        last = self.split()[1][-1]
        without = _State(
            self.field, [index for index in self.chosen if index != last], dict(self.theta), self.key
        )
        start = np.array(
            [[*(self.theta[index] for index in without.split()[1] if index != last), self.theta[last]]]
        )
        del without.theta[last]
        batch = _batch(without, np.array([last]), self.field)
        theta, sse, spent = minimize(batch, start, iterations=evaluations, tolerance=STAGNATION, floor=floor)
        if sse[0] <= self.sse():
            self.theta.update(zip([*without.split()[1], last], theta[0].tolist(), strict=True))
        return int(spent.sum())

    def model(self) -> Model:
        """Return the model as it is saved."""
        atoms = [self.field.atoms[index] for index in self.chosen]
        constants = [
            constant(one, self.theta[index], self.field.X) if index in self.theta else None
            for index, one in zip(self.chosen, atoms, strict=True)
        ]
        return model(atoms, constants, self.field.X, self.field.y)


def _batch(state: _State, candidates: NDArray[np.intp], on: Field) -> Batch:
    """Lay out the model with each of some candidates, on the rows of a field."""
    static, members = state.split()
    field_ = state.field
    shared = basis(on.static[on.place[static]])
    bounds = [box(field_.atoms[index], field_.X) for index in members]
    own = {int(index): _own_box(field_, int(index)) for index in set(candidates.tolist())}
    low = np.array([[*(low for low, _ in bounds), own[index][0]] for index in candidates.tolist()])
    high = np.array([[*(high for _, high in bounds), own[index][1]] for index in candidates.tolist()])
    return Batch(on, shared, project(shared, on.y[None])[0], tuple(members), low, high, candidates)


def _own_box(field_: Field, index: int) -> tuple[float, float]:
    return box(field_.atoms[index], field_.X) if field_.atoms[index].parametric else (0.0, 1.0)


def _choose(state: _State, coarse: Field, table: Table, limits: Limits, floor: float) -> _Choice | None:
    """Try every candidate that is not in the model; polish the best few; return the best."""
    candidates, starts = _starts(state, table, limits.starts)
    if not len(candidates):
        return None
    screen = min(SCREEN_EVALUATIONS, limits.evaluations)
    batch = _batch(state, candidates, coarse)
    theta, sse, spent = minimize(batch, starts, iterations=screen, tolerance=SCREEN_TOLERANCE, floor=floor)
    order = np.argsort(sse, kind="stable")
    order = order[np.isfinite(sse[order])]
    best = [
        int(index) for index in order[np.sort(np.unique(candidates[order], return_index=True)[1])][:POLISHED]
    ]
    if not best:
        return None
    rest = max(1, min(POLISH_EVALUATIONS, limits.evaluations - screen))
    final = _batch(state, candidates[best], state.field)
    fine, low, more = minimize(final, theta[best], iterations=rest, tolerance=POLISH_TOLERANCE, floor=floor)
    evaluations = int(spent.sum() + more.sum())
    least = float(low.min())
    near = [place for place in range(len(best)) if low[place] <= max(least * (1.0 + TIE), floor)]
    near.sort(key=lambda place: (state.field.atoms[candidates[best[place]]].parametric, low[place]))
    won = near[0]
    return _Choice(
        int(candidates[best[won]]), fine[won], float(low[won]), len(set(candidates.tolist())), evaluations
    )


def _starts(state: _State, table: Table, count: int) -> tuple[NDArray[np.intp], Array]:
    """Lay out the problems of one round: candidates and where the inner parameters start."""
    field_ = state.field
    members = state.split()[1]
    warm = [state.theta[index] for index in members]
    span, residual = state.span(), state.residual()
    gain = gains(table, span, residual)
    terms = "|".join(sorted(field_.atoms[index].normal for index in state.chosen))
    candidates: list[int] = []
    starts: list[list[float]] = []
    for index, one in enumerate(field_.atoms):
        if index in state.chosen:
            continue
        if one.parametric:
            part = table.parts[index]
            tops = table.theta[part][peaks(gain[part], WARM_STARTS)].tolist()
        else:
            tops = [0.0]
        own = tops[: min(count, WARM_STARTS) if not members else max(1, count - MOVED_STARTS)]
        rows = [[*warm, theta] for theta in own]
        if members:
            points = halton(count - len(rows), len(members) + 1, f"{state.key}|{one.normal}|{terms}")
            for place, point in enumerate(points):
                theta = 0.0
                if one.parametric:
                    peak = bool(tops) and place // 2 % 2 == 0
                    theta = tops[place // 2 % len(tops)] if peak else drawn(table, index, float(point[-1]))
                rows.append([*moved(table, members, warm, place, point), theta])
        candidates += [index] * len(rows)
        starts += rows
    return np.array(candidates, dtype=np.intp), np.array(starts, dtype=np.float64)
