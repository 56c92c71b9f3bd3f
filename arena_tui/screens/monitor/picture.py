"""One reading of a campaign: its runs, a row for each, who runs it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.screens.monitor import rows as run_rows
from arena_tui.screens.monitor.heeded import Orders

if TYPE_CHECKING:
    from arena_tui.widgets.table import Row
    from engine.running.reader import Campaign, Follower
    from engine.running.records import Run


@dataclass(frozen=True, slots=True)
class Picture:
    """A campaign as it stood at ``read_at``; ``owner`` is its live engine's lease, None when there is none.

    A run that has not changed has the very same row as before.
    """

    campaign: "Campaign"
    rows: "tuple[Row, ...]"
    owner: Mapping[str, object] | None
    read_at: float
    changed: bool
    draining: bool = False


class Camera:
    """Takes pictures of one campaign; what has not changed is not read or made again.

    Parameters
    ----------
    folder : pathlib.Path
        The campaign's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._follower: Follower | None = None
        self._kept: dict[str, tuple[Run, Row]] = {}
        self._orders = Orders(folder)
        self._dropped: frozenset[str] = frozenset()

    def take(self) -> Picture:
        """Read what is new. Blocks; call it beside the event loop.

        Returns
        -------
        Picture
            The campaign as it stands.

        Raises
        ------
        EngineError
            When the folder is no campaign or its spec is broken.
        """
        from engine.running import lease
        from engine.running.reader import Follower

        if self._follower is None:
            self._follower = Follower(self._folder)
        campaign = self._follower.refresh()
        owner = lease.owner(self._folder)
        heeded = self._orders.look(owner)
        turned = heeded.dropped ^ self._dropped
        self._dropped = heeded.dropped
        changed = len(campaign.runs) != len(self._kept)
        made = []
        for run in campaign.runs:
            known = self._kept.get(run.id)
            if known is None or run.id in turned or (known[0] is not run and known[0] != run):
                known = (run, run_rows.row(run, dropped=run.id in heeded.dropped))
                self._kept[run.id] = known
                changed = True
            made.append(known[1])
        return Picture(campaign, tuple(made), owner, time.time(), changed, heeded.draining)
