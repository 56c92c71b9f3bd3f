"""Binds QLattice: the epochs of feyn's own ``auto_run``, one at a time, its best model read after each."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request

# All digits of a double; feyn folds its input and output scaling into the printed formula.
EXACT_DIGITS = 17
# Models that are listed beside the choice.
LISTED = 10


class Qlattice:
    """feyn.QLattice, sampled, fitted, pruned and updated epoch by epoch."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        import feyn
        import pandas as pd

        self.feyn: Any = feyn
        self.pandas: Any = pd
        self.settings = settings
        self.request = request
        self.models: list[Any] = []
        self.tried = 0

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Run epochs until the budget or a limit; an epoch cannot be interrupted."""
        feyn, settings = self.feyn, self.settings
        names = list(self.request.features)
        target = self.request.target
        data = self.pandas.DataFrame(X, columns=names)
        data[target] = y
        lattice = feyn.QLattice(random_seed=self.request.seed)
        # Integer columns with few values would become categories, which no formula can hold.
        kinds = dict.fromkeys(names, "f")
        lattice.update_priors(feyn.tools.estimate_priors(data, target))
        epoch, slowest = 0, 0.0
        while epoch == 0 or not self._over(epoch, slowest):
            began = time.monotonic()
            epoch += 1
            sampled = lattice.sample_models(
                names, target, settings["kind"], kinds, settings["max_complexity"]
            )
            self.tried += len(sampled)
            self.models += sampled
            self.models = feyn.fit_models(
                self.models,
                data=data,
                loss_function=settings["loss_function"],
                criterion=settings["criterion"],
                threads=self.request.threads,
            )
            self.models = feyn.prune_models(self.models)
            lattice.update(self.models)
            slowest = max(slowest, time.monotonic() - began)
            report(self._equation(self.models[0]))

    def _over(self, epoch: int, slowest: float) -> bool:
        limit = self.settings["epochs"]
        return (
            (limit is not None and epoch >= limit)
            or self.request.spent(self.tried)
            or self.request.time_left() <= slowest
        )

    def _equation(self, model: Any) -> Equation:  # noqa: ANN401
        criterion = self.settings["criterion"]
        score = getattr(model, criterion, None)
        return Equation(
            text=str(model.sympify(signif=EXACT_DIGITS)),
            native=str(model.sympify(signif=self.settings["significant_digits"])),
            score=model.loss_value if score is None else float(score),
            score_name="loss" if score is None else criterion,
            evaluations=self.tried,
            complexity=float(model.edge_count),
        )

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the best model's own predictions."""
        data = self.pandas.DataFrame(X, columns=list(self.request.features))
        return np.asarray(self.models[0].predict(data), dtype=np.float64)

    def get_optimal_equation(self) -> Equation | None:
        """Return QLattice's first model by the criterion."""
        return self._equation(self.models[0]) if self.models else None

    def get_total_equations(self) -> list[Equation]:
        """Return the first models by the criterion; turning all of them into formulas takes minutes."""
        return [self._equation(model) for model in self.models[:LISTED]]
