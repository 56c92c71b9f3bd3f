"""A selection beside another: figures in two columns, and who is in both and in one only."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena_tui.widgets.table import Column, Row

_DASH = "–"
FOREIGN = "measured on other responses than it was selected from"
_BOTH, _FIRST, _SECOND = "in both", "here only", "there only"


def _text(value: object) -> str:
    return _DASH if value is None else str(value)


COLUMNS = (
    Column("id", "id", 6),
    Column("name", "name", 18, grow=2),
    Column("family", "family", 13, grow=1),
    Column("difficulty", "difficulty", 10, show=_text),
    Column("failure", "failure", 15, show=lambda value: _text(value).replace("_", " ")),
    Column(
        "info",
        "info",
        5,
        right=True,
        show=lambda value: f"{value:.3f}" if isinstance(value, float) else _DASH,
    ),
    Column("where", "where", 10),
)
FIGURE_COLUMNS = (
    Column("what", "", 14),
    Column("first", "here", 7, right=True),
    Column("second", "there", 7, right=True),
    Column("apart", "apart", 8, right=True),
)


def other_names(comparison: Mapping[str, Any]) -> list[str]:
    """List what the selection is compared with."""
    return [one["other"] for one in comparison["overlaps"]]


def covers(comparison: Mapping[str, Any], others: Sequence[str]) -> bool:
    """Say whether a comparison holds all of these selections."""
    return set(others) <= {*other_names(comparison), *comparison["absent"]}


def figures(comparison: Mapping[str, Any], other: str) -> list[Row]:
    """Make one row for each figure of the two selections.

    Parameters
    ----------
    comparison : mapping
        As ``arena-tui distill compare --json`` prints it.
    other : str
        One of ``other_names``.

    Returns
    -------
    list of Row
        J and its parts under the same weights, fidelity, broken constraints, shared members.
    """
    first = comparison["selections"][0]
    second = next(one for one in comparison["selections"] if one["name"] == other)
    overlap = next(one for one in comparison["overlaps"] if one["other"] == other)
    listed = [
        ("J", first["terms"]["J"], second["terms"]["J"], 5),
        ("coverage", first["terms"]["coverage"], second["terms"]["coverage"], 4),
        ("structural", first["terms"]["structural_coverage"], second["terms"]["structural_coverage"], 4),
        ("response", first["terms"]["response_coverage"], second["terms"]["response_coverage"], 4),
        ("mean info", first["terms"]["mean_info"], second["terms"]["mean_info"], 4),
        ("balance", first["terms"]["balance"], second["terms"]["balance"], 4),
        ("MAE", first["mae"], second["mae"], 4),
        ("NMAE %", 100 * first["nmae"], 100 * second["nmae"], 2),
        ("draws better %", first["percentile"], second["percentile"], 2),
    ]
    rows = [
        _figure(what, f"{one:.{digits}f}", f"{two:.{digits}f}", f"{one - two:+.{digits}f}")
        for what, one, two, digits in listed
    ]
    both = len(overlap["both"])
    rows += [
        _figure("tasks", str(first["size"]), str(second["size"]), ""),
        _figure("in both", str(both), str(both), ""),
        _figure("in one only", str(len(overlap["only_first"])), str(len(overlap["only_second"])), ""),
        _figure("not met", str(len(first["broken"])), _broken(first, second), ""),
    ]
    return rows


def _broken(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """Count what the other does not meet; the demand says nothing about another size."""
    return str(len(second["broken"])) if first["size"] == second["size"] else _DASH


def _figure(what: str, first: str, second: str, apart: str) -> Row:
    return Row(what, {"what": what, "first": first, "second": second, "apart": apart})


def notes(comparison: Mapping[str, Any], other: str) -> list[tuple[str, object]]:
    """Say in words what the figures rest on.

    Parameters
    ----------
    comparison : mapping
        As ``arena-tui distill compare --json`` prints it.
    other : str
        One of ``other_names``.

    Returns
    -------
    list of (str, object)
        For ``Facts``: Jaccard, what the other breaks, what of it has no responses here.
    """
    first = comparison["selections"][0]
    second = next(one for one in comparison["selections"] if one["name"] == other)
    overlap = next(one for one in comparison["overlaps"] if one["other"] == other)
    pairs: list[tuple[str, object]] = [
        ("", f"here {first['name']}, there {other}"),
        ("Jaccard", f"{overlap['jaccard']:.3f}: {len(overlap['both'])} tasks in both"),
    ]
    if comparison["foreign"]:
        pairs.append(("note", FOREIGN))
    if second["missing"]:
        some = "1 task has" if second["missing"] == 1 else f"{second['missing']} tasks have"
        pairs.append(("left out", f"{some} no responses here"))
    pairs += [("not met there", name) for name in second["broken"]]
    return pairs + [("not met here", name) for name in first["broken"]]


def member_rows(comparison: Mapping[str, Any], other: str) -> list[Row]:
    """Make one row for each member of either.

    Parameters
    ----------
    comparison : mapping
        As ``arena-tui distill compare --json`` prints it.
    other : str
        One of ``other_names``.

    Returns
    -------
    list of Row
        With ``where`` it is.
    """
    overlap = next(one for one in comparison["overlaps"] if one["other"] == other)
    parts = ((_BOTH, overlap["both"]), (_FIRST, overlap["only_first"]), (_SECOND, overlap["only_second"]))
    tasks = comparison["tasks"]
    return [
        Row(task, {"id": task, **tasks.get(task, {"name": "no responses here"}), "where": where})
        for where, members in parts
        for task in members
    ]
