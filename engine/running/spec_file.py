"""``campaign.toml``: reading, writing and appending; the first part of the text never changes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomli_w

from engine.errors import EngineError
from engine.running import conditions, layout, store
from engine.running.spec import Block, CampaignSpec, MethodEntry, check
from engine.running.spec_values import integers, known, limits_of, load_toml, method_entry, table_in, words

SCHEMA = 1
_TOP = {
    "schema", "id", "created", "name", "preset", "semantics", "oversubscribe", "pin", "limits", "methods",
    "grid", "executor", "model",
}  # fmt: skip
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
        method_entry(label, table, where) for label, table in table_in(document, "methods", where).items()
    )
    grid = document.get("grid")
    if not isinstance(grid, list) or not grid:
        raise EngineError(f"{where} has no [[grid]] table: name methods, tasks, seeds and conditions there")
    labels = tuple(entry.label for entry in methods)
    blocks = tuple(_block(table, labels, where) for table in grid)
    executor = table_in(document, "executor", where)
    known(executor, _EXECUTOR, f"{where} [executor]")
    return check(
        CampaignSpec(
            id=str(document.get("id", "")),
            created=str(document.get("created", "")),
            methods=methods,
            blocks=blocks,
            limits=limits_of(table_in(document, "limits", where), f"{where} [limits]"),
            preset=document.get("preset"),
            name=document.get("name"),
            semantics=bool(document.get("semantics", False)),
            oversubscribe=bool(document.get("oversubscribe", False)),
            pin=bool(document.get("pin", False)),
            executor=str(executor.get("kind", "local")),
            executor_settings=table_in(executor, "settings", f"{where} [executor]"),
            model=table_in(document, "model", where),
        )
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
