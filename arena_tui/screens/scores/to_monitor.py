"""From a run on the Scores screen to the same run on the Monitor."""

from typing import TYPE_CHECKING

from arena_tui.widgets.filterbar import FilterBar
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from arena_tui.app import Console

_ROOM = "monitor"
_LOOK_S = 0.1
# A campaign of thousands of runs is read in seconds; then the run is not there.
_LOOKS = 300


def see(console: "Console", run: str, looks: int = _LOOKS) -> None:
    """Go to the Monitor and put its cursor on a run, as soon as the Monitor has read it.

    Parameters
    ----------
    console : Console
        The application.
    run : str
        The run's id.
    looks : int
        How often to look for it.
    """
    if looks == _LOOKS:
        console.action_room(_ROOM)
    elif console.current_mode != _ROOM:
        return  # The person went on to another screen.
    found = console.screen.query("#table").results(Table) if console.current_mode == _ROOM else iter(())
    table = next(found, None)
    if table is None or table.get(run) is None:
        if looks > 0:
            console.set_timer(_LOOK_S, lambda: see(console, run, looks - 1))
        else:
            console.tell(f"{run} is not among the Monitor's runs", "warning")
        return
    if run not in table.visible_keys:
        # A filter left from before hides it.
        console.screen.query_one(FilterBar).set_text("")
        table.set_filter("")
    table.put_cursor(run)
    table.focus()
