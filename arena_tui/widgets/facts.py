"""Facts as names and values in two columns; long values are folded under themselves, nothing is cut."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from arena_tui.widgets.plain import fit, printable, wrap

_SHORTEST = 12


class Facts(Widget):
    """Shows pairs; a pair without a name is a line of its own, one without a value is a heading."""

    DEFAULT_CSS = """
    Facts {
        height: auto; width: 1fr;
        & .facts--name { color: $quiet; }
        & .facts--heading { color: $primary; text-style: bold; }
    }
    """
    COMPONENT_CLASSES = {"facts--name", "facts--heading"}  # noqa: RUF012 - Textual declares it so

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._pairs: tuple[tuple[str, str], ...] = ()
        self._folded: tuple[int, list[tuple[str, str, str]]] | None = None

    def show(self, pairs: Sequence[tuple[str, object]]) -> None:
        """Show other facts.

        Parameters
        ----------
        pairs : sequence of (str, object)
            Name and value. Pairs whose value is None are left out; an empty value makes a heading, and an
            empty name a line over the whole width.
        """
        kept = tuple(
            (name, printable(str(value), keep_lines=True)) for name, value in pairs if value is not None
        )
        if kept != self._pairs:
            self._pairs = kept
            self._folded = None
            self.refresh(layout=True)

    def as_text(self) -> str:
        """Write the facts as plain text."""
        width = max((len(name) for name, value in self._pairs if value), default=0) + 2
        return "\n".join(f"{name:<{width}}{value}".rstrip() for name, value in self._pairs)

    def _lines(self, width: int) -> list[tuple[str, str, str]]:
        """Fold for a width into (name, value, kind) lines."""
        if self._folded is not None and self._folded[0] == width:
            return self._folded[1]
        column = max((len(name) for name, value in self._pairs if value and name), default=0) + 2
        if width - column < _SHORTEST:
            column = 0
        lines: list[tuple[str, str, str]] = []
        for name, value in self._pairs:
            if not value:
                lines.append(("", name, "heading"))
            elif not name:
                lines.extend(("", part, "value") for part in wrap(value, width))
            else:
                parts = _words(value, max(1, width - column))
                if column == 0:
                    lines.append(("", name, "name"))
                lines.extend(
                    (fit(name if at == 0 else "", column), part, "value") for at, part in enumerate(parts)
                )
        self._folded = (width, lines)
        return lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the lines that the facts take at a width."""
        return len(self._lines(max(1, width)))

    def render_line(self, y: int) -> Strip:
        """Paint one line.

        Parameters
        ----------
        y : int
            Line of the widget.

        Returns
        -------
        Strip
            The painted cells.
        """
        base, width = self.rich_style, self.size.width
        lines = self._lines(max(1, width))
        if y >= len(lines):
            return Strip.blank(width, base)
        name, text, kind = lines[y]
        style = base if kind == "value" else base + self._part(kind)
        return Strip([Segment(name, base + self._part("name")), Segment(text, style)]).crop_extend(
            0, width, base
        )

    def _part(self, name: str) -> Style:
        return self.get_component_rich_style(f"facts--{name}", partial=True)


def _words(text: str, width: int) -> list[str]:
    """Fold at spaces where there are some, else anywhere."""
    folded: list[str] = []
    for line in text.split("\n"):
        current = ""
        for word in line.split(" "):
            if current and len(current) + 1 + len(word) > width:
                folded.append(current)
                current = word
            else:
                current = f"{current} {word}" if current else word
        folded.extend(wrap(current, width))
    return folded
