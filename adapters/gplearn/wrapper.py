"""Binds gplearn: one warm-started fit per generation, programs written out at full precision."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request

# Fitness of these grows with quality; of the others it falls.
_GREATER_IS_BETTER = ("pearson", "spearman")


def program_text(program: list[Any]) -> str:
    """Write a gplearn program in gplearn's own prefix form, constants exactly.

    ``str(program)`` prints constants with three decimals only.

    Parameters
    ----------
    program : list
        The flattened tree: functions, column indices (int) and constants (float), in prefix order.
    """
    # From the last node backwards, so that a deep program needs no recursion.
    texts: list[str] = []
    for node in reversed(program):
        if isinstance(node, int | np.integer):
            texts.append(f"X{int(node)}")
        elif isinstance(node, float | np.floating):
            texts.append(repr(float(node)))
        else:
            arguments = [texts.pop() for _ in range(node.arity)]
            texts.append(f"{node.name}({', '.join(arguments)})")
    return texts.pop()


class Gplearn:
    """gplearn's SymbolicRegressor, stepped a generation at a time."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        from gplearn.genetic import SymbolicRegressor

        self.request = request
        self.settings = settings
        own = ("init_depth_min", "init_depth_max", "const_low", "const_high", "generations", "stop_at")
        self.estimator = SymbolicRegressor(
            **{name: value for name, value in settings.items() if name not in own},
            init_depth=(settings["init_depth_min"], settings["init_depth_max"]),
            const_range=(settings["const_low"], settings["const_high"]),
            generations=1,
            warm_start=True,
            low_memory=True,
            n_jobs=request.threads,
            random_state=request.seed,
        )
        self.generation = 0

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Step generations until the budget, a limit or a perfect fitness."""
        sign = -1.0 if self.settings["metric"] in _GREATER_IS_BETTER else 1.0
        best = np.inf
        slowest = 0.0
        while not self._over(slowest, best * sign):
            began = time.monotonic()
            self.generation += 1
            self.estimator.set_params(generations=self.generation)
            self.estimator.fit(X, y)
            slowest = max(slowest, time.monotonic() - began)
            current = sign * float(self.estimator._program.raw_fitness_)  # noqa: SLF001 - gplearn's only access
            if current < best:
                best = current
                report(self._equation())

    def _over(self, slowest: float, fitness: float) -> bool:
        if self.generation == 0:
            return False
        limit, stop = self.settings["generations"], self.settings["stop_at"]
        sign = -1.0 if self.settings["metric"] in _GREATER_IS_BETTER else 1.0
        perfect = stop is not None and sign * fitness <= sign * stop
        return (
            perfect
            or (limit is not None and self.generation >= limit)
            or self.request.spent((self.generation + 1) * self.settings["population_size"] - 1)
            or self.request.time_left() <= slowest
        )

    def _equation(self) -> Equation:
        program = self.estimator._program  # noqa: SLF001 - gplearn's only access
        return Equation(
            text=program_text(program.program),
            native=str(program),
            score=float(program.raw_fitness_),
            score_name=self.settings["metric"],
            evaluations=self.generation * self.settings["population_size"],
            complexity=program.length_,
        )

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return gplearn's own predictions."""
        return np.asarray(self.estimator.predict(X), dtype=np.float64)

    def get_optimal_equation(self) -> Equation:
        """Return gplearn's choice: the best program of the last generation."""
        return self._equation()

    def get_total_equations(self) -> list[Equation]:
        """Return the choice; gplearn keeps no front."""
        return [self._equation()]
