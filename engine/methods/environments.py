"""Where methods are installed, what state they are in, and how a worker of each is started.

An environment is a folder ``<data>/environments/<method>-<hash>``; the hash covers the pinned requirements
and the Python version. It is built under another name and renamed when whole, so a folder of that name is
always a finished environment, and running campaigns only ever read it.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import adapters
from engine.errors import EngineError
from engine.methods import bundle
from engine.methods.registry import Method
from tasks.locations import cache_folder, data_folder

MARKER = "arena.json"
_DIGITS = 12
# Passed on to a worker: they make old OpenBLAS builds correct on some processors, and name no path.
_PASSED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"


@dataclass(frozen=True, slots=True)
class Installed:
    """What was noted when an environment was finished."""

    method: str
    python: str
    source: str | None = None
    commit: str | None = None
    weights: str | None = None
    julia: str | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Whether a method can be started, and what to do when not.

    Attributes
    ----------
    method, status : str
        Name; one of built in, installed, not installed, interrupted, outdated, broken,
        julia missing, weights missing.
    detail : str
        One sentence with the command that helps, empty when nothing is wrong.
    folder : pathlib.Path or None
        Its environment.
    installed : Installed or None
        What was noted at its installation.
    """

    method: str
    status: str
    detail: str = ""
    folder: Path | None = None
    installed: Installed | None = None

    @property
    def usable(self) -> bool:
        """Whether a worker of it can be started."""
        return self.status in ("built in", "installed")


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a worker: the command and the whole environment, both without anything of the user's."""

    argv: tuple[str, ...]
    env: dict[str, str]


def folder_of_all() -> Path:
    """Return the folder of all environments."""
    return data_folder() / "environments"


def platform_name() -> str:
    """Return the name of this platform in requirement files: linux or macos."""
    return "macos" if sys.platform == "darwin" else "linux"


def requirements_file(method: Method) -> Path:
    """Return the pinned and hashed requirements of a method on this platform."""
    folder = method.folder
    if method.requirements:
        folder = Path(adapters.__file__).parent / method.requirements
    return folder / f"requirements-{platform_name()}.txt"


def needs_environment(method: Method) -> bool:
    """Tell whether a method has an environment of its own."""
    return method.kind not in ("builtin", "command")


def environment_folder(method: Method) -> Path:
    """Return where the environment of `method` is, or would be."""
    file = requirements_file(method)
    try:
        content = file.read_bytes()
    except OSError:
        content = b""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    key = hashlib.sha256(content + version.encode()).hexdigest()[:_DIGITS]
    return folder_of_all() / f"{method.name}-{key}"


def folders_named(name: str) -> list[Path]:
    """Return every environment folder of a method, outdated ones included."""
    pattern = re.compile(re.escape(name) + rf"-[0-9a-f]{{{_DIGITS}}}")
    everything = folder_of_all()
    if not everything.is_dir():
        return []
    return [folder for folder in sorted(everything.iterdir()) if pattern.fullmatch(folder.name)]


def interpreter(folder: Path) -> Path:
    """Return the Python of an environment."""
    return folder / "bin" / "python"


def read_marker(folder: Path) -> Installed | None:
    """Return what was noted when the environment was finished, None when it never was."""
    try:
        raw = json.loads((folder / MARKER).read_text(encoding="utf-8"))
        return Installed(**raw)
    except (OSError, ValueError, TypeError):
        return None


def state(method: Method) -> State:
    """Return whether `method` can be started, from files alone: nothing is imported, run or fetched."""
    if not needs_environment(method):
        return State(method.name, "built in")
    folder = environment_folder(method)
    command = f"arena-tui methods install {method.name}"
    if method.needs_checkout:
        command += " --source PATH_OR_GIT_URL"
    if not folder.exists():
        return _absent(method, command)
    installed = read_marker(folder)
    if installed is None:
        detail = f"the environment of {method.name} is incomplete; run: {command}"
        return State(method.name, "interrupted", detail, folder)
    if not interpreter(folder).exists():
        detail = f"the Python that {method.name} was installed with is gone; run: {command}"
        return State(method.name, "broken", detail, folder, installed)
    if method.kind == "julia" and installed.julia is None:
        return State(method.name, "julia missing", _julia_sentence(method, command), folder, installed)
    parts = {"checkout": installed.source, "weights file": installed.weights, "Julia": installed.julia}
    for what, path in parts.items():
        if path is not None and not Path(path).exists():
            detail = f"the {what} of {method.name} is no longer at {path}; run: {command}"
            return State(method.name, "broken", detail, folder, installed)
    if method.weights and installed.weights is None:
        command = f"arena-tui methods install {method.name} --weights FILE"
        detail = f"{method.name} needs {method.weights}; run: {command}"
        return State(method.name, "weights missing", detail, folder, installed)
    return State(method.name, "installed", "", folder, installed)


def lock_file(name: str) -> Path:
    """Return the file that an installation of a method holds locked."""
    return folder_of_all() / f".{name}.lock"


def being_installed(name: str) -> bool:
    """Tell whether another process is installing or removing a method just now."""
    try:
        with lock_file(name).open() as handle:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _absent(method: Method, command: str) -> State:
    if folders_named(method.name):
        detail = f"{method.name} was installed for other versions than these; run: {command}"
        return State(method.name, "outdated", detail)
    if being_installed(method.name):
        return State(method.name, "not installed", f"{method.name} is being installed by another process")
    if any(folder_of_all().glob(f".building.{method.name}.*")):
        detail = f"an installation of {method.name} was interrupted; run: {command}"
        return State(method.name, "interrupted", detail)
    if method.kind == "julia" and shutil.which("julia") is None:
        return State(method.name, "julia missing", _julia_sentence(method, command))
    return State(method.name, "not installed", f"{method.name} is not installed; run: {command}")


def _julia_sentence(method: Method, command: str) -> str:
    return (
        f"{method.name} runs on Julia, which is not on the path; install Julia 1.10.3 or later, or let the "
        f"installation fetch it, and run: {command}"
    )


def launch(method: Method) -> Launch:
    """Return how to start a worker of `method`.

    Raises
    ------
    EngineError
        When it is not installed or its installation is broken; the sentence names the command that helps.
    """
    condition = state(method)
    if not condition.usable:
        raise EngineError(condition.detail)
    start = str(bundle.build(method) / "start.py")
    env = worker_environment(method, condition)
    if condition.folder is None:
        # -S: no site-packages, so that nothing of this installation but the bundle can be imported.
        return Launch((sys.executable, "-P", "-s", "-S", start), env)
    return Launch((str(interpreter(condition.folder)), "-P", "-s", start), env)


def worker_environment(method: Method, condition: State) -> dict[str, str]:
    """Return the whole environment of a worker, thread limits and the run's own variables excepted."""
    home = cache_folder() / "homes" / method.name
    home.mkdir(parents=True, exist_ok=True)
    env = {
        "PATH": _SYSTEM_PATH,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": str(home / "matplotlib"),
        "CUDA_VISIBLE_DEVICES": "",
    }
    env |= {name: os.environ[name] for name in _PASSED if name in os.environ}
    if condition.folder is not None:
        env["PATH"] = f"{condition.folder / 'bin'}:{_SYSTEM_PATH}"
    if method.kind in ("command", "julia"):
        # The user's own programs are found the user's own way, Julia's packages below the user's own home.
        env["PATH"] = f"{env['PATH'].removesuffix(_SYSTEM_PATH)}{os.environ.get('PATH', _SYSTEM_PATH)}"
    if method.kind == "julia":
        env |= {name: value for name, value in os.environ.items() if name.startswith("JULIA_")}
        env["HOME"] = str(Path.home())
        env["PYTHON_JULIAPKG_OFFLINE"] = "yes"
        env["PYTHON_JULIAPKG_PROJECT"] = str(environment_folder(method) / "julia")
    installed = condition.installed
    if installed is not None and installed.source is not None:
        env["ARENA_SOURCE"] = installed.source
        # Compiled files of a checkout go beside our own, never into the user's folder.
        env["PYTHONPYCACHEPREFIX"] = str(home / "bytecode")
    if installed is not None and installed.weights is not None:
        env["ARENA_WEIGHTS"] = installed.weights
    return env
