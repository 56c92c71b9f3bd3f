"""Bell, toast and terminal notification when a run fails or the campaign ends."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arena_tui.screens.monitor.rows import FAILED
from arena_tui.widgets.plain import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena_tui.app import Console
    from engine.running.records import Run

# More failures than this in one look become one sentence: a broken method fails hundreds of times.
_SINGLY = 3
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Event:
    """Something a person wants to be told: its words, and whether it is a failure."""

    text: str
    failure: bool


@dataclass(slots=True)
class Alarms:
    """Remembers how the runs stood, and finds what has happened since."""

    on: bool = True
    _states: dict[str, str] | None = field(default=None)
    _was_finished: bool = False

    def look(self, runs: "Sequence[Run]") -> list[Event]:
        """Compare with the last look.

        Parameters
        ----------
        runs : sequence of Run
            All runs of the campaign now.

        Returns
        -------
        list of Event
            Nothing at the first look, or while the alarms are off.
        """
        before, self._states = self._states, {run.id: run.status for run in runs}
        finished = bool(runs) and all(run.ended for run in runs)
        was_finished, self._was_finished = self._was_finished, finished
        if before is None or not self.on:
            return []
        failed = [
            run for run in runs if run.status in FAILED and before.get(run.id) not in (run.status, None)
        ]
        events = [
            Event(f"{run.id} {run.name}: {run.reason or run.status}", failure=True)
            for run in failed[:_SINGLY]
        ]
        if len(failed) > _SINGLY:
            events.append(Event(f"and {len(failed) - _SINGLY} more runs failed", failure=True))
        if finished and not was_finished:
            bad = sum(run.status in FAILED for run in runs)
            events.append(Event(f"the campaign has ended: {len(runs)} runs, {bad} failed", failure=False))
        return events


def ring(console: "Console", event: Event) -> None:
    """Tell a person by toast, bell and the terminal's own notification (OSC 9).

    Parameters
    ----------
    console : Console
        The application.
    event : Event
        What happened.
    """
    console.tell(event.text, "error" if event.failure else "information")
    console.bell()
    console.notify_terminal(printable(event.text)[:_LONGEST])
