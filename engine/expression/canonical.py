"""The canonical tree of an expression: what complexity, tree distance and F1 are counted on (SPEC 2).

Built in SymPy with plain symbols and ordinary evaluation, floats from their shortest text. SymPy may hang or
explode on hostile input, so :func:`tree` belongs in a child process; :func:`canonical_tree` puts it there.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.expression.dialects.table import parse
from engine.expression.errors import ExpressionError
from engine.expression.infix import infix
from engine.expression.nodes import Node, postorder

if TYPE_CHECKING:
    from engine.expression.children import Children

# SPEC 2, measured on the published records: larger expressions were built without evaluation.
LARGEST_EVALUATED = 160
SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Tree:
    """An ordered labelled tree, its nodes in preorder.

    Attributes
    ----------
    labels : tuple of str
        A leaf's printed value, an inner node's class name.
    sizes : tuple of int
        The number of nodes of the subtree below each node, itself included.
    symbols : frozenset of str
        The free variables, by the task's own names.
    operators : frozenset of str
        The class names of the inner nodes.
    evaluated : bool
        Whether SymPy's ordinary evaluation was applied: not above 160 syntax nodes, nor where it fails.
    sympy : str
        The version of SymPy that built it.
    """

    labels: tuple[str, ...]
    sizes: tuple[int, ...]
    symbols: frozenset[str]
    operators: frozenset[str]
    evaluated: bool
    sympy: str

    @property
    def complexity(self) -> int:
        """The paper's C: the number of nodes."""
        return len(self.labels)

    def postorder(self) -> list[int]:
        """Return the preorder places of the nodes in postorder."""
        order: list[int] = []
        stack = [0]
        while stack:
            place = stack.pop()
            order.append(place)
            child, end = place + 1, place + self.sizes[place]
            while child < end:
                stack.append(child)
                child += self.sizes[child]
        order.reverse()
        return order

    def postorder_labels(self) -> list[str]:
        """Return the labels in postorder."""
        return [self.labels[place] for place in self.postorder()]

    def leftmost(self) -> NDArray[np.int64]:
        """Return, per node in postorder, the postorder number of the leftmost leaf below it."""
        sizes = np.array([self.sizes[place] for place in self.postorder()], dtype=np.int64)
        return np.arange(len(sizes), dtype=np.int64) - sizes + 1

    def keyroots(self) -> NDArray[np.int64]:
        """Return the nodes (postorder numbers) that no node above shares its leftmost leaf with."""
        last = {int(leaf): number for number, leaf in enumerate(self.leftmost())}
        return np.array(sorted(last.values()), dtype=np.int64)


def canonical_tree(
    expression: str | Node,
    features: Sequence[str],
    *,
    children: "Children | None" = None,
    seconds: float = SECONDS,
) -> Tree:
    """Build the canonical tree of an expression in a child process.

    Parameters
    ----------
    expression : str or Node
        Infix text over ``features``, or a tree.
    features : sequence of str
        The columns' names in order.
    children : Children, optional
        Where to build it; the process's shared pool when omitted.
    seconds : float
        The limit.

    Returns
    -------
    Tree

    Raises
    ------
    ExpressionError
        When the text cannot be read, or the tree cannot be built within the limits of time and memory.
    """
    from engine.expression.children import shared

    text = expression if isinstance(expression, str) else infix(expression, features)
    outcome = (children or shared()).run(tree, text, tuple(features), seconds=seconds)
    if outcome.status != "ok":
        raise ExpressionError(f"the canonical tree could not be built: {outcome.reason}")
    built: Tree = outcome.value
    return built


def complexity(expression: str | Node, features: Sequence[str]) -> int:
    """Return the paper's C of an expression; see :func:`canonical_tree` for parameters and errors."""
    return canonical_tree(expression, features).complexity


@lru_cache(maxsize=4096)
def tree(text: str, features: tuple[str, ...]) -> Tree:
    """Build the canonical tree in this process: for child processes only, it may take for ever.

    Parameters
    ----------
    text : str
        Infix text.
    features : tuple of str
        The columns' names in order.

    Returns
    -------
    Tree

    Raises
    ------
    ExpressionError
        When the text cannot be read.
    """
    import sympy

    from engine.expression.symbolic import FAILURES, to_sympy

    node = parse(text, features)
    evaluated = syntax_nodes(node, features) <= LARGEST_EVALUATED
    # SymPy orders sums and products by the symbols' names, so they carry the task's own.
    symbols = [sympy.Symbol(name) for name in features]
    try:
        built = to_sympy(node, evaluate=evaluated, symbol=symbols.__getitem__)
    except FAILURES:
        evaluated = False
        built = _unevaluated(node, symbols)
    return tree_of(built, evaluated=evaluated, version=sympy.__version__)


def _unevaluated(node: Node, symbols: Sequence[Any]) -> Any:  # noqa: ANN401 - a SymPy object
    from engine.expression.symbolic import FAILURES, to_sympy

    try:
        return to_sympy(node, evaluate=False, symbol=symbols.__getitem__)
    except FAILURES as error:
        raise ExpressionError(f"SymPy cannot build it: {error}") from None


def tree_of(expression: Any, *, evaluated: bool, version: str) -> Tree:  # noqa: ANN401 - a SymPy object
    """Return the labelled tree of a SymPy expression."""
    labels: list[str] = []
    sizes: list[int] = []
    operators: set[str] = set()
    open_nodes: list[tuple[int, int]] = []
    stack = [(expression, 0)]
    while stack:
        current, level = stack.pop()
        while open_nodes and open_nodes[-1][1] >= level:
            place, _ = open_nodes.pop()
            sizes[place] = len(labels) - place
        open_nodes.append((len(labels), level))
        if current.args:
            name = type(current).__name__
            operators.add(name)
            labels.append(name)
        else:
            labels.append(_printed(current))
        sizes.append(1)
        stack.extend((child, level + 1) for child in reversed(current.args))
    for place, _ in open_nodes:
        sizes[place] = len(labels) - place
    return Tree(
        labels=tuple(labels),
        sizes=tuple(sizes),
        symbols=frozenset(symbol.name for symbol in expression.free_symbols),
        operators=frozenset(operators),
        evaluated=evaluated,
        sympy=version,
    )


def _printed(leaf: Any) -> str:  # noqa: ANN401 - a SymPy object
    # Python refuses to print integers of more than some thousand digits in decimal.
    return hex(int(leaf)) if leaf.is_Integer and abs(leaf) >= 10**1000 else str(leaf)


def syntax_nodes(node: Node, features: Sequence[str]) -> int:
    """Return the number of Python syntax nodes of the infix text, by which SPEC 2 measures its limit."""
    plain = [f"v{place}" for place in range(len(features))]
    try:
        return sum(1 for _ in ast.walk(ast.parse(infix(node, plain), mode="eval")))
    except (SyntaxError, MemoryError, RecursionError):
        # Only a text beyond Python's own limits fails here; each of its nodes is two of Python's or more.
        return 2 * len(postorder(node))
