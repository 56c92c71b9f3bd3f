"""Binds E2ESR: its regressor as it is, read each time it has ordered its candidates."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.e2esr.trees import relabelled
from adapters.e2esr.upstream import import_upstream, load_model, scaler_that_ends
from adapters.interface import Equation, Request


class E2esr:
    """SymbolicTransformerRegressor on the user's weights."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        torch = import_upstream(request, "e2esr")
        from symbolicregression.model import utils_wrapper
        from symbolicregression.model.sklearn_wrapper import (
            SymbolicTransformerRegressor,
            get_top_k_features,
        )

        self.settings = settings
        self.base: Any = SymbolicTransformerRegressor
        # Upstream's fit looks its scaler up there.
        utils_wrapper.StandardScaler = scaler_that_ends(utils_wrapper.StandardScaler)
        self.scaler_of: Any = utils_wrapper.StandardScaler
        self.top_features: Any = get_top_k_features
        self.model: Any = load_model(torch, request.weights)
        self.tree: Any = None
        self.equations: list[Equation] = []

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Decode all bags, refine the best candidates; publish the best before and after the refinement."""
        wrapper = self
        columns = [int(c) for c in self.top_features(X, y, k=self.model.env.params.max_input_dimension)]
        scaler, scaling = None, ()
        if self.settings["rescale"]:
            scaler = self.scaler_of()
            scaler.fit_transform(X[:, columns])
            scaling = scaler.get_params()

        def in_task(tree: Any) -> Any:  # noqa: ANN401
            if scaler is not None:
                tree = scaler.rescale_function(wrapper.model.env, tree, *scaling)
            return relabelled(tree, columns)

        def order(estimator: Any, X: Any, y: Any, candidates: Any, **options: Any) -> Any:  # noqa: ANN401
            ordered = wrapper.base.order_candidates(estimator, X, y, candidates, **options)
            if ordered:
                best = ordered[0]["predicted_tree"]
                error = float(wrapper.base.evaluate_tree(estimator, best, X, y, "_mse"))
                wrapper.tree = in_task(best)
                wrapper.equations.append(Equation(wrapper.tree.infix(), best.infix(), error, "mse"))
                report(wrapper.equations[-1])
            return ordered

        watched = type("Watched", (self.base,), {"order_candidates": order})
        # Upstream's fit changes the lists it is given.
        watched(model=self.model, **self.settings).fit([X.copy()], [y.copy()])

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values upstream's own compiler gives the tree; upstream's predict is broken."""
        function = self.model.env.simplifier.tree_to_numexpr_fn(self.tree)
        return np.asarray(function(X)[:, 0], dtype=np.float64)

    def get_optimal_equation(self) -> Equation | None:
        """Return the first candidate of the last order, None when the decoder made no valid one."""
        return self.equations[-1] if self.equations else None

    def get_total_equations(self) -> list[Equation]:
        """Return the best candidate of each order."""
        return self.equations
