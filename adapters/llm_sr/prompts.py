"""What the model is told: appendix I.1's fixed sentences, the task's background, the candidates so far."""

from collections.abc import Mapping, Sequence
from typing import Any

from adapters.llm_sr.skeleton import Skeleton

# Appendix I.1, verbatim: the wording is part of the method.
INSTRUCTION = (
    "You are a helpful assistant tasked with discovering mathematical function structures for scientific "
    "systems.\nComplete the 'equation' function below, considering the physical meaning and relationships "
    "of inputs."
)


def background(features: Sequence[str], target: str, description: Mapping[str, Any] | None) -> str:
    """Return the task's background; the generic sentence of I.3 where there are no descriptions.

    Parameters
    ----------
    features, target : sequence of str, str
        Names the method sees.
    description : mapping or None
        ``features`` and ``target`` with descriptions, only where the campaign shows semantics; or a whole
        ``background``, which tasks with distractors have because their roles must stay unordered.

    Returns
    -------
    str
    """
    told = (description or {}).get("background")
    return str(told) if told else header(features, target, description)


def header(features: Sequence[str], target: str, description: Mapping[str, Any] | None) -> str:
    """Return the sentence that says what is sought over which inputs (I.1, I.3)."""
    wanted = _text(description, "target") or target
    known = ", ".join(_called(name, description, place) for place, name in enumerate(features))
    return f"Find the mathematical function skeleton that represents {wanted}, given data on {known}."


def variables(features: Sequence[str], target: str, description: Mapping[str, Any] | None) -> str:
    """List inputs and output, one a line, each with its description where it may be shown."""
    lines = [f"{name}: {_feature(description, place) or 'input'}" for place, name in enumerate(features)]
    return "\n".join([*lines, f"{target}: {_text(description, 'target') or 'output'}"])


def preamble(constants: int) -> str:
    """Return the code that stands above the functions."""
    return (
        "import numpy as np\n\n# params is a vector of constants that are fitted to the data afterwards.\n"
        f"MAX_NPARAMS = {constants}\n"
    )


def functions(features: Sequence[str], shown: Sequence[Skeleton]) -> str:
    """Write the candidates as equation_v0, equation_v1 and the empty function that is asked for."""
    arguments = ", ".join([*features, "params"])
    parts = []
    for version, candidate in enumerate(shown):
        note = f'    """Improved version of `equation_v{version - 1}`."""\n' if version else ""
        parts.append(f"def equation_v{version}({arguments}):\n{note}{candidate.body}\n")
    last = len(shown)
    note = f'    """Improved version of `equation_v{last - 1}`."""\n' if last else ""
    parts.append(f"def equation_v{last}({arguments}):\n{note}")
    return "\n".join(parts)


def _feature(description: Mapping[str, Any] | None, place: int) -> str:
    listed = (description or {}).get("features")
    if not isinstance(listed, list) or place >= len(listed) or not isinstance(listed[place], Mapping):
        return ""
    return _with_unit(listed[place])


def _text(description: Mapping[str, Any] | None, part: str) -> str:
    found = (description or {}).get(part)
    return _with_unit(found) if isinstance(found, Mapping) else ""


def _with_unit(found: Mapping[str, Any]) -> str:
    text, unit = str(found.get("description") or ""), found.get("unit")
    return f"{text} [{unit}]" if text and unit else text


def _called(name: str, description: Mapping[str, Any] | None, place: int) -> str:
    text = _feature(description, place)
    return f"{name} ({text})" if text else name
