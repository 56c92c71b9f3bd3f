"""The one expression tree: frozen nodes that every dialect is read into and every printer writes from."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.expression.errors import ExpressionError

# Deeper than any method of the paper prints; keeps every recursive step below Python's own limit.
MAX_DEPTH = 200
# evolutionary-forest prints up to about 2,000 characters; room for fifty times that.
MAX_NODES = 20_000
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


@dataclass(frozen=True, slots=True)
class Number:
    """A literal: its double, whether it was written as an integer, and the text it was written as."""

    value: float
    is_integer: bool
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A named number: pi, e, inf or nan."""

    name: str


@dataclass(frozen=True, slots=True)
class Var:
    """The value of one column of the data, counted from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """A fitted constant whose value was not handed over; it evaluates to NaN."""

    index: int


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator of :mod:`engine.expression.operators` on its arguments.

    ``add`` and ``mul`` take two or more arguments and fold from the left, as written.
    """

    op: str
    args: "tuple[Node, ...]"
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.op, self.args)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> "tuple[type[Apply], tuple[str, tuple[Node, ...]]]":
        # Another process may hash strings differently: it must compute the hash anew.
        return Apply, (self.op, self.args)


Node = Number | Constant | Var | Parameter | Apply


def number(value: float) -> Number:
    """Return the literal of a double or an int, in the shortest text that reads back to the same bits."""
    if isinstance(value, int):
        return Number(_as_double(value), True, str(value))
    return Number(float(value), False, repr(float(value)))


def _as_double(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def apply(op: str, *args: Node) -> Apply:
    """Return ``op`` applied to ``args``."""
    return Apply(op, args)


def children(node: Node) -> tuple[Node, ...]:
    """Return the arguments of a node; none for a leaf."""
    return node.args if isinstance(node, Apply) else ()


def preorder(node: Node) -> Iterator[Node]:
    """Yield every node of the tree, a parent before its arguments, from left to right."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(children(current)))


def postorder(node: Node) -> list[Node]:
    """Return every node of the tree, arguments before their parent, from left to right."""
    order: list[Node] = []
    stack = [node]
    while stack:
        current = stack.pop()
        order.append(current)
        stack.extend(children(current))
    order.reverse()
    return order


def rebuild(node: Node, replace: Callable[[Node], Node]) -> Node:
    """Return the tree with ``replace`` done to every node, arguments first.

    Parameters
    ----------
    node : Node
        The tree.
    replace : callable
        Gets each node with its arguments already replaced; returns what stands there.

    Returns
    -------
    Node
        The new tree.
    """
    done: list[Node] = []
    for current in postorder(node):
        if isinstance(current, Apply):
            count = len(current.args)
            args = tuple(done[len(done) - count :])
            del done[len(done) - count :]
            same = all(new is old for new, old in zip(args, current.args, strict=True))
            done.append(replace(current if same else Apply(current.op, args)))
        else:
            done.append(replace(current))
    return done[0]


def variables(node: Node) -> frozenset[int]:
    """Return the column indices that occur in the tree."""
    return frozenset(current.index for current in preorder(node) if isinstance(current, Var))


def parameters(node: Node) -> frozenset[int]:
    """Return the indices of the constants that were not handed over."""
    return frozenset(current.index for current in preorder(node) if isinstance(current, Parameter))


def fill(node: Node, values: Sequence[float]) -> Node:
    """Return the tree with every ``params[i]`` replaced by its value.

    Parameters
    ----------
    node : Node
        A tree with parameters.
    values : sequence of float
        Their values in order.

    Returns
    -------
    Node
        The tree without parameters.

    Raises
    ------
    ExpressionError
        When the tree needs more values than there are.
    """

    def value(current: Node) -> Node:
        if not isinstance(current, Parameter):
            return current
        if current.index >= len(values):
            raise ExpressionError(
                f"params[{current.index}] has no value: {len(values)} fitted constants were handed over"
            )
        return signed(float(values[current.index]))

    return rebuild(node, value)


def signed(value: float) -> Node:
    """Return a literal that is never negative: a minus sign becomes its own node, as the parser reads it."""
    if math.isnan(value):
        return Constant("nan")
    if math.isinf(value):
        return Constant("inf") if value > 0 else apply("neg", Constant("inf"))
    return apply("neg", number(-value)) if math.copysign(1.0, value) < 0 else number(value)


def size(node: Node) -> int:
    """Return the number of nodes of our own tree (the paper's C is :func:`canonical.complexity`)."""
    return sum(1 for _ in preorder(node))


def depth(node: Node) -> int:
    """Return the number of nodes on the longest path from the root to a leaf."""
    deepest = 0
    stack = [(node, 1)]
    while stack:
        current, level = stack.pop()
        deepest = max(deepest, level)
        stack.extend((child, level + 1) for child in children(current))
    return deepest


def substitute(node: Node, columns: Sequence[Node]) -> Node:
    """Return the tree with ``Var(i)`` replaced by ``columns[i]``, all at once."""
    return rebuild(node, lambda current: columns[current.index] if isinstance(current, Var) else current)


def checked(node: Node) -> Node:
    """Return the tree unchanged, or refuse one that is too large or too deep to work with.

    Raises
    ------
    ExpressionError
        Above ``MAX_NODES`` nodes or ``MAX_DEPTH`` levels.
    """
    count = 0
    stack = [(node, 1)]
    while stack:
        current, level = stack.pop()
        count += 1
        if count > MAX_NODES:
            raise ExpressionError(f"the expression has more than {MAX_NODES} nodes; shorten it")
        if level > MAX_DEPTH:
            raise ExpressionError(f"the expression is nested more than {MAX_DEPTH} levels deep; flatten it")
        stack.extend((child, level + 1) for child in children(current))
    return node
