"""A screen's expressions and tables as plain text outside the alternate screen, where the mouse selects."""

import select
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from arena_tui import terminal
from arena_tui.widgets.dialogs import Reading
from arena_tui.widgets.expression import ExpressionView
from arena_tui.widgets.plain import printable
from arena_tui.widgets.table import Table

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

_LOOK_S = 0.2


def text_of(screen: "Screen[Any]") -> str:
    """Write what a screen is about as text: its tables, then its expressions with every digit.

    What was not asked for yet (a ground truth) is left out.

    Parameters
    ----------
    screen : Screen
        A screen of the console, or the dialog over it.

    Returns
    -------
    str
        Empty when there is neither table nor expression.
    """
    if isinstance(screen, Reading):
        return screen.text
    parts = [
        table.as_tsv().rstrip("\n")
        for table in screen.query(Table)
        if table.total and all(node.display for node in table.ancestors_with_self)
    ]
    parts += [view.text for view in screen.query(ExpressionView) if view.display and view.text]
    return "\n\n".join(parts)


def show(app: "App[Any]", text: str) -> None:
    """Leave the alternate screen and the mouse reports, print a text, and come back at any key.

    The terminal then selects, copies and scrolls by its own means.

    Parameters
    ----------
    app : App
        Waits meanwhile; what is read beside it arrives afterwards.
    text : str
        Printed letter for letter in whole lines, which only the terminal folds; control characters are not.

    Raises
    ------
    textual.app.SuspendNotSupported
        When the terminal is not the app's to leave (a browser, no terminal at all).
    """
    stdin = sys.__stdin__
    # Both before the first letter is out: a signal or a key between the text and the wait would be lost
    # to the wait, and the event loop, which hears of the signal too, does not run meanwhile.
    with _noticed() as ended, app.suspend(), _single_keys(stdin) as keys:
        out = sys.__stdout__
        if out is not None:
            out.write(f"{printable(text, keep_lines=True)}\n\n-- any key goes back to arena-tui --\n")
            out.flush()
        while keys is not None and not ended:
            if select.select([keys], [], [], _LOOK_S)[0]:
                return


@contextmanager
def _single_keys(stdin: TextIO | None) -> Iterator[int | None]:
    """Take keys at once and silently, Ctrl-C as one of them; what was typed is dropped in the end."""
    if stdin is None:
        yield None
        return
    descriptor = stdin.fileno()
    before = termios.tcgetattr(descriptor)
    modes = termios.tcgetattr(descriptor)
    modes[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
    termios.tcsetattr(descriptor, termios.TCSANOW, modes)
    try:
        yield descriptor
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)


@contextmanager
def _noticed() -> Iterator[list[int]]:
    """Note the signals that end the console; the loop hears of them too, through its own wake-up."""
    ended: list[int] = []
    before = {
        number: signal.signal(number, lambda one, _frame: ended.append(one)) for number in terminal.ENDING
    }
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
