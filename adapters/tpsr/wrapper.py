"""Binds TPSR: its planner as it is, every expression it rewards looked at."""

import contextlib
import importlib
import math
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.e2esr.trees import relabelled
from adapters.e2esr.upstream import import_upstream, load_model, scaler_that_ends
from adapters.interface import Equation, Request

# Where upstream looks for the weights, relative to a working directory that is not ours to choose.
UPSTREAM_WEIGHTS = "symbolicregression/weights/model.pt"


class OutOfBudgetError(Exception):
    """Ends the planning from within a reward."""


class Tpsr:
    """tpsr_fit for one bag of points after the other."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        torch = import_upstream(request, "tpsr")
        _stand_in_for_nesymres()
        _point_to_weights(torch, request.weights)
        from symbolicregression.model import utils_wrapper
        from symbolicregression.model.sklearn_wrapper import get_top_k_features

        self.request = request
        self.planning: Any = importlib.import_module("rl_env")
        self.plan: Any = importlib.import_module("tpsr").tpsr_fit
        scaler = scaler_that_ends(utils_wrapper.StandardScaler)
        self.scaler: Any = scaler() if settings["rescale"] else None
        self.top_features: Any = get_top_k_features
        self.model: Any = load_model(torch, request.weights)
        self.parameters: Any = importlib.import_module("parsers").get_parser().parse_args([])
        for name, value in settings.items():
            setattr(self.parameters, name, value)
        self.parameters.seed = request.seed
        self.parameters.device = torch.device("cpu")
        self.parameters.cpu = True
        self.best = -math.inf
        self.sequences = 0
        self.tree: Any = None
        self.equations: list[Equation] = []

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Plan on each bag until the budget; the best expression by reward is kept."""
        columns = [int(c) for c in self.top_features(X, y, k=self.model.env.params.max_input_dimension)]
        scaled, scaling = X[:, columns], None
        if self.scaler is not None:
            scaled = self.scaler.fit_transform(scaled)
            scaling = self.scaler.get_params()
        self._watch(columns, scaling, report)
        bags = min(self.parameters.max_number_bags, math.ceil(len(y) / self.parameters.max_input_points))
        with contextlib.suppress(OutOfBudgetError):
            for bag in range(1, bags + 1):
                self.plan([scaled], [y.reshape(-1, 1)], self.parameters, self.model.env, bag_number=bag)

    def _watch(self, columns: list[int], scaling: Any, report: Callable[[Equation], None]) -> None:  # noqa: ANN401
        """Look over the shoulder of the two functions that refine a sequence and reward it."""
        refine, reward = self.planning.refine_for_sample, self.planning.compute_reward_e2e
        slowest, last = 0.0, time.monotonic()

        def refined(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401
            # A sequence without any valid tree makes upstream look into None.
            try:
                return refine(*arguments, **options)
            except (AttributeError, KeyError, TypeError):
                return None, None, []

        def rewarded(parameters: Any, samples: Any, values: Any, text: Any, trees: Any) -> float:  # noqa: ANN401
            nonlocal slowest, last
            valid = values is not None and bool(trees) and trees[0] is not None
            score = float(reward(parameters, samples, values, text, trees if valid else []))
            self.sequences += 1
            if valid and score > self.best:
                self.best = score
                tree = trees[0]
                if self.scaler is not None:
                    tree = self.scaler.rescale_function(self.model.env, tree, *scaling)
                self.tree = relabelled(tree, columns)
                equation = Equation(
                    self.tree.infix(), str(text), score, "reward, maximized", evaluations=self.sequences
                )
                self.equations.append(equation)
                report(equation)
            now = time.monotonic()
            slowest, last = max(slowest, now - last), now
            # There is no way out between two rewards: none is waited for that may come after the budget.
            if self.request.time_left() <= slowest or self.request.spent(self.sequences):
                raise OutOfBudgetError
            return score

        self.planning.refine_for_sample = refined
        self.planning.compute_reward_e2e = rewarded

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values upstream's own compiler gives the tree."""
        function = self.model.env.simplifier.tree_to_numexpr_fn(self.tree)
        return np.asarray(function(X)[:, 0], dtype=np.float64)

    def get_optimal_equation(self) -> Equation | None:
        """Return the best expression by reward; upstream's own last state may be a worse one."""
        return self.equations[-1] if self.equations else None

    def get_total_equations(self) -> list[Equation]:
        """Return every improvement."""
        return self.equations


def _stand_in_for_nesymres() -> None:
    """Give upstream's reward module the one name of the nesymres backbone that it imports and never calls."""
    path = ""
    for part in ("nesymres", "src", "nesymres", "architectures"):
        path = f"{path}.{part}" if path else part
        sys.modules.setdefault(path, types.ModuleType(path))
    vars(sys.modules[path])["bfgs"] = None


def _point_to_weights(torch: Any, weights: str | None) -> None:  # noqa: ANN401
    """Make upstream's fixed path of the weights mean the file the user named."""
    original = torch.load

    def load(file: Any, **options: Any) -> Any:  # noqa: ANN401
        if str(file).endswith(UPSTREAM_WEIGHTS):
            return original(weights, map_location="cpu", weights_only=False)
        return original(file, **options)

    torch.load = load
