"""What is typed into the form of a new study: checked field by field, counted, written as a command."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena_tui.screens.campaigns.plan import Field, Note, Verdict
from arena_tui.screens.paired import study_checks
from engine.errors import EngineError
from tasks.errors import TaskError

_ARMS = "bank,llm-l1,llm-l2,union-l1,union-l2"

FIELDS = (
    Field("out", "folder", "where its records go"),
    Field("kind", "kind", "paired or knockout", "paired"),
    Field("tasks", "tasks", "ids, names, @sets"),
    Field("arms", "arms", "of bank, llm-l1, …", _ARMS),
    Field("library", "library", "a name or TOML file", "lasr"),
    Field("seeds", "seeds", "whole numbers", "0,1,2,3"),
    Field("proposals", "proposals", "a file, or demonstration"),
    Field("model", "model", "asked instead of a file"),
    Field("base-url", "its server", "empty: Claude"),
    Field("key-variable", "its key", "variable that holds it"),
    Field("price", "its price", "$ per million: IN OUT"),
    Field("max-calls", "most calls", "no cap"),
    Field("max-tokens", "most tokens", "no cap"),
    Field("max-cost", "most dollars", "no cap"),
    Field("answer-timeout", "patience", "seconds, 60"),
    Field("stop", "stop below", "NMSE, 1e-10"),
    Field("gp-budget", "GP budget", "seconds of a unit, 60"),
    Field("gp-evaluations", "GP at most", "evaluations of a unit"),
    Field("workers", "workers", "processes", "1"),
)
_PAIRED_ONLY = {
    "arms", "proposals", "model", "base-url", "key-variable", "price", "max-calls", "max-tokens",
    "max-cost", "answer-timeout", "stop", "gp-budget", "gp-evaluations",
}  # fmt: skip
_PLANNED = ("out", "kind", "tasks", "arms", "seeds", "stop", "gp-budget", "gp-evaluations")
_DEFAULTS = {"arms": _ARMS, "library": "lasr", "seeds": "0,1,2,3"}
_PATHS = ("out", "library", "proposals")


def words_of(values: Mapping[str, str]) -> tuple[str, ...]:
    """Write the plan as the words of ``arena-tui paired run`` or ``paired knockout``.

    Parameters
    ----------
    values : mapping of str to str
        Field name to what is typed.

    Returns
    -------
    tuple of str
        Fields that are empty or as the command has them anyway are left out.
    """
    knockout = values.get("kind", "").strip() == "knockout"
    words = ["paired", "knockout" if knockout else "run"]
    for line in FIELDS:
        text = values.get(line.name, "").strip()
        if not text or line.name == "kind" or text == _DEFAULTS.get(line.name):
            continue
        if knockout and line.name in _PAIRED_ONLY:
            continue
        if line.name == "price":
            words += ["--price", *text.split()]
        elif line.name in _PATHS and text.startswith("~"):
            # Quoted for a shell, ~ would stay ~.
            words += [f"--{line.name}", str(Path(text).expanduser())]
        else:
            words += [f"--{line.name}", text]
    return tuple(words)


def check(values: Mapping[str, str]) -> Verdict:
    """Check a plan. Reads the catalogue and files: call it beside the loop.

    Parameters
    ----------
    values : mapping of str to str
        Field name to what is typed.

    Returns
    -------
    Verdict
        A note for each field, and what the study would be.
    """
    knockout = values.get("kind", "").strip() == "knockout"
    notes: dict[str, Note] = {}
    counts: dict[str, int] = {}
    for line in FIELDS:
        if knockout and line.name in _PAIRED_ONLY:
            notes[line.name] = Note("not of a knockout")
            continue
        try:
            counts[line.name], text = study_checks.BY_FIELD[line.name](values)
        except (TaskError, EngineError) as error:
            notes[line.name] = Note(str(error), wrong=True)
        else:
            notes[line.name] = Note(text)
    return Verdict(notes, _summary(counts, notes, knockout=knockout), words_of(values))


def _summary(counts: Mapping[str, int], notes: Mapping[str, Note], *, knockout: bool) -> str:
    wrong = [line.title for line in FIELDS if notes[line.name].wrong]
    if wrong:
        return f"to be put right: {', '.join(wrong)}"
    cells = counts["tasks"] * counts["seeds"]
    arms = 3 if knockout else counts["arms"]
    kept = f", {counts['out']} of them on disk" if counts["out"] else ""
    parts = ((counts["tasks"], "task"), (counts["seeds"], "seed"), (arms, "arm"))
    product = " × ".join(f"{count} {name}{'s' if count > 1 else ''}" for count, name in parts)
    return f"{product} = {cells * arms} units{kept}"


def values_of(folder: Path, typed: Mapping[str, str]) -> dict[str, str]:
    """Write the fields that go on with a study: its plan, and who proposed.

    Parameters
    ----------
    folder : pathlib.Path
        The study's folder.
    typed : mapping of str to str
        What was typed when it was started here; of that holds what no plan keeps: server, caps, workers.

    Returns
    -------
    dict of str to str
        Field name to text.

    Raises
    ------
    EngineError
        If the folder holds no study.
    """
    from engine.models.journal import lines
    from engine.reachability.greedy import Limits
    from engine.reachability.records import plan

    made = plan(folder)
    stop = made.get("limits", {}).get("stop")
    values = {
        "out": str(folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder),
        "kind": "knockout" if "families" in made else "paired",
        "tasks": _set_of([task["id"] for task in made["tasks"]]),
        "arms": ",".join(made["arms"]),
        "library": str(made["library"].get("name", "")),
        "seeds": ",".join(map(str, made["seeds"])),
        "stop": "" if stop in (None, Limits().stop) else repr(stop),
    }
    for name, key in (("gp-budget", "seconds"), ("gp-evaluations", "evaluations")):
        if made.get("gp", {}).get(key) is not None:
            values[name] = f"{made['gp'][key]:g}"
    source: Mapping[str, Any] = next(
        (line["source"] for line in lines(folder / "proposals.jsonl") if line.get("source")), {}
    )
    if source.get("demonstration"):
        values["proposals"] = "demonstration"
    elif source.get("kind") == "file":
        # The file is not known any more, but every answer that it gave lies in the study's own.
        values["proposals"] = str(folder / "proposals.jsonl")
    elif source.get("model"):
        values["model"] = str(source["model"])
    return values | {name: text for name, text in typed.items() if name not in _PLANNED}


def _set_of(ids: Sequence[str]) -> str:
    """Name the set that these tasks are, or list them."""
    from tasks import selections

    for name in selections.names():
        with suppress(TaskError):  # a set of the user's own may name tasks that are gone
            if {task.id for task in selections.load(name)} == set(ids):
                return f"@{name}"
    return ",".join(ids)
