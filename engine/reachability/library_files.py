"""Libraries by name or from a user's own file."""

import tomllib
from pathlib import Path

from engine.errors import EngineError
from engine.expression import ExpressionError, parse
from engine.reachability.libraries import BUILT_IN, Library


def load(word: str) -> Library:
    """Find a library by its name, or read a library file.

    Parameters
    ----------
    word
        ``lasr``, ``srbench-pysr``, ``poly``, or the path of a TOML file with ``single`` (templates over
        ``v``) and optionally ``ordered``, ``unordered`` (templates over ``u`` and ``v``) and ``title``.

    Returns
    -------
    Library

    Raises
    ------
    EngineError
        If the word is neither, or the file is not such a library.
    """
    if word in BUILT_IN:
        return BUILT_IN[word]
    path = Path(word).expanduser()
    if not path.is_file():
        known = ", ".join(BUILT_IN)
        raise EngineError(f"{word!r} is neither a library ({known}) nor a file; name one of them")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EngineError(f"library file {path.name}: {error}; write it as TOML") from error
    unknown = sorted(set(table) - {"name", "title", "single", "ordered", "unordered"})
    if unknown:
        raise EngineError(
            f"library file {path.name}: unknown key {unknown[0]!r}; "
            "use single, ordered, unordered, name, title"
        )
    name = str(table.get("name", path.stem))
    return Library(
        name,
        str(table.get("title", name)),
        _templates(path, table, "single", ("v",)),
        _templates(path, table, "ordered", ("u", "v")),
        _templates(path, table, "unordered", ("u", "v")),
    )


def _templates(path: Path, table: dict[str, object], key: str, slots: tuple[str, ...]) -> tuple[str, ...]:
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise EngineError(f"library file {path.name}: {key} must be a list of texts")
    if key == "single" and not found:
        raise EngineError(f"library file {path.name}: single is empty; list at least one template over v")
    for text in found:
        try:
            parse(text, [*slots, "a"])
        except ExpressionError as error:
            raise EngineError(f"library file {path.name}: {key} {text!r}: {error}") from error
    return tuple(found)
