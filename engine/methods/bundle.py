"""The worker bundle: a data-free copy of what a worker may import, cached under its content's hash.

A worker runs beside tasks whose truth it must not see. So it never gets this installation on its path: it
gets a folder with the worker side of ``adapters``, the expression core and the searches of the built-in
methods. ``import tasks`` and ``import engine.scoring`` fail in it.
"""

import hashlib
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

import adapters
import engine
from engine.errors import EngineError
from engine.methods.registry import Method
from engine.reachability import SEARCH_MODULES
from tasks.locations import cache_folder

WORKER_SIDE = ("__init__.py", "errors.py", "interface.py", "record.py", "worker.py")
# Of engine.reachability only the searches travel: outcomes, knockout and controls know ground truths.
REACHABILITY_SEARCH = ("__init__.py", *(f"{name}.py" for name in SEARCH_MODULES))
# What a built-in method imports beside the standard library; the .libs folders hold their shared objects.
NUMERIC_PACKAGES = ("numpy", "numpy.libs", "scipy", "scipy.libs")
_DIGITS = 16


def build(method: Method) -> Path:
    """Return the bundle that hosts `method`, making it when the cache has none of this content.

    Parameters
    ----------
    method : Method
        Its kind decides whether numpy and scipy are linked in (they come from the engine's own interpreter
        for built-in methods); a plugin's package is copied in beside ours.

    Returns
    -------
    pathlib.Path
        Folder with ``start.py`` at its root. Never changed once it is there.

    Raises
    ------
    EngineError
        When the cache cannot be written.
    """
    files = _files(method)
    links = _numeric_links() if method.kind in ("builtin", "command") else {}
    folder = cache_folder() / "bundles" / _digest(files, links)
    if not folder.exists():
        try:
            _write(folder, files, links)
        except OSError as error:
            message = f"the worker's bundle cannot be written to {folder.parent}: {error.strerror}"
            raise EngineError(message) from error
    return folder


def _files(method: Method) -> dict[str, bytes]:
    here = Path(adapters.__file__).parent
    files = {"start.py": here / "start.py"}
    files |= {f"adapters/{name}": here / name for name in WORKER_SIDE}
    files |= {f"adapters/{file.parent.name}/{file.name}": file for file in here.glob("*/*.py")}
    core = Path(engine.__file__).parent
    files["engine/__init__.py"] = core / "__init__.py"
    for file in (core / "expression").rglob("*.py"):
        files[f"engine/{file.relative_to(core).as_posix()}"] = file
    for name in REACHABILITY_SEARCH:
        if (core / "reachability" / name).exists():
            files[f"engine/reachability/{name}"] = core / "reachability" / name
    contents = {name: file.read_bytes() for name, file in sorted(files.items())}
    if not method.package.startswith("adapters."):
        parents = method.package.split(".")
        for depth in range(1, len(parents)):
            contents[f"{'/'.join(parents[:depth])}/__init__.py"] = b""
        for file in sorted(method.folder.rglob("*.py")):
            relative = file.relative_to(method.folder).as_posix()
            contents[f"{'/'.join(parents)}/{relative}"] = file.read_bytes()
    return contents


def _numeric_links() -> dict[str, Path]:
    links = {}
    for name in NUMERIC_PACKAGES:
        spec = importlib.util.find_spec(name.removesuffix(".libs"))
        if spec is None or spec.origin is None:
            message = f"{name} is missing from arena-tui's own interpreter; install arena-tui again"
            raise EngineError(message)
        target = Path(spec.origin).parent.parent / name
        if target.exists():
            links[name] = target
    return links


def _digest(files: dict[str, bytes], links: dict[str, Path]) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    for name, target in sorted(links.items()):
        digest.update(f"{name}\0{target}\0".encode())
    return digest.hexdigest()[:_DIGITS]


def _write(folder: Path, files: dict[str, bytes], links: dict[str, Path]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=".building-", dir=folder.parent))
    try:
        for name, content in files.items():
            file = building / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        for name, target in links.items():
            (building / name).symlink_to(target)
        try:
            os.rename(building, folder)  # noqa: PTH104 - the atomic step; Path.rename hides that it may fail
        except OSError:
            if not folder.exists():
                raise
    finally:
        shutil.rmtree(building, ignore_errors=True)
