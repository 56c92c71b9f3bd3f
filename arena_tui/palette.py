"""The command palette: every screen, every key's action where one is, every theme."""

from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from arena_tui import screens
from arena_tui.theme import THEMES
from arena_tui.widgets.keybar import key_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena_tui.app import Console


class Everything(Provider):
    """Offers what can be done now."""

    def _offers(self) -> "Iterator[tuple[str, str, Callable[[], object]]]":
        console = cast("Console", self.app)
        for name, binding, node in console.offered_bindings(self.screen):
            action = binding.action

            async def act(action: str = action, node: object = node) -> None:
                await console.run_action(action, node)  # type: ignore[arg-type]

            yield name, f"key {key_name(binding)}", act
        for entry in screens.ENTRIES:
            yield f"Go to {entry.title}", entry.line, lambda entry=entry: console.action_room(entry.name)
        for theme in THEMES:
            yield f"Theme {theme.name}", "colours", lambda theme=theme: console.choose_theme(theme.name)

    async def discover(self) -> Hits:
        """List everything before a letter is typed.

        Yields
        ------
        DiscoveryHit
            One for each offer.
        """
        for name, line, act in self._offers():
            yield DiscoveryHit(name, act, help=line)

    async def search(self, query: str) -> Hits:
        """Find offers by their names.

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
        for name, line, act in self._offers():
            score = matcher.match(name)
            if score > 0:
                yield Hit(score, matcher.highlight(name), act, help=line)
