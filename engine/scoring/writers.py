"""Report tables as text, CSV, Parquet and LaTeX (booktabs; best bold, second underlined)."""

import csv
from pathlib import Path

from engine.scoring.report import Cell, Column, Table, marks

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
MISSING = "n/a"


def text(table: Table) -> str:
    """Render a table for a terminal, best values with ``*`` and second ones with ``+``.

    Parameters
    ----------
    table : Table
        A report table.

    Returns
    -------
    str
        Lines without trailing blanks.
    """
    signs = {"best": "*", "second": "+"}
    marked = marks(table)
    titles = [column.title for column in table.columns]
    grid = [
        [
            f"{column.group} {column.title}" if titles.count(column.title) > 1 else column.title
            for column in table.columns
        ]
    ]
    for index, row in enumerate(table.rows):
        grid.append(
            [
                _printed(row.cells.get(column.key))
                + signs.get(marked.get((index, column.key), ""), "")
                + (f" ({row.notes[column.key]})" if column.key in row.notes else "")
                for column in table.columns
            ]
        )
    widths = [max(map(len, cells)) for cells in zip(*grid, strict=True)]
    numeric = [column.best != "none" for column in table.columns]
    lines = [table.title]
    for cells in grid:
        aligned = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        lines.append("  ".join(aligned).rstrip())
    lines.insert(2, "-" * max(map(len, lines[1:])))
    lines += [table.footnote, "* best, + second"] if any(numeric) else [table.footnote]
    return "\n".join(line for line in lines if line)


def write_csv(table: Table, path: Path) -> None:
    """Write a table as CSV: full precision, empty cells where nothing is defined, notes in own columns.

    Parameters
    ----------
    table : Table
        A report table.
    path : Path
        The file.
    """
    records = flat(table)
    names = list(records[0]) if records else [column.key for column in table.columns]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: "" if v is None else v for k, v in record.items()} for record in records)


def flat(table: Table) -> list[dict[str, Cell | bool]]:
    """Return a table's rows as flat records, with the notes of incomplete cells and the published mark."""
    noted = {key for row in table.rows for key in row.notes}
    records: list[dict[str, Cell | bool]] = []
    for row in table.rows:
        record: dict[str, Cell | bool] = {column.key: row.cells.get(column.key) for column in table.columns}
        record |= {f"{c.key} n": row.notes.get(c.key) for c in table.columns if c.key in noted}
        record["published"] = row.published
        records.append(record)
    return records


def latex(table: Table) -> str:
    """Render a table in LaTeX with booktabs.

    Parameters
    ----------
    table : Table
        A report table.

    Returns
    -------
    str
        A ``table`` environment; needs the package ``booktabs``.
    """
    shape = "".join("r" if column.best != "none" else "l" for column in table.columns)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(table.title)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{shape}}}",
        r"\toprule",
        *_group_lines(table.columns),
        " & ".join(escaped(column.title) for column in table.columns) + r" \\",
        r"\midrule",
    ]
    marked = marks(table)
    separated = False
    for index, row in enumerate(table.rows):
        if row.published and not separated and index:
            lines.append(r"\midrule")
            separated = True
        cells = []
        for column in table.columns:
            cell = escaped(_printed(row.cells.get(column.key)))
            kind = marked.get((index, column.key))
            if kind is not None:
                cell = rf"\textbf{{{cell}}}" if kind == "best" else rf"\underline{{{cell}}}"
            if column.key in row.notes:
                cell += rf" {{\scriptsize ({escaped(row.notes[column.key])})}}"
            cells.append(cell)
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.footnote:
        lines.append(rf"\par\smallskip{{\footnotesize {escaped(table.footnote)}}}")
    return "\n".join([*lines, r"\end{table}", ""])


def escaped(words: str) -> str:
    """Escape text for LaTeX; line ends and other control characters would end a cell's argument."""
    return "".join(_LATEX.get(letter, letter if letter.isprintable() else " ") for letter in words)


def _group_lines(columns: tuple[Column, ...]) -> list[str]:
    spans: list[tuple[str, int, int]] = []
    for index, column in enumerate(columns, 1):
        if spans and spans[-1][0] == column.group:
            spans[-1] = (column.group, spans[-1][1], index)
        else:
            spans.append((column.group, index, index))
    if not any(name for name, _, _ in spans):
        return []
    heads = [
        rf"\multicolumn{{{end - start + 1}}}{{c}}{{{escaped(name)}}}" if name else " & " * (end - start)
        for name, start, end in spans
    ]
    rules = " ".join(rf"\cmidrule(lr){{{start}-{end}}}" for name, start, end in spans if name)
    return [" & ".join(heads) + r" \\", rules]


def _printed(cell: Cell) -> str:
    if cell is None:
        return MISSING
    return f"{cell:.2f}" if isinstance(cell, float) else cell
