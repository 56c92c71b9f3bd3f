"""Binds PySR: one fit in Julia, its hall of fame read by a process beside it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request
from adapters.pysr import watching
from adapters.pysr.watching import Reading

# PySR looks at its time limit between iterations; what it states after the budget would not count.
MARGIN = 0.98
# More iterations than any budget allows: the time limit ends the search.
UNLIMITED = 10**7
RUN = "run"


def import_pysr(threads: int) -> Any:  # noqa: ANN401
    """Import PySR, which starts Julia; its threads are fixed by then."""
    os.environ["PYTHON_JULIACALL_THREADS"] = str(threads)
    os.environ["PYTHON_JULIACALL_HANDLE_SIGNALS"] = "yes"
    import pysr

    return pysr


def search_options(settings: Mapping[str, Any], request: Request) -> dict[str, Any]:
    """Return what PySR, SymbolFit and FePySR alike tell ``PySRRegressor``."""
    serial = request.threads == 1
    return {
        "binary_operators": list(settings["binary_operators"]),
        "unary_operators": list(settings["unary_operators"]),
        "populations": settings["populations"],
        "population_size": settings["population_size"],
        "ncycles_per_iteration": settings["ncycles_per_iteration"],
        "niterations": UNLIMITED,
        "maxsize": settings["maxsize"],
        "maxdepth": settings["maxdepth"],
        "timeout_in_seconds": request.budget_s * MARGIN,
        "max_evals": request.evaluation_limit,
        "random_state": request.seed,
        "parallelism": "serial" if serial else "multithreading",
        "deterministic": serial,
        "progress": False,
        "verbosity": 0,
    }


class Pysr:
    """PySRRegressor."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        self.request = request
        self.folder = Path(request.native).absolute() / "pysr"
        self.reading = Reading(settings["model_selection"])
        pysr = import_pysr(request.threads)
        self.model: Any = pysr.PySRRegressor(
            **search_options(settings, request),
            model_selection=settings["model_selection"],
            parsimony=settings["parsimony"],
            precision=settings["precision"],
            output_directory=str(self.folder),
            run_id=RUN,
        )

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Search until PySR's own time limit; the watching process publishes in place of `report`."""
        del report
        watcher = watching.watch(self.folder / RUN, self.reading, self.request)
        try:
            # Columns without names are x0, x1, ... to PySR; some names that tasks have (S, N) it refuses.
            self.model.fit(X, y)
        finally:
            watching.stop(watcher)

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return PySR's own predictions."""
        return np.asarray(self.model.predict(X), dtype=np.float64).reshape(-1)

    def get_optimal_equation(self) -> Equation | None:
        """Return the member of the front that PySR's own selection picks."""
        return self.reading.equation(self.folder / RUN)

    def get_total_equations(self) -> list[Equation]:
        """Return the whole front."""
        return self.reading.front(self.folder / RUN)
