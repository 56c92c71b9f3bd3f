"""Binds the method: islands of equation skeletons, four new ones an iteration, constants fitted by BFGS."""

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Equation, Request
from adapters.llm_sr.chat import Bounds, Chat, EndpointError, OverError
from adapters.llm_sr.islands import Islands
from adapters.llm_sr.prompts import INSTRUCTION, background, functions, preamble, variables
from adapters.llm_sr.skeleton import Skeleton, UnusableError, body_of, fit

Array = NDArray[np.float64]
RESERVE = 0.04  # of the budget, at most a second, kept for the final line
_BOUND_SETTINGS = ("max_calls", "max_total_tokens", "max_cost", "price_in", "price_out")


def open_chat(settings: dict[str, Any], request: Request) -> Chat:
    """Open the endpoint the engine lends, with the settings' sampling and bounds."""
    calls, tokens, cost, price_in, price_out = (settings[name] for name in _BOUND_SETTINGS)
    if cost is not None and not (price_in or price_out):
        raise EndpointError("max_cost has no effect without a price: set price_in and price_out as well")
    sampling = {name: settings[name] for name in ("temperature", "top_p", "top_k", "max_tokens")}
    bounds = Bounds(calls, tokens, cost, price_in, price_out)
    return Chat(request.endpoint, sampling, bounds, lambda: searching_left(request))


def searching_left(request: Request) -> float:
    """Return the seconds left for searching: the budget's rest without the reserve for the end."""
    return request.time_left() - min(1.0, RESERVE * request.budget_s)


def linear_body(features: tuple[str, ...], constants: int) -> str:
    """Return the first candidate: a linear function, as LLM-SR starts from."""
    terms = [f"params[{place}] * {name}" for place, name in enumerate(features[: constants - 1])]
    return f"    return {' + '.join([*terms, f'params[{len(terms)}]'])}"


class LlmSr:
    """LLM-SR after appendix I.1."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        import scipy.optimize  # noqa: F401 - a missing SciPy is a failed start, not a failed fit

        self.settings = settings
        self.request = request
        self.chat = open_chat(settings, request)
        self.generator = np.random.default_rng(request.seed)
        self.islands = Islands(settings["islands"], self.generator)
        self.best: Skeleton | None = None
        self.samples = 0
        self.unusable = 0

    def fit(self, X: Array, y: Array, report: Callable[[Equation], None]) -> None:
        """Ask, fit and register until the budget, a bound or the sample limit."""
        first = self._fitted(linear_body(self.request.features, self.settings["max_nparams"]), X, y)
        self.islands.seed_all(first)
        self._take(first, report)
        iteration = 0
        try:
            while not self._over():
                iteration += 1
                if iteration % self.settings["reset_every"] == 0:
                    self.islands.reset()
                self._iterate(X, y, report)
        except OverError as end:
            if self.chat.calls == 0:
                # What was fitted so far is the seed of the islands: no model has had a part in it.
                self._keep_counts()
                message = f"the model has answered nothing: {end}"
                raise EndpointError(message) from end
            print(f"search ended: {end}", file=sys.stderr)  # noqa: T201 - the worker's log
        self._keep_counts()

    def _iterate(self, X: Array, y: Array, report: Callable[[Equation], None]) -> None:
        island = self.islands.pick()
        prompt = self._prompt(self.islands.shown(island))
        for _ in range(self.settings["samples_per_iteration"]):
            if self._over():
                return
            found = self._sample(prompt, X, y)
            if found is not None:
                self.islands.register(island, found)
                self._take(found, report)

    def _prompt(self, shown: tuple[Skeleton, ...]) -> str:
        request, description = self.request, self._description()
        return "\n\n".join(
            (
                INSTRUCTION,
                background(request.features, request.target, description),
                variables(request.features, request.target, description),
                preamble(self.settings["max_nparams"]),
                functions(request.features, shown),
            )
        )

    def _description(self) -> Any:  # noqa: ANN401 - a mapping or None, as the request has it
        return self.request.description if self.settings["semantics"] else None

    def _sample(self, prompt: str, X: Array, y: Array) -> Skeleton | None:
        answer = self.chat.ask(prompt, seed=self.request.seed + self.samples)
        self.samples += 1
        try:
            return self._fitted(body_of(answer, single_line=False), X, y)
        except UnusableError as error:
            self._refused(answer, str(error))
            return None

    def _refused(self, answer: str, reason: str) -> None:
        self.unusable += 1
        line = json.dumps({"sample": self.samples, "reason": reason, "answer": answer[:4000]})
        with (self.request.native / "unusable.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _fitted(self, body: str, X: Array, y: Array) -> Skeleton:
        # Appendix I.1: all coefficients start at one.
        starts = [np.ones(self.settings["max_nparams"])]
        return fit(body, self.request.features, X, y, starts, {}, self._late)

    def _late(self) -> bool:
        return searching_left(self.request) <= 0.0

    def _over(self) -> bool:
        limit = self.settings["max_samples"]
        return (
            self._late()
            or (limit is not None and self.samples >= limit)
            or self.request.spent(self.samples)
            or (self.best is not None and self.best.mse <= self.settings["stop_at"])
        )

    def _take(self, found: Skeleton, report: Callable[[Equation], None]) -> bool:
        """Publish a candidate that is the best so far."""
        if self.best is not None and found.mse >= self.best.mse:
            return False
        self.best = found
        report(self._equation(found))
        return True

    def _equation(self, found: Skeleton) -> Equation:
        return Equation(
            text=found.source,
            native=found.body,
            score=found.mse,
            score_name="mse",
            evaluations=self.samples,
            complexity=len(found.parameters),
        )

    def _keep_counts(self) -> None:
        counts = {
            "samples": self.samples,
            "unusable": self.unusable,
            "calls": self.chat.calls,
            "input_tokens": self.chat.input_tokens,
            "output_tokens": self.chat.output_tokens,
            "cost": self.chat.cost,
        }
        (self.request.native / "counts.json").write_text(json.dumps(counts), encoding="utf-8")

    def predict(self, X: Array) -> Array:
        """Evaluate the best skeleton with its constants."""
        from engine.expression import evaluate, parse

        if self.best is None:
            return np.full(len(X), np.nan)
        return evaluate(parse(self.best.source, self.request.features, "python"), X)

    def get_optimal_equation(self) -> Equation | None:
        """Return the skeleton with the least training error."""
        return None if self.best is None else self._equation(self.best)

    def get_total_equations(self) -> list[Equation]:
        """Return the best candidate of every island."""
        tops = {history[0].source: history[0] for history in self.islands.histories if history}
        return [self._equation(found) for found in sorted(tops.values(), key=lambda one: one.mse)]
