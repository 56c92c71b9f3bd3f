"""What is said beside the form's fields about a language model: whether one is needed, reached and capped."""

from collections.abc import Mapping

from arena_tui.screens.campaigns.labels import pairs
from engine.errors import EngineError


def asking(values: Mapping[str, str]) -> list[str]:
    """Name the methods of the form that ask a language model.

    Parameters
    ----------
    values : mapping of str to str
        Field name to what is typed.

    Returns
    -------
    list of str
        Their labels.
    """
    from engine.methods import registry

    known = registry.names()
    named = pairs(values.get("methods", ""))
    return [label for label, method in named if method in known and registry.get(method).model]


def _described(values: Mapping[str, str]) -> dict[str, object]:
    named = {"name": "model", "base_url": "base-url", "key_variable": "key-variable"}
    return {key: text for key, name in named.items() if (text := values.get(name, "").strip())}


def name(values: Mapping[str, str]) -> tuple[object, str]:
    """Check that a model is named where one is asked, and that its key is there."""
    from engine.running.lending import endpoint_of

    labels = asking(values)
    if not values.get("model", "").strip():
        if labels:
            raise EngineError(f"{', '.join(labels)} asks a language model: name one")
        return 0, "none: no method asks one"
    described = _described(values)
    # What is wrong with the address is said beside the address.
    described.pop("base_url", None)
    endpoint_of(described)
    return 1, f"for {', '.join(labels)}" if labels else "no method asks it"


def address(values: Mapping[str, str]) -> tuple[object, str]:
    """Check the address of a server."""
    from engine.running.lending import endpoint_of

    if not values.get("model", "").strip():
        return 0, "none"
    endpoint_of(_described(values))
    return 1, "OpenAI-compatible" if values.get("base-url", "").strip() else "Claude"


def key(values: Mapping[str, str]) -> tuple[object, str]:
    """Check that the variable that holds the key is set; its value is never shown."""
    from engine.running.lending import endpoint_of

    if not values.get("model", "").strip():
        return 0, "none"
    try:
        endpoint = endpoint_of(_described(values))
    except EngineError:
        return 0, "depends on the server"
    endpoint.key()
    return 1, "none needed on this machine" if endpoint.local else "set; the key stays with the engine"


def price(values: Mapping[str, str]) -> tuple[object, str]:
    """Check the two prices."""
    words = values.get("price", "").split()
    if not words:
        return 0, "the known one, if any"
    try:
        found = [float(word) for word in words]
    except ValueError:
        found = []
    if len(found) != 2 or min(found) < 0:
        raise EngineError("two numbers: IN OUT")
    return 1, "$ per million tokens, in and out"


def _cap(values: Mapping[str, str], field: str, unit: str, *, whole: bool) -> tuple[object, str]:
    text = values.get(field, "").strip()
    if not text:
        return 0, "no cap"
    try:
        found = int(text) if whole else float(text)
    except ValueError:
        found = 0
    if not 0 < found < float("inf"):
        raise EngineError("a whole number above 0" if whole else "a number above 0")
    return found, f"{unit} of one run"


def calls(values: Mapping[str, str]) -> tuple[object, str]:
    """Check the cap on calls."""
    return _cap(values, "model-calls", "calls", whole=True)


def tokens(values: Mapping[str, str]) -> tuple[object, str]:
    """Check the cap on tokens."""
    return _cap(values, "model-tokens", "tokens", whole=True)


def cost(values: Mapping[str, str]) -> tuple[object, str]:
    """Check the cap on dollars."""
    return _cap(values, "model-cost", "dollars", whole=False)
