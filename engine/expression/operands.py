"""The operands that wait on the parser's stack; sums and products grow in place while they are read."""

from dataclasses import dataclass

from engine.expression.nodes import Apply, Node

_GROWING = frozenset({"add", "mul", "and", "or"})


@dataclass(slots=True)
class _Growing:
    """A sum or product that is still being read: a long one must not be copied at every term."""

    op: str
    args: list[Node]


class Operands:
    """A stack of nodes."""

    def __init__(self) -> None:
        self._stack: list[Node | _Growing] = []

    def __len__(self) -> int:
        return len(self._stack)

    def push(self, node: Node) -> None:
        """Put a node on top."""
        self._stack.append(node)

    def pop(self) -> Node:
        """Take the top node."""
        top = self._stack.pop()
        return Apply(top.op, tuple(top.args)) if isinstance(top, _Growing) else top

    def pop_all(self, count: int) -> tuple[Node, ...]:
        """Take the top ``count`` nodes, in the order they were pushed."""
        taken = [self.pop() for _ in range(count)]
        return tuple(reversed(taken))

    def join(self, op: str, right: Node) -> None:
        """Replace the top node by ``op`` of it and ``right``; a sum or product that stands there goes on."""
        top = self._stack[-1]
        if isinstance(top, _Growing):
            if top.op == op:
                top.args.append(right)
                return
            left = self.pop()
        else:
            left = top
            self._stack.pop()
        if op not in _GROWING:
            self._stack.append(Apply(op, (left, right)))
        elif isinstance(left, Apply) and left.op == op:
            self._stack.append(_Growing(op, [*left.args, right]))
        else:
            self._stack.append(_Growing(op, [left, right]))
