"""Binds upstream LLM-SR: its pipeline as it is, asking the endpoint that the engine lends."""

import contextlib
import importlib
import json
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.errors import AdapterError
from adapters.interface import Equation, Request
from adapters.llm_sr.chat import Bounds, Chat, EndpointError, OverError
from adapters.llm_sr.wrapper import searching_left
from adapters.llm_sr_upstream.specification import specification

INSTRUCTION = (
    "You are a helpful assistant tasked with discovering mathematical function structures for scientific "
    "systems. Complete the 'equation' function below, considering the physical meaning and relationships of "
    "inputs.\n\n"
)
FUNCTION = "equation"
# The campaign's caps are met at the endpoint; upstream has none of its own.
UNBOUNDED = Bounds(None, None, None, 0.0, 0.0)


class OutOfBudgetError(Exception):
    """Ends upstream's endless loop."""


class LlmSrUpstream:
    """llmsr.pipeline.main with our language-model class and our profiler."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        if request.source is None or request.endpoint is None:
            message = "llm-sr-upstream needs its checkout and a model endpoint lent by the engine"
            raise AdapterError(message)
        sys.path.insert(0, request.source)
        _stand_in_for_tensorboard()
        self.settings = settings
        self.request = request
        names = ("config", "evaluator", "pipeline", "sampler")
        self.upstream: dict[str, Any] = {name: importlib.import_module(f"llmsr.{name}") for name in names}
        self.parameters = Path(request.native).absolute() / "parameters.jsonl"
        sampling = {name: settings[name] for name in ("temperature", "top_p", "top_k", "max_tokens")}
        self.chat = Chat(request.endpoint, sampling, UNBOUNDED, lambda: searching_left(request))
        self.samples = 0
        self.best: Equation | None = None
        np.random.seed(request.seed)  # noqa: NPY002 - upstream draws from the legacy generator

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Run upstream's pipeline until the budget, the sample limit, or a model that refuses for good."""
        wrapper, request = self, self.request

        extract = self.upstream["sampler"]._extract_body  # noqa: SLF001 - upstream's own class calls it too

        def draw_samples(model: Any, prompt: str, config: Any) -> list[str]:  # noqa: ANN401
            if searching_left(request) <= 0 or request.spent(wrapper.samples):
                raise OutOfBudgetError
            count = model._samples_per_prompt  # noqa: SLF001 - the base class keeps it there
            return [extract(wrapper.ask(prompt), config) for _ in range(count)]

        lent = type("Lent", (self.upstream["sampler"].LLM,), {"draw_samples": draw_samples})

        class Profiler:
            def __init__(self, *_: object, **__: object) -> None:
                pass

            def register_function(self, program: Any) -> None:  # noqa: ANN401
                wrapper.evaluated(program, report)

        self.upstream["pipeline"].profile.Profiler = Profiler
        text = specification(
            request.features,
            request.target,
            request.description,
            self.settings["max_params"],
            str(self.parameters),
        )
        configuration = self.upstream["config"].Config(
            experience_buffer=self.upstream["config"].ExperienceBufferConfig(
                num_islands=self.settings["num_islands"]
            ),
            samples_per_prompt=self.settings["samples_per_prompt"],
            evaluate_timeout_seconds=self.settings["evaluate_timeout_s"],
            use_api=True,
        )
        classes = self.upstream["config"].ClassConfig(
            llm_class=lent, sandbox_class=self.upstream["evaluator"].LocalSandbox
        )
        data = {"data": {"inputs": X, "outputs": y}}
        with contextlib.suppress(OutOfBudgetError):
            self.upstream["pipeline"].main(
                text, data, configuration, None, classes, log_dir=str(request.native)
            )

    def ask(self, prompt: str) -> str:
        """Return one completion from the lent endpoint; end the search where no further one is possible."""
        try:
            return self.chat.ask(f"{INSTRUCTION}\n{prompt}", seed=self.request.seed + self.chat.calls)
        except OverError as end:
            if self.chat.calls == 0:
                message = f"the model has answered nothing: {end}"
                raise EndpointError(message) from end
            print(f"search ended: {end}", file=sys.stderr)  # noqa: T201 - the worker's log
            raise OutOfBudgetError from end

    def evaluated(self, program: Any, report: Callable[[Equation], None]) -> None:  # noqa: ANN401
        """Look at a program that upstream has evaluated; its constants are what our specification left."""
        # Upstream registers its first function once per island without a number and counts samples from two.
        self.samples = max(self.samples, (program.global_sample_nums or 1) - 1)
        score = program.score
        if score is None or (
            self.best is not None and self.best.score is not None and score <= self.best.score
        ):
            return
        values = self._parameters_of(-float(score))
        source = str(program).strip()
        text = source if values is None else f"params = {values!r}\n{source}"
        self.best = Equation(text, source, float(score), "minus mse", self.samples)
        report(self.best)

    def _parameters_of(self, loss: float) -> list[float] | None:
        for line in reversed(self.parameters.read_text(encoding="utf-8").splitlines()):
            entry = json.loads(line)
            if entry["loss"] == loss:
                return [float(value) for value in entry["params"]]
        return None

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Refuse: running model-written code again in the worker is not wanted."""
        raise NotImplementedError

    def get_optimal_equation(self) -> Equation | None:
        """Return the function of the best score."""
        return self.best

    def get_total_equations(self) -> list[Equation]:
        """Return the function of the best score."""
        return [] if self.best is None else [self.best]


def _stand_in_for_tensorboard() -> None:
    """Upstream's profiler imports torch for its board alone; ours replaces the profiler."""
    for name in ("torch", "torch.utils", "torch.utils.tensorboard"):
        sys.modules.setdefault(name, types.ModuleType(name))
    vars(sys.modules["torch.utils.tensorboard"])["SummaryWriter"] = None
    # Upstream opens its prompts relative to nothing of ours; the variable only silences a warning of absl.
    os.environ.setdefault("ABSL_MIN_LOG_LEVEL", "3")
