"""Binds the greedy library search: an incumbent for the first-order model and after each accepted term."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request


class Bank:
    """Algorithm 1 of paper 2 over a fixed library."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        from engine.reachability.greedy import Limits

        self.request = request
        self.library = settings["library"]
        self.limits = Limits(**{name: value for name, value in settings.items() if name != "library"})
        self.model: Any = None
        self.steps: list[Equation] = []

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Search until no term helps, the budget ends or the evaluation limit is reached.

        The limit is looked at between rounds: a round that has begun is finished.
        """
        from engine.reachability.greedy import search
        from engine.reachability.libraries import BUILT_IN, expand, fitted
        from engine.reachability.model import Model
        from engine.reachability.subsample import subsample

        key = f"bank:{self.request.seed}"
        rows = subsample(len(y), self.limits.rows, key)

        def publish(model: Model, evaluations: int) -> bool:
            self._keep(model, evaluations)
            report(self.steps[-1])
            return self.request.time_left() > 0.0 and not self.request.spent(evaluations)

        pool = fitted(expand(BUILT_IN[self.library], X.shape[1]))
        found = search(pool, X[rows], y[rows], key, self.limits, publish)
        self._keep(found.model, found.evaluations)

    def _keep(self, model: Any, evaluations: int) -> None:  # noqa: ANN401 - the search is imported in fit only
        self.model = model
        text = self._in_names_of_the_request(model.text)
        self.steps.append(
            Equation(
                text=text,
                native=model.text,
                score=model.nmse,
                score_name="nmse",
                evaluations=evaluations,
                complexity=len(model.terms),
            )
        )

    def _in_names_of_the_request(self, text: str) -> str:
        """Write a model of the library, whose variables are x0, x1, ..., in the names it was asked in."""
        from engine.expression import infix, parse

        features = self.request.features
        own = tuple(f"x{index}" for index in range(len(features)))
        return text if features == own else infix(parse(text, own), features)

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Evaluate the saved formula: there is no other model."""
        from engine.reachability.columns import evaluated

        return evaluated(self.model.text, X)

    def get_optimal_equation(self) -> Equation | None:
        """Return the last model: a later one never has a larger training error."""
        return self.steps[-1] if self.steps else None

    def get_total_equations(self) -> list[Equation]:
        """Return the greedy path, shortest model first."""
        return self.steps
