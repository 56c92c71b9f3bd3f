"""Hosts one wrapper for one run, in the method's own interpreter.

Started in a scratch folder that holds ``request.json`` and ``train.npz`` and nothing else. Everything it
learns goes to the descriptor ARENA_RECORD_FD as lines of JSON; see `adapters.record`. A SIGTERM has its
default action, so that a method in compiled code dies at once: what counts then is the last incumbent.
"""

import importlib
import json
import os
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.interface import Clock, Request, Wrapper
from adapters.record import Record

DONE, METHOD_RAISED, START_FAILED = 0, 3, 4
NATIVE = "native"
PREDICTIONS = "train_predictions.npy"
# The longest message worth keeping of a foreign exception; the whole traceback is in the worker's log.
MESSAGE_LIMIT = 2_000


def read_request(scratch: Path) -> tuple[dict[str, Any], Request]:
    """Return the raw request and what a wrapper is given of it."""
    raw = json.loads((scratch / "request.json").read_text(encoding="utf-8"))
    native = scratch / NATIVE
    native.mkdir(exist_ok=True)
    request = Request(
        seed=int(raw["seed"]),
        threads=int(raw["threads"]),
        budget_s=float(raw["budget_s"]),
        evaluation_limit=raw.get("evaluation_limit"),
        features=tuple(raw["features"]),
        target=raw["target"],
        native=native,
        description=raw.get("description"),
        endpoint=raw.get("endpoint"),
        source=os.environ.get("ARENA_SOURCE") or None,
        weights=os.environ.get("ARENA_WEIGHTS") or None,
        clock=Clock(),
    )
    return raw, request


def read_train(scratch: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the training split: X (n, d) and y (n,), contiguous float64."""
    with np.load(scratch / "train.npz", allow_pickle=False) as arrays:
        X, y = arrays["X"], arrays["y"]
    return np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(y, dtype=np.float64).reshape(-1)


def load_wrapper(reference: str) -> Callable[[dict[str, Any], Request], Wrapper]:
    """Return the class a ``module:Class`` reference names."""
    module, _, name = reference.partition(":")
    wrapper: Callable[[dict[str, Any], Request], Wrapper] = getattr(importlib.import_module(module), name)
    return wrapper


def publish_final(
    wrapper: Wrapper, X: NDArray[np.float64], request: Request, record: Record, ended: float
) -> None:
    """Write the final line, with the native predictor's values on the training rows beside it.

    A method that ends without any expression writes no final line.
    """
    equation = wrapper.get_optimal_equation()
    stated = request.clock.elapsed()
    predictions = None
    if equation is None:
        record.write("fit-ended", ended=round(ended, 6))
        return
    try:
        values = np.asarray(wrapper.predict(X), dtype=np.float64).reshape(-1)
        np.save(request.native / PREDICTIONS, values, allow_pickle=False)
        predictions = f"{NATIVE}/{PREDICTIONS}"
    except NotImplementedError:
        pass  # the method has no predictor of its own
    except Exception:  # noqa: BLE001 - a predictor that fails costs the audit, not the run
        traceback.print_exc()
    record.final(equation, predictions, stated)
    record.total(wrapper.get_total_equations())
    record.write("fit-ended", ended=round(ended, 6))


def failed(record: Record, stage: str, error: BaseException) -> None:
    """Record what the method raised, and leave the whole traceback in the log."""
    traceback.print_exc()
    record.write("failed", stage=stage, type=type(error).__name__, message=str(error)[:MESSAGE_LIMIT])


def main() -> int:
    """Run one request to its end and return the exit code."""
    scratch = Path.cwd()
    clock = Clock()
    record = Record(int(os.environ["ARENA_RECORD_FD"]), clock)
    try:
        raw, request = read_request(scratch)
        X, y = read_train(scratch)
        clock = request.clock
        record = Record(int(os.environ["ARENA_RECORD_FD"]), clock)
        wrapper = load_wrapper(raw["wrapper"])(raw["settings"], request)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a foreign import raises is a failed start
        failed(record, "import", error)
        return START_FAILED
    clock.begin()
    record.write("fit-began")
    stage = "fit"
    try:
        wrapper.fit(X, y, record.incumbent)
        stage = "final"
        publish_final(wrapper, X, request, record, clock.elapsed())
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a method raises is this run's result
        failed(record, stage, error)
        return METHOD_RAISED
    return DONE
