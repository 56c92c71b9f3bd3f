"""Rows and words of the Paired screen."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from arena_tui.widgets import numbers
from arena_tui.widgets.plain import place
from arena_tui.widgets.table import Column, Row

if TYPE_CHECKING:
    from arena_tui.screens.paired.survey import Listed

_DASH = "–"


def _text(value: object) -> str:
    return _DASH if value is None else str(value)


def _error(value: object) -> str:
    return f"{value:.1e}" if isinstance(value, float) else _DASH


def _solved(value: object) -> str:
    return {True: "✓", False: "✗"}.get(value, _DASH) if isinstance(value, bool) else _DASH


def _tone(value: object) -> str:
    if value is True or value in ("ok", "representable"):
        return "good"
    return "bad" if value in (False, "failed") else "quiet"


STUDY_COLUMNS = (
    Column("folder", "study", 18, grow=1),
    Column("done", "units", 8, right=True),
    Column("state", "state", 12, tone=lambda value: "live" if str(value).startswith("▶") else "quiet"),
    Column("library", "library", 14),
    Column("tasks", "tasks", 5, right=True),
    Column("seeds", "seeds", 5, right=True),
    Column("arms", "arms", 44),
)
UNIT_COLUMNS = (
    Column("name", "task", 10, grow=1),
    Column("seed", "seed", 4, right=True),
    Column("arm", "arm", 9),
    Column("status", "status", 8, tone=_tone),
    Column("acc2", "1%", 2, show=_solved, tone=_tone),
    Column("acc3", ".1%", 3, show=_solved, tone=_tone),
    Column("strict", "strict", 6, show=_solved, tone=_tone),
    Column("sa", "SA", 3, show=_solved, tone=_tone),
    Column("id", "ID", 7, right=True, show=_error),
    Column("ood", "OOD", 7, right=True, show=_error),
    Column("terms", "terms", 5, right=True, show=_text),
    Column("stopped", "stopped", 9, show=_text),
    Column("domain", "domain", 14, show=_text),
    Column("expression", "expression", 60, show=_text),
)


def study_row(found: "Listed") -> Row:
    """Make the row of one study; its key is the folder."""
    return Row(
        str(found.folder),
        {
            "folder": place(found.folder),
            "done": f"{found.done}/{found.total}",
            "state": _short_state(found),
            "library": found.library,
            "tasks": found.tasks,
            "seeds": found.seeds,
            "arms": ",".join(found.arms),
        },
    )


def _short_state(found: "Listed") -> str:
    if found.session is not None:
        return "▶ running" if found.left_s is None else f"▶ {numbers.duration(found.left_s)} left"
    return "✓ finished" if found.complete else "‖ at rest"


def state(found: "Listed") -> str:
    """Say in a sentence how far a study is and what can be done about it."""
    name, units = place(found.folder), f"{found.done} of {found.total} units"
    if found.session is not None:
        left = "" if found.left_s is None else f", about {numbers.duration(found.left_s)} left"
        return f"▶ {name} is running: {units}{left}; x stops it"
    if found.complete:
        return f"✓ {name}: {units}"
    return f"‖ {name} is at rest: {units}; R goes on"


def unit_key(unit: Mapping[str, Any]) -> str:
    """Name a unit: task, seed and arm."""
    return f"{unit['task']}/{unit['seed']}/{unit['arm']}"


def unit_row(unit: Mapping[str, Any]) -> Row:
    """Make the row of one unit."""
    verdict = unit.get("representable")
    return Row(
        unit_key(unit),
        {
            "name": unit["name"],
            "seed": unit["seed"],
            "arm": unit["arm"],
            "status": unit["status"],
            "acc2": unit.get("acc0.01"),
            "acc3": unit.get("acc0.001"),
            "strict": unit.get("strict"),
            "sa": None if verdict is None else verdict == "representable",
            "id": unit.get("id_nmse"),
            "ood": unit.get("ood_nmse"),
            "terms": len(unit["terms"]) if "terms" in unit else None,
            "stopped": unit.get("stopped"),
            "domain": unit["domain"],
            "expression": unit.get("expression"),
        },
    )


def about(unit: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Describe a unit: formula, truth, the greedy path, verdict, proposals."""
    facts: list[tuple[str, object]] = [
        (f"{unit['name']}, seed {unit['seed']}, {unit['arm'].upper()}", ""),
        ("status", unit["status"] if unit.get("reason") is None else f"{unit['status']}: {unit['reason']}"),
        ("found", unit.get("expression")),
        ("truth", unit.get("truth")),
    ]
    for step, taken in enumerate(unit.get("path", ()), start=1):
        nmse = taken["nmse"]
        left = _DASH if nmse is None else f"{nmse:.2e}"
        facts.append((f"round {step}", f"{taken['added']}   NMSE {left}, best of {taken['tried']}"))
    return [*facts, ("stopped", unit.get("stopped")), *origin(unit)[1:]]


def origin(unit: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Describe a unit's verdict and where its candidates came from, under the arm's name."""
    facts: list[tuple[str, object]] = [
        (unit["arm"].upper(), ""),
        ("verdict", unit.get("representable")),
        ("evidence", unit.get("representable_evidence")),
        ("on the data's domain", unit.get("representable_here")),
    ]
    pool, proposals = unit.get("pool"), unit.get("proposals")
    if pool:
        facts.append(
            ("pool", f"{pool['bank']} library, {pool['proposed']} proposed, {pool['shared']} in both")
        )
    if proposals:
        source = proposals["source"]
        written = ", written for demonstration" if source.get("demonstration") else ""
        facts.append(("proposals", f"{proposals['usable']} of {proposals['proposed']} usable{written}"))
        facts += [("dropped", f"{one['text']}: {one['reason']}") for one in proposals["dropped"]]
    return facts
