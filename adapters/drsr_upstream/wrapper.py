"""Binds upstream DrSR: its command line as it is, its best functions read from its files."""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from adapters.drsr_upstream.history import read_best
from adapters.errors import AdapterError
from adapters.interface import Equation, Request
from adapters.llm_sr.wrapper import searching_left
from adapters.llm_sr_upstream.specification import background

POLL_S = 0.2
# The one provider of upstream's whose address its configuration may name.
PROVIDER = "deepinfra"
# How upstream prints an answer of the lent endpoint after which no further call can help.
REFUSED = re.compile(rb"'code': '(cap_reached|invalid_token)'")


class DrsrUpstream:
    """main.py of the checkout, as a child process."""

    def __init__(self, settings: dict[str, Any], request: Request) -> None:
        if request.source is None or request.endpoint is None:
            message = "drsr-upstream needs its checkout and a model endpoint lent by the engine"
            raise AdapterError(message)
        self.settings = settings
        self.request = request
        self.folder = Path(request.native).absolute() / "drsr"
        self.best: Equation | None = None
        self.refused = threading.Event()

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64], report: Callable[[Equation], None]) -> None:
        """Run the command and publish each new best function; end it where the model refuses for good."""
        table = Path("train.csv").absolute()
        header = ",".join([*self.request.features, self.request.target])
        np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt="%.17g")
        config = Path("llm.config").absolute()
        config.write_text(json.dumps(self._model()), encoding="utf-8")
        words = [sys.executable, *self._words(table, config)]
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        listener = threading.Thread(target=self._listen, args=(process.stdout,), daemon=True)
        listener.start()
        ended_by_us = False
        while process.poll() is None and not ended_by_us:
            time.sleep(POLL_S)
            self._publish(report)
            if self.refused.is_set() or searching_left(self.request) <= 0:
                ended_by_us = True
                process.terminate()
                process.wait()
        self._publish(report)
        config.unlink(missing_ok=True)
        if process.returncode != 0 and not ended_by_us and self.best is None:
            message = f"drsr-upstream: main.py ended with exit code {process.returncode}"
            raise AdapterError(message)

    def _listen(self, output: IO[bytes]) -> None:
        """Pass on what upstream prints until the model refuses for good; upstream would ask for ever."""
        for line in output:
            if not self.refused.is_set():
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
            if REFUSED.search(line):
                self.refused.set()

    def _model(self) -> dict[str, Any]:
        endpoint = self.request.endpoint or {}
        base = str(endpoint["url"]).rstrip("/")
        return {
            "api_key": endpoint.get("token", ""),
            "model": f"{PROVIDER}/{endpoint.get('model', 'model')}",
            "base_url": base if base.endswith("/v1") else f"{base}/v1",
            "max_tokens": self.settings["max_tokens"],
            "temperature": self.settings["temperature"],
            "top_p": self.settings["top_p"],
            "top_k": self.settings["top_k"],
        }

    def _words(self, table: Path, config: Path) -> list[str]:
        request, settings = self.request, self.settings
        per_iteration = settings["samples_per_iteration"]
        proposals = request.evaluation_limit or settings["proposals"]
        words = [
            str(Path(request.source or "") / "main.py"),
            *("--problem_name", "task", "--data_csv", str(table), "--experiment_dir", str(self.folder)),
            *("--niterations", str(max(1, proposals // per_iteration))),
            *("--samples_per_iteration", str(per_iteration)),
            *("--timeout_in_seconds", str(max(1, int(request.time_left())))),
            *("--seed", str(request.seed), "--llm_config", str(config)),
        ]
        if request.description is None:
            return words
        return [*words, "--background", background(request.features, request.target, request.description)]

    def _publish(self, report: Callable[[Equation], None]) -> None:
        for equation in read_best(self.folder):
            if self.best is None or (equation.score or 0.0) > (self.best.score or 0.0):
                self.best = equation
                report(equation)

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Refuse: running model-written code again in the worker is not wanted."""
        raise NotImplementedError

    def get_optimal_equation(self) -> Equation | None:
        """Return the function of the best score."""
        return self.best

    def get_total_equations(self) -> list[Equation]:
        """Return every best function."""
        return read_best(self.folder)
