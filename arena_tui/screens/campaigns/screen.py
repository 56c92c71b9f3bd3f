"""The Campaigns screen."""

from typing import ClassVar

from textual.app import ComposeResult

from arena_tui.screens.frame import ConsoleScreen
from arena_tui.widgets.plain import Plain


class CampaignsScreen(ConsoleScreen):
    """Campaigns."""

    CSS_PATH = "campaigns.tcss"
    ROOM: ClassVar[str] = "campaigns"
    HELP: ClassVar[str] = "Campaigns"

    def contents(self) -> ComposeResult:
        """Lay out the screen."""
        yield Plain("Campaigns")
