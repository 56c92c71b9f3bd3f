"""A child process that parses and evaluates foreign expressions, so that none can harm the engine.

Reads requests as lines of JSON and answers each with one. Started as ``python -m engine.running.evaluating
MEMORY_BYTES``; the engine kills it when an answer takes too long.
"""

import json
import math
import resource
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.expression import ExpressionError, Node, evaluate, infix, parse
from engine.running.conditions import perturb
from engine.scoring.numeric import Nmse, nmse

# Root of the mean squared gap between text and native predictor on the training rows, in standard
# deviations of the training target, above which a text does not reproduce its method's predictions.
# Single-precision methods stay two orders below.
NATIVE_GAP_LIMIT = 1e-4
NATIVE_GAP_SENTENCE = "text does not reproduce predictions"
# Relative difference above which a method's claimed score and ours on its training labels disagree.
CLAIM_TOLERANCE = 1e-3

Array = NDArray[np.float64]


@lru_cache(maxsize=64)
def _split(folder: str, name: str) -> tuple[Array, Array] | None:
    X, y = Path(folder) / f"{name}-X.npy", Path(folder) / f"{name}-y.npy"
    if not y.exists():
        return None
    return np.load(X, mmap_mode="r"), np.load(y, mmap_mode="r")


@lru_cache(maxsize=16)
def _labels(folder: str, key: str, condition: str, seed: int) -> Array:
    train = _split(folder, "train")
    assert train is not None
    return perturb(np.asarray(train[1]), key, condition, seed)


def assess(request: Mapping[str, Any]) -> dict[str, Any]:
    """Parse and evaluate one expression.

    Parameters
    ----------
    request : mapping
        ``folder`` of the task's arrays, ``text``, ``dialect``, ``names`` (as the worker knew the features),
        ``features`` (the task's own names); for a final expression also ``noise_key``, ``condition``,
        ``seed``, ``score_name``, ``score`` and ``predictions`` (path of the native predictions, or None).

    Returns
    -------
    dict
        The fields of `engine.running.records.Evaluation`, and for a final expression ``native_gap``,
        ``native_gap_flag`` and ``claimed``.
    """
    text, features = request["text"], request["features"]
    try:
        node = parse(text, request["names"], request["dialect"])
        expression = infix(node, features)
        positional = infix(node, [f"x{index}" for index in range(len(features))])
    except ExpressionError as error:
        return {"status": "unparsable", "reason": str(error), **_claim(request, None)}
    except (RecursionError, MemoryError):
        return {"status": "unparsable", "reason": "the expression is too large", **_claim(request, None)}
    folder = request["folder"]
    train = _split(folder, "train")
    assert train is not None
    splits = {name: _error(node, _split(folder, name), train[1]) for name in ("id", "ood")}
    record: dict[str, Any] = {"expression": expression, "positional": positional}
    for name, split in splits.items():
        record[f"{name}_nmse"] = split.value
        record[f"{name}_status"] = split.status
        record[f"denominator_{name}"] = split.denominator
    present = {name: split for name, split in splits.items() if split.status != "no split"}
    if "noise_key" in request:
        on_train = _error(node, train, train[1])
        record["train_nmse"] = on_train.value
        present = present or {"train": on_train}
    bad = [f"{name}: {split.reason}" for name, split in present.items() if split.value is None]
    record["status"] = "nonfinite" if bad and len(bad) == len(present) else "ok"
    record["reason"] = "; ".join(bad) or None
    return record | _final_facts(request, node)


def _error(node: Node, split: tuple[Array, Array] | None, y_train: Array) -> Nmse:
    if split is None:
        return nmse(None, [], y_train)
    return nmse(split[1], evaluate(node, np.asarray(split[0])), y_train)


def _final_facts(request: Mapping[str, Any], node: Node) -> dict[str, Any]:
    if "noise_key" not in request:
        return {}
    train = _split(request["folder"], "train")
    assert train is not None
    values = evaluate(node, np.asarray(train[0]))
    gap, flag = _native_gap(values, request.get("predictions"), np.asarray(train[1]))
    return {"native_gap": gap, "native_gap_flag": flag, **_claim(request, values)}


def _native_gap(values: Array, path: str | None, y: Array) -> tuple[float | None, bool]:
    if path is None:
        return None, False
    try:
        native = np.load(path, allow_pickle=False).astype(np.float64).reshape(-1)
    except (OSError, ValueError):
        return None, False
    if native.shape != values.shape:
        return None, True
    finite = np.isfinite(native) & np.isfinite(values)
    if not finite.all():
        # Both undefined at the same rows is agreement; one of them alone is not.
        agree = bool((np.isfinite(native) == np.isfinite(values)).all())
        if not agree or not finite.any():
            return None, not agree
    spread = float(np.std(y)) or 1.0
    with np.errstate(all="ignore"):
        gap = float(np.sqrt(np.mean((values[finite] - native[finite]) ** 2))) / spread
    return (gap, gap > NATIVE_GAP_LIMIT) if math.isfinite(gap) else (None, True)


def _mse(y: Array, yhat: Array) -> float:
    return float(np.mean((yhat - y) ** 2))


def _r2(y: Array, yhat: Array) -> float:
    return 1.0 - _mse(y, yhat) / _variance(y)


def _variance(y: Array) -> float:
    # NaN for a constant target: no score that divides by it can be recomputed.
    return float(np.var(y)) or math.nan


# How the scores that methods report are computed, by the names they use.
_SCORES: dict[str, Callable[[Array, Array], float]] = {
    "mse": _mse,
    "mean squared error": _mse,
    "loss": _mse,
    "rmse": lambda y, yhat: math.sqrt(_mse(y, yhat)),
    "mae": lambda y, yhat: float(np.mean(np.abs(yhat - y))),
    "mean absolute error": lambda y, yhat: float(np.mean(np.abs(yhat - y))),
    "nmse": lambda y, yhat: _mse(y, yhat) / _variance(y),
    "r2": _r2,
    # Operon minimizes the negative.
    "r2, minimized": lambda y, yhat: -_r2(y, yhat),
}


def _claim(request: Mapping[str, Any], values: Array | None) -> dict[str, Any]:
    if "noise_key" not in request or request.get("score") is None:
        return {}
    name, claimed = str(request.get("score_name") or ""), float(request["score"])
    ours = None
    if values is not None and name.lower() in _SCORES:
        labels = _labels(request["folder"], request["noise_key"], request["condition"], request["seed"])
        with np.errstate(all="ignore"):
            ours = _SCORES[name.lower()](labels, values)
        ours = ours if math.isfinite(ours) else None
    mismatch = ours is not None and abs(ours - claimed) > CLAIM_TOLERANCE * max(abs(ours), abs(claimed), 1e-9)
    return {"claimed": {"name": name, "value": claimed, "recomputed": ours, "mismatch": mismatch}}


def main() -> None:
    """Serve requests until the input ends."""
    limit = int(sys.argv[1])
    if limit:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            answer = assess(request)
        except MemoryError:
            answer = {"status": "nonfinite", "reason": "evaluation needs more memory than it may have"}
        sys.stdout.write(json.dumps(answer, allow_nan=False) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
