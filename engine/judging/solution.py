"""SRBench's symbolic solution: equal to the truth up to an added constant or a constant factor."""

from collections.abc import Sequence

from engine.expression import Node
from engine.judging import precise
from engine.judging.comparison import AGREEMENT, LEAST_POINTS
from engine.judging.points import Domain, sample


def solved(prediction: Node, truth: Node, features: Sequence[str], domain: Domain | None) -> bool:
    """Decide SRBench's symbolic solution at 64 digits (La Cava et al. 2021).

    Parameters
    ----------
    prediction, truth : Node
        The expressions.
    features : sequence of str
        Column names.
    domain : mapping of str to (low, high), optional
        Declared ranges.

    Returns
    -------
    bool
        True when prediction - truth is constant, or prediction / truth is a constant other than 0, to 1e-12
        of the values, at twelve points of the domain.
    """
    offsets: list[precise.Real] = []
    factors: list[precise.Real] = []
    size: precise.Real = 0
    for point in sample(features, domain):
        try:
            model, true = (precise.value(node, point.tolist()) for node in (prediction, truth))
        except ArithmeticError:
            continue
        offsets.append(model - true)
        size = max(size, abs(model), abs(true))
        if true != 0:
            factors.append(model / true)
        same_offset = abs(offsets[-1] - offsets[0]) <= AGREEMENT * size
        same_factor = bool(factors) and abs(factors[-1] - factors[0]) <= AGREEMENT * abs(factors[0])
        if not same_offset and not same_factor:
            return False
        if len(offsets) == LEAST_POINTS:
            break
    if len(offsets) < LEAST_POINTS:
        return False
    one_offset = all(abs(offset - offsets[0]) <= AGREEMENT * size for offset in offsets)
    one_factor = (
        len(factors) == len(offsets)
        and factors[0] != 0
        and all(abs(factor - factors[0]) <= AGREEMENT * abs(factors[0]) for factor in factors)
    )
    return one_offset or one_factor
