"""What is said beside each field of a new campaign: a number that counts with words, or what is wrong."""

import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from arena_tui.screens.campaigns import model_checks, own_table
from arena_tui.screens.campaigns.labels import numbers_by_label, pairs
from arena_tui.widgets import numbers
from engine.errors import EngineError

_MOST_SEED = 2**32


def _folder(values: Mapping[str, str]) -> tuple[object, str]:
    text = values.get("out", "").strip()
    if not text:
        raise EngineError("name a folder")
    folder = Path(text).expanduser()
    if (folder / "campaign.toml").exists():
        raise EngineError("holds a campaign already: open it, or choose another")
    if folder.exists() and not folder.is_dir():
        raise EngineError("is a file: choose another name")
    above = next((path for path in (folder, *folder.absolute().parents) if path.exists()), Path("/"))
    if not os.access(above, os.W_OK):
        raise EngineError(f"{above} cannot be written")
    return 1, "will be made" if not folder.exists() else "is there"


def _methods(values: Mapping[str, str]) -> tuple[object, str]:
    from engine.methods import environments, registry

    named = pairs(values.get("methods", ""))
    if not named:
        raise EngineError(f"name at least one of {', '.join(registry.names())}")
    labels = [label for label, _ in named]
    if len(set(labels)) < len(labels):
        raise EngineError("a label stands twice: write LABEL=NAME")
    for _, method in named:
        state = environments.state(registry.get(method))
        if not state.usable:
            raise EngineError(state.detail or f"{method} is {state.status}")
    return len(named), f"{len(named)} method{'s' if len(named) > 1 else ''}"


def _tasks(values: Mapping[str, str]) -> tuple[object, str]:
    from tasks import selections

    text = values.get("tasks", "").strip()
    if not text and values.get("data", "").strip():
        return 0, "the table of your own only"
    chosen = selections.resolve([text])
    shown = ", ".join(task.name for task in chosen[:3])
    count = f"{len(chosen)} task{'s' if len(chosen) > 1 else ''}"
    return len(chosen), f"{count}: {shown}{'…' if len(chosen) > 3 else ''}"


def _data(values: Mapping[str, str]) -> tuple[object, str]:
    text = values.get("data", "").strip()
    if not text:
        if values.get("target", "").strip():
            raise EngineError("name the file that the target is a column of")
        return 0, "none"
    found = own_table.look(Path(text).expanduser())
    return 1, f"{found.rows} rows: {', '.join(found.columns)}"


def _target(values: Mapping[str, str]) -> tuple[object, str]:
    text, target = values.get("data", "").strip(), values.get("target", "").strip()
    if not text:
        return 0, "none"
    features = own_table.features(Path(text).expanduser(), target)
    return 1, f"from {', '.join(features)}"


def _seeds(values: Mapping[str, str]) -> tuple[object, str]:
    from arena_tui.commands.run_words import read_seeds

    text = values.get("seeds", "").strip()
    if not text:
        if values.get("preset", "").strip():
            return 1, "the preset's"
        raise EngineError("name at least one")
    seeds = read_seeds(text) or ()
    if max(seeds) >= _MOST_SEED:
        raise EngineError(f"whole numbers below {_MOST_SEED}")
    return len(seeds), f"{len(seeds)} seed{'s' if len(seeds) > 1 else ''}"


def _conditions(values: Mapping[str, str]) -> tuple[object, str]:
    from engine.running.conditions import canonical

    named = {canonical(word) for word in values.get("conditions", "").split(",") if word.strip()} or {"clean"}
    return len(named), ", ".join(sorted(named))


def _preset(values: Mapping[str, str]) -> tuple[object, str]:
    from engine.running.presets import PRESETS, preset

    text = values.get("preset", "").strip()
    if not text:
        return 1, f"none; or {', '.join(item.name for item in PRESETS)}"
    chosen = preset(text)
    return 1, f"budget {numbers.duration(chosen.budget_s)}, seeds {','.join(map(str, chosen.seeds))}"


def _length(values: Mapping[str, str], name: str) -> tuple[object, str]:
    from engine.running.durations import seconds

    text = values.get(name, "").strip()
    if not text and values.get("preset", "").strip():
        return 0, "the preset's"
    length = seconds(text, name)
    return length, numbers.duration(length)


def _budget(values: Mapping[str, str]) -> tuple[object, str]:
    return _length(values, "budget")


def _interval(values: Mapping[str, str]) -> tuple[object, str]:
    length, text = _length(values, "interval")
    try:
        budget, _ = _length(values, "budget")
    except EngineError:
        return length, text
    if isinstance(length, float) and isinstance(budget, float) and 0 < budget < length:
        raise EngineError("is longer than the budget")
    return length, text


def _workers(values: Mapping[str, str]) -> tuple[object, str]:
    from engine.running.capacity import cores

    text = values.get("workers", "").strip()
    if not text.isdigit() or int(text) < 1:
        raise EngineError("a whole number, at least 1")
    if int(text) > cores():
        raise EngineError(f"{text} > {cores()} cores: runs would starve each other")
    return int(text), f"of {cores()} cores"


def _threads(values: Mapping[str, str]) -> tuple[object, str]:
    from engine.methods import registry
    from engine.running.capacity import cores

    named = dict(pairs(values.get("methods", "")))
    common, own = numbers_by_label(values.get("threads", ""), named)
    known = registry.names()
    each = {
        label: own.get(label) or common or registry.get(method).threads
        for label, method in named.items()
        if method in known
    }
    workers = values.get("workers", "").strip()
    most = max(each.values(), default=1) * (int(workers) if workers.isdigit() else 1)
    if most > cores():
        raise EngineError(f"{most} with all workers > {cores()} cores: runs would starve each other")
    said = ", ".join(f"{label} {count}" for label, count in each.items())
    return most, said if own or not common else f"{common} of each run"


def _evaluations(values: Mapping[str, str]) -> tuple[object, str]:
    from engine.methods import registry

    named = dict(pairs(values.get("methods", "")))
    common, own = numbers_by_label(values.get("evaluations", ""), named)
    if common is None and not own:
        return 0, "no cap"
    known = registry.names()
    for label in own or named:
        if named[label] in known and not registry.get(named[label]).evaluation_limit:
            raise EngineError(f"{label} cannot stop at an evaluation limit")
    said = ", ".join(f"{label} {count}" for label, count in own.items())
    return 1, said or f"{common} of each run"


def _semantics(values: Mapping[str, str]) -> tuple[object, str]:
    text = values.get("semantics", "").strip()
    if text not in ("", "yes", "no"):
        raise EngineError("yes or no")
    return 1, "methods are told what x0, x1, … mean" if text == "yes" else "methods see x0, x1, …"


def _memory(values: Mapping[str, str]) -> tuple[object, str]:
    text = values.get("memory", "").strip()
    if not text:
        return 0, "no cap"
    if not text.isdigit() or int(text) < 16:
        raise EngineError("MiB, a whole number, at least 16")
    return int(text), f"{text} MiB of one run"


def _settings(values: Mapping[str, str]) -> tuple[object, str]:
    from engine.methods import registry, settings

    text = values.get("set", "").strip()
    labels = dict(pairs(values.get("methods", "")))
    overrides: dict[str, dict[str, object]] = {}
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise EngineError(f"{error}") from error
    for part in parts:
        left, equals, value = part.partition("=")
        label, dot, name = left.partition(".")
        if not equals or not dot:
            raise EngineError(f"{part!r} is not LABEL.SETTING=VALUE")
        if label not in labels:
            raise EngineError(f"no method is labelled {label!r}")
        overrides.setdefault(label, {})[name] = value
    for label, chosen in overrides.items():
        settings.merge(registry.get(labels[label]), chosen)
    return 1, f"{len(parts)} changed" if parts else "the defaults of table 17"


BY_FIELD: Mapping[str, Callable[[Mapping[str, str]], tuple[object, str]]] = {
    "out": _folder, "methods": _methods, "tasks": _tasks, "data": _data, "target": _target, "seeds": _seeds,
    "conditions": _conditions, "preset": _preset, "budget": _budget, "interval": _interval,
    "workers": _workers, "threads": _threads, "memory": _memory, "evaluations": _evaluations,
    "semantics": _semantics, "set": _settings, "model": model_checks.name, "base-url": model_checks.address,
    "key-variable": model_checks.key, "price": model_checks.price, "model-calls": model_checks.calls,
    "model-tokens": model_checks.tokens, "model-cost": model_checks.cost,
}  # fmt: skip
