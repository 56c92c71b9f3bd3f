"""Vectorized evaluation: a tree becomes a short list of NumPy instructions, run over blocks of rows.

Equal subexpressions are computed once, constant ones once per program, and a block is small enough for its
registers to stay in the cache. Overflow and undefined points come back as inf and nan, never as an error.
"""

import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.expression.nodes import CONSTANTS, Apply, Constant, Node, Number, Parameter, Var, postorder
from engine.expression.operators import OPERATORS, Kernel

Array = NDArray[np.float64]

# Up to this many rows an intermediate result stays in the second-level cache by itself.
SMALL = 16_384
# Rows per block beyond it: a few registers of 128 KiB fit the second-level cache of current cores.
BLOCK = 16_384
# With fewer steps than this there is no intermediate result worth keeping in the cache.
FEW_STEPS = 3
# A column that is read this often is first copied side by side in memory.
OFTEN = 3
# np.power costs as much as five multiplications; up to this exponent a product is faster.
LARGEST_PRODUCT = 6
PROGRAMS = 512
# Registers a thread keeps between calls.
MOST_KEPT = 32
# The second input of a step that has one.
ALONE = -1


_local = threading.local()


class Step(NamedTuple):
    """One instruction: ``kernel`` on registers ``first`` and ``second`` (or ``ALONE``), into ``out``.

    ``third`` is the last input of a choice.
    """

    kernel: Kernel
    first: int
    second: int
    third: int
    out: int


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled tree.

    Registers are numbered: first the constants, then the columns in use, then work space (``empty``).
    ``repeated`` are the places of the columns that are read often. The last step gives the result.
    """

    constants: tuple[Array, ...]
    columns: tuple[int, ...]
    repeated: tuple[int, ...]
    steps: tuple[Step, ...]
    empty: tuple[None, ...]


def evaluate(node: Node, X: ArrayLike) -> Array:
    """Compute an expression for every row.

    Parameters
    ----------
    node : Node
        The expression.
    X : array_like, shape (n, d)
        The columns it may refer to, in feature order; a vector counts as one column.

    Returns
    -------
    ndarray, shape (n,)
        float64 values; inf and nan where the expression has none. A column that ``X`` lacks is nan.
    """
    table = np.asarray(X, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    program = compiled(node)
    steps = program.steps
    if not steps:
        return _copied(program, table)
    if table.shape[0] <= SMALL or len(steps) < FEW_STEPS:
        registers = [*program.constants, *_columns(program, table), *program.empty]
        return _silently(_whole, steps, registers)
    return _silently(_blocks, program, table)


def _silently(work: Callable[..., Array], *arguments: Any) -> Array:  # noqa: ANN401 - handed on as they are
    """Run work in this thread's own context, in which NumPy ignores overflow and undefined values.

    Entering a context costs a tenth of ``np.errstate``, which would dominate on a hundred rows.
    """
    context: Context | None = getattr(_local, "context", None)
    if context is None:
        context = _local.context = copy_context()
        context.run(np.seterr, all="ignore")
    return context.run(work, *arguments)


@lru_cache(maxsize=PROGRAMS)
def compiled(node: Node) -> Program:
    """Return the program of a tree; the last ``PROGRAMS`` are kept."""
    return _Compiler().program(node)


def _copied(program: Program, table: Array) -> Array:
    """Return a constant for every row, or a copy of a column."""
    if program.constants:
        return np.full(table.shape[0], float(program.constants[0]))
    return np.array(_column(table, program.columns[0]))


def _column(table: Array, column: int) -> Array:
    return table[:, column] if column < table.shape[1] else np.full(table.shape[0], np.nan)


def _columns(program: Program, table: Array) -> list[Array]:
    """Return the columns in use; those that are read again and again side by side in memory."""
    width = table.shape[1]
    found = [table[:, c] if c < width else np.full(table.shape[0], np.nan) for c in program.columns]
    if width > 1 and program.repeated:
        for place in program.repeated:
            found[place] = np.ascontiguousarray(found[place])
    return found


def _whole(steps: tuple[Step, ...], registers: list[Any]) -> Array:
    """Run the steps on whole columns."""
    value: Array
    for kernel, first, second, third, out in steps:
        if second < 0:
            value = kernel(registers[first])
        elif third < 0:
            value = kernel(registers[first], registers[second])
        else:
            value = kernel(registers[first], registers[second], registers[third])
        registers[out] = value
    return value


def _blocks(program: Program, table: Array) -> Array:
    """Run the steps on one block of rows after the other, in the same few registers."""
    n = table.shape[0]
    result = np.empty(n)
    constants = len(program.constants)
    work = list(_workspace(len(program.empty)))
    registers: list[Any] = [*program.constants, *program.columns, *work]
    head = len(registers) - len(work)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        rows = table[start:stop]
        registers[constants:head] = _columns(program, rows)
        if stop - start < BLOCK:
            registers[head:] = [buffer[: stop - start] for buffer in work]
        _block(program.steps, registers, result[start:stop])
    return result


def _workspace(count: int) -> Array:
    """Return this thread's registers; fresh memory would cost a page fault per page and call."""
    held: Array | None = getattr(_local, "work", None)
    if held is None or held.shape[0] < count:
        held = np.empty((count, BLOCK))
        if count <= MOST_KEPT:
            _local.work = held
    return held[:count]


def _block(steps: tuple[Step, ...], registers: list[Any], result: Array) -> None:
    last = steps[-1]
    for step in steps:
        kernel, first, second, third, place = step
        out = result if step is last else registers[place]
        if second < 0:
            kernel(registers[first], out)
        elif third < 0:
            kernel(registers[first], registers[second], out)
        else:
            kernel(registers[first], registers[second], registers[third], out)


class _Compiler:
    """Numbers the distinct values of a tree, then gives each a register for as long as it is needed."""

    def __init__(self) -> None:
        self.keys: dict[Any, int] = {}
        self.constants: dict[int, Array] = {}
        self.columns: dict[int, int] = {}
        self.kernels: dict[int, tuple[Kernel, tuple[int, ...]]] = {}

    def program(self, node: Node) -> Program:
        numbers: list[int] = []
        for current in postorder(node):
            if isinstance(current, Apply):
                count = len(current.args)
                args = numbers[len(numbers) - count :]
                del numbers[len(numbers) - count :]
                numbers.append(self.applied(current, args))
            else:
                numbers.append(self.leaf(current))
        return self.allocated(numbers[0])

    def leaf(self, node: Node) -> int:
        match node:
            case Var(index):
                return self.column(index)
            case Number(value):
                return self.constant(value)
            case Constant(name):
                return self.constant(CONSTANTS[name])
            case Parameter():
                return self.constant(float("nan"))
            case _:
                raise AssertionError(node)

    def constant(self, value: ArrayLike) -> int:
        stored = np.array(value, dtype=np.float64)
        key = ("constant", stored.tobytes())
        if key not in self.keys:
            self.keys[key] = len(self.keys)
            self.constants[self.keys[key]] = stored
        return self.keys[key]

    def column(self, index: int) -> int:
        key = ("column", index)
        if key not in self.keys:
            self.keys[key] = len(self.keys)
            self.columns[self.keys[key]] = index
        return self.keys[key]

    def applied(self, node: Apply, args: list[int]) -> int:
        if node.op in ("add", "mul", "min", "max", "and", "or"):
            return self.folded(node, args)
        if node.op == "piecewise":
            return self.chosen(args)
        if node.op == "pow" and isinstance(node.args[1], Number):
            return self.power(args, node.args[1].value)
        if node.op == "pow" and args[1] in self.constants:
            return self.power(args, float(self.constants[args[1]]))
        return self.step(OPERATORS[node.op].kernel, tuple(args))

    def folded(self, node: Apply, args: list[int]) -> int:
        """Fold from the left; an added minus becomes a subtraction (the same bits, one pass less)."""
        kernel = OPERATORS[node.op].kernel
        total = args[0]
        for number in args[1:]:
            opposite = self.kernels.get(number)
            if node.op == "add" and opposite is not None and opposite[0] is np.negative:
                total = self.step(np.subtract, (total, opposite[1][0]))
            else:
                total = self.step(kernel, (total, number))
        return total

    def chosen(self, args: list[int]) -> int:
        """Nest the pairs (value, condition), last one innermost; where none holds there is no value."""
        total = self.constant(float("nan"))
        for value, condition in zip(args[-2::-2], args[::-2], strict=True):
            total = self.step(OPERATORS["where"].kernel, (condition, value, total))
        return total

    def power(self, args: list[int], exponent: float) -> int:
        base = args[0]
        if exponent == 0.5:
            return self.step(np.sqrt, (base,))
        if exponent == -1.0:
            return self.step(np.reciprocal, (base,))
        if exponent == 1.0:
            return base
        if exponent in range(2, LARGEST_PRODUCT + 1):
            squared = self.step(np.square, (base,))
            whole = int(exponent)
            if whole < 4:
                return squared if whole == 2 else self.step(np.multiply, (squared, base))
            fourth = self.step(np.square, (squared,))
            if whole == 4:
                return fourth
            return self.step(np.multiply, (fourth, base if whole == 5 else squared))
        return self.step(np.power, (args[0], args[1]))

    def step(self, kernel: Kernel, args: tuple[int, ...]) -> int:
        if all(number in self.constants for number in args):
            with np.errstate(all="ignore"):
                return self.constant(kernel(*(self.constants[number] for number in args)))
        key = (id(kernel), args)
        if key not in self.keys:
            self.keys[key] = len(self.keys)
            self.kernels[self.keys[key]] = (kernel, args)
        return self.keys[key]

    def allocated(self, result: int) -> Program:
        needed = self.reachable(result)
        constants = [number for number in self.constants if number in needed]
        columns = [number for number in self.columns if number in needed]
        register = {number: place for place, number in enumerate([*constants, *columns])}
        first_work = len(register)
        order = [number for number in self.kernels if number in needed]
        last_use: dict[int, int] = {}
        for number in order:
            for argument in self.kernels[number][1]:
                last_use[argument] = number
        last_use[result] = -1
        free: list[int] = []
        high = first_work
        steps: list[Step] = []
        for number in order:
            kernel, args = self.kernels[number]
            inputs = tuple(register[argument] for argument in args)
            ended = {register[a] for a in args if last_use[a] == number and register[a] >= first_work}
            free.extend(sorted(ended, reverse=True))
            if free:
                place = free.pop()
            else:
                place = high
                high += 1
            register[number] = place
            first, second, third = (*inputs, ALONE, ALONE)[:3]
            steps.append(Step(kernel, first, second, third, place))
        return Program(
            constants=tuple(self.constants[number] for number in constants),
            columns=tuple(self.columns[number] for number in columns),
            repeated=tuple(
                place for place, number in enumerate(columns) if self.uses(number, order) >= OFTEN
            ),
            steps=tuple(steps),
            empty=(None,) * (high - first_work),
        )

    def reachable(self, result: int) -> set[int]:
        seen: set[int] = set()
        waiting = [result]
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            if number in self.kernels:
                waiting.extend(self.kernels[number][1])
        return seen

    def uses(self, number: int, order: list[int]) -> int:
        return sum(self.kernels[step][1].count(number) for step in order)
