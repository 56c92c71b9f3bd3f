"""What a model judge is asked, after appendix E.3: three stateless requests with fixed schemas.

Simplification and seed-pair requests never hold the ground truth: they are built from one prediction,
respectively two predictions, and nothing else.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.judging.judges import Question
from engine.judging.verdict import Verdict

PROMPT_VERSION = 1
SCHEMA_VERSION = 1

SIMPLIFICATION_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "outcome": {"type": "string", "enum": ["simplified", "unchanged", "unable"]},
        "expression": {"type": ["string", "null"]},
        "justification": {"type": "string"},
    },
    "required": ["outcome", "expression", "justification"],
    "additionalProperties": False,
}
VERDICT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {
            "type": "string",
            "enum": ["equivalent", "same_structure", "different", "undetermined", "not_applicable"],
        },
        "justification": {"type": "string"},
    },
    "required": ["verdict", "justification"],
    "additionalProperties": False,
}

_SYNTAX = """\
Expressions are written in Python syntax: ** is power, log is the natural logarithm, where(c, a, b) is a if c
holds and b otherwise, a comparison inside arithmetic counts as 1 or 0. All variables and values are real. The
protected operators gp_div, gp_log, gp_sqrt, gp_inv (guard 0.001), pdiv, and aq(a, b) = a/sqrt(1 + b**2) are
operators of their own, different from ordinary division, logarithm and square root."""

_SIMPLIFY = """\
Simplify one expression without changing its mathematical meaning anywhere on its domain.
Do not refit or round coefficients, do not rename variables, assume no more about the domain than is stated.
Answer "simplified" with the shorter expression, "unchanged" if none is shorter, or "unable".
{syntax}

Variables: {variables}
Domain: {domain}
Expression: {expression}
Diagnostic evidence: {evidence}
"""

_EQUIVALENCE = """\
Decide how a predicted expression relates to the reference expression.
"equivalent": equal as real functions wherever the stated domain allows. A numerical difference, however
small, that is not the rounding of a constant in its last digits makes them not equivalent.
"same_structure": not equivalent, but equal once numerical constants are abstracted.
"different": neither. "undetermined": you cannot decide. "not_applicable": the pair cannot be compared.
{syntax}

Variables: {variables}
Domain: {domain}
Reference: {a}
Prediction: {b}
Diagnostic evidence: {evidence}
"""

_STRUCTURE = """\
Two expressions were found by the same method on the same data with different random seeds. Decide how they
relate.
"equivalent": equal as real functions wherever the stated domain allows.
"same_structure": not equivalent, but equal once numerical constants are abstracted; whole exponents and the
choice of operators and variables are structure.
"different": neither. "undetermined": you cannot decide. "not_applicable": the pair cannot be compared.
{syntax}

Variables: {variables}
Domain: {domain}
First: {a}
Second: {b}
Diagnostic evidence: {evidence}
"""


def simplification(
    expression: str, features: Sequence[str], domain: Sequence[tuple[str, float, float]], evidence: str
) -> str:
    """Write the simplification request of one expression."""
    return _SIMPLIFY.format(
        syntax=_SYNTAX,
        variables=", ".join(features),
        domain=_domain(domain),
        expression=expression,
        evidence=evidence,
    )


def comparison(question: Question, deterministic: Verdict) -> str:
    """Write the equivalence or structure request of one pair, with the deterministic judge's evidence."""
    template = _EQUIVALENCE if question.kind == "equivalence" else _STRUCTURE
    # An equivalence question holds the prediction first; the prompt names the reference first.
    first, second = (question.b, question.a) if question.kind == "equivalence" else (question.a, question.b)
    return template.format(
        syntax=_SYNTAX,
        variables=", ".join(question.features),
        domain=_domain(question.domain),
        a=first,
        b=second,
        evidence=_evidence(deterministic),
    )


def templates() -> dict[str, str]:
    """Return the prompt templates by request, for their hash."""
    return {"simplify": _SIMPLIFY, "equivalence": _EQUIVALENCE, "structure": _STRUCTURE, "syntax": _SYNTAX}


def _domain(domain: Sequence[tuple[str, float, float]]) -> str:
    stated = ", ".join(f"{name} in [{low!r}, {high!r}]" for name, low, high in domain)
    return stated or "not declared; real values wherever the expressions have them"


def _evidence(found: Verdict) -> str:
    if found.witness is None:
        return found.detail
    point = json.dumps(dict(found.witness.point))
    return f"{found.detail}: at {point} the two have the values {found.witness.a} and {found.witness.b}"
