"""What a campaign keeps from its first run on, so that all its runs can be compared."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import EngineError
from engine.running import durations
from engine.running.spec import CampaignSpec

if TYPE_CHECKING:
    from engine.running.drafts import Draft


def refuse_changes(campaign: Path, old: CampaignSpec, draft: "Draft") -> None:
    """Refuse what would make two runs of one campaign different in more than method, task, seed or condition.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    old : CampaignSpec
        Its spec.
    draft : Draft
        What is asked for.

    Raises
    ------
    EngineError
        When a limit, the preset, the model or what methods are told would change.
    """
    stated: dict[str, tuple[Any, Any]] = {
        "budget": (draft.budget, old.limits.budget_s),
        "interval": (draft.interval, old.limits.interval_s),
        "grace": (draft.grace, old.limits.grace_s),
        "startup": (draft.startup, old.limits.startup_s),
    }
    for name, (value, have) in stated.items():
        if value is not None and durations.seconds(value, name) != have:
            raise EngineError(
                f"the {name} of {campaign} stays {durations.text(have)}: start a new campaign for another"
            )
    if draft.memory_mib is not None and draft.memory_mib * 2**20 != old.limits.memory_bytes:
        raise EngineError(f"the memory limit of {campaign} stays as it is: start a new campaign for another")
    if draft.preset is not None and draft.preset != old.preset:
        raise EngineError(f"the preset of {campaign} stays as it is: start a new campaign for another")
    if draft.model and dict(draft.model) != dict(old.model):
        raise EngineError(f"the model of {campaign} stays as it is: start a new campaign for another")
    if draft.semantics and not old.semantics:
        raise EngineError(
            f"{campaign} keeps what the variables mean to itself: start a new campaign to tell it"
        )
