"""Binds the method: LLM-SR's search with DrSR's residual analysis, experience feedback and five starts."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.drsr.prompts import SINGLE_LINE, experience_question, guidance, residual_question
from adapters.interface import Equation, Request
from adapters.llm_sr.prompts import INSTRUCTION, background, functions, header, variables
from adapters.llm_sr.skeleton import Skeleton, UnusableError, body_of, fit
from adapters.llm_sr.wrapper import LlmSr

Array = NDArray[np.float64]
# Appendix I.1: five uniform starts; maxiter, gtol and eps of BFGS.
STARTS = 5
BFGS = {"maxiter": 200, "gtol": 1e-10, "eps": 1e-12}
REMEMBERED = 12  # outcomes that are condensed at once
ANALYSIS_TOKENS = 400


class DrSr(LlmSr):
    """DrSR after appendix I.1: LLM-SR's loop with other prompts, other starts, and feedback."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        super().__init__(settings, request)
        self.analysis = ""
        self.experience = ""
        self.outcomes: list[tuple[str, str]] = []
        self.iterations = 0

    def _iterate(self, X: Array, y: Array, report: Callable[[Equation], None]) -> None:
        before = self.best
        super()._iterate(X, y, report)
        self.iterations += 1
        if self._over():
            return
        if self.settings["residual_analysis"] and self.best is not None and self.best is not before:
            self.analysis = self._analysed(X, y)
        if self.settings["experience"] and self.iterations % self.settings["experience_every"] == 0:
            self.experience = self._ask(experience_question(self.outcomes[-REMEMBERED:]))

    def _analysed(self, X: Array, y: Array) -> str:
        assert self.best is not None
        request = self.request
        return self._ask(
            residual_question(
                request.features,
                request.target,
                self.best.body,
                X,
                y,
                self.predict(X),
                self.settings["analysis_rows"],
            )
        )

    def _ask(self, question: str) -> str:
        return self.chat.ask(question, seed=self.request.seed + self.samples, most=ANALYSIS_TOKENS)

    def _prompt(self, shown: tuple[Skeleton, ...]) -> str:
        request, description = self.request, self._description()
        parts = (
            header(request.features, request.target, description),
            guidance("Analysis of the residuals so far", self.analysis),
            guidance("Experience so far", self.experience),
            f"{INSTRUCTION}\n{SINGLE_LINE}",
            f"Variables:\n{variables(request.features, request.target, description)}",
            f"Background:\n{background(request.features, request.target, description)}",
            functions(request.features, shown),
        )
        return "\n\n".join(part for part in parts if part)

    def _sample(self, prompt: str, X: Array, y: Array) -> Skeleton | None:
        answer = self.chat.ask(prompt, seed=self.request.seed + self.samples)
        self.samples += 1
        try:
            body = body_of(answer, single_line=True)
        except UnusableError as error:
            self._refused(answer, str(error))
            self.outcomes.append((f"failed ({error})", answer.strip()[:200]))
            return None
        try:
            found = self._fitted(body, X, y)
        except UnusableError as error:
            self._refused(answer, str(error))
            self.outcomes.append((f"failed ({error})", body))
            return None
        improved = self.best is None or found.mse < self.best.mse
        self.outcomes.append(
            (f"improved, MSE {found.mse:.3g}" if improved else f"no better, MSE {found.mse:.3g}", body)
        )
        return found

    def _fitted(self, body: str, X: Array, y: Array) -> Skeleton:
        count = self.settings["max_nparams"]
        starts = [self.generator.uniform(-1.0, 1.0, count) for _ in range(STARTS)]
        return fit(body, self.request.features, X, y, starts, BFGS, self._late)
