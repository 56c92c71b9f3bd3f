"""The typed settings of a method: schema, defaults of table 17, and a user's overrides."""

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError

TYPES = ("int", "float", "bool", "str", "words")
_TRUE, _FALSE = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a method.

    Attributes
    ----------
    name, type, doc : str
        Its name, one of `TYPES`, and what it does in one line.
    default : object
        The value of paper 1, table 17, or the method's own where the table is silent (`source` says which).
    minimum, maximum : float or None
        Bounds of a number, both allowed values.
    choices : tuple of str
        The allowed words, empty when any word will do.
    optional : bool
        Whether the setting may be left empty (None, the word ``none`` on a command line).
    source : str
        Where the default comes from.
    """

    name: str
    type: str
    default: Any
    doc: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    source: str = "the method's own default"

    def allowed(self) -> str:
        """Return what the setting accepts, in words."""
        words = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "a word"}
        text = words.get(self.type, "a list of words")
        if self.choices:
            text = f"{'one' if self.type != 'words' else 'any'} of {', '.join(self.choices)}"
        if self.minimum is not None:
            text += f", at least {self.minimum:g}"
        if self.maximum is not None:
            text += f", at most {self.maximum:g}"
        return f"{text}, or none" if self.optional else text


def read_schema(method: str, table: Mapping[str, Mapping[str, Any]]) -> tuple[Setting, ...]:
    """Return the settings that a ``method.toml`` declares.

    Raises
    ------
    EngineError
        When a setting's declaration or its default breaks the format.
    """
    settings = []
    for name, entry in table.items():
        kind = entry.get("type")
        if kind not in TYPES:
            message = f"{method}: setting {name} has type {kind!r}; allowed are {', '.join(TYPES)}"
            raise EngineError(message)
        default = entry.get("default")
        setting = Setting(
            name=name,
            type=kind,
            default=tuple(default) if isinstance(default, list) else default,
            doc=entry.get("doc", ""),
            minimum=entry.get("min"),
            maximum=entry.get("max"),
            choices=tuple(entry.get("choices", ())),
            optional=bool(entry.get("optional", default is None)),
            source=entry.get("source", "the method's own default"),
        )
        if default is not None:
            coerce(method, setting, default)
        settings.append(setting)
    return tuple(settings)


def merge(method: Any, overrides: Mapping[str, object]) -> dict[str, Any]:  # noqa: ANN401
    """Return the method's settings with the user's overrides in place of its defaults.

    Parameters
    ----------
    method : engine.methods.registry.Method
        Whose settings they are.
    overrides : mapping of str to object
        Typed values, or the text of a command line.

    Returns
    -------
    dict
        Every setting of the method, in the order of its schema; plain JSON types.

    Raises
    ------
    EngineError
        When a name is unknown (close matches are named) or a value does not fit.
    """
    schema = {setting.name: setting for setting in method.schema}
    values = {
        name: list(setting.default) if isinstance(setting.default, tuple) else setting.default
        for name, setting in schema.items()
    }
    for name, value in overrides.items():
        if name not in schema:
            near = difflib.get_close_matches(name, schema, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(schema) or 'none'}."
            message = f"{method.name} has no setting {name}; {hint}"
            raise EngineError(message)
        values[name] = coerce(method.name, schema[name], value)
    return values


def coerce(method: str, setting: Setting, value: object) -> Any:  # noqa: ANN401
    """Return `value` as the setting's type, or say what the setting accepts."""
    if value is None or (isinstance(value, str) and value.strip().lower() == "none" and setting.optional):
        if setting.optional:
            return None
        raise _refused(method, setting, value)
    converted = _CONVERTERS[setting.type](value)
    if converted is None:
        raise _refused(method, setting, value)
    if isinstance(converted, int | float) and not isinstance(converted, bool):
        low = -math.inf if setting.minimum is None else setting.minimum
        high = math.inf if setting.maximum is None else setting.maximum
        if not low <= converted <= high:
            raise _refused(method, setting, value)
    words = converted if isinstance(converted, list) else [converted]
    if setting.choices and any(word not in setting.choices for word in words):
        raise _refused(method, setting, value)
    return converted


def _refused(method: str, setting: Setting, value: object) -> EngineError:
    return EngineError(f"{method}: setting {setting.name} cannot be {value!r}; it takes {setting.allowed()}")


def _integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return int(str(value).strip().replace("_", ""))
    except ValueError:
        return None


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value if isinstance(value, int | float) else str(value).strip())
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _truth(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _words(value: object) -> list[str] | None:
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
        return [str(word) for word in value]
    return None


_CONVERTERS = {"int": _integer, "float": _number, "bool": _truth, "str": _word, "words": _words}
