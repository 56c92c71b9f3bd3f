"""Where the product keeps its files on a user's machine."""

import os
from pathlib import Path

import platformdirs

APPLICATION = "arena-tui"


def _base(kind: str) -> Path:
    home = os.environ.get("ARENA_HOME")
    if home:
        return Path(home).expanduser().resolve() / kind
    directories = platformdirs.PlatformDirs(APPLICATION, appauthor=False)
    return Path(
        {
            "cache": directories.user_cache_dir,
            "data": directories.user_data_dir,
            "config": directories.user_config_dir,
        }[kind]
    )


def cache_folder() -> Path:
    """Folder of everything that can be made again: task splits, worker bundles, downloaded wheels.

    Returns
    -------
    pathlib.Path
        ``$ARENA_HOME/cache`` when ``ARENA_HOME`` is set, else the platform's cache folder.
    """
    return _base("cache")


def data_folder() -> Path:
    """Folder of what the user made or installed: method environments, selections, imported tasks.

    Returns
    -------
    pathlib.Path
        ``$ARENA_HOME/data`` when ``ARENA_HOME`` is set, else the platform's data folder.
    """
    return _base("data")


def config_folder() -> Path:
    """Folder of the user's settings: the console's state and model endpoints.

    Returns
    -------
    pathlib.Path
        ``$ARENA_HOME/config`` when ``ARENA_HOME`` is set, else the platform's configuration folder.
    """
    return _base("config")
