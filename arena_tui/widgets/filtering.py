"""The filter language of every table: words that must occur, and comparisons of one column."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_TERM = re.compile(r"(?P<not>!)?(?:(?P<column>[a-z_]+)(?P<op>>=|<=|!=|[:=<>]))?(?P<value>\"[^\"]*\"|\S+)")
# Between the two ways in which one cell can be written; no word contains it.
SEPARATOR = "\0"
_ORDER: Mapping[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: a word anywhere in the row, or a comparison of one column."""

    value: str
    column: str | None = None
    operator: str = ":"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that must all hold, and what could not be understood."""

    terms: tuple[Term, ...]
    problem: str | None = None


def parse(text: str, columns: Sequence[str]) -> Filter:
    """Read a filter as it is typed.

    Parameters
    ----------
    text : str
        For example ``nguyen status:failed q<0.5 !gplearn``.
    columns : sequence of str
        Names a comparison may use, in lower case.

    Returns
    -------
    Filter
        The conditions. A word with an unknown column is taken as a plain word, and ``problem`` says so.
    """
    terms = []
    problem = None
    for match in _TERM.finditer(text.strip().lower()):
        column, operator = match["column"], match["op"] or ":"
        value = match["value"].strip('"')
        if column is not None and column not in columns:
            problem = f"no column {column}; columns: {', '.join(columns)}"
            value, column, operator = f"{column}{operator}{value}", None, ":"
        elif column is not None and operator in _ORDER and _number(value) is None:
            problem = f"{column}{operator} needs a number, not {value}"
            continue
        terms.append(Term(value, column, operator, match["not"] is not None))
    return Filter(tuple(terms), problem)


def keeps(wanted: Filter, shown: Mapping[str, str], values: Mapping[str, object]) -> bool:
    """Decide whether a row stays.

    Parameters
    ----------
    wanted : Filter
        The conditions.
    shown : mapping of str to str
        Column name to the cell's text, in lower case.
    values : mapping of str to object
        Column name to the cell's value, for comparisons of size.

    Returns
    -------
    bool
        True when every condition holds.
    """
    return all(_holds(term, shown, values) != term.negated for term in wanted.terms)


def _holds(term: Term, shown: Mapping[str, str], values: Mapping[str, object]) -> bool:
    if term.column is None:
        return any(term.value in text for text in shown.values())
    if term.operator in _ORDER:
        value, bound = values.get(term.column), _number(term.value)
        if bound is None or isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return not math.isnan(value) and _ORDER[term.operator](value, bound)
    text = shown.get(term.column, "")
    if term.operator in ("=", "!="):
        same = term.value in (part.strip() for part in text.split(SEPARATOR))
        return same == (term.operator == "=")
    return term.value in text


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
