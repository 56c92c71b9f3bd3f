"""The Tasks screen."""

from typing import ClassVar

from textual.app import ComposeResult

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.widgets.plain import Plain


class TasksScreen(ConsoleScreen):
    """Tasks."""

    CSS_PATH = "tasks.tcss"
    ROOM: ClassVar[str] = "tasks"
    HELP: ClassVar[str] = "Tasks"

    def contents(self) -> ComposeResult:
        """Lay out the screen."""
        yield Plain("Tasks")
