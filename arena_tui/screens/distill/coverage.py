"""The coverage map: which families, formula types and numbers of variables a selection holds."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena_tui.widgets.table import Column, Row

VARIABLES = ("1", "2", "3", "4", "5", "6+")
_SIGNS = {True: "●", False: "○"}


def _counts(value: object) -> tuple[int, int]:
    """Read ``●3/41`` back."""
    if not isinstance(value, str):
        return 0, 0
    own, _, there = value[1:].partition("/")
    return int(own), int(there)


def _tone(value: object) -> str:
    return "" if value is None else "good" if _counts(value)[0] else "fair"


def _cell(title: str, name: str, width: int) -> Column:
    return Column(
        name,
        title,
        width,
        right=True,
        show=lambda value: "" if value is None else str(value),
        tone=_tone,
        order=lambda value: _counts(value)[0] + _counts(value)[1] / 1e6,
    )


COLUMNS = (
    Column("type", "formula type", 16, show=lambda value: str(value).replace("_", " ")),
    _cell("all", "all", 8),
    *(_cell(f"{name} var", f"v{name}", 7) for name in VARIABLES),
)


def rows(census: Mapping[str, Any]) -> list[Row]:
    """Make one row for each family and formula type of the whole set.

    Parameters
    ----------
    census : mapping
        As ``engine.distilling.census`` counts, as plain values.

    Returns
    -------
    list of Row
        A cell says selected / whole set; it is empty where the whole set has no task.
    """
    found: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
    for cell in census["cells"]:
        own = found.setdefault((cell["family"], cell["formula_type"]), {})
        for name in ("all", f"v{cell['variables']}"):
            selected, pool = own.get(name, (0, 0))
            own[name] = (selected + cell["selected"], pool + cell["pool"])
    return [
        Row(
            f"{family}\n{kind}",
            {
                "family": family,
                "type": kind,
                **{name: f"{_SIGNS[own > 0]}{own}/{pool}" for name, (own, pool) in cells.items()},
            },
        )
        for (family, kind), cells in found.items()
    ]


def group_line(members: Sequence[Row]) -> str:
    """Sum up a family.

    Parameters
    ----------
    members : sequence of Row
        Its rows.

    Returns
    -------
    str
        Selected and whole set.
    """
    sums = [_counts(row.values["all"]) for row in members]
    return f"{sum(own for own, _ in sums)} of {sum(pool for _, pool in sums)}"


def summary(census: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Say how much of the map is covered.

    Parameters
    ----------
    census : mapping
        As ``engine.distilling.census`` counts.

    Returns
    -------
    list of (str, object)
        For ``Facts``.
    """
    cells = census["cells"]
    covered = [cell for cell in cells if cell["selected"]]
    share = sum(cell["pool"] for cell in covered) / max(census["pool"], 1)
    pairs = {(cell["family"], cell["formula_type"]) for cell in cells}
    kept = {(cell["family"], cell["formula_type"]) for cell in covered}
    return [
        ("", "● selected / whole set   ○ none selected   blank: no such task"),
        (
            "covered",
            f"{len(covered)} of {len(cells)} cells, which hold {share:.0%} of {census['pool']} tasks",
        ),
        ("", f"{len(kept)} of {len(pairs)} family and formula type pairs"),
    ]
