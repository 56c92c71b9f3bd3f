"""Where keepers run: on this machine, or as jobs of a Slurm cluster."""

from engine.errors import EngineError
from engine.running.executors.local import LocalExecutor
from engine.running.spec import CampaignSpec


def make(spec: CampaignSpec) -> LocalExecutor:
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
        When there is none of that kind.
    """
    if spec.executor == "local":
        return LocalExecutor()
    raise EngineError(f"the executor {spec.executor!r} is unknown: use local or slurm")
