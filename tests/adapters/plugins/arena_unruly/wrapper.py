"""Finds ``x0*x1 + x0`` at once and then misbehaves as its setting says."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from adapters.interface import Equation, Request

ANSWER = "x0*x1 + x0"


class Unruly:
    def __init__(self, settings: dict, request: Request) -> None:
        self.vice = settings["vice"]
        self.request = request
        if self.vice == "import":
            raise ImportError("no such library")

    def fit(self, X, y, report) -> None:
        vice = self.vice
        report(Equation("x0", "x0", 2.0, "loss", 1))
        report(Equation("x0", "x0", 2.0, "loss", 2))
        if vice == "raise":
            raise ValueError("the method gave up")
        if vice == "exit":
            sys.exit(5)
        if vice == "unrepeatable":
            report(Equation(f"x0 + {time.time_ns()}*0", "", 1.5, "loss", 2))
        if vice == "unparsable":
            report(Equation("x0 +* x1", "", 1.5, "loss", 2))
        if vice == "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            threading.Event().wait(600)
        if vice == "spin":
            while True:
                pass
        if vice == "curious":
            self.kept = Path(os.environ["HOME"], "../../secret.npz").open("rb")  # noqa: SIM115 - kept open on purpose
            time.sleep(1.5)
        if vice == "children":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        report(Equation(ANSWER, ANSWER, float("nan"), "loss", 3))

    def predict(self, X):
        if self.vice == "predictor":
            raise ZeroDivisionError
        return X[:, 0] * X[:, 1] + X[:, 0] + (1.0 if self.vice == "gap" else 0.0) * np.ones(len(X))

    def get_optimal_equation(self):
        return None if self.vice == "nothing" else Equation(ANSWER, ANSWER, 0.0, "loss", 3)

    def get_total_equations(self):
        return [Equation(ANSWER, ANSWER, 0.0, "loss", 3, 5.0)] * (5000 if self.vice == "many" else 1)
