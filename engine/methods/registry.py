"""The methods of the arena: read from ``adapters/*/method.toml`` and from installed plugins."""

import difflib
import functools
import importlib.util
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import adapters
from engine.errors import EngineError
from engine.methods.settings import Setting, read_schema

PLUGIN_GROUP = "arena_tui.adapters"
KINDS = ("builtin", "packaged", "checkout", "julia", "command")
_REQUIRED = ("name", "title", "paradigm", "kind", "wrapper", "dialect", "licence", "source")


@dataclass(frozen=True, slots=True)
class Method:
    """The static description of one method.

    Attributes
    ----------
    name, title, paradigm : str
        Key on command lines, the authors' spelling, and the search paradigm of paper 1, table 16.
    kind : str
        builtin (the engine's interpreter), packaged (its own environment), checkout (its own environment and
        the user's checkout), julia (its own environment and a Julia on this machine), command (any program).
    dialect, variables, base : str, str, int
        Syntax of its expressions, spelling of a variable (``X{}``) and the index of the first one.
    licence, source, homepage, note : str
        What a user should know before using it.
    threads : int
        Threads of paper 1, table 17.
    deterministic, evaluation_limit : bool
        Whether one seed gives one sequence of incumbents, and whether it can stop at an evaluation count.
    schema : tuple of Setting
        Its settings with defaults.
    folder, package : pathlib.Path, str
        Where its description and wrapper lie and the package they form.
    wrapper : str
        ``module:Class`` of the wrapper.
    probe : tuple of str
        Modules that must import in its environment.
    download_mb, installed_mb : int
        Size of its environment, measured on Linux, 0 when it needs none.
    accept_licence : bool
        Whether its licence must be accepted before it is installed.
    entry_points : tuple of str
        Files that a user's checkout must contain.
    commit : str
        Commit of the checkout that was tried here.
    build : bool
        Whether the checkout is itself a package that its own build installs.
    tools, headers : tuple of str
        Programs that this build needs on the path, and headers it needs below an include folder.
    requirements : str
        Adapter folder whose requirement files it uses; its own when empty.
    torch : bool
        Whether it needs torch, of which a CPU build is to be taken.
    weights : str
        What file of pretrained weights the user must bring, in words; empty when none.
    model : bool
        Whether it asks a language model, which the engine then lends it.
    recovers : tuple of str
        Tasks of the conformance kit that it must solve nearly exactly.
    check_budget_s : float
        Budget of one run of the conformance kit.
    check_evaluations : int
        Evaluation limit of the kit's two runs that should be alike.
    check_settings : mapping
        Settings that the kit overrides, to be small enough for its budget.
    unavailable : str
        Why it cannot be had without the user's help, in words; empty when it can.
    """

    name: str
    title: str
    paradigm: str
    kind: str
    wrapper: str
    dialect: str
    licence: str
    source: str
    folder: Path
    package: str
    schema: tuple[Setting, ...] = ()
    variables: str = "x{}"
    base: int = 0
    homepage: str = ""
    note: str = ""
    threads: int = 1
    deterministic: bool = True
    evaluation_limit: bool = True
    probe: tuple[str, ...] = ()
    download_mb: int = 0
    installed_mb: int = 0
    accept_licence: bool = False
    entry_points: tuple[str, ...] = ()
    commit: str = ""
    build: bool = False
    tools: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    requirements: str = ""
    torch: bool = False
    weights: str = ""
    model: bool = False
    recovers: tuple[str, ...] = ()
    check_budget_s: float = 20.0
    check_evaluations: int = 5000
    check_settings: Mapping[str, Any] = field(default_factory=dict)
    unavailable: str = ""

    @property
    def needs_checkout(self) -> bool:
        """Whether its user must bring a checkout."""
        return bool(self.entry_points)

    def defaults(self) -> dict[str, Any]:
        """Return the default of every setting."""
        return {setting.name: setting.default for setting in self.schema}

    def dialect_of(self, settings: Mapping[str, Any]) -> str:
        """Return the dialect of a run: ``command`` lets its user choose it."""
        return str(settings.get("dialect") or self.dialect) if self.kind == "command" else self.dialect


def names() -> tuple[str, ...]:
    """Return every method's name, in alphabetical order."""
    return tuple(sorted(_all()[0]))


def broken_plugins() -> dict[str, str]:
    """Return the plugins that cannot be used: the name of the entry point, and why in one sentence.

    They cost nobody the other methods.
    """
    return dict(_all()[1])


def get(name: str) -> Method:
    """Return one method.

    Raises
    ------
    EngineError
        When there is none of that name (close matches are named), or its plugin is broken.
    """
    methods, broken = _all()
    if name not in methods:
        if name in broken:
            raise EngineError(broken[name])
        near = difflib.get_close_matches(name.lower(), methods, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else "see: arena-tui methods list"
        message = f"there is no method {name}; {hint}"
        raise EngineError(message)
    return methods[name]


@functools.cache
def _all() -> tuple[dict[str, Method], dict[str, str]]:
    methods: dict[str, Method] = {}
    broken: dict[str, str] = {}
    for file in sorted(Path(adapters.__file__).parent.glob("*/method.toml")):
        method = read_description(file.parent, f"adapters.{file.parent.name}")
        methods[method.name] = method
    for point in sorted(entry_points(group=PLUGIN_GROUP), key=lambda point: point.name):
        try:
            method = _plugin(point)
            if method.name in methods:
                message = f"it describes {method.name}, which another adapter already does"
                raise EngineError(message)
        except EngineError as error:
            broken[point.name] = f"the plugin {point.name} cannot be used: {error}"
        else:
            methods[method.name] = method
    return methods, broken


def _plugin(point: EntryPoint) -> Method:
    try:
        spec = importlib.util.find_spec(point.value)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        message = f"its package {point.value} is not installed"
        raise EngineError(message)
    folder = Path(next(iter(spec.submodule_search_locations)))
    if not (folder / "method.toml").exists():
        message = (
            f"there is no method.toml in its package {point.value}; setuptools includes one only when told "
            f'so ([tool.setuptools.package-data] {point.value} = ["*.toml", "*.txt"])'
        )
        raise EngineError(message)
    return read_description(folder, point.value)


def forget() -> None:
    """Read the descriptions again at the next call: a plugin came or went."""
    _all.cache_clear()


def read_description(folder: Path, package: str) -> Method:
    """Return the method that a folder's ``method.toml`` describes.

    Parameters
    ----------
    folder : pathlib.Path
        Folder of the adapter.
    package : str
        Dotted name of the package the folder is.

    Raises
    ------
    EngineError
        When the file is not there, is not TOML, or breaks the format.
    """
    file = folder / "method.toml"
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        message = f"the description of adapter {package} cannot be read: {error}"
        raise EngineError(message) from error
    missing = [key for key in _REQUIRED if not isinstance(raw.get(key), str)]
    if missing:
        message = f"the description of adapter {package} lacks {', '.join(missing)}"
        raise EngineError(message)
    if raw["kind"] not in KINDS:
        message = f"adapter {package} is of kind {raw['kind']!r}; allowed are {', '.join(KINDS)}"
        raise EngineError(message)
    schema = read_schema(raw["name"], raw.pop("settings", {}))
    known = {field: value for field, value in raw.items() if field in Method.__dataclass_fields__}
    unknown = sorted(set(raw) - set(known))
    if unknown:
        message = f"the description of adapter {package} has unknown entries: {', '.join(unknown)}"
        raise EngineError(message)
    lists = {field: tuple(value) for field, value in known.items() if isinstance(value, list)}
    return Method(**{**known, **lists, "folder": folder, "package": package, "schema": schema})
