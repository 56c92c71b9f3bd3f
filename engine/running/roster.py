"""The methods of a campaign as the engine starts them: description, merged settings, command, versions."""

import contextlib
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from engine.errors import EngineError
from engine.methods import environments, registry
from engine.methods.environments import Launch
from engine.methods.registry import Method
from engine.methods.settings import merge
from engine.running.spec import CampaignSpec, MethodEntry


@dataclass(frozen=True, slots=True)
class Starter:
    """Everything about a method entry that is the same for all its runs."""

    entry: MethodEntry
    method: Method
    settings: dict[str, Any]
    launch: Launch | None
    versions: dict[str, Any]

    @property
    def dialect(self) -> str:
        """The dialect its expressions are written in."""
        return self.method.dialect_of(self.settings)


def starters(spec: CampaignSpec, to_start: Iterable[str], *, skip_missing: bool) -> dict[str, Starter]:
    """Look every method up, before anything is started.

    Parameters
    ----------
    spec : CampaignSpec
        The campaign.
    to_start : iterable of str
        Labels that have runs to start; only these need their environment.
    skip_missing : bool
        Whether a method without its environment is left out instead of refused.

    Returns
    -------
    dict
        By label; ``launch`` is None for one that is not needed or is left out.

    Raises
    ------
    EngineError
        When a method is unknown, a setting does not fit, an environment is missing, or a method asks a
        language model and none, or no key for it, is named.
    """
    needed = set(to_start)
    found: dict[str, Starter] = {}
    for entry in spec.methods:
        method = registry.get(entry.method)
        settings = merge(method, entry.settings)
        if entry.evaluation_limit is not None and not method.evaluation_limit:
            raise EngineError(
                f"{method.name} cannot stop at an evaluation limit: remove it from {entry.label}"
            )
        if method.model:
            _check_model(spec, method, to_start=entry.label in needed)
        launch = None
        if entry.label in needed:
            try:
                launch = environments.launch(method)
            except EngineError:
                if not skip_missing:
                    raise
        found[entry.label] = Starter(entry, method, settings, launch, versions(method))
    return found


def equipped(spec: CampaignSpec, known: dict[str, Starter], labels: Iterable[str]) -> dict[str, Starter]:
    """Make methods ready to start that had nothing to start when they were looked up.

    Parameters
    ----------
    spec : CampaignSpec
        The campaign.
    known : dict
        Its starters by label.
    labels : iterable of str
        Labels of runs to attempt again.

    Returns
    -------
    dict
        The starters; ``launch`` stays None where the method's environment is gone.
    """
    lacking = {label for label in labels if known[label].launch is None}
    if lacking:
        with contextlib.suppress(EngineError):
            again = starters(spec, lacking, skip_missing=True)
            return known | {label: again[label] for label in lacking}
    return known


def _check_model(spec: CampaignSpec, method: Method, *, to_start: bool) -> None:
    from engine.running.lending import endpoint_of

    if not spec.model.get("name"):
        raise EngineError(
            f"{method.name} asks a language model and none is named: "
            "say --model NAME, with --base-url URL for a server other than Claude's"
        )
    endpoint = endpoint_of(spec.model)
    if to_start:
        endpoint.key()


def versions(method: Method) -> dict[str, Any]:
    """Say which versions of what a run is made with.

    Parameters
    ----------
    method : Method
        The method.

    Returns
    -------
    dict
        Product, interpreter, platform, and the method's source, environment and commit.
    """
    installed = environments.state(method).installed
    folder = environments.state(method).folder
    return {
        "arena-tui": version("arena-tui"),
        "python": platform.python_version() if installed is None else installed.python,
        "platform": f"{platform.system()} {platform.machine()}",
        "source": method.source,
        "environment": None if folder is None else folder.name,
        "commit": None if installed is None else installed.commit,
    }
