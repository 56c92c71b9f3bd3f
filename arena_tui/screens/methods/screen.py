"""The Methods screen."""

from typing import ClassVar

from textual.app import ComposeResult

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.widgets.plain import Plain


class MethodsScreen(ConsoleScreen):
    """Methods."""

    CSS_PATH = "methods.tcss"
    ROOM: ClassVar[str] = "methods"
    HELP: ClassVar[str] = "Methods"

    def contents(self) -> ComposeResult:
        """Lay out the screen."""
        yield Plain("Methods")
