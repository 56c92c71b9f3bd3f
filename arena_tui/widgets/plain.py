"""Foreign text on its way to the screen: letter for letter, never through a markup parser."""

import unicodedata
from pathlib import Path

from rich.cells import cell_len, chop_cells, set_cell_size
from textual.widgets import Static

_TAB = "    "
_ELLIPSIS = "…"
# Formatting characters that reorder or join the text around them would make two different texts look alike.
_INVISIBLE = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}


def printable(text: str, *, keep_lines: bool = False) -> str:
    """Replace what a terminal would obey instead of show.

    Parameters
    ----------
    text : str
        Any text: a method's expression, an error message, a task's name, a log.
    keep_lines : bool
        Keep line feeds; otherwise they become ``⏎``.

    Returns
    -------
    str
        The same letters; escape sequences and other control characters are shown as ``�`` and tabs as spaces.
    """
    if text.isprintable():
        return text
    shown = []
    for letter in text.replace("\r\n", "\n"):
        if letter == "\n":
            shown.append("\n" if keep_lines else "⏎")
        elif letter == "\t":
            shown.append(_TAB)
        elif unicodedata.category(letter) in _INVISIBLE:
            shown.append("�")
        else:
            shown.append(letter)
    return "".join(shown)


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Cut or pad a text to exactly ``width`` terminal cells.

    Parameters
    ----------
    text : str
        One line of printable text.
    width : int
        Cells to fill; wide letters take two.
    right : bool
        Put the padding on the left.

    Returns
    -------
    str
        The text in ``width`` cells; what was cut ends in ``…``.
    """
    if width <= 0:
        return ""
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + _ELLIPSIS
    padding = " " * (width - length)
    return padding + text if right else text + padding


def place(path: Path) -> str:
    """Write a path as briefly as can be understood.

    Parameters
    ----------
    path : pathlib.Path
        An absolute path.

    Returns
    -------
    str
        Below the current folder relative to it, below the home folder with ``~``, else as it is.
    """
    for base, sign in ((Path.cwd(), "."), (Path.home(), "~")):
        if path.is_relative_to(base):
            inside = path.relative_to(base)
            return str(inside) if sign == "." and inside.parts else f"{sign}/{inside}".removesuffix("/.")
    return str(path)


def wrap(text: str, width: int) -> list[str]:
    """Fold a text into lines of at most ``width`` cells, losing nothing.

    Parameters
    ----------
    text : str
        Printable text, perhaps of several lines.
    width : int
        Cells of a line.

    Returns
    -------
    list of str
        The lines.
    """
    lines: list[str] = []
    for line in text.split("\n"):
        lines.extend(chop_cells(line, max(1, width)) or [""])
    return lines


class Plain(Static):
    """A text shown as it is. ``update`` takes foreign text safely: markup is off."""

    DEFAULT_CSS = """
    Plain { width: 1fr; height: auto; }
    """

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(printable(text, keep_lines=True), markup=False, id=id, classes=classes)

    def show(self, text: str) -> None:
        """Show another text.

        Parameters
        ----------
        text : str
            Any text, of one or several lines.
        """
        self.update(printable(text, keep_lines=True))
