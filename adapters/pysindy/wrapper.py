"""Binds PySINDy for static regression: one sparse solve for each threshold of a sweep."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request

# Mean squared errors below this share of the target's variance are rounding, and no reason for more terms.
ROUNDING = 1e-24


def name_as_text(name: str) -> str:
    """Return a library function's printed name as an expression.

    PySINDy writes a product by juxtaposition (``x0 x1^2``) and a sine as ``sin(2 x0)``.
    """
    return name.strip().replace(" ", "*")


class Pysindy:
    """PySINDy's STLSQ on y as if it were a derivative, which its fit accepts for static data."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        import pysindy

        self.pysindy: Any = pysindy
        self.settings = settings
        self.request = request
        self.best_model: Any = None
        self.best: Equation | None = None
        self.models: list[Equation] = []
        self._start()

    def _start(self) -> None:
        """Fit a few rows: the package imports its parts at their first use, which is no search."""
        X = np.linspace(0.0, 1.0, 8 * len(self.request.features)).reshape(8, -1)
        self._solved(X, X[:, 0], 0.1)

    def _library(self) -> Any:  # noqa: ANN401
        polynomial = self.pysindy.PolynomialLibrary(self.settings["polynomial_degree"])
        if not self.settings["fourier_frequencies"]:
            return polynomial
        fourier = self.pysindy.FourierLibrary(self.settings["fourier_frequencies"])
        return self.pysindy.GeneralizedLibrary([polynomial, fourier])

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Sweep the threshold downwards and keep the model of the least BIC."""
        settings = self.settings
        scale = float(np.std(y)) or 1.0
        thresholds = np.geomspace(
            settings["threshold_high"], settings["threshold_low"], settings["thresholds"]
        )
        for index, threshold in enumerate(thresholds):
            if self.models and (self.request.spent(index) or self.request.time_left() <= 0):
                return
            model = self._solved(X, y, float(threshold) * scale)
            equation = self._equation(model, X, y, index + 1)
            self.models.append(equation)
            if self.best is None or (equation.score or 0.0) < (self.best.score or 0.0):
                self.best, self.best_model = equation, model
                report(equation)

    def _solved(self, X: NDArray[np.float64], y: NDArray[np.float64], threshold: float) -> Any:  # noqa: ANN401
        model = self.pysindy.SINDy(
            optimizer=self.pysindy.STLSQ(threshold=threshold, alpha=self.settings["alpha"]),
            feature_library=self._library(),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, t=1.0, x_dot=y.reshape(-1, 1), feature_names=list(self.request.features))
        return model

    def _equation(self, model: Any, X: NDArray[np.float64], y: NDArray[np.float64], solves: int) -> Equation:  # noqa: ANN401
        coefficients = np.asarray(model.coefficients(), dtype=np.float64)[0]
        names = model.get_feature_names()
        chosen = [(float(c), n) for c, n in zip(coefficients, names, strict=True) if c != 0]
        text = " + ".join(repr(c) if n == "1" else f"{c!r}*{name_as_text(n)}" for c, n in chosen) or "0.0"
        residual = float(np.mean((np.asarray(model.predict(X)).reshape(-1) - y) ** 2))
        floor = ROUNDING * float(np.var(y)) + np.finfo(float).tiny
        criterion = len(y) * math.log(max(residual, floor)) + len(chosen) * math.log(len(y))
        return Equation(text, model.equations(precision=6)[0], criterion, "bic", solves, float(len(chosen)))

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return PySINDy's own predictions."""
        return np.asarray(self.best_model.predict(X), dtype=np.float64).reshape(-1)

    def get_optimal_equation(self) -> Equation | None:
        """Return the model of the least BIC."""
        return self.best

    def get_total_equations(self) -> list[Equation]:
        """Return the model of every threshold."""
        return self.models
