"""The command palette: what can be done here, on the other screens, every screen and every theme."""

import itertools
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider

from arena_tui import screens
from arena_tui.theme import THEMES
from arena_tui.widgets.keybar import key_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena_tui.app import Console

# Nobody looks for these by name.
_MOVING = {"up", "down", "left", "right", "pageup", "pagedown", "home", "end", "tab", "shift+tab"}


class Everything(Provider):
    """Offers what can be done now."""

    def _offers(self) -> "Iterator[tuple[str, str, Callable[[], object]]]":
        console = cast("Console", self.app)
        for name, binding, node in console.offered_bindings(self.screen):
            if binding.key in _MOVING:
                continue
            yield name, f"key {key_name(binding)}", partial(console.run_action, binding.action, node)
        for entry in screens.ENTRIES:
            yield f"Go to {entry.title}", entry.line, partial(console.action_room, entry.name)
        for theme in THEMES:
            yield f"Theme {theme.name}", "colours", partial(console.choose_theme, theme.name)

    def _elsewhere(self) -> "Iterator[tuple[str, str, Callable[[], object]]]":
        """Offer what the other screens can do; it is done there."""
        console = cast("Console", self.app)
        for entry in screens.ENTRIES:
            if entry.name == console.current_mode:
                continue
            for binding in screens.kind(entry).BINDINGS:
                if isinstance(binding, Binding) and binding.description:
                    line = f"on {entry.title}, key {key_name(binding)}"
                    name = f"{entry.title}: {binding.description}"
                    yield name, line, partial(console.do_there, entry.name, binding.action)

    async def discover(self) -> Hits:
        """List what can be done here before a letter is typed.

        Yields
        ------
        DiscoveryHit
            One for each offer.
        """
        for name, line, act in self._offers():
            yield DiscoveryHit(name, act, help=line)

    async def search(self, query: str) -> Hits:
        """Find offers by their names, those of the other screens too.

        Parameters
        ----------
        query : str
            What was typed.

        Yields
        ------
        Hit
            One for each match.
        """
        matcher = self.matcher(query)
        for name, line, act in itertools.chain(self._offers(), self._elsewhere()):
            score = matcher.match(name)
            if score > 0:
                yield Hit(score, matcher.highlight(name), act, help=line)
