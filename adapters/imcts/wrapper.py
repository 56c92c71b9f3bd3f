"""Binds iMCTS: its blocking fit, repeated from one seed with a growing evaluation cap."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request

# A fit with twice the evaluations takes about twice as long; a little more, so that it still ends in time.
SLOWER = 1.1
# Near the end of the budget the cap grows by what still fits, unless that is hardly more than the last one.
DOUBLED, LEAST_GROWTH = 2.0, 1.25


def growth(time_left: float, took: float) -> float | None:
    """Return the factor by which the next fit's evaluation cap may grow, None when none is worth it.

    Parameters
    ----------
    time_left, took : float
        Seconds of budget that remain and that the last fit took.
    """
    factor = min(DOUBLED, time_left / (SLOWER * max(took, 1e-6)))
    return factor if factor >= LEAST_GROWTH else None


class Imcts:
    """imcts.Regressor, whose every fit repeats the last one's search and goes further."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        import imcts

        self.imcts: Any = imcts
        self.settings = settings
        self.request = request
        self.result: Any = None
        self.evaluations = 0

    def _configuration(self, evaluations: int) -> Any:  # noqa: ANN401
        configuration = self.imcts.RegressorConfig()
        for name, value in self.settings.items():
            if name != "first_evaluations":
                setattr(configuration, name, value)
        configuration.max_evals = evaluations
        return configuration

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Fit with a cap of n, 2n, 4n, ... evaluations and a last one that fills the budget.

        The GIL is held throughout each.
        """
        columns = np.ascontiguousarray(X.T, dtype=np.float32)
        target = np.ascontiguousarray(y, dtype=np.float32)
        limit = self.request.evaluation_limit
        cap = self.settings["first_evaluations"]
        while True:
            cap = cap if limit is None else min(cap, limit)
            began = time.monotonic()
            result = self.imcts.Regressor(columns, target, self._configuration(cap)).fit(
                seed=self.request.seed
            )
            took = time.monotonic() - began
            self.evaluations = int(result.n_evals)
            if self.result is None or result.best_reward > self.result.best_reward:
                self.result = result
                report(self._equation())
            factor = growth(self.request.time_left(), took)
            if self.evaluations < cap or self.request.spent(cap) or factor is None:
                return
            cap = int(cap * factor)

    def _equation(self) -> Equation:
        return Equation(
            text=self.result.expression,
            native=self.result.expression,
            score=float(self.result.best_reward),
            score_name="reward, maximized",
            evaluations=self.evaluations,
        )

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Refuse: iMCTS has no predictor, only its formula."""
        raise NotImplementedError

    def get_optimal_equation(self) -> Equation | None:
        """Return the best expression of the last fit."""
        return None if self.result is None else self._equation()

    def get_total_equations(self) -> list[Equation]:
        """Return the best expression."""
        return [] if self.result is None else [self._equation()]
