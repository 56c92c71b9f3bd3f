"""From what a user writes (flags, or a short TOML file) to a campaign's spec and folder."""

import os
import secrets
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import EngineError
from engine.methods import registry
from engine.running import capacity, conditions, durations, layout, spec_file, spec_values, store, user_data
from engine.running.fixed_terms import refuse_changes
from engine.running.journal import now
from engine.running.presets import Preset, preset
from engine.running.records import CLEAN
from engine.running.spec import (
    DEFAULT_GRACE_S,
    DEFAULT_STARTUP_S,
    Block,
    CampaignSpec,
    Limits,
    MethodEntry,
    check,
)
from tasks.locations import data_folder
from tasks.schema import Splits, Task

_MINUTE_S = 60.0
# Below a budget of some minutes a minute's grid would have no points to speak of.
_SHORT_BUDGET_POINTS = 4


@dataclass(frozen=True, slots=True)
class Table:
    """A user's own table as named on the command line or in a spec."""

    file: str
    target: str
    features: tuple[str, ...] | None = None
    ood: str | None = None
    truth: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A campaign as a user asks for it; None and empty mean the default."""

    methods: tuple[MethodEntry, ...] = ()
    tasks: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    seeds: tuple[int, ...] | None = None
    conditions: tuple[str, ...] = ()
    preset: str | None = None
    name: str | None = None
    budget: str | float | None = None
    interval: str | float | None = None
    grace: str | float | None = None
    startup: str | float | None = None
    memory_mib: int | None = None
    workers: int | None = None
    threads: int | None = None
    semantics: bool = False
    oversubscribe: bool = False
    pin: bool = False
    executor: str = "local"
    executor_settings: Mapping[str, object] = field(default_factory=dict)
    model: Mapping[str, object] = field(default_factory=dict)


_DRAFT_KEYS = {
    "methods", "tasks", "data", "seeds", "conditions", "preset", "name", "budget", "interval", "grace",
    "startup", "memory_mib", "workers", "threads", "semantics", "oversubscribe", "pin", "executor", "model",
}  # fmt: skip
_TABLE_KEYS = {"file", "target", "features", "ood", "truth", "name"}


def read_draft(path: Path) -> Draft:
    """Read a short spec that a user wrote.

    Parameters
    ----------
    path : pathlib.Path
        A TOML file: ``tasks``, ``seeds``, ``budget``, ``[methods.LABEL]`` tables and what else `Draft` has.

    Returns
    -------
    Draft
        The draft.

    Raises
    ------
    EngineError
        One sentence on what is broken.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EngineError(f"{path} cannot be read: {error}") from error
    where = str(path)
    document = spec_values.load_toml(text, where)
    spec_values.known(document, _DRAFT_KEYS, where)
    methods = document.get("methods", {})
    if isinstance(methods, list):
        methods = {word: {} for word in spec_values.words(methods, f"{where}: methods")}
    if not isinstance(methods, dict):
        raise EngineError(f"{where}: methods must be a list of names or [methods.LABEL] tables")
    numbers = {name: document.get(name) for name in ("memory_mib", "workers", "threads")}
    for name, value in numbers.items():
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise EngineError(f"{where}: {name} must be a positive whole number")
    executor = document.get("executor", {})
    if not isinstance(executor, dict):
        raise EngineError(f"{where}: executor must be a table with kind and settings")
    return Draft(
        methods=tuple(spec_values.method_entry(label, table, where) for label, table in methods.items()),
        tasks=spec_values.words(document.get("tasks", []), f"{where}: tasks"),
        tables=tuple(_table(table, where, path.parent) for table in document.get("data", [])),
        seeds=spec_values.integers(document.get("seeds"), f"{where}: seeds"),
        conditions=spec_values.words(document.get("conditions", []), f"{where}: conditions"),
        preset=document.get("preset"),
        name=document.get("name"),
        budget=document.get("budget"),
        interval=document.get("interval"),
        grace=document.get("grace"),
        startup=document.get("startup"),
        **numbers,
        semantics=bool(document.get("semantics", False)),
        oversubscribe=bool(document.get("oversubscribe", False)),
        pin=bool(document.get("pin", False)),
        executor=str(executor.get("kind", "local")),
        executor_settings=executor.get("settings", {}),
        model=_model(document.get("model", {}), where),
    )


def _model(model: object, where: str) -> Mapping[str, object]:
    if not isinstance(model, dict):
        raise EngineError(f"{where}: model must be a table with name and base_url")
    return model


def _table(table: object, where: str, beside: Path) -> Table:
    where = f"{where} [[data]]"
    if not isinstance(table, dict):
        raise EngineError(f"{where} must be a table with file and target")
    spec_values.known(table, _TABLE_KEYS, where)
    for key in ("file", "target"):
        if not isinstance(table.get(key), str):
            raise EngineError(f"{where} has no {key}")
    features, ood = table.get("features"), table.get("ood")
    return Table(
        file=str(beside / table["file"]),
        target=table["target"],
        features=None if features is None else spec_values.words(features, f"{where}: features"),
        ood=None if ood is None else str(beside / str(ood)),
        truth=table.get("truth"),
        name=table.get("name"),
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """A checked spec and the users' own tasks that are to be copied into the campaign."""

    spec: CampaignSpec
    own: tuple[tuple[Task, Splits], ...]


def plan(draft: Draft) -> Plan:
    """Make a checked spec of a draft; nothing is written.

    Parameters
    ----------
    draft : Draft
        The draft.

    Returns
    -------
    Plan
        Spec and tables.

    Raises
    ------
    EngineError, TaskError
        One sentence on the first thing that is wrong.
    """
    base = None if draft.preset is None else preset(draft.preset)
    methods = tuple(_entry(entry, draft, base) for entry in draft.methods)
    if not methods:
        raise EngineError("no method is named: say for example --methods gplearn,pyoperon")
    tasks, own = resolve_tasks(draft)
    budget = draft.budget if draft.budget is not None else (base.budget_s if base else None)
    if budget is None:
        raise EngineError("no budget is named: say for example --budget 20s or --preset formal")
    budget_s = durations.seconds(budget, "budget")
    interval = draft.interval if draft.interval is not None else (base.interval_s if base else None)
    if interval is None or (draft.interval is None and budget_s < _MINUTE_S):
        interval = _MINUTE_S if budget_s >= _MINUTE_S else budget_s / _SHORT_BUDGET_POINTS
    threads = max(entry.threads for entry in methods)
    limits = Limits(
        budget_s=budget_s,
        interval_s=durations.seconds(interval, "interval"),
        grace_s=DEFAULT_GRACE_S if draft.grace is None else durations.seconds(draft.grace, "grace"),
        startup_s=DEFAULT_STARTUP_S if draft.startup is None else durations.seconds(draft.startup, "startup"),
        memory_bytes=None if draft.memory_mib is None else draft.memory_mib * 2**20,
        workers=draft.workers if draft.workers is not None else max(1, capacity.cores() // threads),
    )
    block = Block(
        labels=tuple(entry.label for entry in methods),
        tasks=tuple(task.id for task in tasks),
        names=tuple(task.name for task in tasks),
        seeds=None,
        conditions=tuple(dict.fromkeys(conditions.canonical(word) for word in draft.conditions or (CLEAN,))),
    )
    spec = CampaignSpec(
        id=uuid.uuid4().hex,
        created=now(),
        methods=methods,
        blocks=(block,),
        limits=limits,
        preset=draft.preset,
        name=draft.name,
        semantics=draft.semantics,
        oversubscribe=draft.oversubscribe,
        pin=draft.pin,
        executor=draft.executor,
        executor_settings=draft.executor_settings,
        model=draft.model,
    )
    return Plan(check(spec), own)


def resolve_tasks(draft: Draft) -> tuple[tuple[Task, ...], tuple[tuple[Task, Splits], ...]]:
    """Find the tasks a draft names.

    Parameters
    ----------
    draft : Draft
        The draft.

    Returns
    -------
    tasks : tuple of Task
        All of them, in order, each once.
    own : tuple of (Task, Splits)
        Those made of the user's tables.
    """
    from tasks import selections, tables

    found = {task.id: task for task in (selections.resolve(draft.tasks) if draft.tasks else ())}
    own: dict[str, tuple[Task, Splits]] = {}
    for table in draft.tables:
        task, splits = tables.user_task(
            table.file,
            table.target,
            features=table.features,
            ood=table.ood,
            truth=table.truth,
            name=table.name,
        )
        own[task.id] = (task, splits)
        found[task.id] = task
    if not found:
        raise EngineError("no task is named: say for example --tasks Nguyen-1 or --data FILE --target COLUMN")
    return tuple(found.values()), tuple(own.values())


def _entry(entry: MethodEntry, draft: Draft, base: Preset | None) -> MethodEntry:
    method = registry.get(entry.method)
    seeds = entry.seeds or draft.seeds or (base.seeds_of(method.name) if base else None)
    if not seeds:
        raise EngineError(f"no seed is named for {entry.label}: say for example --seeds 520,521,522")
    threads = entry.threads or draft.threads or (method.threads if base and base.table17_threads else 1)
    return replace(entry, seeds=seeds, threads=threads)


def create(plan: Plan, out: Path | None) -> Path:
    """Make a campaign's folder.

    Parameters
    ----------
    plan : Plan
        The plan.
    out : pathlib.Path or None
        Where; a new folder among the user's campaigns when None.

    Returns
    -------
    pathlib.Path
        The folder; no other process made it.

    Raises
    ------
    EngineError
        When the folder is in use, or cannot be written.
    """
    folder = _new_folder() if out is None else _named_folder(out)
    try:
        for task, splits in plan.own:
            user_data.save(folder, task, splits)
        spec_file.write(folder, plan.spec)
    except EngineError:
        # Tables without a spec are no campaign, and would keep the same command from being given again.
        if not (folder / layout.SPEC).exists():
            shutil.rmtree(folder / layout.DATA, ignore_errors=True)
        raise
    return folder


def _new_folder() -> Path:
    base = data_folder() / "campaigns"
    while True:
        # The time is for people; what makes the name unique is the random part and exclusive creation.
        folder = base / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        try:
            base.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except FileExistsError:
            continue
        except OSError as error:
            raise EngineError(store.disk_sentence(folder, error)) from error
        return folder


def _named_folder(out: Path) -> Path:
    if (out / layout.SPEC).exists():
        raise EngineError(f"{out} is a campaign already: resume or extend it with arena-tui run {out}")
    try:
        out.mkdir(parents=True, exist_ok=True)
        occupied = any(os.scandir(out))
    except OSError as error:
        raise EngineError(store.disk_sentence(out, error)) from error
    if occupied:
        raise EngineError(f"{out} is not empty and no campaign: choose another folder")
    return out


def extend(campaign: Path, draft: Draft) -> CampaignSpec:
    """Add methods, tasks, seeds or conditions to a campaign: its grid becomes the full product.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    draft : Draft
        What to add; whatever else it states must be as the campaign has it.

    Returns
    -------
    CampaignSpec
        The longer spec, written.

    Raises
    ------
    EngineError, TaskError
        When the draft changes more than these four.
    """
    old = spec_file.read(campaign)
    refuse_changes(campaign, old, draft)
    base = None if old.preset is None else preset(old.preset)
    added = []
    for entry in draft.methods:
        if entry.label in old.labels:
            if entry.method != old.method(entry.label).method or entry.settings:
                raise EngineError(
                    f"{entry.label} is in {campaign} already with its own settings: use another label"
                )
            continue
        # A later method takes part with the seeds the others have; further seeds are for all of them.
        added.append(_entry(replace(entry, seeds=entry.seeds or old.methods[0].seeds), draft, base))
    methods = (*old.methods, *added)
    names = dict(old.task_names)
    own: tuple[tuple[Task, Splits], ...] = ()
    if draft.tasks or draft.tables:
        tasks, own = resolve_tasks(draft)
        names |= {task.id: task.name for task in tasks}
    wanted = tuple(conditions.canonical(word) for word in draft.conditions)
    shared = Block(
        labels=tuple(entry.label for entry in methods),
        tasks=tuple(names),
        names=tuple(names.values()),
        seeds=None,
        conditions=tuple(dict.fromkeys((*old.conditions, *wanted))),
    )
    blocks = [*old.blocks, shared]
    if draft.seeds:
        blocks.append(replace(shared, seeds=draft.seeds))
    new = check(replace(old, methods=methods, blocks=tuple(blocks)))
    if set(new.grid()) == set(old.grid()):
        return old
    for task, splits in own:
        user_data.save(campaign, task, splits)
    spec_file.extend(campaign, new)
    return new
