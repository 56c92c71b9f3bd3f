"""Making and removing the environments of methods, with uv and from hashed requirement files."""

import contextlib
import dataclasses
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from engine.errors import EngineError
from engine.methods import bundle, checkouts, doctor
from engine.methods.environments import (
    MARKER,
    Installed,
    State,
    environment_folder,
    folder_of_all,
    folders_named,
    interpreter,
    launch,
    lock_file,
    needs_environment,
    requirements_file,
    state,
)
from engine.methods.registry import Method
from tasks.locations import cache_folder

Tell = Callable[[str], None]

# uv fetches several packages of gigabytes for some methods; a stalled one still has to end some day.
INSTALL_LIMIT_S = 3600.0


def install(
    method: Method,
    *,
    source: str | None = None,
    weights: Path | None = None,
    licence_accepted: bool = False,
    tell: Tell = lambda _: None,
) -> State:
    """Make the environment of a method, reuse it when it is there, repair it when it is not whole.

    Parameters
    ----------
    method : Method
        What to install; a built-in method needs nothing.
    source : str, optional
        Folder or git address of the user's checkout, for the methods that need one.
    weights : pathlib.Path, optional
        The user's file of pretrained weights, for the methods that need one.
    licence_accepted : bool
        Whether the user was shown the licence and accepted it, for the methods that ask.
    tell : callable
        Is told what is being done, a sentence at a time.

    Returns
    -------
    State
        The state afterwards: usable, but for weights that are still to be named.

    Raises
    ------
    EngineError
        When something is missing or fails: one sentence, with what to do.
    """
    if not needs_environment(method):
        tell(f"{method.name} is built in and needs no installation")
        return state(method)
    if method.accept_licence and not licence_accepted:
        message = (
            f"{method.name} is licensed under {method.licence}; read {method.homepage} and repeat with "
            f"--accept-licence when you accept it"
        )
        raise EngineError(message)
    if not requirements_file(method).exists():
        message = f"{method.name} has no requirements for this platform ({sys.platform})"
        raise EngineError(message)
    with _locked(method.name, tell):
        return _install_locked(method, source, weights, tell)


def _install_locked(method: Method, source: str | None, weights: Path | None, tell: Tell) -> State:
    before = state(method)
    wanted = _wanted(method, before, source, weights, tell)
    whole = before.usable or before.status == "weights missing"
    if whole and before.installed is not None and before.folder is not None:
        rebuilt = method.build and wanted.commit != before.installed.commit
        if not rebuilt and _imports(method, before, tell):
            if wanted != before.installed:
                _write_marker(before.folder, wanted)
            tell(f"{method.name} is installed in {before.folder}")
            return state(method)
    if method.build:
        checkouts.check_tools(method)
    for leftover in folder_of_all().glob(f".building.{method.name}.*"):
        tell(f"removing what an interrupted installation of {method.name} left")
        shutil.rmtree(leftover, ignore_errors=True)
    if method.download_mb:
        tell(f"{method.name}: up to {method.download_mb} MB to download, {method.installed_mb} MB installed")
    folder = environment_folder(method)
    _refuse_in_use(method.name, [folder])
    building = Path(tempfile.mkdtemp(prefix=f".building.{method.name}.", dir=folder_of_all()))
    try:
        _fill(method, building, wanted, tell)
        _write_marker(building, wanted)
        _remove_outdated(method, folder, tell)
        os.replace(building, folder)  # noqa: PTH105 - the atomic step
    finally:
        shutil.rmtree(building, ignore_errors=True)
    if method.kind == "julia":
        tell(f"looking for Julia and its packages for {method.name}; fetching them takes minutes")
        _write_marker(folder, dataclasses.replace(wanted, julia=_resolved_julia(method, folder)))
    tell(f"{method.name} is installed in {folder}")
    return state(method)


def _imports(method: Method, condition: State, tell: Tell) -> bool:
    """Tell whether the packages of a finished environment still import; files of it may have gone since."""
    if not condition.usable or method.kind == "julia" or not method.probe:
        return True
    found = doctor.probe(method.name, launch(method), str(bundle.build(method)), method.probe)
    if not found.ready and found.status != "not answering":
        tell(f"{method.name} does not start ({found.status}); its environment is made again")
        return False
    return True


def _remove_outdated(method: Method, folder: Path, tell: Tell) -> None:
    """Remove what is in the way, and environments for other versions that no running campaign uses."""
    shutil.rmtree(folder, ignore_errors=True)
    for outdated in folders_named(method.name):
        if processes_in(outdated):
            tell(f"{outdated} is still in use and was left; uninstall {method.name} some time to remove it")
        else:
            shutil.rmtree(outdated, ignore_errors=True)


def _refuse_in_use(name: str, folders: Sequence[Path]) -> None:
    for folder in folders:
        users = len(processes_in(folder))
        if users:
            what = "a running process" if users == 1 else f"{users} running processes"
            message = f"{name} is in use by {what}; stop its runs first"
            raise EngineError(message)


def _wanted(method: Method, before: State, source: str | None, weights: Path | None, tell: Tell) -> Installed:
    known = before.installed
    commit = None
    place = source or (known.source if known is not None else None)
    if method.needs_checkout:
        if place is None:
            message = (
                f"{method.name} is not published as a package; bring its checkout: "
                f"arena-tui methods install {method.name} --source PATH_OR_GIT_URL"
            )
            raise EngineError(message)
        checkout = checkouts.bring(method, place, tell)
        place, commit = str(checkout.folder), checkout.commit
    elif source is not None:
        message = f"{method.name} is a published package and takes no --source"
        raise EngineError(message)
    kept = str(weights.expanduser().resolve()) if weights is not None else (known.weights if known else None)
    if kept is not None and not Path(kept).is_file():
        message = f"there is no weights file at {kept}"
        raise EngineError(message)
    if method.weights and kept is None:
        tell(f"{method.name} also needs {method.weights}; name it with --weights FILE before you run it")
    return Installed(method.name, sys.version.split()[0], place, commit, kept)


def _fill(method: Method, folder: Path, wanted: Installed, tell: Tell) -> None:
    log = cache_folder() / "logs" / f"install-{method.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    tell(f"making the environment of {method.name}")
    # The folder exists already (it was reserved by mkdtemp), which --allow-existing accepts.
    venv = ["venv", "--allow-existing", "--relocatable", "--no-project", "--python", sys.executable]
    uv([*venv, str(folder)], method, log)
    python = ["--python", str(interpreter(folder))]
    requirements = ["--require-hashes", "--no-deps", "--requirements", str(requirements_file(method))]
    if method.torch:
        requirements += _torch_words()
    uv(["pip", "install", *python, *requirements], method, log)
    if method.build and wanted.source is not None:
        tell(f"building {method.name} from its checkout by its own packaging")
        with tempfile.TemporaryDirectory(prefix="arena-build-") as temporary:
            # A copy, so that the build leaves nothing in the user's folder.
            copy = Path(temporary) / method.name
            shutil.copytree(wanted.source, copy, ignore=shutil.ignore_patterns(".git", "build", "*.so"))
            uv(["pip", "install", *python, "--no-deps", str(copy)], method, log)


def _resolved_julia(method: Method, folder: Path) -> str:
    """Let the environment's own juliapkg find or fetch Julia and the packages it declares."""
    code = "import juliapkg; juliapkg.resolve(); print(juliapkg.executable())"
    ended = subprocess.run(
        [str(interpreter(folder)), "-c", code],
        env={**os.environ, "PYTHON_JULIAPKG_PROJECT": str(folder / "julia")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=INSTALL_LIMIT_S,
        check=False,
    )
    lines = [line.strip() for line in ended.stdout.splitlines() if line.strip()]
    if ended.returncode != 0 or not lines:
        said = ended.stderr.strip().splitlines() or ["juliapkg said nothing"]
        message = (
            f"{method.name} is installed but for Julia, which is neither here nor could be fetched "
            f"({said[-1]}); install Julia 1.10.3 or later and repeat"
        )
        raise EngineError(message)
    return lines[-1]


def _torch_words() -> list[str]:
    """Return the words that make uv take a CPU build of torch, which on Linux is not where torch itself is.

    A folder of wheels that pip was told of (PIP_FIND_LINKS) serves uv as well; where it has a CPU build,
    nothing is fetched. Elsewhere uv knows where the CPU builds are.
    """
    folders = [Path(word) for word in os.environ.get("PIP_FIND_LINKS", "").split() if Path(word).is_dir()]
    words = [word for folder in folders for word in ("--find-links", str(folder))]
    brought = any(file for folder in folders for file in folder.glob("torch-*+cpu-*"))
    if sys.platform == "linux" and not brought:
        words += ["--torch-backend", "cpu"]
    return words


def uv(words: Sequence[str], method: Method, log: Path) -> None:
    """Run uv and turn its failure into one sentence.

    Raises
    ------
    EngineError
        When uv is missing, fails or does not end; its whole output is in `log`.
    """
    env = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1"}
    env.pop("VIRTUAL_ENV", None)
    if _own_wheels():
        env["UV_CACHE_DIR"] = str(_wheels_folder())
    try:
        with log.open("ab") as output:
            ended = subprocess.run(
                [find_uv(), *words],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=INSTALL_LIMIT_S,
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        message = f"{method.name}: the installation did not end within {INSTALL_LIMIT_S / 60:.0f} minutes"
        raise EngineError(message) from error
    if ended.returncode != 0:
        message = f"{method.name} could not be installed: {_reason(log)} (all of it in {log})"
        raise EngineError(message)


def _own_wheels() -> bool:
    """Whether uv is told to keep what it downloads below the user's ARENA_HOME, not in its usual cache."""
    return "ARENA_HOME" in os.environ and "UV_CACHE_DIR" not in os.environ


def _wheels_folder() -> Path:
    return cache_folder() / "wheels"


def find_uv() -> str:
    """Return the path of uv, which comes as a package with arena-tui."""
    try:
        from uv import find_uv_bin

        return str(find_uv_bin())
    except (ImportError, FileNotFoundError) as error:
        message = "uv is missing from arena-tui's own environment; run: python -m pip install uv"
        raise EngineError(message) from error


def _reason(log: Path) -> str:
    lines = [
        line.strip(" │╰─▶├×\t") for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
    ]
    telling = [line for line in lines if line]
    return telling[-1][:300] if telling else "uv said nothing"


def uninstall(method: Method, *, tell: Tell = lambda _: None) -> None:
    """Remove everything that `install` made for a method.

    Raises
    ------
    EngineError
        When it is built in, not installed, or a process runs in its environment.
    """
    if not needs_environment(method):
        message = f"{method.name} is built in and cannot be uninstalled"
        raise EngineError(message)
    remove(method.name, tell=tell)


def remove(name: str, *, tell: Tell = lambda _: None) -> None:
    """Remove everything that was installed under a method's name, be it that its plugin is gone.

    Raises
    ------
    EngineError
        When nothing is installed under that name, or a process runs in its environment.
    """
    leftovers = [*folders_named(name), *folder_of_all().glob(f".building.{name}.*")]
    if not leftovers:
        message = f"{name} is not installed"
        raise EngineError(message)
    with _locked(name, tell):
        _refuse_in_use(name, leftovers)
        for folder in leftovers:
            tell(f"removing {folder}")
            shutil.rmtree(folder, ignore_errors=True)
        checkouts.forget(name)
        shutil.rmtree(cache_folder() / "homes" / name, ignore_errors=True)
        (cache_folder() / "logs" / f"install-{name}.log").unlink(missing_ok=True)
    lock_file(name).unlink(missing_ok=True)
    kept = (
        f"{_wheels_folder()}; remove that folder" if _own_wheels() else "the cache of uv; run uv cache clean"
    )
    tell(f"downloaded packages stay for later installations in {kept} to free their space")


def processes_in(folder: Path) -> list[int]:
    """Return the processes that were started from an environment's interpreter."""
    import psutil

    python = str(interpreter(folder))
    users = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if words and words[0] == python:
            users.append(process.pid)
    return users


def _write_marker(folder: Path, installed: Installed) -> None:
    temporary = folder / f"{MARKER}.new"
    temporary.write_text(json.dumps(dataclasses.asdict(installed), indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, folder / MARKER)  # noqa: PTH105 - the atomic step


@contextlib.contextmanager
def _locked(name: str, tell: Tell) -> Iterator[None]:
    file = lock_file(name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = file.open("a")
    except OSError as error:
        message = f"{file.parent} cannot be written: {error.strerror}"
        raise EngineError(message) from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"waiting for another installation of {name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
