"""Where keepers run: on this machine, or as jobs of a Slurm cluster."""

from pathlib import Path
from typing import Protocol

from engine.errors import EngineError
from engine.running.job import Job
from engine.running.spec import CampaignSpec


class Executor(Protocol):
    """Where keepers run."""

    scratch_base: Path | None

    def start(self, job: Job, attempt: Path) -> None:
        """Start the keeper of an attempt."""

    def alive(self, attempt: Path) -> bool:
        """Tell whether an attempt has, or will have, its keeper."""

    def stop(self, attempt: Path) -> None:
        """Ask an attempt's keeper to end its run."""

    def forget(self, attempt: Path) -> None:
        """Let go of an ended keeper."""


def make(spec: CampaignSpec) -> Executor:
    """Make the executor that a campaign asks for.

    Parameters
    ----------
    spec : CampaignSpec
        The campaign.

    Returns
    -------
    Executor
        Ready to start keepers.

    Raises
    ------
    EngineError
        When there is none of that kind, or it cannot be used here.
    """
    if spec.executor == "local":
        from engine.running.executors.local import LocalExecutor

        return LocalExecutor()
    if spec.executor == "slurm":
        from engine.running.executors.slurm import SlurmExecutor

        return SlurmExecutor(spec.executor_settings, {entry.label: entry.threads for entry in spec.methods})
    raise EngineError(f"the executor {spec.executor!r} is unknown: use local or slurm")
