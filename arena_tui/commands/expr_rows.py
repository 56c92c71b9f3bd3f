"""The rows the ``expr`` commands work on: from the command line or from a file of JSON Lines."""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engine.errors import EngineError

Row = dict[str, Any]
# As many as the shared pool of child processes has workers.
THREADS = 2


def rows(arguments: argparse.Namespace, *fields: str) -> Iterator[Row]:
    """Yield the rows that the command line names, each with ``fields``, features, dialect and domain.

    Raises
    ------
    EngineError
        When neither an expression nor a file is given, or a line of the file cannot be used.
    """
    common: Row = {"dialect": arguments.dialect}
    if arguments.features:
        common["features"] = [name.strip() for name in arguments.features.split(",")]
    if getattr(arguments, "domain", None):
        common["domain"] = ranges(arguments.domain)
    given = [getattr(arguments, field) for field in fields]
    if arguments.file is None:
        if any(value is None for value in given):
            raise EngineError(f"give {' and '.join(field.upper() for field in fields)}, or --file ROWS.jsonl")
        yield common | dict(zip(fields, given, strict=True))
        return
    if any(value is not None for value in given):
        raise EngineError("give an expression or --file, not both")
    for row in lines(Path(arguments.file)):
        yield common | row


def lines(path: Path) -> Iterator[Row]:
    """Yield the objects of a file of JSON Lines.

    Raises
    ------
    EngineError
        Naming the file and the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise EngineError(f"{path} cannot be read: {reason}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise EngineError(f"{path}, line {number}, is not a JSON object")
        yield row


def ranges(text: str) -> dict[str, tuple[float, float]]:
    """Read ``x0=1:5,x1=-1:1``."""
    found: dict[str, tuple[float, float]] = {}
    for part in text.split(","):
        name, _, bounds = part.partition("=")
        low, _, high = bounds.partition(":")
        try:
            found[name.strip()] = (float(low), float(high))
        except ValueError:
            raise EngineError(f"{part!r} is not a range; write NAME=LOW:HIGH, such as x0=1:5") from None
    return found


def point(text: str) -> dict[str, float]:
    """Read ``x0=1,x1=2.5``."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise EngineError(f"{part!r} is not a value; write NAME=NUMBER, such as x0=1.5") from None
    return found


def declared(row: Row) -> dict[str, tuple[float, float]] | None:
    """Return a row's declared ranges, or None."""
    domain = row.get("domain")
    if not domain:
        return None
    try:
        return {name: (float(low), float(high)) for name, (low, high) in domain.items()}
    except (AttributeError, TypeError, ValueError):
        raise EngineError('the "domain" of a row is an object {name: [low, high]}') from None


def text_of(row: Row, field: str) -> str:
    """Return a text of a row.

    Raises
    ------
    EngineError
        When it is missing.
    """
    value = row.get(field)
    if not isinstance(value, str):
        raise EngineError(f'a row has no text under "{field}"')
    return value


def answered(
    answer: Callable[[Row], Row], asked: Iterator[Row], write: Callable[[Row], None], *, together: bool
) -> None:
    """Answer rows in order, and write each answer as soon as it and those before it are there."""
    if not together:
        for row in asked:
            write(answer(row))
        return
    with ThreadPoolExecutor(THREADS) as threads:
        for found in threads.map(answer, list(asked)):
            write(found)


def as_json(found: Mapping[str, Any]) -> None:
    """Print one answer as one line of strict JSON."""
    print(json.dumps(found, allow_nan=False, ensure_ascii=False), flush=True)


def as_text(found: Mapping[str, Any]) -> None:
    """Print one answer as aligned lines of name and value."""
    width = max((len(name) for name in found), default=0)
    for name, value in found.items():
        if value is None:
            continue
        shown = _shown(value)
        first, *rest = shown.split("\n")
        print(f"{name:<{width}}  {first}")
        for line in rest:
            print(" " * (width + 2) + line)
    print(flush=True)


def _shown(value: Any) -> str:  # noqa: ANN401 - whatever JSON holds
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_shown(each)}" for name, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_shown(each) for each in value)
    return str(value)
