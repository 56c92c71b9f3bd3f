"""What is typed into the form of a new campaign: checked field by field, counted, written as a command."""

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adapters.errors import AdapterError
from arena_tui.widgets import numbers
from engine.errors import EngineError
from tasks.errors import TaskError


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the form: its name (also the command's flag), its words, and what it starts with."""

    name: str
    title: str
    hint: str
    value: str = ""


FIELDS = (
    Field("out", "folder", "where its records go"),
    Field("methods", "methods", "NAME,LABEL=NAME,…"),
    Field("tasks", "tasks", "ids, names, @sets"),
    Field("seeds", "seeds", "whole numbers", "520"),
    Field("conditions", "conditions", "clean, noise001, 0.05", "clean"),
    Field("preset", "preset", "none", ""),
    Field("budget", "budget", "of one run: 60s, 1h, 3h", "60s"),
    Field("interval", "interval", "between checkpoints", "5s"),
    Field("workers", "workers", "runs at once", "1"),
    Field("memory", "memory", "MiB, or no cap"),
    Field("set", "settings", "LABEL.SETTING=VALUE …"),
)


@dataclass(frozen=True, slots=True)
class Note:
    """What is said beside a field."""

    text: str
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """All notes, a summary, and the words after ``arena-tui`` when the plan can be run."""

    notes: Mapping[str, Note]
    summary: str
    words: tuple[str, ...] = field(default=())

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not any(note.wrong for note in self.notes.values())


def words_of(values: Mapping[str, str]) -> tuple[str, ...]:
    """Write the plan as the words of ``arena-tui run``.

    Parameters
    ----------
    values : mapping of str to str
        Field name to what is typed.

    Returns
    -------
    tuple of str
        ``run`` and its flags; fields that are empty are left out.
    """
    words = ["run"]
    for line in FIELDS:
        text = values.get(line.name, "").strip()
        if not text or (line.name == "conditions" and text == "clean"):
            continue
        if line.name == "set":
            for part in shlex.split(text):
                words += ["--set", part]
        else:
            words += [f"--{line.name}", text]
    return tuple(words)


def check(values: Mapping[str, str]) -> Verdict:
    """Check a plan. Reads descriptions and the catalogue: call it beside the loop.

    Parameters
    ----------
    values : mapping of str to str
        Field name to what is typed.

    Returns
    -------
    Verdict
        A note for each field, and what the campaign would be.
    """
    notes: dict[str, Note] = {}
    found: dict[str, object] = {}
    checks: tuple[tuple[str, Callable[[Mapping[str, str]], tuple[object, str]]], ...] = (
        ("out", _folder), ("methods", _methods), ("tasks", _tasks), ("seeds", _seeds),
        ("conditions", _conditions), ("preset", _preset), ("budget", _budget), ("interval", _interval),
        ("workers", _workers), ("memory", _memory), ("set", _settings),
    )  # fmt: skip
    for name, look in checks:
        try:
            found[name], text = look(values)
        except (TaskError, AdapterError, EngineError) as error:
            notes[name] = Note(str(error), wrong=True)
        else:
            notes[name] = Note(text)
    return Verdict(notes, _summary(found, notes), words_of(values))


def _number(found: Mapping[str, object], name: str) -> float:
    value = found.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _summary(found: Mapping[str, object], notes: Mapping[str, Note]) -> str:
    wrong = [line.title for line in FIELDS if notes[line.name].wrong]
    if wrong:
        return f"to be put right: {', '.join(wrong)}"
    counts = [_number(found, name) for name in ("methods", "tasks", "seeds", "conditions")]
    runs = 1.0
    for count in counts:
        runs *= count
    workers, budget = max(1.0, _number(found, "workers")), _number(found, "budget")
    if not budget:
        return f"{runs:.0f} runs; budget and interval are the preset's"
    points = int(budget / max(1e-9, _number(found, "interval")))
    rounds = -(-runs // workers)
    return (
        f"{runs:.0f} runs, {runs * points:.0f} checkpoints; at most {numbers.duration(rounds * budget)} "
        f"on {workers:.0f} workers, without starting and scoring"
    )


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


def pairs(text: str) -> list[tuple[str, str]]:
    """Split ``NAME,LABEL=NAME`` into labels and methods.

    Parameters
    ----------
    text : str
        As typed.

    Returns
    -------
    list of (str, str)
        Label and method name.
    """
    named = []
    for part in (word.strip() for word in text.split(",")):
        if part:
            label, equals, method = part.partition("=")
            named.append((label, method) if equals else (part, part))
    return named


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

    chosen = selections.resolve([values.get("tasks", "")])
    shown = ", ".join(task.name for task in chosen[:3])
    return len(
        chosen
    ), f"{len(chosen)} task{'s' if len(chosen) > 1 else ''}: {shown}{'…' if len(chosen) > 3 else ''}"


def _seeds(values: Mapping[str, str]) -> tuple[object, str]:
    parts = [word.strip() for word in values.get("seeds", "").split(",") if word.strip()]
    if not parts:
        if values.get("preset", "").strip():
            return 1, "the preset's"
        raise EngineError("name at least one")
    if not all(word.isdigit() and int(word) < 2**32 for word in parts):
        raise EngineError("whole numbers from 0 to 4294967295, with commas")
    return len(set(parts)), f"{len(set(parts))} seed{'s' if len(set(parts)) > 1 else ''}"


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
