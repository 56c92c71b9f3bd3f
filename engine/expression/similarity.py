"""How alike two expressions are: complexity, tree similarity and F1 scores (paper, appendix E.4)."""

import math
from dataclasses import dataclass

from engine.expression.canonical import Tree, tree
from engine.expression.distance import f1, ned


@dataclass(frozen=True, slots=True)
class Similarity:
    """The deterministic ingredients of SYM and MIN for one pair.

    Attributes
    ----------
    reference_complexity, predicted_complexity : int
        The node counts C of both canonical trees.
    tree : float
        S_tree = 1 - NED.
    variables, operators : float
        F1 of the free variables and of the operators.
    """

    reference_complexity: int
    predicted_complexity: int
    tree: float
    variables: float
    operators: float


def similarity(reference: Tree, predicted: Tree) -> Similarity:
    """Compare two canonical trees.

    Parameters
    ----------
    reference, predicted : Tree
        The reference's and the prediction's tree.

    Returns
    -------
    Similarity
    """
    return Similarity(
        reference_complexity=reference.complexity,
        predicted_complexity=predicted.complexity,
        tree=1.0 - ned(predicted, reference),
        variables=f1(predicted.symbols, reference.symbols),
        operators=f1(predicted.operators, reference.operators),
    )


def compare(reference: str, predicted: str, features: tuple[str, ...]) -> Similarity:
    """Compare two infix texts in this process: a job for :class:`engine.expression.children.Children`.

    Parameters
    ----------
    reference, predicted : str
        Infix texts over ``features``.
    features : tuple of str
        The columns' names in order.

    Returns
    -------
    Similarity

    Raises
    ------
    ExpressionError
        When a text cannot be read.
    """
    return similarity(tree(reference, features), tree(predicted, features))


def minimality(reference_complexity: int, predicted_complexity: int) -> float:
    """Return the paper's MIN of one run: min(1, C_ref / C_pred)."""
    return min(1.0, reference_complexity / predicted_complexity)


def partial_recovery(found: Similarity) -> float:
    """Return SYM without a positive equivalence judgment: half the geometric mean of three similarities."""
    product: float = found.tree * found.variables * found.operators
    return 0.5 * math.pow(product, 1.0 / 3.0)
