"""The user's own checkouts of methods that are not published as packages: brought, probed, never changed."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.methods.registry import Method
from tasks.locations import data_folder

_ADDRESS = re.compile(r"^(https?|ssh|git|file)://|^git@|\.git$")
_INCLUDE_FOLDERS = ("/usr/include", "/usr/local/include", "/opt/homebrew/include", "/opt/local/include")
_CLONE_LIMIT_S = 600.0


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout that has what its adapter needs."""

    folder: Path
    commit: str | None


def bring(method: Method, source: str, tell: Callable[[str], None]) -> Checkout:
    """Return the checkout at a path, or clone the one at a git address.

    Parameters
    ----------
    method : Method
        Whose checkout it should be.
    source : str
        Folder on this machine, or anything ``git clone`` accepts that has a scheme or ends in ``.git``.
    tell : callable
        Is told what is being done.

    Raises
    ------
    EngineError
        When there is no such folder, the clone fails, or the folder lacks what the adapter needs.
    """
    if _ADDRESS.search(source) and not Path(source).expanduser().is_dir():
        folder = _clone(method, source, tell)
    else:
        folder = Path(source).expanduser().resolve()
    checkout = probe(method, folder)
    if method.commit and checkout.commit and not checkout.commit.startswith(method.commit):
        tell(
            f"{method.name} was tried with commit {method.commit}; this checkout is at {checkout.commit[:7]}"
        )
    return checkout


def probe(method: Method, folder: Path) -> Checkout:
    """Check that a folder has the files the adapter of `method` imports.

    Raises
    ------
    EngineError
        When the folder or some of the files are missing; all of them are named.
    """
    if not folder.is_dir():
        message = f"there is no checkout of {method.title} at {folder}"
        raise EngineError(message)
    missing = [name for name in method.entry_points if not (folder / name).exists()]
    if missing:
        message = f"{folder} is no checkout of {method.title}: it lacks {', '.join(missing)}"
        raise EngineError(message)
    return Checkout(folder, commit_of(folder))


def commit_of(folder: Path) -> str | None:
    """Return the commit a folder is at, None when it is no git checkout or git is missing."""
    git = shutil.which("git")
    if git is None or not (folder / ".git").exists():
        return None
    ended = subprocess.run(
        [git, "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, text=True, check=False, timeout=20
    )
    return ended.stdout.strip() or None


def check_tools(method: Method) -> None:
    """Check that the programs and headers a checkout's own build needs are there.

    Raises
    ------
    EngineError
        When one is missing, with what usually brings it.
    """
    for tool in method.tools:
        if shutil.which(tool) is None:
            message = f"building {method.name} needs {tool}, which is not on the path; install a C++ compiler"
            raise EngineError(message)
    folders = [*os.environ.get("CPATH", "").split(os.pathsep), *_INCLUDE_FOLDERS]
    for header in method.headers:
        if not any(folder and (Path(folder) / header).exists() for folder in folders):
            package = header.split("/", maxsplit=1)[0]
            message = (
                f"building {method.name} needs the header {header}, which is in no include folder; "
                f"install the development package of {package} (lib{package}-dev on Debian)"
            )
            raise EngineError(message)


def forget(name: str) -> None:
    """Remove the clone that `bring` made for a method; a checkout of the user's own is left alone."""
    shutil.rmtree(_clone_folder(name), ignore_errors=True)


def _clone_folder(name: str) -> Path:
    return data_folder() / "checkouts" / name


def _clone(method: Method, address: str, tell: Callable[[str], None]) -> Path:
    git = shutil.which("git")
    if git is None:
        message = f"git is not on the path; clone {method.title} yourself and give its folder as --source"
        raise EngineError(message)
    folder = _clone_folder(method.name)
    building = folder.with_name(f".cloning-{method.name}")
    shutil.rmtree(building, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    tell(f"cloning {method.title}")
    try:
        ended = subprocess.run(
            [git, "clone", "--quiet", address, str(building)],
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_CLONE_LIMIT_S,
            check=False,
        )
        if ended.returncode != 0:
            said = ended.stderr.strip().splitlines() or ["git said nothing"]
            message = f"{method.title} could not be cloned from {address}: {said[-1]}"
            raise EngineError(message)
        shutil.rmtree(folder, ignore_errors=True)
        building.rename(folder)
    except subprocess.TimeoutExpired as error:
        message = f"cloning {method.title} did not end within {_CLONE_LIMIT_S / 60:.0f} minutes"
        raise EngineError(message) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return folder
