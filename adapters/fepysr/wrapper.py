"""Binds FePySR: its first stage as it is, its PySR search over the features watched on disk."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.errors import AdapterError
from adapters.interface import Equation, Request
from adapters.pysr import watching
from adapters.pysr.watching import Reading
from adapters.pysr.wrapper import RUN, import_pysr, search_options

# Share of the budget given to the PySR search; the features before it have no limit of their own.
SEARCH_SHARE = 0.9


def overrides(settings: dict[str, Any], request: Request) -> list[str]:
    """Return the settings in the words of upstream's configuration."""
    return [
        f"FMN.batch_size={settings['batch_size']}",
        f"FMN.lr={settings['learning_rate']}",
        f"FMN.num_epochs={settings['epochs']}",
        "FMN.FMN_only=False",
        "FMN.device=cpu",
        f"data_symbol.fea_num={settings['extracted_features']}",
        f"data_symbol.pysr_num={settings['pysr_features']}",
        f"Parallel.num_experiments={settings['experiments']}",
        f"Parallel.num_workers={request.threads}",
    ]


class Fepysr:
    """fepysr.FePySR with a PySRRegressor of ours, so that its files are where we look."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        if request.source is None:
            message = (
                "fepysr needs its checkout; run: arena-tui methods install fepysr --source PATH_OR_GIT_URL"
            )
            raise AdapterError(message)
        sys.path.insert(0, request.source)
        import torch

        self.pysr: Any = import_pysr(request.threads)
        torch.manual_seed(request.seed)
        torch.set_num_threads(1)
        self.torch: Any = torch
        self.settings = settings
        self.request = request
        self.folder = Path(request.native).absolute() / "pysr"
        self.module: Any = importlib.import_module("fepysr.fepysr")
        self.model: Any = None
        self.reading = Reading("best")

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Make features, then search; incumbents are written over the task's own columns."""
        wrapper = self
        # A regressor of ours in place of the one upstream would build from its configuration.
        self.model = self.module.FePySR(overrides=overrides(self.settings, self.request))
        original = self.module.pysr_train

        def searched(analyzer: Any, configuration: Any, _: Any = None) -> Any:  # noqa: ANN401
            wrapper.reading = Reading("best", tuple(str(name) for name in wrapper.model.feature_names_))
            options = search_options(wrapper.settings, wrapper.request)
            options["timeout_in_seconds"] = wrapper.request.time_left() * SEARCH_SHARE
            search = wrapper.pysr.PySRRegressor(**options, output_directory=str(wrapper.folder), run_id=RUN)
            watcher = watching.watch(wrapper.folder / RUN, wrapper.reading, wrapper.request)
            try:
                return original(analyzer, configuration, search)
            finally:
                watching.stop(watcher)

        self.module.pysr_train = searched
        try:
            self.model.fit(
                self.torch.tensor(X, dtype=self.torch.float64),
                self.torch.tensor(y.reshape(-1, 1), dtype=self.torch.float64),
            )
        finally:
            self.module.pysr_train = original
        equation = self.get_optimal_equation()
        if equation is not None:
            report(equation)

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values upstream gives its final formula."""
        values = self.model.predict(self.torch.tensor(X, dtype=self.torch.float64))
        return np.asarray(values.detach().numpy(), dtype=np.float64).reshape(-1)

    def get_optimal_equation(self) -> Equation | None:
        """Return upstream's final formula, features put in and simplified by upstream."""
        text = None if self.model is None else self.model.best_equation_
        if not text:
            return None
        loss = getattr(self.model.best_model_, "loss", None)
        return Equation(str(text), str(text), None if loss is None else float(loss), "loss")

    def get_total_equations(self) -> list[Equation]:
        """Return the search's whole front over the task's columns."""
        return self.reading.front(self.folder / RUN)
