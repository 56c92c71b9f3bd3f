"""Binds RAG-SR: the authors' parameters on EvolutionaryForest, its best model read after each generation."""

import contextlib
import random
import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request

# The parameters of the authors' script (rag_sr.py, commit 8fb7eb0) that table 17 does not name.
AUTHORS_PARAMETERS: dict[str, Any] = {
    "ensemble_size": 1,
    "initial_tree_size": "0-6",
    "ridge_alphas": "Auto",
    "verbose": False,
    "boost_size": None,
    "max_trees": 10_000,
    "library_clustering_mode": "Worst",
    "pool_addition_mode": "Smallest~Auto",
    "pool_hard_instance_interval": 10,
    "random_order_replacement": True,
    "pool_based_addition": True,
    "semantics_length": 50,
    "change_semantic_after_deletion": True,
    "include_subtree_to_lib": True,
    "library_updating_mode": "Recent",
    "categorical_encoding": "Target",
    "root_crossover": True,
    "scaling_before_replacement": False,
    "mutation_scheme": "uniform-plus",
    "environmental_selection": None,
    "record_training_data": False,
    "complementary_replacement": False,
    "validation_size": 0,
    "constant_type": "Float",
    "full_scaling_after_replacement": False,
    "neural_pool_num_of_functions": 5,
    "weight_of_contrastive_learning": 0.05,
    "neural_pool_dropout": 0.1,
    "neural_pool_transformer_layer": 1,
    "neural_pool_hidden_size": 64,
    "neural_pool_mlp_layers": 3,
    "selective_retrain": True,
    "negative_data_augmentation": True,
    "negative_local_search": False,
}
UNLIMITED = 10**6
_VARIABLE = re.compile(r"\bx(\d+)\b")


class OutOfBudgetError(Exception):
    """Ends the search from its own callback."""


def unscaled(text: str, low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
    """Write a model over min-max scaled inputs as one over the inputs themselves.

    Parameters
    ----------
    text : str
        Formula in x0, x1, ... where xi stands for (input - low[i]) / (high[i] - low[i]).
    low, high : ndarray of shape (d,)
        Range of each input on the training rows; a constant input scales to 0, as in scikit-learn.
    """
    span = np.where(high > low, high - low, 1.0)

    def variable(found: re.Match[str]) -> str:
        index = int(found.group(1))
        return f"((x{index} - ({float(low[index])!r})) / ({float(span[index])!r}))"

    return _VARIABLE.sub(variable, text)


class Ragsr:
    """EvolutionaryForestRegressor with RAG-SR's parameters."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        import torch
        from evolutionary_forest.forest import EvolutionaryForestRegressor

        self.settings = settings
        self.request = request
        random.seed(request.seed)
        # The package itself draws from the legacy generator.
        np.random.seed(request.seed)  # noqa: NPY002
        torch.manual_seed(request.seed)
        torch.set_num_threads(request.threads)
        self.estimator: Any = None
        self.base: Any = EvolutionaryForestRegressor
        self.best: Equation | None = None

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Evolve until the budget or a limit, checked after each generation."""
        wrapper, settings = self, self.settings
        generation_times = [time.monotonic()]

        def generation_ended(estimator: Any) -> None:  # noqa: ANN401
            generation_times.append(time.monotonic())
            equation = wrapper.equation()
            if wrapper.best is None or (equation.score or 0.0) > (wrapper.best.score or 0.0):
                wrapper.best = equation
                report(equation)
            slowest = float(np.max(np.diff(generation_times)))
            if wrapper.over(len(generation_times) - 2, slowest):
                raise OutOfBudgetError
            # The package's own callback grows its library of trees and trains the neural generator.
            wrapper.base.callback(estimator)

        watched = type("Watched", (self.base,), {"callback": generation_ended})
        own = ("basic_primitives", "external_archive", "generations")
        self.estimator = watched(
            **AUTHORS_PARAMETERS,
            **{name: value for name, value in settings.items() if name not in own},
            basic_primitives=",".join(settings["basic_primitives"]),
            external_archive=int(settings["external_archive"]),
            n_gen=settings["generations"] or UNLIMITED,
            n_process=1,
            random_state=self.request.seed,
        )
        with contextlib.suppress(OutOfBudgetError):
            self.estimator.fit(X, y, categorical_features=np.zeros(X.shape[1], dtype=bool))
        self.best = self.equation()

    def over(self, generations: int, slowest: float) -> bool:
        """Tell whether the search should end after so many generations, the slowest of which took so long."""
        limit = self.settings["generations"]
        return (
            (limit is not None and generations >= limit)
            or self.request.spent((generations + 1) * self.settings["n_pop"])
            or self.request.time_left() <= slowest
        )

    def equation(self) -> Equation:
        """Return the best individual so far over the unscaled inputs."""
        native = str(self.estimator.model())
        scaler = self.estimator.x_scaler
        return Equation(
            text=unscaled(native, np.asarray(scaler.data_min_), np.asarray(scaler.data_max_)),
            native=native,
            score=-float(self.estimator.hof[0].fitness.values[0]),
            score_name="R2, maximized",
            evaluations=(int(self.estimator.current_gen) + 1) * int(self.settings["n_pop"]),
        )

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return EvolutionaryForest's own predictions."""
        return np.asarray(self.estimator.predict(X), dtype=np.float64).reshape(-1)

    def get_optimal_equation(self) -> Equation | None:
        """Return the best individual of the hall of fame."""
        return self.best

    def get_total_equations(self) -> list[Equation]:
        """Return the best individual; the ensemble has the size of one."""
        return [self.best] if self.best is not None else []
