"""The default judge: offline, deterministic, and done within its limit."""

import time
from collections.abc import Sequence

from engine.expression import ExpressionError, Node, parameters, parse
from engine.judging.comparison import Comparison, compare
from engine.judging.normal import Form, TooLargeError, normal
from engine.judging.points import Domain, sample
from engine.judging.structure import same_structure
from engine.judging.verdict import Verdict

VERSION = 1
SECONDS = 10.0


def judge(
    a: str | Node,
    b: str | Node,
    features: Sequence[str],
    *,
    domain: Domain | None = None,
    seconds: float = SECONDS,
) -> Verdict:
    """Judge whether two expressions are equivalent, of the same structure, or different (SPEC 3).

    Numbers come first: a point of the domain at which the two differ at 64 digits refutes and is kept. Then
    equal normal forms, a symbolic proof, or agreement to 1e-12 at many points make the pair equivalent.

    Parameters
    ----------
    a, b : str or Node
        Expressions, as infix text over ``features`` or as trees.
    features : sequence of str
        Column names in order.
    domain : mapping of str to (low, high), optional
        The task's declared ranges. Without one, the pair is judged where both expressions have real values,
        and the detail says so.
    seconds : float
        Limit for the whole verdict.

    Returns
    -------
    Verdict
        Never raises for foreign input: what cannot be read is ``not_applicable``.
    """
    until = time.monotonic() + seconds
    nodes: list[Node] = []
    for name, expression in (("first", a), ("second", b)):
        try:
            nodes.append(parse(expression, features) if isinstance(expression, str) else expression)
        except ExpressionError as error:
            return Verdict("not_applicable", "none", f"the {name} expression cannot be read: {error}")
    left, right = nodes
    if parameters(left) or parameters(right):
        return Verdict("not_applicable", "none", "a fitted constant was never filled in")
    numbers = compare(
        left,
        right,
        features,
        sample(features, domain),
        declared=_covers(domain, features),
        until=time.monotonic() + seconds / 2,
    )
    forms = _forms(left, right)
    where = _where(numbers, domain, features)
    if numbers.witness is not None:
        if forms is not None and same_structure(*forms):
            return Verdict(
                "same_structure", "structure", "equal after constants are abstracted", numbers.witness
            )
        return Verdict("different", "witness", f"the values differ at a point{where}", numbers.witness)
    if numbers.agreed == 0:
        return Verdict("undetermined", "none", f"no point was found at which both have a value{where}")
    if forms is not None and forms[0].key == forms[1].key:
        return Verdict("equivalent", "canonical", f"equal normal forms{where}")
    return _supported(left, right, features, domain, numbers, where, until)


def _supported(
    left: Node,
    right: Node,
    features: Sequence[str],
    domain: Domain | None,
    numbers: Comparison,
    where: str,
    until: float,
) -> Verdict:
    from engine.judging.proof import PROOF_SECONDS, proven

    seconds = min(PROOF_SECONDS, until - time.monotonic())
    if seconds > 0 and proven(left, right, features, domain=domain, seconds=seconds):
        return Verdict("equivalent", "symbolic", f"the difference simplifies to zero{where}")
    if numbers.enough:
        detail = f"agreement to 1e-12 at 64 digits at {numbers.agreed} points{where}"
        return Verdict("equivalent", "numerical", detail)
    detail = f"no proof, and agreement at only {numbers.agreed} points{where}"
    return Verdict("undetermined", "none", detail)


def _covers(domain: Domain | None, features: Sequence[str]) -> bool:
    return domain is not None and all(domain.get(name) is not None for name in features)


def _where(numbers: Comparison, domain: Domain | None, features: Sequence[str]) -> str:
    if _covers(domain, features):
        return " on the declared domain"
    if numbers.one_sided:
        return " where both have real values (no domain was declared)"
    return " (no domain was declared)"


def _forms(left: Node, right: Node) -> tuple[Form, Form] | None:
    try:
        return normal(left), normal(right)
    except TooLargeError:
        return None
