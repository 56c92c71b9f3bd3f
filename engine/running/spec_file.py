"""``campaign.toml``: reading, writing and appending; the first part of the text never changes."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomli_w

from engine.errors import EngineError
from engine.running import conditions, durations, layout, store
from engine.running.spec import (
    DEFAULT_GRACE_S,
    DEFAULT_STARTUP_S,
    Block,
    CampaignSpec,
    Limits,
    MethodEntry,
    check,
)

SCHEMA = 1
_TOP = {
    "schema", "id", "created", "name", "preset", "semantics", "oversubscribe", "pin", "limits", "methods",
    "grid", "executor", "model",
}  # fmt: skip
_LIMITS = {"budget", "interval", "grace", "startup", "memory_mib", "workers"}
_METHOD = {"method", "seeds", "threads", "evaluation_limit", "settings"}
_GRID = {"methods", "tasks", "names", "seeds", "conditions"}
_EXECUTOR = {"kind", "settings"}


def read(campaign: Path) -> CampaignSpec:
    """Read a campaign's spec.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.

    Returns
    -------
    CampaignSpec
        As written and appended to.

    Raises
    ------
    EngineError
        When the folder is no campaign or its spec is broken.
    """
    path = campaign / layout.SPEC
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise EngineError(f"{campaign} is not a campaign: it has no {layout.SPEC}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise EngineError(f"{path} cannot be read: {error}") from error
    return parse(text, str(path))


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


def parse(text: str, where: str) -> CampaignSpec:
    """Read a stored spec from its text.

    Parameters
    ----------
    text : str
        TOML.
    where : str
        The file's name, for errors.

    Returns
    -------
    CampaignSpec
        Checked.

    Raises
    ------
    EngineError
        One sentence on what is broken.
    """
    document = load_toml(text, where)
    known(document, _TOP, where)
    if document.get("schema") != SCHEMA:
        raise EngineError(
            f"{where} has schema {document.get('schema')!r}: this version reads schema {SCHEMA}"
        )
    methods = tuple(
        method_entry(label, table, where) for label, table in _table(document, "methods", where).items()
    )
    grid = document.get("grid")
    if not isinstance(grid, list) or not grid:
        raise EngineError(f"{where} has no [[grid]] table: name methods, tasks, seeds and conditions there")
    labels = tuple(entry.label for entry in methods)
    blocks = tuple(_block(table, labels, where) for table in grid)
    executor = _table(document, "executor", where)
    known(executor, _EXECUTOR, f"{where} [executor]")
    return check(
        CampaignSpec(
            id=str(document.get("id", "")),
            created=str(document.get("created", "")),
            methods=methods,
            blocks=blocks,
            limits=limits_of(_table(document, "limits", where), f"{where} [limits]"),
            preset=document.get("preset"),
            name=document.get("name"),
            semantics=bool(document.get("semantics", False)),
            oversubscribe=bool(document.get("oversubscribe", False)),
            pin=bool(document.get("pin", False)),
            executor=str(executor.get("kind", "local")),
            executor_settings=_table(executor, "settings", f"{where} [executor]"),
            model=_table(document, "model", where),
        )
    )


def _table(document: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
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
        settings=_table(table, "settings", where),
        seeds=integers(table.get("seeds"), f"{where}: seeds"),
        threads=threads,
        evaluation_limit=limit,
    )


def _block(table: object, labels: Sequence[str], where: str) -> Block:
    where = f"{where} [[grid]]"
    if not isinstance(table, dict):
        raise EngineError(f"{where} must be a table")
    known(table, _GRID, where)
    chosen = words(table["methods"], f"{where}: methods") if "methods" in table else tuple(labels)
    for label in chosen:
        if label not in labels:
            raise EngineError(f"{where} names the method {label!r}, which has no [methods.{label}] table")
    tasks = words(table.get("tasks", []), f"{where}: tasks")
    names = table.get("names", list(tasks))
    if not isinstance(names, list) or len(names) != len(tasks):
        raise EngineError(f"{where}: names must stand beside tasks, one for each")
    return Block(
        labels=chosen,
        tasks=tasks,
        names=tuple(str(name) for name in names),
        seeds=integers(table.get("seeds"), f"{where}: seeds"),
        conditions=tuple(
            conditions.canonical(word)
            for word in words(table.get("conditions", ["clean"]), f"{where}: conditions")
        ),
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


def render(spec: CampaignSpec) -> str:
    """Write a whole spec as TOML.

    Parameters
    ----------
    spec : CampaignSpec
        The campaign.

    Returns
    -------
    str
        Text that `parse` reads back to an equal spec.
    """
    limits: dict[str, Any] = {
        "budget": spec.limits.budget_s,
        "interval": spec.limits.interval_s,
        "grace": spec.limits.grace_s,
        "startup": spec.limits.startup_s,
        "workers": spec.limits.workers,
    }
    if spec.limits.memory_bytes is not None:
        limits["memory_mib"] = spec.limits.memory_bytes // 2**20
    document: dict[str, Any] = {"schema": SCHEMA, "id": spec.id, "created": spec.created}
    optional = {"name": spec.name, "preset": spec.preset}
    document |= {name: value for name, value in optional.items() if value is not None}
    flags = {"semantics": spec.semantics, "oversubscribe": spec.oversubscribe, "pin": spec.pin}
    document |= {name: True for name, value in flags.items() if value}
    document["limits"] = limits
    if spec.executor != "local":
        document["executor"] = {"kind": spec.executor, "settings": dict(spec.executor_settings)}
    if spec.model:
        document["model"] = dict(spec.model)
    return tomli_w.dumps(document) + _appendix(spec.methods, spec.blocks)


def _appendix(methods: Sequence[MethodEntry], blocks: Sequence[Block]) -> str:
    tables: dict[str, dict[str, Any]] = {}
    for entry in methods:
        table: dict[str, Any] = {"method": entry.method, "threads": entry.threads}
        if entry.seeds is not None:
            table["seeds"] = list(entry.seeds)
        if entry.evaluation_limit is not None:
            table["evaluation_limit"] = entry.evaluation_limit
        if entry.settings:
            table["settings"] = dict(entry.settings)
        tables[entry.label] = table
    text = ""
    for label, table in tables.items():
        text += "\n" + tomli_w.dumps({"methods": {label: table}})
    for block in blocks:
        grid: dict[str, Any] = {"methods": list(block.labels), "tasks": list(block.tasks)}
        grid["names"] = list(block.names)
        if block.seeds is not None:
            grid["seeds"] = list(block.seeds)
        grid["conditions"] = list(block.conditions)
        text += "\n" + tomli_w.dumps({"grid": [grid]})
    return text


def extended_text(text: str, old: CampaignSpec, new: CampaignSpec, where: str) -> str:
    """Append to a spec's text what a larger spec has beyond it.

    Parameters
    ----------
    text : str
        The present text.
    old, new : CampaignSpec
        What it says, and what it is to say: the same but for further methods and blocks.
    where : str
        The file's name, for errors.

    Returns
    -------
    str
        `text` and what was appended.

    Raises
    ------
    EngineError
        When something other than an addition differs.
    """
    addition = new.methods[: len(old.methods)] == old.methods and new.blocks[: len(old.blocks)] == old.blocks
    same = replace(new, methods=old.methods, blocks=old.blocks)
    if not addition or same != old:
        raise EngineError(
            f"{where} can only be extended by methods, tasks, seeds and conditions; start a new campaign"
        )
    longer = text.rstrip("\n") + "\n"
    longer += _appendix(new.methods[len(old.methods) :], new.blocks[len(old.blocks) :])
    if parse(longer, where) != new:
        raise EngineError(
            f"{where} could not be extended: its text has been changed by hand; start a new campaign"
        )
    return longer


def write(campaign: Path, spec: CampaignSpec) -> None:
    """Write a new campaign's spec; an existing one is never replaced.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    spec : CampaignSpec
        The spec.

    Raises
    ------
    EngineError
        When the folder already has one, or cannot be written.
    """
    if not store.write_new(campaign / layout.SPEC, render(spec).encode()):
        raise EngineError(f"{campaign} is a campaign already: resume it with arena-tui run {campaign}")


def extend(campaign: Path, new: CampaignSpec) -> None:
    """Append what a larger spec adds to a campaign.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    new : CampaignSpec
        The larger spec.

    Raises
    ------
    EngineError
        When something other than an addition differs.
    """
    path = campaign / layout.SPEC
    text = path.read_text(encoding="utf-8")
    old = parse(text, str(path))
    if new != old:
        store.write_whole(path, extended_text(text, old, new, str(path)).encode())
