"""Methods as they are typed into the form: names, or names under labels."""

from collections.abc import Collection

from engine.errors import EngineError


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


def numbers_by_label(text: str, labels: Collection[str]) -> tuple[int | None, dict[str, int]]:
    """Read ``N`` or ``LABEL=N,…``.

    Parameters
    ----------
    text : str
        As typed.
    labels : collection of str
        The labels that there are.

    Returns
    -------
    tuple of (int or None) and dict of str to int
        The common number, and those of single labels.

    Raises
    ------
    EngineError
        For what is no positive whole number, or no label.
    """
    common: int | None = None
    own: dict[str, int] = {}
    for word in (part.strip() for part in text.split(",")):
        label, equals, count = word.rpartition("=")
        if not word:
            continue
        if not count.isdigit() or int(count) < 1:
            raise EngineError(f"{word!r} is no positive whole number, nor LABEL=N")
        if not equals:
            common = int(count)
        elif label in labels:
            own[label] = int(count)
        else:
            raise EngineError(f"no method is labelled {label!r}")
    return common, own
