"""What the console remembers between two sittings: theme, campaigns, filters. Losing it loses nothing."""

import json
import os
from pathlib import Path

from arena_tui.widgets.expression import Look
from tasks import locations

_FILE = "console.json"
_KNOWN = 200


def load() -> dict[str, object]:
    """Read the remembered state.

    Returns
    -------
    dict of str to object
        Empty when there is none or it cannot be read: a broken file must never keep the console shut.
    """
    try:
        found = json.loads((locations.config_folder() / _FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def save(state: dict[str, object]) -> bool:
    """Write the state, whole or not at all.

    Parameters
    ----------
    state : dict of str to object
        Plain JSON values.

    Returns
    -------
    bool
        False when the folder cannot be written.
    """
    folder = locations.config_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f"{_FILE}.{os.getpid()}"
        draft.write_text(json.dumps(state, indent=1, sort_keys=True), "utf-8")
        draft.replace(folder / _FILE)
    except OSError:
        return False
    return True


def with_campaign(state: dict[str, object], folder: Path) -> dict[str, object]:
    """Put a campaign first among those that were opened.

    Parameters
    ----------
    state : dict of str to object
        The remembered state.
    folder : pathlib.Path
        A campaign's folder.

    Returns
    -------
    dict of str to object
        The new state.
    """
    name = str(folder.resolve())
    others = [known for known in campaigns(state) if str(known) != name]
    return state | {"campaigns": [name, *(str(other) for other in others)][:_KNOWN]}


def campaigns(state: dict[str, object]) -> list[Path]:
    """List the campaigns that were opened, the last one first.

    Parameters
    ----------
    state : dict of str to object
        The remembered state.

    Returns
    -------
    list of pathlib.Path
        Their folders, whether they still exist or not.
    """
    listed = state.get("campaigns")
    return [Path(item) for item in listed if isinstance(item, str)] if isinstance(listed, list) else []


def look(state: dict[str, object]) -> Look:
    """Return how expressions were shown last.

    Parameters
    ----------
    state : dict of str to object
        The remembered state.

    Returns
    -------
    Look
        The usual one where nothing sensible is remembered.
    """
    kept = state.get("expressions")
    if not isinstance(kept, dict):
        return Look()
    digits = kept.get("digits")
    return Look(
        digits if digits is None or isinstance(digits, int) else Look().digits, bool(kept.get("flat"))
    )
