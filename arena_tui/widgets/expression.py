"""An expression on the screen: coloured by kind, shortened numbers, every digit one key away."""

import re

from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from arena_tui.widgets.plain import printable

_TOKEN = re.compile(
    r"(?P<number>(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<call>[A-Za-z_]\w*(?=\s*\())"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<operator>[-+*/^<>=!|(),]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_STYLES = {
    "number": "$series-2",
    "call": "$series-3",
    "name": "$foreground",
    "operator": "$quiet",
    "other": "",
}
DIGITS = 4


def shortened(text: str, digits: int | None) -> str:
    """Write every decimal number with few significant digits; no term is dropped and no integer changed.

    Parameters
    ----------
    text : str
        An expression.
    digits : int or None
        Significant digits; None keeps all.

    Returns
    -------
    str
        The same expression with shorter numbers, for reading only.
    """
    if digits is None:
        return text

    def short(match: re.Match[str]) -> str:
        number = match["number"]
        if number is None or not re.search(r"[.eE]", number):
            return match[0]
        written = f"{float(number):.{digits}g}"
        return written if len(written) < len(number) else number

    return _TOKEN.sub(short, text)


def coloured(text: str) -> Content:
    """Colour an expression by what its parts are.

    Parameters
    ----------
    text : str
        Any text; it is shown letter for letter.

    Returns
    -------
    Content
        The text with styles of the current theme.
    """
    return Content.assemble(
        *((match[0], _STYLES[match.lastgroup or "other"]) for match in _TOKEN.finditer(printable(text)))
    )


class ExpressionView(Static):
    """Shows one expression, folded to the width."""

    DEFAULT_CSS = """
    ExpressionView { height: auto; width: 1fr; }
    """
    text: reactive[str] = reactive("", layout=True)
    digits: reactive[int | None] = reactive(DIGITS, layout=True)

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", markup=False, id=id)
        self.set_reactive(ExpressionView.text, text)

    def watch_text(self) -> None:
        """Show the new text."""
        self._paint()

    def watch_digits(self) -> None:
        """Show the same text with other digits."""
        self._paint()

    def on_mount(self) -> None:
        """Show the first text."""
        self._paint()

    def _paint(self) -> None:
        self.update(coloured(shortened(self.text, self.digits)) if self.text else "–")
