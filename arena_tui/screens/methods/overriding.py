"""What the Methods screen asks the engine: descriptions, states, the doctor, whether a setting fits."""

from collections.abc import Sequence

from arena_tui.screens.methods.rows import Known
from engine.methods.registry import Method


def read_methods() -> list[Known]:
    """Read every method's description and the state of its environment.

    Returns
    -------
    list of Known
        In alphabetical order.
    """
    from engine.methods import environments, registry

    methods = [registry.get(name) for name in registry.names()]
    return [Known(method, environments.state(method)) for method in methods]


def examine(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Ask the doctor.

    Parameters
    ----------
    names : sequence of str
        Methods.

    Returns
    -------
    dict of str to (str, str)
        Status and one sentence by method.
    """
    from engine.methods import doctor

    return {found.method: (found.status, found.detail) for found in doctor.examine(names)}


def checked(method: Method, name: str, value: str) -> object:
    """Give a typed setting its type.

    Parameters
    ----------
    method : Method
        Whose setting it is.
    name, value : str
        The setting and what was typed.

    Returns
    -------
    object
        The value as the wrapper will get it.

    Raises
    ------
    EngineError
        Naming the setting and what it accepts.
    """
    from engine.methods import settings

    return settings.merge(method, {name: value})[name]


def recalled(kept: object) -> dict[str, dict[str, object]]:
    """Read the remembered settings; what is not of their form is left out.

    Parameters
    ----------
    kept : object
        What the console remembers.

    Returns
    -------
    dict of str to dict
        Changed settings by method.
    """
    if not isinstance(kept, dict):
        return {}
    return {str(name): dict(chosen) for name, chosen in kept.items() if isinstance(chosen, dict)}
