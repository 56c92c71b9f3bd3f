"""The colours of the console: dark, light, two colour-blind safe ones, and one without colour."""

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme

# Okabe and Ito (2008), Color Universal Design: hues told apart under every common colour-vision deficiency.
_OKABE_ITO = ("#56B4E9", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#0072B2", "#BBBBBB")
_OKABE_ITO_LIGHT = ("#0072B2", "#D55E00", "#007A59", "#9C8A00", "#B0508A", "#E69F00", "#3A9BD6", "#444444")
_DARK = ("#6CB6FF", "#F69D50", "#6BC46D", "#DCBDFB", "#F47067", "#39C5CF", "#DAAA3F", "#FC8DC7")
_LIGHT = ("#0969DA", "#BC4C00", "#1A7F37", "#8250DF", "#CF222E", "#1B7C83", "#9A6700", "#BF3989")
_MONO = ("#D0D0D0",) * 8

SERIES = 8
DEFAULT = "arena-dark"
WITHOUT_COLOUR = "arena-mono"


def _variables(
    series: tuple[str, ...],
    tones: tuple[str, str, str, str, str],
    cursor: tuple[str, str, str],
) -> dict[str, str]:
    """Name the colours the widgets use: of series, of tones, of the line under the cursor."""
    named = {f"series-{index}": colour for index, colour in enumerate(series)}
    named |= dict(zip(("good", "fair", "bad", "quiet", "live"), tones, strict=True))
    return named | dict(zip(("cursor-line", "cursor-line-blurred", "cursor-text"), cursor, strict=True))


THEMES = (
    Theme(
        name="arena-dark",
        primary="#6CB6FF",
        secondary="#539BF5",
        accent="#F69D50",
        warning="#DAAA3F",
        error="#F47067",
        success="#6BC46D",
        foreground="#CDD9E5",
        background="#12171E",
        surface="#181F28",
        panel="#222C38",
        dark=True,
        variables=_variables(
            _DARK,
            ("#6BC46D", "#DAAA3F", "#F47067", "#768390", "#6CB6FF"),
            ("#2B4A6B", "#26323F", "#F0F6FC"),
        ),
    ),
    Theme(
        name="arena-light",
        primary="#0969DA",
        secondary="#218BFF",
        accent="#BC4C00",
        warning="#9A6700",
        error="#CF222E",
        success="#1A7F37",
        foreground="#1F2328",
        background="#FFFFFF",
        surface="#F6F8FA",
        panel="#E4E9EF",
        dark=False,
        variables=_variables(
            _LIGHT,
            ("#1A7F37", "#9A6700", "#CF222E", "#656D76", "#0969DA"),
            ("#BBDDFF", "#E1E8F0", "#0A0C10"),
        ),
    ),
    Theme(
        name="arena-colour-blind",
        primary="#56B4E9",
        secondary="#0072B2",
        accent="#E69F00",
        warning="#F0E442",
        error="#D55E00",
        success="#56B4E9",
        foreground="#E4E4E4",
        background="#111417",
        surface="#191D21",
        panel="#262C32",
        dark=True,
        variables=_variables(
            _OKABE_ITO,
            ("#56B4E9", "#F0E442", "#E8702A", "#8A929A", "#1FBF92"),
            ("#1D4F6E", "#2A343C", "#FFFFFF"),
        ),
    ),
    Theme(
        name="arena-colour-blind-light",
        primary="#0072B2",
        secondary="#56B4E9",
        accent="#D55E00",
        warning="#9C8A00",
        error="#C04A00",
        success="#0072B2",
        foreground="#1C1C1C",
        background="#FFFFFF",
        surface="#F5F5F5",
        panel="#E6E6E6",
        dark=False,
        variables=_variables(
            _OKABE_ITO_LIGHT,
            ("#0072B2", "#7A6C00", "#B54500", "#666666", "#007A59"),
            ("#BFE0F5", "#E2E6E9", "#000000"),
        ),
    ),
    Theme(
        name=WITHOUT_COLOUR,
        primary="#D0D0D0",
        secondary="#B0B0B0",
        accent="#FFFFFF",
        warning="#D0D0D0",
        error="#FFFFFF",
        success="#D0D0D0",
        foreground="#D0D0D0",
        background="#000000",
        surface="#000000",
        panel="#101010",
        dark=True,
        variables=_variables(
            _MONO,
            ("#D0D0D0", "#D0D0D0", "#FFFFFF", "#909090", "#FFFFFF"),
            ("#FFFFFF", "#1C1C1C", "#000000"),
        ),
    ),
)


class ColourOff(LineFilter):
    """Takes every colour away; what had a bright background is shown in reverse instead."""

    _BRIGHT = 0.5

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Rewrite one line.

        Parameters
        ----------
        segments : list of Segment
            The painted line.
        background : Color
            Not used: the terminal's own is kept.

        Returns
        -------
        list of Segment
            The same text with bold, underline and reverse only.
        """
        return [Segment(text, self._plain(style), control) for text, style, control in segments]

    def _plain(self, style: Style | None) -> Style | None:
        if style is None:
            return None
        back = style.bgcolor
        reverse = bool(style.reverse)
        if back is not None and not back.is_default:
            reverse ^= Color.from_rich_color(back).brightness > self._BRIGHT
        return Style(
            bold=style.bold, italic=style.italic, underline=style.underline, reverse=reverse, dim=style.dim
        )
