"""The campaign as it changes: one daemon thread reads, the loop gets a picture of it now and then."""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.screens.monitor import rows as run_rows

if TYPE_CHECKING:
    from arena_tui.widgets.table import Row
    from engine.running.reader import Campaign, Follower
    from engine.running.records import Run


@dataclass(frozen=True, slots=True)
class Picture:
    """One reading: the campaign, a row for each run (the same object while it does not change), and when."""

    campaign: "Campaign"
    rows: "tuple[Row, ...]"
    read_at: float
    changed: bool


class Feed:
    """Reads a campaign again and again until it is closed. Every delivery happens in the event loop."""

    def __init__(
        self,
        folder: Path,
        interval: float,
        deliver: Callable[[Picture], object],
        failed: Callable[[Exception], object],
    ) -> None:
        self.interval = interval
        self._folder = folder
        self._deliver = deliver
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._wake = threading.Event()
        self._closed = False
        self._kept: dict[str, tuple[Run, Row]] = {}
        threading.Thread(target=self._body, name="arena-feed", daemon=True).start()

    def hurry(self) -> None:
        """Read now instead of at the next tick."""
        self._wake.set()

    def close(self) -> None:
        """Stop reading. Returns at once; a reading under way is not waited for."""
        self._closed = True
        self._wake.set()

    def _body(self) -> None:
        from engine.running.reader import Follower

        follower = Follower(self._folder)
        while not self._closed:
            try:
                picture = self._read(follower)
            except Exception as error:  # noqa: BLE001 - a folder may vanish under us; the next look may succeed
                self._send(partial(self._failed, error))
            else:
                self._send(partial(self._deliver, picture))
            self._wake.wait(self.interval)
            self._wake.clear()

    def _read(self, follower: "Follower") -> Picture:
        campaign = follower.refresh()
        changed = len(campaign.runs) != len(self._kept)
        made = []
        for run in campaign.runs:
            known = self._kept.get(run.id)
            if known is None or (known[0] is not run and known[0] != run):
                known = (run, run_rows.row(run))
                self._kept[run.id] = known
                changed = True
            made.append(known[1])
        return Picture(campaign, tuple(made), time.time(), changed)

    def _send(self, call: Callable[[], object]) -> None:
        if self._closed:
            return
        try:
            self._loop.call_soon_threadsafe(self._run_unless_closed, call)
        except RuntimeError:
            self._closed = True

    def _run_unless_closed(self, call: Callable[[], object]) -> None:
        if not self._closed:
            call()
