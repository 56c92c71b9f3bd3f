"""Rows and words of the Methods screen, from the static descriptions and the environments' states."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena_tui.widgets.table import Column, Row
from engine.methods.environments import State
from engine.methods.registry import Method
from engine.methods.settings import Setting

_TONES = {
    "built in": "good",
    "installed": "good",
    "ready": "good",
    "not installed": "quiet",
    "broken": "bad",
    "interrupted": "fair",
    "outdated": "fair",
}
_SIGNS = {"good": "✓", "bad": "✗", "fair": "!", "quiet": "·", "": "?"}


@dataclass(frozen=True, slots=True)
class Known:
    """A method, the state of its environment, and what the doctor last said of it."""

    method: Method
    state: State
    diagnosis: str = ""


def _state_tone(value: object) -> str:
    return _TONES.get(str(value), "")


def _state(value: object) -> str:
    return f"{_SIGNS[_state_tone(value)]} {value}"


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _size(value: object) -> str:
    return f"{value} MB" if value else ""


COLUMNS = (
    Column("name", "method", 15, grow=1),
    Column("state", "state", 15, show=_state, tone=_state_tone),
    Column("paradigm", "paradigm", 20, grow=1),
    Column("kind", "kind", 8),
    Column("threads", "thr", 3, right=True, show=_text),
    Column("size", "size", 8, right=True, show=_size),
    Column("doctor", "doctor", 10, show=_text, tone=lambda value: "good" if value == "ready" else "fair"),
    Column("licence", "licence", 15, show=_text),
    Column("changed", "changed", 7, right=True, show=lambda value: str(value) if value else ""),
    Column("title", "title", 16, show=_text),
)


def row(known: Known, changed: int) -> Row:
    """Make the row of one method.

    Parameters
    ----------
    known : Known
        A method and its state.
    changed : int
        How many settings differ from the defaults.

    Returns
    -------
    Row
        Its key is the method's name.
    """
    method = known.method
    return Row(
        method.name,
        {
            "name": method.name,
            "state": known.state.status,
            "paradigm": method.paradigm,
            "kind": method.kind,
            "threads": method.threads,
            "size": method.installed_mb,
            "doctor": known.diagnosis,
            "licence": method.licence,
            "changed": changed,
            "title": method.title,
        },
    )


def about(known: Known) -> list[tuple[str, object]]:
    """Describe a method.

    Parameters
    ----------
    known : Known
        A method and its state.

    Returns
    -------
    list of (str, object)
        What it is, what it needs, what stands in the way.
    """
    method, state = known.method, known.state
    facts: list[tuple[str, object]] = [
        (method.title, ""),
        ("state", state.status),
        ("to do", state.detail),
        ("why not", method.unavailable),
        ("environment", state.folder),
        ("paradigm", f"{method.paradigm}, {method.kind}"),
        ("threads", f"{method.threads} (table 17)"),
        (
            "size",
            f"{method.installed_mb} MB, {method.download_mb} MB to download" if method.installed_mb else None,
        ),
        ("source", method.source),
        ("homepage", method.homepage),
        ("licence", method.licence + (", must be accepted" if method.accept_licence else "")),
        ("same seed", "same incumbents" if method.deterministic else "may give other incumbents"),
        ("can stop", "at an evaluation count" if method.evaluation_limit else "by time only"),
        ("checkout", f"must hold {', '.join(method.entry_points)}" if method.entry_points else None),
        ("weights", method.weights),
        ("tools", ", ".join(method.tools)),
        ("note", method.note),
    ]
    return [(name, value) for name, value in facts if value or name == method.title]


def setting_facts(setting: Setting) -> list[tuple[str, object]]:
    """Describe a setting.

    Parameters
    ----------
    setting : Setting
        From a method's schema.

    Returns
    -------
    list of (str, object)
        What it does, what it accepts, its default and where that is from.
    """
    return [
        ("", setting.doc),
        ("accepts", setting.allowed()),
        ("default", f"{_written(setting.default)} ({setting.source})"),
    ]


SETTING_COLUMNS = (
    Column("name", "setting", 22, grow=1),
    Column("value", "value", 14, grow=1, show=_text),
    Column(
        "default", "default", 14, grow=1, show=_text, tone=lambda value: "quiet" if value is not None else ""
    ),
    Column(
        "changed", "", 1, show=lambda value: "*" if value else "", tone=lambda value: "fair" if value else ""
    ),
    Column("allowed", "allowed", 24, grow=1, show=_text),
    Column("source", "default from", 24, show=_text),
    Column("doc", "what it does", 40, show=_text),
)


def _written(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)


def setting_row(setting: Setting, overrides: Mapping[str, object]) -> Row:
    """Make the row of one setting.

    Parameters
    ----------
    setting : Setting
        From the method's schema.
    overrides : mapping of str to object
        What was changed, by name.

    Returns
    -------
    Row
        Its key is the setting's name.
    """
    changed = setting.name in overrides
    return Row(
        setting.name,
        {
            "name": setting.name,
            "value": _written(overrides[setting.name] if changed else setting.default),
            "default": _written(setting.default),
            "changed": "changed" if changed else None,
            "allowed": setting.allowed(),
            "source": setting.source,
            "doc": setting.doc,
        },
    )


def set_words(label: str, overrides: Mapping[str, object]) -> str:
    """Write changed settings as the command line takes them.

    Parameters
    ----------
    label : str
        The method's label.
    overrides : mapping of str to object
        What was changed, by name.

    Returns
    -------
    str
        ``LABEL.SETTING=VALUE`` for each, with spaces between.
    """
    return " ".join(f"{label}.{name}={_written(value)}" for name, value in sorted(overrides.items()))
