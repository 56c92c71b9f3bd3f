"""Binds DSO: one training step at a time, its best program by reward read after each."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.dso.modern import import_dso
from adapters.dso.program import program_text
from adapters.interface import Equation, Request

UNLIMITED = 10**12


def configuration(settings: Mapping[str, Any], request: Request) -> dict[str, Any]:
    """Return DSO's configuration for one run; what it leaves out is upstream's config_regression.json."""
    return {
        "experiment": {"logdir": None, "seed": request.seed},
        "task": {
            "task_type": "regression",
            "function_set": list(settings["function_set"]),
            "metric": settings["metric"],
            "metric_params": [1.0] if settings["metric"].startswith("inv_") else [],
            "threshold": settings["stop_at"],
            "protected": False,
        },
        "training": {
            "n_samples": request.evaluation_limit or UNLIMITED,
            "batch_size": settings["batch_size"],
            "epsilon": settings["epsilon"],
            "n_cores_batch": request.threads,
            "early_stopping": settings["stop_at"] > 0,
            "verbose": False,
        },
        "policy": {"max_length": settings["max_length"]},
        "policy_optimizer": {
            "learning_rate": settings["learning_rate"],
            "entropy_weight": settings["entropy_weight"],
        },
        "prior": {"length": {"min_": settings["min_length"], "max_": settings["max_length"], "on": True}},
    }


class Dso:
    """DeepSymbolicOptimizer, stepped."""

    def __init__(
        self,
        settings: dict[str, Any],
        request: Request,
        further: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        import_dso(request.source)
        from dso import DeepSymbolicOptimizer

        self.request = request
        self.settings = settings
        self.make: Any = DeepSymbolicOptimizer
        self.config = configuration(settings, request)
        for section, values in (further or {}).items():
            self.config[section] = {**self.config.get(section, {}), **values}
        self.program: Any = None
        self.trainer: Any = None

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Train until the budget, a limit, or a program that DSO counts as a success."""
        self.config["task"]["dataset"] = (X, y)
        optimizer = self.make(self.config)
        optimizer.setup()
        self.trainer = optimizer.trainer
        steps, slowest = 0, 0.0
        while steps == 0 or not self._over(steps, slowest):
            began = time.monotonic()
            optimizer.train_one_step()
            steps += 1
            slowest = max(slowest, time.monotonic() - began)
            if self.trainer.p_r_best is not None and self.trainer.p_r_best is not self.program:
                self.program = self.trainer.p_r_best
                report(self._equation(self.program))
        if optimizer.pool is not None:
            optimizer.pool.terminate()

    def _over(self, steps: int, slowest: float) -> bool:
        limit = self.settings["steps"]
        return bool(
            self.trainer.done or (limit is not None and steps >= limit) or self.request.time_left() <= slowest
        )

    def _equation(self, program: Any) -> Equation:  # noqa: ANN401
        return Equation(
            text=program_text(program.traversal),
            native=repr(program),
            score=float(program.r),
            score_name=f"{self.settings['metric']}, maximized",
            evaluations=int(self.trainer.nevals),
            complexity=float(program.complexity),
        )

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the best program's own values."""
        values = np.asarray(self.program.execute(X), dtype=np.float64).reshape(-1)
        return np.ascontiguousarray(np.broadcast_to(values, (len(X),)))

    def get_optimal_equation(self) -> Equation | None:
        """Return the best program by reward."""
        return None if self.program is None else self._equation(self.program)

    def get_total_equations(self) -> list[Equation]:
        """Return the best program; DSO's Pareto front needs its log files."""
        return [] if self.program is None else [self._equation(self.program)]
