"""Binds JAXSR: fits of one, two, ... terms, each published when the criterion prefers it."""

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request

# JAXSR's own export drops smaller coefficients.
NEGLIGIBLE = 1e-10


def term_text(name: str, coefficient: float) -> str:
    """Return ``coefficient*(basis function)``, JAXSR's ``^`` kept."""
    return repr(coefficient) if name == "1" else f"{coefficient!r}*({name})"


class Jaxsr:
    """JAXSR's SymbolicRegressor over the library the settings describe."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        # Single precision, JAX's default, loses half of the digits; set before JAX is imported.
        os.environ["JAX_ENABLE_X64"] = "1"
        os.environ["JAX_PLATFORMS"] = "cpu"
        import jaxsr

        self.jaxsr: Any = jaxsr
        self.settings = settings
        self.request = request
        self.model: Any = None
        self.best = math.inf
        self.models: list[Equation] = []
        # One library for all fits: what JAX compiled for it is then used again.
        self.library = self._library()
        self._start()

    def _start(self) -> None:
        """Fit a few rows: JAX sets itself up at its first use, which is no search."""
        X = np.linspace(1.0, 2.0, 8 * len(self.request.features)).reshape(8, -1)
        self._fitted(X, X[:, 0], 1)

    def _library(self) -> Any:  # noqa: ANN401
        settings = self.settings
        library = self.jaxsr.BasisLibrary(
            n_features=len(self.request.features), feature_names=list(self.request.features)
        )
        library.add_constant().add_linear().add_polynomials(settings["polynomial_degree"])
        library.add_interactions(max_order=settings["interaction_order"])
        if settings["transcendental"]:
            library.add_transcendental(list(settings["transcendental"]))
        return library

    def _fitted(self, X: NDArray[np.float64], y: NDArray[np.float64], terms: int) -> Any:  # noqa: ANN401
        model = self.jaxsr.SymbolicRegressor(
            basis_library=self.library,
            max_terms=terms,
            strategy=self.settings["strategy"],
            information_criterion=self.settings["information_criterion"],
            cv_folds=self.settings["cv_folds"],
            regularization=None,
            random_state=self.request.seed,
        )
        return model.fit(X, y)

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Fit with one term more at a time, up to the largest number, which is JAXSR's own answer."""
        library_size = len(self.library)
        for terms in range(1, min(self.settings["max_terms"], library_size) + 1):
            if self.model is not None and (self.request.spent(terms) or self.request.time_left() <= 0):
                return
            self.model = self._fitted(X, y, terms)
            equation = self._equation(self.model, terms)
            self.models.append(equation)
            if equation.score is not None and equation.score < self.best:
                self.best = equation.score
                report(equation)

    def _equation(self, model: Any, fits: int) -> Equation:  # noqa: ANN401
        names = model.selected_features_
        values = [float(value) for value in model.coefficients_]
        terms = [
            term_text(name, value)
            for name, value in zip(names, values, strict=True)
            if abs(value) >= NEGLIGIBLE
        ]
        criterion = self.settings["information_criterion"]
        return Equation(
            text=" + ".join(terms) or "0.0",
            native=model.expression_,
            score=float(model.metrics_[criterion]),
            score_name=criterion,
            evaluations=fits,
            complexity=float(model.complexity_),
        )

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return JAXSR's own predictions."""
        return np.asarray(self.model.predict(X), dtype=np.float64)

    def get_optimal_equation(self) -> Equation | None:
        """Return the model of the largest fit, as JAXSR selects it."""
        return self.models[-1] if self.models else None

    def get_total_equations(self) -> list[Equation]:
        """Return the model of every number of terms."""
        return self.models
