"""Vectorized evaluation: a tree becomes a short list of NumPy instructions, run over blocks of rows.

Equal subexpressions are computed once, constant ones once per program, and a block is small enough for its
registers to stay in the cache. Overflow and undefined points come back as inf and nan, never as an error.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.expression.nodes import CONSTANTS, Apply, Constant, Node, Number, Parameter, Var, postorder
from engine.expression.operators import OPERATORS, Kernel

Array = NDArray[np.float64]

# Rows per block: eight registers of 64 KiB fit the second-level cache of any current core.
BLOCK = 8192
# np.power costs as much as five multiplications; up to this exponent a product is faster.
LARGEST_PRODUCT = 6
PROGRAMS = 512


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: ``kernel`` on registers, into register ``out``."""

    kernel: Kernel
    inputs: tuple[int, ...]
    out: int


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled tree.

    Registers are numbered: first the constants, then the columns in use, then work space.
    """

    constants: tuple[Array, ...]
    columns: tuple[int, ...]
    repeated: tuple[bool, ...]
    steps: tuple[Step, ...]
    work: int
    result: int


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
    n = table.shape[0]
    result = np.empty(n)
    with np.errstate(all="ignore"):
        _run(program, table, result)
    return result


@lru_cache(maxsize=PROGRAMS)
def compiled(node: Node) -> Program:
    """Return the program of a tree; the last ``PROGRAMS`` are kept."""
    return _Compiler().program(node)


def _run(program: Program, table: Array, result: Array) -> None:
    n = result.shape[0]
    first_column = len(program.constants)
    first_work = first_column + len(program.columns)
    if program.result < first_column:
        result[:] = program.constants[program.result]
        return
    whole = n <= BLOCK
    rows = max(n, 1) if whole else BLOCK
    copied = [
        np.empty(rows) if again and table.strides[0] != table.itemsize else None for again in program.repeated
    ]
    work = np.empty((program.work, rows))
    registers: list[Any] = [*program.constants, *program.columns, *work]
    views = registers
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        if stop - start < rows:
            views = [*registers[:first_work], *(buffer[: stop - start] for buffer in registers[first_work:])]
        for place, column in enumerate(program.columns):
            views[first_column + place] = _column(table, column, start, stop, copied[place])
        _block(program, views, result[start:stop])


def _column(table: Array, column: int, start: int, stop: int, copy: Array | None) -> Array:
    if column >= table.shape[1]:
        return np.full(stop - start, np.nan)
    values = table[start:stop, column]
    if copy is None:
        return values
    np.copyto(copy[: stop - start], values)
    return copy[: stop - start]


def _block(program: Program, views: list[Any], result: Array) -> None:
    if not program.steps:
        np.copyto(result, views[program.result])
        return
    last = program.steps[-1]
    for step in program.steps:
        out = result if step is last else views[step.out]
        inputs = step.inputs
        if len(inputs) == 2:
            step.kernel(views[inputs[0]], views[inputs[1]], out)
        elif len(inputs) == 1:
            step.kernel(views[inputs[0]], out)
        else:
            step.kernel(*(views[number] for number in inputs), out)


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
            steps.append(Step(kernel, inputs, place))
        return Program(
            constants=tuple(self.constants[number] for number in constants),
            columns=tuple(self.columns[number] for number in columns),
            repeated=tuple(self.uses(number, order) > 1 for number in columns),
            steps=tuple(steps),
            work=high - first_work,
            result=register[result],
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
