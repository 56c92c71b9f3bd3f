"""Normalized form of a formula: one deterministic tree and text for equivalent ways of writing it."""

import ast
import functools
import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from tasks import formula

Form: TypeAlias = tuple[object, ...]
"""``("num", value)``, ``("var", name)``, or an operator name followed by its arguments."""

DIGITS = 12
"""Significant digits at which two constants count as equal."""
MOST_PERMUTATIONS = 720
"""Renamings tried among variables that the structure alone does not tell apart."""
ONE: Form = ("num", 1.0)
MINUS_ONE: Form = ("num", -1.0)


def _number(value: float) -> Form:
    return ("num", float(f"{value:.{DIGITS}g}") + 0.0)


def _is_number(form: Form) -> bool:
    return form[0] == "num"


def _value(form: Form) -> float:
    assert isinstance(form[1], float)
    return form[1]


def _arguments(form: Form) -> tuple[Form, ...]:
    return tuple(argument for argument in form[1:] if isinstance(argument, tuple))


def _key(form: Form) -> str:
    return repr(form)


def _power(base: Form, exponent: Form) -> Form:
    if exponent == ONE:
        return base
    if exponent == ("num", 0.0):
        return ONE
    if _is_number(base) and _is_number(exponent):
        try:
            result = _value(base) ** _value(exponent)
        except (OverflowError, ZeroDivisionError):
            result = math.inf
        if isinstance(result, float) and math.isfinite(result):
            return _number(result)
    integer = _is_number(exponent) and _value(exponent).is_integer()
    if base[0] == "pow" and integer and _is_number(_arguments(base)[1]):
        inner, old = _arguments(base)
        return _power(inner, _number(_value(old) * _value(exponent)))
    if base[0] == "mul" and integer:
        return _product(_power(factor, exponent) for factor in _arguments(base))
    return ("pow", base, exponent)


def _product(factors: Iterable[Form]) -> Form:
    coefficient = 1.0
    powers: dict[str, tuple[Form, list[Form]]] = {}
    pending = list(factors)
    while pending:
        factor = pending.pop()
        if factor[0] == "mul":
            pending.extend(_arguments(factor))
        elif _is_number(factor):
            coefficient *= _value(factor)
        else:
            base, exponent = _arguments(factor) if factor[0] == "pow" else (factor, ONE)
            powers.setdefault(_key(base), (base, []))[1].append(exponent)
    if coefficient == 0.0:
        return ("num", 0.0)
    merged = [_power(base, _sum(exponents)) for base, exponents in powers.values()]
    if any(form[0] == "mul" or _is_number(form) for form in merged):
        return _product([*merged, _number(coefficient)])
    if not merged:
        return _number(coefficient)
    ordered = sorted(merged, key=_key)
    if coefficient != 1.0:
        ordered.insert(0, _number(coefficient))
    return ordered[0] if len(ordered) == 1 else ("mul", *ordered)


def _sum(terms: Iterable[Form]) -> Form:
    constant = 0.0
    like: dict[str, tuple[Form, float]] = {}
    pending = list(terms)
    while pending:
        term = pending.pop()
        if term[0] == "add":
            pending.extend(_arguments(term))
        elif _is_scaled_sum(term):
            scale, inner = _arguments(term)
            pending.extend(_product((scale, part)) for part in _arguments(inner))
        elif _is_number(term):
            constant += _value(term)
        else:
            factors = _arguments(term) if term[0] == "mul" else (term,)
            numeric = _value(factors[0]) if _is_number(factors[0]) else 1.0
            rest = _product(factors[1:] if _is_number(factors[0]) else factors)
            like[_key(rest)] = (rest, like.get(_key(rest), (rest, 0.0))[1] + numeric)
    kept = sorted((_key(form), form, c) for form, c in like.values() if _number(c) != ("num", 0.0))
    if not kept:
        return _number(constant)
    if len(kept) == 1 and constant == 0.0:
        return _product((_number(kept[0][2]), kept[0][1]))
    # the sum is made primitive: its first term has the coefficient 1, which also settles the sign of a - b
    lead = kept[0][2]
    parts = [_product((_number(c / lead), form)) for _, form, c in kept]
    if constant != 0.0:
        parts.insert(0, _number(constant / lead))
    return _product((_number(lead), ("add", *parts)))


def _is_scaled_sum(term: Form) -> bool:
    match term:
        case ("mul", ("num", _), ("add", *_)):
            return True
        case _:
            return False


def _form(node: ast.expr, names: Sequence[str]) -> Form:
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return _number(float(value))
        case ast.Name(id=name):
            return _number(math.pi) if name == "pi" and name not in names else ("var", name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _product((MINUS_ONE, _form(operand, names)))
        case ast.UnaryOp(operand=operand):
            return _form(operand, names)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _sum((_form(left, names), _form(right, names)))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _sum((_form(left, names), _product((MINUS_ONE, _form(right, names)))))
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _product((_form(left, names), _form(right, names)))
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _product((_form(left, names), _power(_form(right, names), MINUS_ONE)))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_form(left, names), _form(right, names))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return (type(op).__name__, _form(left, names), _form(right, names))
        case ast.Call(func=ast.Name(id="sqrt"), args=[argument]):
            return _power(_form(argument, names), ("num", 0.5))
        case ast.Call(func=ast.Name(id="square"), args=[argument]):
            return _power(_form(argument, names), ("num", 2.0))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return (name, *(_form(argument, names) for argument in arguments))
        case _:
            raise AssertionError(ast.dump(node))


@functools.lru_cache(maxsize=2048)
def form(text: str, names: tuple[str, ...]) -> Form:
    """Return the normalized tree of a formula.

    Differences, quotients, roots and signs become sums, products and powers; both are flattened, like terms
    and equal bases are collected, numbers folded at 12 significant digits, and arguments sorted.

    Parameters
    ----------
    text : str
        The formula.
    names : tuple of str
        The feature names.

    Returns
    -------
    Form
        Nested tuples.
    """
    return _form(formula.parse(text, names), names)


_COMPARISONS = {"Gt": ">", "GtE": ">=", "Lt": "<", "LtE": "<=", "Eq": "==", "NotEq": "!="}


def text(tree: Form) -> str:
    """Return the normalized form as a formula that parses again, with no more parentheses than it needs."""
    match tree:
        case ("num", float() as value):
            return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        case ("var", str() as name):
            return name
        case ("add", *_):
            return " + ".join(_within(argument, _COMPARISONS) for argument in _arguments(tree))
        case ("mul", *_):
            return "*".join(_within(argument, ("add", *_COMPARISONS)) for argument in _arguments(tree))
        case ("pow", *_):
            base, exponent = _arguments(tree)
            inner = ("add", "mul", "pow", *_COMPARISONS)
            return f"{_within(base, inner)}**{_within(exponent, inner)}"
        case (str() as name, *_) if name in _COMPARISONS:
            left, right = _arguments(tree)
            return f"{_within(left, _COMPARISONS)} {_COMPARISONS[name]} {_within(right, _COMPARISONS)}"
        case _:
            return f"{tree[0]}({', '.join(text(argument) for argument in _arguments(tree))})"


def _within(tree: Form, bound: Collection[object]) -> str:
    """Return a part's text, in parentheses when it is a negative number or one of the operators ``bound``."""
    shown = text(tree)
    return f"({shown})" if tree[0] in bound or shown.startswith("-") else shown


def normalized(source: str, names: Sequence[str]) -> str:
    """Return the normalized text of a formula over the given names."""
    return text(form(source, tuple(names)))


def _renamed(tree: Form, labels: Mapping[str, str], *, numbers: bool) -> Form:
    match tree:
        case ("num", float()):
            return tree if numbers else ("num", "c")
        case ("var", str() as name):
            return ("var", labels.get(name, name))
        case _:
            inner = [_renamed(argument, labels, numbers=numbers) for argument in _arguments(tree)]
            ordered = sorted(inner, key=_key) if tree[0] in ("add", "mul", "maximum", "minimum") else inner
            return (tree[0], *ordered)


def _variables(tree: Form) -> frozenset[str]:
    if tree[0] == "var":
        return frozenset({str(tree[1])})
    return frozenset().union(*(_variables(argument) for argument in _arguments(tree)))


@functools.lru_cache(maxsize=4096)
def _least(source: str, names: tuple[str, ...], *, numbers: bool) -> tuple[str, Form]:
    """Return the least serialization over renamings of the variables, and the tree it belongs to."""
    tree = form(source, names)
    used = sorted(_variables(tree) & frozenset(names))
    colours = dict.fromkeys(used, "v")
    for _ in used:
        marks = {name: _key(_renamed(tree, {**colours, name: "*"}, numbers=numbers)) for name in used}
        ranks = {mark: f"v{rank}" for rank, mark in enumerate(sorted(set(marks.values())))}
        refined = {name: ranks[marks[name]] for name in used}
        settled = len(set(refined.values())) == len(set(colours.values()))
        colours = refined
        if settled:
            break
    classes = [[name for name in used if colours[name] == colour] for colour in sorted(set(colours.values()))]
    orders = itertools.product(*(itertools.permutations(members) for members in classes))
    found: list[tuple[str, Form]] = []
    for order in itertools.islice(orders, MOST_PERMUTATIONS):
        flat = [name for members in order for name in members]
        labels = {name: f"x{place}" for place, name in enumerate(flat)}
        candidate = _renamed(tree, labels, numbers=numbers)
        found.append((_key(candidate), candidate))
    return min(found, key=lambda pair: pair[0])


def shape(source: str, names: tuple[str, ...], *, numbers: bool = True) -> str:
    """Return a key that is equal for formulas which are the same after renaming their variables.

    Parameters
    ----------
    source : str
        The formula.
    names : tuple of str
        The feature names; unused ones do not matter.
    numbers : bool
        Whether constants count; without them the key names the structure only.

    Returns
    -------
    str
        The least serialization over renamings, searched among variables that refinement leaves alike.
    """
    return _least(source, names, numbers=numbers)[0]


def renamed(source: str, names: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the normalized formula over x0, x1, ... in the order of :func:`shape`, and those names."""
    tree = _least(source, names, numbers=True)[1]
    count = len(_variables(tree))
    return text(tree), tuple(f"x{place}" for place in range(count))
