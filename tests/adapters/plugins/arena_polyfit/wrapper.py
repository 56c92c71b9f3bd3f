"""An adapter in under 80 lines: draws the terms of polynomials and fits their coefficients."""

import numpy as np

from adapters.interface import Equation, Request


class Polyfit:
    """Random search over sparse polynomials."""

    def __init__(self, settings: dict, request: Request) -> None:
        self.settings = settings
        self.request = request
        self.powers = None
        self.coefficients = None
        self.best = None

    def fit(self, X, y, report) -> None:
        generator = np.random.default_rng(self.request.seed)
        tried = 0
        while self.request.time_left() > 0 and not self.request.spent(tried):
            shape = (self.settings["terms"], X.shape[1])
            powers = generator.integers(0, self.settings["degree"] + 1, shape)
            columns = self._columns(X, powers)
            coefficients, *_ = np.linalg.lstsq(columns, y, rcond=None)
            error = float(np.mean((columns @ coefficients - y) ** 2))
            tried += 1
            if self.best is None or error < self.best.score:
                self.powers, self.coefficients = powers, coefficients
                self.best = Equation(self._text(), self._text(), error, "mse", tried)
                report(self.best)
            if error < 1e-20:
                break

    @staticmethod
    def _columns(X, powers):
        return np.prod(X[:, None, :] ** powers[None, :, :], axis=2)

    def _text(self) -> str:
        terms = []
        for coefficient, powers in zip(self.coefficients, self.powers, strict=True):
            factors = [
                f"{name}**{int(p)}" for name, p in zip(self.request.features, powers, strict=True) if p
            ]
            terms.append("*".join([repr(float(coefficient)), *factors]))
        return " + ".join(terms)

    def predict(self, X):
        return self._columns(X, self.powers) @ self.coefficients

    def get_optimal_equation(self):
        return self.best

    def get_total_equations(self):
        return [self.best]
