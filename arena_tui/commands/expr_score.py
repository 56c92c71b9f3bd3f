"""One line of ``expr score``: a prediction against a truth, by the deterministic judge."""

from typing import Any

from engine.errors import EngineError
from engine.expression import ExpressionError, infix, parse
from engine.expression.children import shared
from engine.expression.similarity import compare, minimality, partial_recovery
from engine.expression.simplify import simplify
from engine.judging.deterministic import judge
from engine.judging.points import Domain

TREE_SECONDS = 10.0
JUDGE_SECONDS = 10.0


def score_row(
    truth: str,
    prediction: str,
    features: tuple[str, ...],
    *,
    dialect: str,
    domain: Domain | None,
    simplified: bool,
) -> dict[str, Any]:
    """Score one pair (paper 1, E.4; issue 4.7).

    Parameters
    ----------
    truth : str
        The reference, in the common infix grammar.
    prediction : str
        The prediction, in ``dialect``.
    features : tuple of str
        The columns' names in order.
    dialect : str
        The prediction's syntax.
    domain : mapping of str to (low, high), optional
        Declared ranges, for the judge.
    simplified : bool
        Simplify both texts first.

    Returns
    -------
    dict
        Complexities, similarities, verdict with evidence, SYM and MIN; an unreadable prediction scores 0.

    Raises
    ------
    EngineError
        When the truth cannot be read or measured.
    """
    try:
        reference = infix(parse(truth, features), features)
    except ExpressionError as error:
        raise EngineError(f"the truth cannot be read: {error}") from None
    try:
        predicted = infix(parse(prediction, features, dialect), features)
    except ExpressionError as error:
        return _invalid(str(error))
    if simplified:
        reference, predicted = (
            simplify(text, features, domain=domain).text for text in (reference, predicted)
        )
    outcome = shared().run(compare, reference, predicted, features, seconds=TREE_SECONDS)
    if outcome.status != "ok":
        return _invalid(f"the canonical trees could not be compared: {outcome.reason}")
    alike = outcome.value
    verdict = judge(reference, predicted, features, domain=domain, seconds=JUDGE_SECONDS)
    equivalent = verdict.verdict == "equivalent"
    return {
        "C_ref": alike.reference_complexity,
        "C_pred": alike.predicted_complexity,
        "tree_similarity": alike.tree,
        "variable_f1": alike.variables,
        "operator_f1": alike.operators,
        "equivalence": verdict.verdict,
        "evidence": verdict.evidence,
        "sym": 1.0 if equivalent else partial_recovery(alike),
        "min": minimality(alike.reference_complexity, alike.predicted_complexity),
        "status": "ok",
    }


def _invalid(reason: str) -> dict[str, Any]:
    return {
        "C_ref": None,
        "C_pred": None,
        "tree_similarity": 0.0,
        "variable_f1": 0.0,
        "operator_f1": 0.0,
        "equivalence": "not_applicable",
        "evidence": "none",
        "sym": 0.0,
        "min": 0.0,
        "status": "invalid expression",
        "reason": reason,
    }
