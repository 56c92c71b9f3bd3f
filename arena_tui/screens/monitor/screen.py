"""The Monitor screen."""

from typing import ClassVar

from textual.app import ComposeResult

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.widgets.plain import Plain


class MonitorScreen(ConsoleScreen):
    """Monitor."""

    CSS_PATH = "monitor.tcss"
    ROOM: ClassVar[str] = "monitor"
    HELP: ClassVar[str] = "Monitor"

    def contents(self) -> ComposeResult:
        """Lay out the screen."""
        yield Plain("Monitor")
