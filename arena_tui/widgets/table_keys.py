"""The keys of every table: moving, scrolling sideways, and the order of the rows."""

from textual.binding import Binding, BindingType

BINDINGS: list[BindingType] = [
    Binding("up,k", "move(-1)", "Up", show=False),
    Binding("down,j", "move(1)", "Down", show=False),
    Binding("pageup", "page(-1)", "Page up", show=False),
    Binding("pagedown", "page(1)", "Page down", show=False),
    Binding("home,g", "edge(-1)", "First row", show=False),
    Binding("end,G", "edge(1)", "Last row", show=False),
    Binding("left", "scroll_columns(-8)", "Scroll left", show=False),
    Binding("right", "scroll_columns(8)", "Scroll right", show=False),
    Binding("s", "sort_next", "Sort by next column", show=False),
    Binding("S", "sort_turn", "Reverse the order", show=False),
    Binding("O", "sort_by", "Sort by a column", show=False),
]
