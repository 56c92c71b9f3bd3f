"""What a wrapper is given and what it gives back: the unified adapter of paper 1, algorithm 1.

Standard library and numpy only: this file travels to every method's own interpreter.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Equation:
    """One expression as a method states it.

    Attributes
    ----------
    text : str
        The expression in the method's dialect, every constant at full precision. This is what is scored.
    native : str
        The same expression as the method itself prints it.
    score : float or None
        The method's own measure of it.
    score_name : str
        What that measure is called; the worker's record keeps it beside the number.
    evaluations : int or None
        How many candidates the method had evaluated when it stated this one.
    complexity : float or None
        The method's own measure of size, where it has one.
    """

    text: str
    native: str = ""
    score: float | None = None
    score_name: str = ""
    evaluations: int | None = None
    complexity: float | None = None


@dataclass(slots=True)
class Clock:
    """Seconds since the search began; the worker starts it at the fit-began line."""

    began: float | None = None

    def begin(self) -> None:
        """Start counting."""
        self.began = time.monotonic()

    def elapsed(self) -> float:
        """Return the seconds since `begin`, 0 before it."""
        return 0.0 if self.began is None else time.monotonic() - self.began


@dataclass(frozen=True, slots=True)
class Request:
    """What one run asks of a method, beside its settings.

    Attributes
    ----------
    seed, threads : int
        Pass both to the method by every route it knows.
    budget_s : float
        Seconds of search; a wrapper should return a little before they are over.
    evaluation_limit : int or None
        Stop after about this many evaluations, whatever the clock says: repeatable runs need it.
    features : tuple of str
        Column names of X, in order.
    target : str
        Name of the predicted quantity.
    description : mapping or None
        Semantic texts, only where the campaign allows them.
    endpoint : mapping or None
        A model endpoint lent by the engine (url, token, cap); no key of the user's.
    source : str or None
        The user's checkout of a bring-your-own-checkout method.
    weights : str or None
        A file of pretrained weights named by the user at installation.
    native : pathlib.Path
        Folder for the method's own output files; the engine keeps it for audit.
    clock : Clock
        Time since the search began.
    """

    seed: int
    threads: int
    budget_s: float
    evaluation_limit: int | None
    features: tuple[str, ...]
    target: str
    native: Path
    description: Mapping[str, Any] | None = None
    endpoint: Mapping[str, Any] | None = None
    source: str | None = None
    weights: str | None = None
    clock: Clock = field(default_factory=Clock)

    def time_left(self) -> float:
        """Return the seconds of budget that remain."""
        return self.budget_s - self.clock.elapsed()

    def spent(self, evaluations: int) -> bool:
        """Tell whether the evaluation limit, if any, is reached."""
        return self.evaluation_limit is not None and evaluations >= self.evaluation_limit


class Wrapper(Protocol):
    """One method bound to the arena, made as ``Wrapper(settings, request)``: heavy imports go there."""

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Search on X (n, d) and y (n,); call `report` whenever the method's own best changes."""

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the native predictor's values (n,) of the final model."""

    def get_optimal_equation(self) -> Equation | None:
        """Return the method's own final choice, None when it has none."""

    def get_total_equations(self) -> list[Equation]:
        """Return every model the method offers at the end: a front, a hall of fame, or just the choice."""
