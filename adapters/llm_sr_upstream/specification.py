"""The specification that upstream LLM-SR completes: the program around the equation it evolves."""

from collections.abc import Mapping, Sequence
from typing import Any

GENERIC = "Find the mathematical function skeleton that represents {target}, given data on {features}."

# Upstream fits the parameters inside this program and keeps the score alone. The program is ours to write,
# so it also leaves the parameters in a file, one line for each evaluation.
_TEMPLATE = '''"""
{background}
"""

import json
import numpy as np

MAX_NPARAMS = {parameters}


@evaluate.run
def evaluate(data: dict) -> float:
    """ Evaluate the equation on data observations."""
    inputs, outputs = data['inputs'], data['outputs']
    {unpack} = [inputs[:, index] for index in range(inputs.shape[1])]
    from scipy.optimize import minimize

    def loss(params):
        y_pred = equation({arguments}, params)
        return np.mean((y_pred - outputs) ** 2)

    result = minimize(loss, [1.0] * MAX_NPARAMS, method='BFGS')
    value = float(result.fun)
    if np.isnan(value) or np.isinf(value):
        return None
    with open({file!r}, 'a') as lines:
        lines.write(json.dumps(dict(loss=value, params=[float(p) for p in result.x])) + '\\n')
    return -value


@equation.evolve
def equation({signature}, params: np.ndarray) -> np.ndarray:
    """ Mathematical function for {target}

    Args:
{documentation}
        params: Array of numeric constants or parameters to be optimized

    Return:
        A numpy array representing {target} as the result of applying the mathematical function to the inputs.
    """
    return {seed}
'''


def described(entry: object) -> str:
    """Return what a request says of a variable: its description, and its unit where there is one."""
    if not isinstance(entry, Mapping):
        return ""
    text, unit = str(entry.get("description") or ""), entry.get("unit")
    return f"{text} [{unit}]" if text and unit else text


def background(features: Sequence[str], target: str, description: Mapping[str, Any] | None) -> str:
    """Return the task's background, the generic sentence of paper 1, I.3, where nothing is told.

    Parameters
    ----------
    features, target : sequence of str, str
        Names as the worker knows them.
    description : mapping or None
        The request's: ``features`` in order and ``target``, each with description and unit; or a whole
        ``background``, which tasks with distractors have because their roles must stay unordered.
    """
    told = description or {}
    if told.get("background"):
        return str(told["background"])
    texts = _feature_texts(features, told)
    named = ", ".join(
        f"{name} ({text})" if text else name for name, text in zip(features, texts, strict=True)
    )
    return GENERIC.format(target=described(told.get("target")) or target, features=named)


def _feature_texts(features: Sequence[str], told: Mapping[str, Any]) -> list[str]:
    entries = told.get("features")
    listed = entries if isinstance(entries, list) else []
    return [described(listed[place]) if place < len(listed) else "" for place in range(len(features))]


def specification(
    features: Sequence[str],
    target: str,
    description: Mapping[str, Any] | None,
    parameters: int,
    file: str,
) -> str:
    """Return the program text.

    Parameters
    ----------
    features, target : sequence of str, str
        Names as the worker knows them.
    description : mapping or None
        As for `background`.
    parameters : int
        Number of constants a function may have.
    file : str
        Where each evaluation leaves its fitted constants.
    """
    told = description or {}
    listed = ", ".join(features)
    meaning = described(told.get("target")) or target
    texts = _feature_texts(features, told)
    linear = [f"params[{index}] * {name}" for index, name in enumerate(features[: parameters - 1])]
    return _TEMPLATE.format(
        background=background(features, target, description).replace('"""', "'''"),
        parameters=parameters,
        unpack=f"{listed},",
        arguments=listed,
        file=file,
        signature=", ".join(f"{name}: np.ndarray" for name in features),
        target=meaning,
        documentation="\n".join(
            f"        {name}: A numpy array representing observations of {text or name}."
            for name, text in zip(features, texts, strict=True)
        ),
        seed=" + ".join([*linear, f"params[{len(linear)}]"]),
    )
