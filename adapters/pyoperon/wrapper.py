"""Binds PyOperon: its own estimator, watched after every generation through Operon's callback."""

import math
import re
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request

# Decimals asked of Operon's formatter, which has no exponents: enough for the least coefficient it can hold.
DECIMALS = 45
_NUMBER = re.compile(r"\d+\.\d+")
# Larger than any search: the estimator's own defaults (1,000 generations, 1e6 evaluations) end early.
UNLIMITED = 10**9
# A generation that ends after the budget does not count: none is begun that would not leave time for one more
# of the slowest so far, and at least for this share of the budget, within these seconds. On a busy machine a
# generation may take twice as long as any before it, and the estimator's own last steps take time as well.
MARGIN_SHARE, LEAST_MARGIN_S, MOST_MARGIN_S = 0.02, 0.05, 0.25


def stops(time_left: float, slowest: float, budget: float) -> bool:
    """Tell whether the search has to end now for its result to come within the budget.

    Parameters
    ----------
    time_left, slowest, budget : float
        Seconds until the budget is over, of the slowest generation so far, and of the whole budget.
    """
    least = min(max(MARGIN_SHARE * budget, LEAST_MARGIN_S), MOST_MARGIN_S)
    return time_left <= slowest + max(slowest, least)


class Pyoperon:
    """PyOperon's SymbolicRegressor with a callback after each generation."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        import pyoperon
        import pyoperon.sklearn

        self.operon: Any = pyoperon
        self.module = pyoperon.sklearn
        self.request = request
        self.settings = settings
        own = ("allowed_symbols", "objective", "generations")
        self.estimator = pyoperon.sklearn.SymbolicRegressor(
            **{name: value for name, value in settings.items() if name not in own},
            allowed_symbols=",".join(settings["allowed_symbols"]),
            objectives=[settings["objective"]],
            generations=settings["generations"] or UNLIMITED,
            max_evaluations=request.evaluation_limit or UNLIMITED,
            max_time=max(1, math.ceil(request.budget_s)),
            n_threads=request.threads,
            random_state=request.seed,
        )
        self.best = math.inf
        self.evaluators: list[Any] = []

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Search until the budget or the evaluation limit."""
        watched = self._watched(X, y, report)
        original = self.module.op
        self.module.op = watched
        try:
            self.estimator.fit(X, y)
        finally:
            self.module.op = original

    def _watched(
        self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]
    ) -> types.SimpleNamespace:
        """Return Operon's module with an algorithm that calls us after each generation.

        The estimator hands ``None`` as the callback of ``Run``; everything else stays its own.
        """
        operon, wrapper = self.operon, self
        dataset = operon.Dataset(np.asfortranarray(np.column_stack((X, y))))
        rows = operon.Range(0, dataset.Rows)
        dispatch = operon.DispatchTable()
        target = max(dataset.Variables, key=lambda variable: variable.Index)
        names = {v.Hash: v.Name for v in dataset.Variables if v.Hash != target.Hash}

        def run(algorithm: Any, rng: Any, _: None, threads: int, warm: Any) -> None:  # noqa: ANN401
            slowest, last = 0.0, time.monotonic()

            def generation_ended() -> None:
                nonlocal slowest, last
                now = time.monotonic()
                slowest, last = max(slowest, now - last), now
                fitness = float(algorithm.BestModel.GetFitness(0))
                if fitness < wrapper.best:
                    wrapper.best = fitness
                    tree = algorithm.BestModel.Genotype
                    values = operon.Evaluate(dispatch, tree, dataset, rows)
                    scale, offset = operon.FitLeastSquares(values, y)
                    report(wrapper.equation(scaled_tree(operon, tree, scale, offset), names, fitness))
                if stops(wrapper.request.time_left(), slowest, wrapper.request.budget_s):
                    for evaluator in wrapper.evaluators:
                        evaluator.Budget = 1

            operon.GeneticProgrammingAlgorithm.Run(algorithm, rng, generation_ended, threads, warm)

        def evaluator(*arguments: Any) -> Any:  # noqa: ANN401
            made = operon.Evaluator(*arguments)
            wrapper.evaluators.append(made)
            return made

        members = {name: getattr(operon, name) for name in dir(operon)}
        members |= {
            "GeneticProgrammingAlgorithm": type(
                "Watched", (operon.GeneticProgrammingAlgorithm,), {"Run": run}
            ),
            "Evaluator": evaluator,
        }
        return types.SimpleNamespace(**members)

    def equation(self, tree: Any, names: dict[int, str], fitness: float) -> Equation:  # noqa: ANN401
        """Return a tree with every digit of its coefficients, and as PyOperon prints it."""
        return Equation(
            text=shortened(self.operon.InfixFormatter.Format(tree, names, DECIMALS)),
            native=self.operon.InfixFormatter.Format(tree, names, 6),
            score=fitness,
            score_name=f"{self.settings['objective']}, minimized",
            evaluations=sum(int(evaluator.CallCount) for evaluator in self.evaluators),
            complexity=float(tree.Length),
        )

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return PyOperon's own predictions."""
        return np.asarray(self.estimator.predict(X), dtype=np.float64)

    def get_optimal_equation(self) -> Equation:
        """Return PyOperon's choice."""
        return self.equation(self.estimator.model_, self.estimator.variables_, self.best)

    def get_total_equations(self) -> list[Equation]:
        """Return the choice; a single-objective search has no front."""
        return [self.get_optimal_equation()]


def shortened(text: str) -> str:
    """Write every decimal number of a formula with the fewest digits that keep its value."""
    return _NUMBER.sub(lambda number: repr(float(number.group())), text)


def scaled_tree(operon: Any, tree: Any, scale: float, offset: float) -> Any:  # noqa: ANN401
    """Return ``scale * tree + offset``, the model an Operon fitness with linear scaling speaks of."""
    nodes = tree.Nodes
    if scale != 1:
        nodes += [operon.Node.Constant(scale), operon.Node.Mul()]
    if offset != 0:
        nodes += [operon.Node.Constant(offset), operon.Node.Add()]
    return operon.Tree(nodes).UpdateNodes()
