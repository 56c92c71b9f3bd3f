"""The console: screens by number, themes, memory, copying, and errors that end as one sentence."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, SuspendNotSupported
from textual.binding import ActiveBinding, Binding, BindingType
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Input

from adapters.errors import AdapterError
from arena_tui import copying, faults, remembered, screens, sheet, terminal
from arena_tui.palette import Everything
from arena_tui.screens.frame import ConsoleScreen
from arena_tui.screens.help.screen import HelpScreen
from arena_tui.theme import DEFAULT, THEMES, WITHOUT_COLOUR, ColourOff
from arena_tui.widgets.dialogs import Reading
from arena_tui.widgets.expression import Look
from arena_tui.widgets.keybar import key_name
from arena_tui.widgets.plain import printable
from engine.errors import EngineError
from tasks.errors import TaskError

_SENTENCES = (TaskError, AdapterError, EngineError)
_SIGNAL_EXIT = 128
# How long a toast is seen, and one that tells of trouble.
_TOAST_S = 4.0
_TROUBLE_S = 8.0


class Console(App[int]):
    """The application. It starts nothing by itself and owns no run: leaving it ends nothing."""

    TITLE = "arena-tui"
    CSS = """
    * {
        scrollbar-color: $panel-lighten-2; scrollbar-background: $surface; scrollbar-corner-color: $surface;
        scrollbar-color-hover: $primary; scrollbar-background-hover: $surface;
        scrollbar-color-active: $primary; scrollbar-background-active: $surface;
    }
    SearchIcon { display: none; }
    """
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[Any]] = {Everything}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", show=False, key_display="?"),
        Binding("q", "leave", "Quit", show=False),
        Binding("ctrl+q", "leave", "Quit", show=False, priority=True),
        Binding("ctrl+t", "next_theme", "Next theme", show=False),
        Binding("P", "plain", "Plain text to select with the mouse", show=False),
        *(
            Binding(entry.key, f"digit('{entry.name}')", f"Go to {entry.title}", show=False, priority=True)
            for entry in screens.ENTRIES
        ),
        *(
            Binding(f"f{entry.key}", f"room('{entry.name}')", f"Go to {entry.title}", show=False,
                    priority=True)
            for entry in screens.ENTRIES
        ),
    ]  # fmt: skip

    campaign: reactive[Path | None] = reactive(None, init=False)
    look: reactive[Look] = reactive(Look(), init=False)

    def __init__(
        self,
        campaign: Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
        first: str | None = None,
    ) -> None:
        super().__init__()
        self._clock = clock
        self._memory = remembered.load()
        self._first = first or ("monitor" if campaign else "campaigns")
        self.fault: str | None = None
        for theme in THEMES:
            self.register_theme(theme)
        self._colour_off = ColourOff(enabled=False)
        self._filters.append(self._colour_off)
        wanted = WITHOUT_COLOUR if self.no_color else str(self.recall("theme") or DEFAULT)
        self.theme = wanted if wanted in {theme.name for theme in THEMES} else DEFAULT
        self.set_reactive(Console.look, remembered.look(self._memory))
        for entry in screens.ENTRIES:
            self.add_mode(entry.name, partial(screens.build, entry))
        if campaign is not None:
            self.set_reactive(Console.campaign, campaign)
            self._memory = remembered.with_campaign(self._memory, campaign)
            remembered.save(self._memory)

    # -- life ----------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Show the first screen; leave in good order on signals."""
        if not self.is_headless and not self.is_web:
            terminal.on_ending_signals(lambda number: self.exit(_SIGNAL_EXIT + number))
        self.switch_mode(self._first)

    def watch_theme(self, name: str) -> None:
        """Turn the colours off with the theme that has none."""
        self._colour_off.enabled = name == WITHOUT_COLOUR

    def now(self) -> float:
        """Return the wall clock in seconds, or what a test put in its place."""
        return self._clock()

    def recall(self, key: str) -> object:
        """Return what was remembered under a key, or None.

        Parameters
        ----------
        key : str
            For example ``theme``.
        """
        return self._memory.get(key)

    def remember(self, key: str, value: object) -> None:
        """Remember a plain JSON value for the next sitting.

        Parameters
        ----------
        key : str
            For example ``monitor.filter``.
        value : object
            Text, number, list or mapping of such.
        """
        if self._memory.get(key) != value:
            self._memory[key] = value
            remembered.save(self._memory)

    def known_campaigns(self) -> list[Path]:
        """List the campaigns that were opened here, the last one first."""
        return remembered.campaigns(self._memory)

    def open_campaign(self, folder: Path) -> None:
        """Open a campaign on the Monitor, and remember it.

        Parameters
        ----------
        folder : pathlib.Path
            The campaign's folder.
        """
        self._memory = remembered.with_campaign(self._memory, folder)
        remembered.save(self._memory)
        self.campaign = folder
        self.action_room("monitor")

    def new_campaign(self, *, methods: str = "", tasks: str = "", settings: str = "") -> None:
        """Open the form of a new campaign.

        Parameters
        ----------
        methods, tasks, settings : str
            What is filled in already, in the words of ``arena-tui run``.
        """
        from arena_tui.screens.campaigns.form import NewCampaign

        self.push_screen(NewCampaign(methods=methods, tasks=tasks, settings=settings), self._made_campaign)

    def _made_campaign(self, folder: Path | None) -> None:
        if folder is not None:
            self.open_campaign(folder)

    # -- actions -------------------------------------------------------------------------------------------

    def action_room(self, name: str) -> None:
        """Go to a screen.

        Parameters
        ----------
        name : str
            Its name in ``screens.ENTRIES``.
        """
        if isinstance(self.screen, ConsoleScreen) and self.current_mode != name:
            self.switch_mode(name)

    async def do_there(self, name: str, action: str) -> None:
        """Go to a screen and do there what one of its keys does.

        Parameters
        ----------
        name : str
            Its name in ``screens.ENTRIES``.
        action : str
            The key's action.
        """
        await self.switch_mode(name)
        await self.run_action(action, self.screen)

    def action_digit(self, name: str) -> None:
        """Go to a screen by its number, before what is typed next is looked at.

        Parameters
        ----------
        name : str
            Its name in ``screens.ENTRIES``.
        """
        self.action_room(name)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Leave digits to a line that is being typed.

        Parameters
        ----------
        action : str
            The action's name.
        parameters : tuple
            Its parameters.

        Returns
        -------
        bool or None
            False when it must not run now.
        """
        return action != "digit" or not isinstance(self.focused, Input)

    def action_leave(self) -> None:
        """Close the console. Campaigns go on."""
        self.exit(0)

    def action_next_theme(self) -> None:
        """Take the next theme and remember it."""
        names = [theme.name for theme in THEMES]
        at = names.index(self.theme) if self.theme in names else -1
        self.choose_theme(names[(at + 1) % len(names)])

    def choose_theme(self, name: str) -> None:
        """Take a theme and remember it.

        Parameters
        ----------
        name : str
            One of ``THEMES``.
        """
        self.theme = name
        self.remember("theme", name)
        self.tell(f"theme {name}")

    def action_next_digits(self) -> None:
        """Show the numbers of every expression with other digits; nothing else changes."""
        self._take_look(self.look.next_digits())
        digits = self.look.digits
        self.tell(f"{digits} significant digits" if digits else "all digits")

    def action_turn_formula(self) -> None:
        """Show expressions in two dimensions, or on one line as they are copied."""
        self._take_look(replace(self.look, flat=not self.look.flat))

    def _take_look(self, look: Look) -> None:
        self.look = look
        self.remember("expressions", {"digits": look.digits, "flat": look.flat})

    def action_plain(self) -> None:
        """Print tables and expressions outside the alternate screen; in a dialog where there is no such."""
        text = sheet.text_of(self.screen)
        if not text:
            self.tell("no table or expression here", "warning")
            return
        try:
            sheet.show(self, text)
        except SuspendNotSupported:
            if not isinstance(self.screen, Reading):
                self.push_screen(Reading("Plain text", text))

    def action_help_quit(self) -> None:
        """Say how to leave, instead of leaving by accident."""
        self.tell("q or ctrl+q leaves the console; runs go on without it")

    def action_help(self) -> None:
        """Show the help of the screen."""
        screen = self.screen
        if not isinstance(screen, ConsoleScreen):
            return
        keys = {
            name: key_name(binding) for name, binding, _ in self.offered_bindings(screen) if name != "Help"
        }
        title = next((entry.title for entry in screens.ENTRIES if entry.name == screen.ROOM), "")
        self.push_screen(HelpScreen(title, screen.HELP, [(key, name) for name, key in keys.items()]))

    def offered_bindings(self, screen: Screen[Any]) -> Iterator[tuple[str, Binding, DOMNode]]:
        """List what keys do on a screen now: its own first, then the focused widget's and the console's.

        Parameters
        ----------
        screen : Screen
            The screen whose focus counts.

        Yields
        ------
        tuple of str, Binding and DOMNode
            Description, binding, and whose action it is.
        """
        everywhere = {binding.action for binding in ConsoleScreen.BINDINGS if isinstance(binding, Binding)}

        def late(active: ActiveBinding) -> tuple[bool, bool]:
            return active.node is not screen, active.binding.action in everywhere

        seen = set()
        for active in sorted(screen.active_bindings.values(), key=late):
            binding = active.binding
            if binding.description and active.enabled and binding.description not in seen:
                seen.add(binding.description)
                yield binding.description, binding, active.node

    # -- telling -------------------------------------------------------------------------------------------

    def tell(self, text: str, severity: str = "information") -> None:
        """Show a toast, letter for letter.

        Parameters
        ----------
        text : str
            Any text.
        severity : str
            ``information``, ``warning`` or ``error``.
        """
        known = {"warning": "warning", "error": "error"}
        self.notify(
            printable(text, keep_lines=True),
            severity=known.get(severity, "information"),  # type: ignore[arg-type]
            markup=False,
            timeout=_TROUBLE_S if severity in known else _TOAST_S,
        )

    def complain(self, error: Exception) -> None:
        """Turn an error into a toast; what nobody foresaw is also written to a file.

        Parameters
        ----------
        error : Exception
            What went wrong.
        """
        if isinstance(error, _SENTENCES):
            self.tell(str(error), "error")
            return
        self.tell(f"{faults.in_words(error)}; details in {faults.write(error)}", "error")

    def guarded(self, call: Callable[[], object]) -> None:
        """Call something; an error becomes a toast.

        Parameters
        ----------
        call : callable
            Takes nothing.
        """
        try:
            call()
        except Exception as error:
            # A person's screen must survive what one pane did; under a test it must not hide.
            if self.is_headless and not isinstance(error, _SENTENCES):
                raise
            self.complain(error)

    async def run_action(self, *args: Any, **kwargs: Any) -> bool:  # noqa: ANN401 - passed on
        """Run an action; sentences written for the user become toasts.

        Parameters
        ----------
        *args, **kwargs
            As for ``App.run_action``.

        Returns
        -------
        bool
            True when the action was found.
        """
        try:
            return await super().run_action(*args, **kwargs)
        except _SENTENCES as error:
            self.complain(error)
            return True

    def copy(self, text: str) -> None:
        """Copy a text: an escape code to the terminal, and a file in any case.

        Parameters
        ----------
        text : str
            Exactly what is copied.
        """
        file, problem = copying.to_file(text)
        code = copying.sequence(text)
        sent = code is not None and self._driver is not None and not self.is_headless
        if sent and code is not None and self._driver is not None:
            self._driver.write(code)
        copied = copying.Copied(file, sent, problem)
        self.tell(copied.sentence, "warning" if problem else "information")

    def notify_terminal(self, text: str) -> None:
        """Ask the terminal to notify the person, who may be looking elsewhere (OSC 9).

        Parameters
        ----------
        text : str
            Printable text.
        """
        if self._driver is not None and not self.is_headless:
            self._driver.write(f"\x1b]9;{printable(text)}\x07")

    def _handle_exception(self, error: Exception) -> None:
        """End with one sentence and a file, never with a traceback on the terminal."""
        if self.is_headless:
            super()._handle_exception(error)
            return
        if self.fault is None:
            self.fault = f"the console met an error it did not foresee ({faults.in_words(error)}); "
            self.fault += f"campaigns go on without it; details in {faults.write(error)}"
        self.exit(1)
