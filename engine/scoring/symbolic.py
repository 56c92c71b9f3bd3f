"""Symbolic quality: SYM and MIN of a prediction against its reference (paper 1, E.4)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.expression.canonical import Tree

# Paper 1, E.4: the most that partial recovery can give.
PARTIAL_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Measures:
    """What is counted on two canonical trees; everything here is independent of any judge."""

    c_ref: int
    c_pred: int
    tree_similarity: float
    variable_f1: float
    operator_f1: float
    sympy: str

    @property
    def partial(self) -> float:
        """Score of a prediction that is not judged equivalent: 0.5 (S_tree F_v F_o)^(1/3)."""
        product = self.tree_similarity * self.variable_f1 * self.operator_f1
        return float(PARTIAL_WEIGHT * max(product, 0.0) ** (1.0 / 3.0))

    @property
    def minimality(self) -> float:
        """MIN of one run: min(1, C_ref / C_pred)."""
        return min(1.0, self.c_ref / self.c_pred)

    def record(self) -> dict[str, Any]:
        """Return the measures as a JSON object."""
        return asdict(self)


def read_measures(record: Mapping[str, Any]) -> Measures:
    """Return the measures of a JSON object."""
    return Measures(**{name: record[name] for name in Measures.__slots__})


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
        1 when equivalent, else partial recovery, at most 0.5.
    """
    if measures is None:
        return 0.0
    return 1.0 if equivalent else measures.partial


def measured(prediction: "Tree", reference: "Tree") -> Measures:
    """Compare two canonical trees.

    Parameters
    ----------
    prediction, reference : Tree
        Trees of the processed prediction and of the processed reference.

    Returns
    -------
    Measures
        Sizes, tree similarity 1 - NED and the two F1 scores.
    """
    from engine.expression.distance import f1, ned

    return Measures(
        c_ref=reference.complexity,
        c_pred=prediction.complexity,
        tree_similarity=1.0 - ned(prediction, reference),
        variable_f1=f1(prediction.symbols, reference.symbols),
        operator_f1=f1(prediction.operators, reference.operators),
        sympy=prediction.sympy,
    )


def measured_texts(prediction: str, reference: str, features: tuple[str, ...]) -> dict[str, Any]:
    """Build both trees and compare them; for child processes only, SymPy may take for ever.

    Parameters
    ----------
    prediction, reference : str
        Infix texts.
    features : tuple of str
        Column names.

    Returns
    -------
    dict
        The record of the `Measures`.
    """
    from engine.expression.canonical import tree

    return measured(tree(prediction, features), tree(reference, features)).record()
