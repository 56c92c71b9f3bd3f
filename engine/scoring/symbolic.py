"""Symbolic quality: SYM and MIN of a prediction against its reference (paper 1, E.4)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from engine.expression import parse
from engine.expression.similarity import Similarity, compare, minimality, partial_recovery
from engine.judging.points import Domain
from engine.judging.solution import solved


@dataclass(frozen=True, slots=True)
class Measures:
    """What is counted on a processed prediction and its processed reference, whatever a judge says.

    ``solution`` is SRBench's: the two differ by a constant or by a constant factor at most.
    """

    similarity: Similarity
    solution: bool
    sympy: str

    def record(self) -> dict[str, Any]:
        """Return the measures as a JSON object."""
        return {**asdict(self.similarity), "solution": self.solution, "sympy": self.sympy}


def read_measures(record: Mapping[str, Any]) -> Measures:
    """Return the measures of a JSON object."""
    fields = {name: record[name] for name in Similarity.__slots__}
    return Measures(Similarity(**fields), record["solution"], record["sympy"])


def fidelity(measures: Measures | None, *, equivalent: bool) -> float:
    """SYM of one run.

    Parameters
    ----------
    measures : Measures or None
        None for an invalid or unparsable prediction, which scores 0.
    equivalent : bool
        The judge's verdict.

    Returns
    -------
    float
        1 when equivalent, else partial recovery 0.5 (S_tree F_v F_o)^(1/3), at most 0.5.
    """
    if measures is None:
        return 0.0
    return 1.0 if equivalent else partial_recovery(measures.similarity)


def minimal(measures: Measures | None) -> float:
    """MIN of one run: min(1, C_ref / C_pred); 0 for an invalid or unparsable prediction."""
    if measures is None:
        return 0.0
    return minimality(measures.similarity.reference_complexity, measures.similarity.predicted_complexity)


def measured(
    prediction: str, reference: str, features: tuple[str, ...], domain: Domain | None
) -> dict[str, Any]:
    """Compare a prediction with its reference; for child processes only, SymPy may take for ever.

    Parameters
    ----------
    prediction, reference : str
        Processed infix texts.
    features : tuple of str
        Column names.
    domain : mapping of str to (low, high), optional
        Declared ranges.

    Returns
    -------
    dict
        The record of the `Measures`.
    """
    import sympy

    found = compare(reference, prediction, features)
    trees = parse(prediction, features), parse(reference, features)
    return Measures(found, solved(*trees, features, domain), sympy.__version__).record()
