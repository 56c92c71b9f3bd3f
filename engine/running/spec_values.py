"""Reading the parts of a campaign's TOML: each value is checked, each mistake is named with its place."""

import tomllib
from collections.abc import Mapping
from typing import Any

from engine.errors import EngineError
from engine.running import durations
from engine.running.spec import DEFAULT_GRACE_S, DEFAULT_STARTUP_S, Limits, MethodEntry

_LIMITS = {"budget", "interval", "grace", "startup", "memory_mib", "workers"}
_METHOD = {"method", "seeds", "threads", "evaluation_limit", "settings"}


def load_toml(text: str, where: str) -> dict[str, Any]:
    """Parse TOML, naming the place of a broken line.

    Parameters
    ----------
    text : str
        The text.
    where : str
        The file's name, for the error.

    Returns
    -------
    dict
        The document.

    Raises
    ------
    EngineError
        When it is not TOML; the parser's message names line and column.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise EngineError(f"{where} is not valid TOML: {error}") from error


def known(table: Mapping[str, Any], names: set[str], where: str) -> None:
    """Refuse a key that means nothing.

    Parameters
    ----------
    table : mapping
        A table of a spec.
    names : set of str
        The keys it may have.
    where : str
        File and table, for the error.

    Raises
    ------
    EngineError
        Naming the first unknown key and the known ones.
    """
    for name in table:
        if name not in names:
            raise EngineError(f"{where} has an unknown key {name!r}: it may have {', '.join(sorted(names))}")


def integers(value: object, where: str) -> tuple[int, ...] | None:
    """Read an optional list of whole numbers.

    Parameters
    ----------
    value : object
        What stands in the spec; None when it is absent.
    where : str
        File and key, for the error.

    Returns
    -------
    tuple of int or None
        The numbers.

    Raises
    ------
    EngineError
        When it is anything else.
    """
    if value is None:
        return None
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(item, int) and not isinstance(item, bool) for item in values):
        raise EngineError(f"{where} must be a list of whole numbers")
    return tuple(dict.fromkeys(values))


def words(value: object, where: str) -> tuple[str, ...]:
    """Read a list of words.

    Parameters
    ----------
    value : object
        What stands in the spec.
    where : str
        File and key, for the error.

    Returns
    -------
    tuple of str
        The words.

    Raises
    ------
    EngineError
        When it is anything else.
    """
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise EngineError(f"{where} must be a list of words")
    return tuple(dict.fromkeys(value))


def table_in(document: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
    """Read an optional table.

    Parameters
    ----------
    document : mapping
        What it stands in.
    name : str
        Its name.
    where : str
        The file's name, for the error.

    Returns
    -------
    dict
        Empty when it is absent.

    Raises
    ------
    EngineError
        When it is anything but a table.
    """
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise EngineError(f"{where}: {name} must be a table")
    return table


def method_entry(label: str, table: object, where: str) -> MethodEntry:
    """Read one ``[methods.LABEL]`` table.

    Parameters
    ----------
    label : str
        The label.
    table : object
        What stands below it.
    where : str
        The file's name, for errors.

    Returns
    -------
    MethodEntry
        The entry; ``method`` defaults to the label, ``threads`` to 0, which a draft fills in.

    Raises
    ------
    EngineError
        One sentence on what is broken.
    """
    where = f"{where} [methods.{label}]"
    if not isinstance(table, dict):
        raise EngineError(f"{where} must be a table")
    known(table, _METHOD, where)
    threads, limit = table.get("threads", 0), table.get("evaluation_limit")
    if not isinstance(threads, int) or isinstance(threads, bool):
        raise EngineError(f"{where}: threads must be a whole number")
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool)):
        raise EngineError(f"{where}: evaluation_limit must be a whole number")
    return MethodEntry(
        label=label,
        method=str(table.get("method", label)),
        settings=table_in(table, "settings", where),
        seeds=integers(table.get("seeds"), f"{where}: seeds"),
        threads=threads,
        evaluation_limit=limit,
    )


def limits_of(table: Mapping[str, Any], where: str) -> Limits:
    """Read the ``[limits]`` table.

    Parameters
    ----------
    table : mapping
        The table.
    where : str
        File and table, for errors.

    Returns
    -------
    Limits
        Seconds and bytes.

    Raises
    ------
    EngineError
        One sentence on what is broken.
    """
    known(table, _LIMITS, where)
    for name in ("budget", "interval"):
        if name not in table:
            raise EngineError(f"{where} has no {name}")
    memory, workers = table.get("memory_mib"), table.get("workers", 1)
    if memory is not None and (not isinstance(memory, int) or isinstance(memory, bool) or memory < 1):
        raise EngineError(f"{where}: memory_mib must be a positive whole number")
    if not isinstance(workers, int) or isinstance(workers, bool):
        raise EngineError(f"{where}: workers must be a whole number")
    return Limits(
        budget_s=durations.seconds(table["budget"], "budget"),
        interval_s=durations.seconds(table["interval"], "interval"),
        grace_s=durations.seconds(table.get("grace", DEFAULT_GRACE_S), "grace"),
        startup_s=durations.seconds(table.get("startup", DEFAULT_STARTUP_S), "startup"),
        memory_bytes=None if memory is None else memory * 2**20,
        workers=workers,
    )
