"""An expression on the screen: set like a formula, coloured by kind, every digit one key away."""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.content import Content
from textual.css.styles import RulesMap
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets import Static

from arena_tui.widgets.plain import printable

if TYPE_CHECKING:
    from arena_tui.widgets.boxes import Box
    from engine.expression import Node

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
# Beyond this the layout would be taller than a screen, and reading it would hold keys up.
_LONGEST = 1500


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


class Formula(Visual):
    """One expression, laid out for whatever width it is given.

    Parameters
    ----------
    text : str
        The expression.
    look : Look
        Digits and layout.
    """

    def __init__(self, text: str, look: "Look") -> None:
        self._line = shortened(text, look.digits)
        self._flat = look.flat or len(text) > _LONGEST
        self._tree: tuple[Node, tuple[str, ...]] | None = None
        self._made: tuple[int, Content] | None = None

    def content(self, width: int) -> Content:
        """Lay the expression out.

        Parameters
        ----------
        width : int
            Cells that are there.

        Returns
        -------
        Content
            In two dimensions where it can be read as an expression and folded to the width; else one line.
        """
        if self._made is None or self._made[0] != width:
            box = None if self._flat else self._set(width)
            self._made = width, coloured(self._line) if box is None else _painted(box)
        return self._made[1]

    def _set(self, width: int) -> "Box | None":
        from arena_tui.widgets.typesetting import typeset
        from engine.expression import ExpressionError, parse
        from engine.expression.names import inferred

        if self._tree is None:
            try:
                features = inferred([self._line])
                self._tree = parse(self._line, features), features
            except ExpressionError:
                self._flat = True
                return None
        return typeset(*self._tree, width)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        """Render for a width, as ``Visual`` asks."""
        return self.content(width).render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """Return the width of the one line, as ``Visual`` asks."""
        return coloured(self._line).get_optimal_width(rules, container_width)

    def get_height(self, rules: RulesMap, width: int) -> int:
        """Return the lines that it takes at a width, as ``Visual`` asks."""
        return self.content(width).get_height(rules, width)


def _painted(box: "Box") -> Content:
    return Content("\n").join(
        Content.assemble(*((text, _STYLES[kind]) for text, kind in line)) for line in box.lines
    )


@dataclass(frozen=True, slots=True)
class Look:
    """How all expressions are shown: with how many significant digits (None: all), on one line or not."""

    digits: int | None = DIGITS
    flat: bool = False

    def next_digits(self) -> "Look":
        """Return the look with what follows in the cycle 3, 4, 6, all."""
        cycle: list[int | None] = [3, DIGITS, 6, None]
        at = cycle.index(self.digits) if self.digits in cycle else 0
        return replace(self, digits=cycle[(at + 1) % len(cycle)])


class ExpressionView(Static):
    """Shows one expression as the console's ``look`` says."""

    DEFAULT_CSS = """
    ExpressionView { height: auto; width: 1fr; }
    """
    text: reactive[str] = reactive("", layout=True)
    look: reactive[Look] = reactive(Look(), layout=True)

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", markup=False, id=id)
        self.set_reactive(ExpressionView.text, text)

    def watch_text(self) -> None:
        """Show the new text."""
        self._paint()

    def watch_look(self) -> None:
        """Show the same text in another way."""
        self._paint()

    def on_mount(self) -> None:
        """Follow the console's look."""
        self.watch(self.app, "look", self._follow)

    def _follow(self, look: Look) -> None:
        self.look = look
        self._paint()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return what the mouse has selected of the lines as they are shown."""
        shown = self.visual
        text = shown.content(self.size.width).plain if isinstance(shown, Formula) else self.text
        return selection.extract(text), "\n"

    def _paint(self) -> None:
        self.update(Formula(self.text, self.look) if self.text else "–")
