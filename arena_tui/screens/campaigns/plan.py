"""What is typed into the form of a new campaign: checked field by field, counted, written as a command."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adapters.errors import AdapterError
from arena_tui.screens.campaigns import checks
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
    Field("data", "own table", "CSV, TSV, Parquet, npz"),
    Field("target", "target", "the table's column"),
    Field("seeds", "seeds", "whole numbers", "520"),
    Field("conditions", "conditions", "clean, noise001, 0.05", "clean"),
    Field("preset", "preset", "none", ""),
    Field("budget", "budget", "of one run: 60s, 1h, 3h", "60s"),
    Field("interval", "interval", "between checkpoints", "5s"),
    Field("workers", "workers", "runs at once", "1"),
    Field("threads", "threads", "of one run: N, LABEL=N"),
    Field("memory", "memory", "MiB, or no cap"),
    Field("evaluations", "evaluations", "cap: N, LABEL=N"),
    Field("semantics", "semantics", "yes or no", "no"),
    Field("set", "settings", "LABEL.SETTING=VALUE …"),
    Field("model", "model", "for methods that ask one"),
    Field("base-url", "model's URL", "none: Claude"),
    Field("key-variable", "key variable", "environment variable"),
    Field("price", "price", "IN OUT, $ per million tokens"),
    Field("model-calls", "calls", "cap on a run's calls"),
    Field("model-tokens", "tokens", "cap on a run's tokens"),
    Field("model-cost", "cost", "cap on a run's dollars"),
)
_PATHS = ("out", "data")


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
        if line.name == "semantics":
            words += ["--semantics"] if text == "yes" else []
        elif line.name in _PATHS:
            # Quoted for a shell, ~ would stay ~.
            words += [f"--{line.name}", str(Path(text).expanduser())]
        elif line.name == "price":
            words += ["--price", *text.split()]
        elif line.name == "set":
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
    for name, look in checks.BY_FIELD.items():
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
    runs = _number(found, "tasks") + _number(found, "data")
    for name in ("methods", "seeds", "conditions"):
        runs *= _number(found, name)
    workers, budget = max(1.0, _number(found, "workers")), _number(found, "budget")
    if not budget:
        return f"{runs:.0f} runs; budget and interval are the preset's"
    points = int(budget / max(1e-9, _number(found, "interval")))
    rounds = -(-runs // workers)
    return (
        f"{runs:.0f} runs, {runs * points:.0f} checkpoints; at most {numbers.duration(rounds * budget)} "
        f"on {workers:.0f} workers, without starting and scoring"
    )
