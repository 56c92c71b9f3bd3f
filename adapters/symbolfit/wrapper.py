"""Binds SymbolFit: its PySR search watched on disk, then its own fits of every candidate."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request
from adapters.pysr import watching
from adapters.pysr.watching import Reading
from adapters.pysr.wrapper import import_pysr, search_options

# SymbolFit writes there, relative to the working directory, and removes it at the end.
OUTPUTS = "outputs_tmp"
UNSCALED = "Parameterized equation, unscaled"
PARAMETERS = "Parameters: (best-fit, +1, -1)"
ERROR = "RMSE"
# Share of the budget given to the search; the fits that follow have no limit of their own.
SEARCH_SHARE = 0.9
_PARAMETER = re.compile(r"\ba\d+\b")


def scaled_columns(X: NDArray[np.float64]) -> list[str]:
    """Return what SymbolFit's x0, x1, ... stand for with ``input_rescale``: columns scaled to [0, 1]."""
    low, high = X.min(axis=0), X.max(axis=0)
    return [
        f"(x{i} - ({float(a)!r})) / ({float(b - a)!r})"
        for i, (a, b) in enumerate(zip(low, high, strict=True))
    ]


def filled(row: Mapping[str, Any]) -> str:
    """Return a candidate's unscaled formula with its fitted parameters in place of their names."""
    parameters = row[PARAMETERS]
    return _PARAMETER.sub(lambda found: f"({float(parameters[found.group()][0])!r})", row[UNSCALED])


class Symbolfit:
    """symbolfit.SymbolFit."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        pysr = import_pysr(request.threads)
        from symbolfit.symbolfit import SymbolFit

        self.make: Any = SymbolFit
        self.settings = settings
        self.request = request
        options = search_options(settings, request)
        options["timeout_in_seconds"] = request.budget_s * SEARCH_SHARE
        self.search: Any = pysr.PySRRegressor(**options, model_selection=settings["model_selection"])
        self.candidates: list[dict[str, Any]] = []

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Search and fit; incumbents of the first phase come from the watching process."""
        settings = self.settings
        rescaled = settings["input_rescale"]
        factor = float(np.abs(np.mean(y))) if rescaled and settings["scale_y_by"] == "mean" else 1.0
        columns = scaled_columns(X) if rescaled else ()
        reading = Reading(settings["model_selection"], tuple(columns), factor)
        watcher = watching.watch(Path(OUTPUTS), reading, self.request)
        model = self.make(
            x=X,
            y=y.reshape(-1, 1),
            pysr_config=self.search,
            max_complexity=settings["maxsize"],
            input_rescale=rescaled,
            scale_y_by=settings["scale_y_by"],
            max_stderr=settings["max_stderr"],
            fit_y_unc=False,
            random_seed=self.request.seed,
        )
        try:
            model.fit()
        finally:
            watching.stop(watcher)
        self.candidates = sorted(model.func_candidates.to_dict("records"), key=lambda row: float(row[ERROR]))
        equation = self.get_optimal_equation()
        if equation is not None:
            report(equation)

    def _equation(self, row: Mapping[str, Any]) -> Equation:
        return Equation(filled(row), row[UNSCALED], float(row[ERROR]), ERROR, None, row.get("Complexity"))

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Refuse: SymbolFit has formulas and no predictor."""
        raise NotImplementedError

    def get_optimal_equation(self) -> Equation | None:
        """Return the candidate of the least error: the selection by accuracy of table 17."""
        return self._equation(self.candidates[0]) if self.candidates else None

    def get_total_equations(self) -> list[Equation]:
        """Return every candidate, fitted."""
        return [self._equation(row) for row in self.candidates]
