"""How a table looks: the style of each of its parts."""

CSS = """
Table {
    background: $surface; color: $foreground; scrollbar-size: 1 1; height: 1fr;
    overflow-x: scroll; scrollbar-size-horizontal: 0;
    scrollbar-background: $surface; scrollbar-color: $panel-lighten-2; scrollbar-corner-color: $surface;
    & .table--header { background: $panel; color: $foreground; text-style: bold; }
    & .table--sorted { background: $panel; color: $primary; text-style: bold; }
    & .table--cursor { background: $cursor-line-blurred; }
    & .table--quiet { color: $quiet; }
    & .table--good { color: $good; }
    & .table--fair { color: $fair; }
    & .table--bad { color: $bad; text-style: bold; }
    & .table--live { color: $live; }
    & .table--group { color: $accent; text-style: bold; }
    & .table--empty { color: $quiet; text-style: italic; }
    & .table--mark { color: $accent; text-style: bold; }
    &:focus .table--cursor { background: $cursor-line; color: $cursor-text; text-style: bold; }
}
"""
PARTS = (
    "header", "sorted", "cursor", "quiet", "good", "fair", "bad", "live", "group", "empty", "mark",
)  # fmt: skip
