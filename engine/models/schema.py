"""Check a model's JSON against the part of JSON Schema that our requests use."""

import json
from collections.abc import Mapping
from typing import Any

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "number": (int, float),
    "integer": (int,),
}


def violation(value: object, schema: Mapping[str, Any], where: str = "answer") -> str | None:
    """Return the first way in which a value breaks a schema.

    Parameters
    ----------
    value : any JSON value
        The model's answer.
    schema : mapping
        ``type`` (a name or a list), ``enum``, ``properties``, ``required``, ``additionalProperties:
        false`` and ``items``.
    where : str
        Path of the value, for the sentence.

    Returns
    -------
    str or None
        One sentence, or None when the value fits.
    """
    kinds = schema.get("type")
    if kinds is not None:
        names = [kinds] if isinstance(kinds, str) else list(kinds)
        if not any(_is(value, name) for name in names):
            return f"{where} is {_name(value)}, not {' or '.join(names)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} is {json.dumps(value)[:80]}, not one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, dict):
        return _object_violation(value, schema, where)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            found = violation(item, schema["items"], f"{where}[{index}]")
            if found:
                return found
    return None


def _object_violation(value: dict[str, Any], schema: Mapping[str, Any], where: str) -> str | None:
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{where} lacks {name!r}"
    for name, item in value.items():
        if name in properties:
            found = violation(item, properties[name], f"{where}.{name}")
            if found:
                return found
        elif schema.get("additionalProperties") is False:
            return f"{where} has an extra field {name[:80]!r}"
    return None


def _is(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])


def _name(value: object) -> str:
    return next(name for name in ("boolean", "integer", *_TYPES) if _is(value, name))
