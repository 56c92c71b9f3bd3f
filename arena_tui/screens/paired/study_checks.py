"""What is said beside each field of a new study: a number that counts with words, or what is wrong."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.errors import EngineError

Checked = tuple[int, str]
_KINDS = ("paired", "knockout")
_UNSAID = {"stop": "1e-10", "gp-budget": "60 s, if there is a GP arm", "answer-timeout": "60 s"}


def _typed(values: Mapping[str, str], name: str) -> str:
    return values.get(name, "").strip()


def _arms_of(values: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(word.strip() for word in _typed(values, "arms").split(",") if word.strip()))


def _levels(values: Mapping[str, str]) -> list[str]:
    from engine.reachability.arms import level_of

    if _typed(values, "kind") == "knockout":
        return []
    return list(dict.fromkeys(level for arm in _arms_of(values) if (level := level_of(arm))))


def _folder(values: Mapping[str, str]) -> Checked:
    from engine.reachability.records import PLAN, plan

    text = _typed(values, "out")
    if not text:
        raise EngineError("name a folder")
    folder = Path(text).expanduser()
    if (folder / PLAN).exists():
        made = plan(folder)
        if ("families" in made) != (_typed(values, "kind") == "knockout"):
            raise EngineError("holds a study of the other kind: choose another")
        if made["library"].get("name") != _library_name(values):
            raise EngineError(f"holds a study with {made['library']['title']}: choose another")
        done = sum(1 for _ in folder.glob("units/*/*/*.json"))
        return done, f"goes on with its study: {done} units on disk"
    if folder.is_file():
        raise EngineError("is a file: choose another name")
    if folder.exists() and any(folder.iterdir()):
        raise EngineError("is not empty and holds no study: choose another")
    above = next((path for path in (folder, *folder.absolute().parents) if path.exists()), Path("/"))
    if not os.access(above, os.W_OK):
        raise EngineError(f"{above} cannot be written")
    return 0, "will be made" if not folder.exists() else "is there"


def _library_name(values: Mapping[str, str]) -> str:
    from engine.reachability.library_files import load

    return load(_typed(values, "library")).name


def _kind(values: Mapping[str, str]) -> Checked:
    text = _typed(values, "kind")
    if text not in _KINDS:
        raise EngineError("paired or knockout")
    return 1, "BANK, LLM and UNION" if text == "paired" else "FULL, TARGET-KO, SHAM-KO"


def _tasks(values: Mapping[str, str]) -> Checked:
    from tasks import selections

    text = _typed(values, "tasks")
    if _typed(values, "kind") == "knockout":
        from engine.reachability.knockout import diagnostic_tasks

        chosen = diagnostic_tasks(selections.resolve([text or "@lsr-synth"]))
        if not chosen:
            raise EngineError("none has exactly one operator family")
        return len(chosen), f"{len(chosen)} diagnostic: {', '.join(task.name for task, _ in chosen[:3])}…"
    found = selections.resolve([text])
    shown = ", ".join(task.name for task in found[:3])
    count = f"{len(found)} task{'s' if len(found) > 1 else ''}"
    return len(found), f"{count}: {shown}{'…' if len(found) > 3 else ''}"


def _arms(values: Mapping[str, str]) -> Checked:
    from engine.reachability.arms import ARMS, GP_METHODS
    from engine.reachability.gp import unavailable

    arms = _arms_of(values)
    unknown = [arm for arm in arms if arm not in ARMS]
    if unknown:
        raise EngineError(f"{unknown[0]!r} is none of {', '.join(ARMS)}")
    if not arms:
        raise EngineError(f"name at least one of {', '.join(ARMS)}")
    missing = next((why for arm in arms if arm in GP_METHODS and (why := unavailable(arm))), None)
    if missing:
        raise EngineError(missing)
    if "," in _typed(values, "arms") and _typed(values, "arms").endswith(","):
        return len(arms), f"{len(arms)} arms, of {', '.join(ARMS)}"
    return len(arms), f"{len(arms)} arm{'s' if len(arms) > 1 else ''}"


def _library(values: Mapping[str, str]) -> Checked:
    from engine.reachability.libraries import expand
    from engine.reachability.library_files import load

    found = load(_typed(values, "library"))
    sizes = "/".join(str(len(expand(found, count))) for count in (1, 2, 3))
    return 1, f"{sizes} candidates for 1/2/3 variables"


def _seeds(values: Mapping[str, str]) -> Checked:
    words = [word.strip() for word in _typed(values, "seeds").split(",") if word.strip()]
    if not words:
        raise EngineError("name at least one")
    wrong = next((word for word in words if not word.removeprefix("-").isdecimal()), None)
    if wrong is not None:
        raise EngineError(f"{wrong!r} is no whole number")
    count = len({int(word) for word in words})
    return count, f"{count} seed{'s' if count > 1 else ''}"


def _proposals(values: Mapping[str, str]) -> Checked:
    from engine.reachability.sources import DEMONSTRATION, RecordedSource

    text, levels = _typed(values, "proposals"), _levels(values)
    if text and _typed(values, "model"):
        raise EngineError("a file or a model, not both")
    if not levels:
        return 0, "these arms need none"
    if not text:
        if _typed(values, "model"):
            return 0, "the model is asked"
        raise EngineError("llm and union arms need a file, demonstration, or a model")
    source = RecordedSource(DEMONSTRATION if text == "demonstration" else Path(text).expanduser())
    written = "written by hand, no model's; " if source.demonstration else ""
    return 1, written + _answered(source, values, levels)


def _answered(source: object, values: Mapping[str, str], levels: list[str]) -> str:
    """Say for how many of the questions a file has an answer."""
    from engine.reachability.prompts import Question
    from engine.reachability.sources import RecordedSource
    from tasks import selections
    from tasks.errors import TaskError

    assert isinstance(source, RecordedSource)
    try:
        tasks = selections.resolve([_typed(values, "tasks")])
        count, _ = _seeds(values)
    except (TaskError, EngineError):
        return "which tasks?"
    seeds = sorted({int(word) for word in _typed(values, "seeds").split(",") if word.strip()})
    answers = sum(
        source.ask(task.id, task.name, seed, Question("l1" if level == "l1" else "l2", (), "a", "")).answer
        is not None
        for task in tasks
        for seed in seeds
        for level in levels
    )
    asked = len(tasks) * count * len(levels)
    if answers == 0:
        raise EngineError(f"{source.path.name} answers none of the {asked} questions")
    return f"answers {answers} of {asked} questions" + ("" if answers == asked else "; the rest is not run")


def _model(values: Mapping[str, str]) -> Checked:
    from engine.models.request import Endpoint

    name, url = _typed(values, "model"), _typed(values, "base-url")
    if not name:
        return 0, "none"
    endpoint = Endpoint(
        "openai" if url else "claude", name, url or None, _typed(values, "key-variable") or None
    )
    endpoint.key()
    return 1, "at its own server" if url else "Claude"


def _server(values: Mapping[str, str]) -> Checked:
    from urllib.parse import urlsplit

    text = _typed(values, "base-url")
    if not text:
        return 0, "Claude" if _typed(values, "model") else "none"
    if urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).hostname:
        raise EngineError("an address such as http://localhost:8000/v1")
    if not _typed(values, "model"):
        raise EngineError("name the model that it serves")
    return 1, str(urlsplit(text).hostname)


def _key(values: Mapping[str, str]) -> Checked:
    text = _typed(values, "key-variable")
    if not text:
        return 0, "the usual one" if _typed(values, "model") else "none"
    if not os.environ.get(text):
        raise EngineError(f"the variable {text} is not set")
    return 1, "is set"


def _price(values: Mapping[str, str]) -> Checked:
    text = _typed(values, "price")
    if not text:
        return 0, "the list price where it is known" if _typed(values, "model") else "none"
    try:
        prices = [float(word) for word in text.split()]
    except ValueError:
        prices = []
    if len(prices) != 2 or min(prices) < 0:
        raise EngineError("two numbers: input and output")
    return 1, f"{prices[0]:g} $ in, {prices[1]:g} $ out"


def _number(name: str, *, whole: bool) -> Callable[[Mapping[str, str]], Checked]:
    def look(values: Mapping[str, str]) -> Checked:
        text = _typed(values, name)
        if not text:
            return 0, _UNSAID.get(name, "no cap")
        try:
            value = int(text) if whole else float(text)
        except ValueError:
            raise EngineError("a whole number" if whole else "a number") from None
        if value < 0:
            raise EngineError("not below zero")
        return 1, text

    return look


def _cost(values: Mapping[str, str]) -> Checked:
    from engine.models.request import Endpoint

    found = _number("max-cost", whole=False)(values)
    model = _typed(values, "model")
    if found[0] and model and not _typed(values, "price") and Endpoint("claude", model).price is None:
        raise EngineError("a cost cap needs the model's prices")
    return found


def _workers(values: Mapping[str, str]) -> Checked:
    from engine.running.capacity import cores

    text = _typed(values, "workers")
    if not text.isdecimal() or int(text) < 1:
        raise EngineError("a whole number, at least 1")
    if int(text) > cores():
        raise EngineError(f"{text} > {cores()} cores")
    return int(text), f"of {cores()} cores"


BY_FIELD: Mapping[str, Callable[[Mapping[str, str]], Checked]] = {
    "out": _folder, "kind": _kind, "tasks": _tasks, "arms": _arms, "library": _library, "seeds": _seeds,
    "proposals": _proposals, "model": _model, "base-url": _server, "key-variable": _key, "price": _price,
    "max-calls": _number("max-calls", whole=True), "max-tokens": _number("max-tokens", whole=True),
    "max-cost": _cost, "answer-timeout": _number("answer-timeout", whole=False),
    "stop": _number("stop", whole=False), "gp-budget": _number("gp-budget", whole=False),
    "gp-evaluations": _number("gp-evaluations", whole=True), "workers": _workers,
}  # fmt: skip
