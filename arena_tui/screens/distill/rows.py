"""Rows, words and charts of the Distill screen, made from manifests and steps."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arena_tui.starting import command_line
from arena_tui.widgets.drawing import Chart, Series
from arena_tui.widgets.table import Column, Row

if TYPE_CHECKING:
    from arena_tui.screens.distill.solving import Clashing, Step

_DASH = "–"
# Below this gap the selection is the optimum, wherever it is searched for.
PROVEN = 1e-6
# Above and below J and bound, the trace shows this many times the gap between them.
_MARGIN = 2.0
_LEAST_MARGIN = 1e-4


def _digits(count: int) -> Any:  # noqa: ANN401 - a formatter, as Column takes it
    return lambda value: f"{value:.{count}f}" if isinstance(value, int | float) else _DASH


def _percent(value: object) -> str:
    return f"{value:.2%}" if isinstance(value, float) else _DASH


def _met(value: object) -> str:
    return "✓" if value else "✗"


def _met_tone(value: object) -> str:
    return "good" if value else "bad"


def _difficulty_tone(value: object) -> str:
    return {"easy": "good", "hard": "fair", "extreme": "bad"}.get(str(value), "")


def _count(value: object) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


SHELF_COLUMNS = (
    Column("name", "selection", 14, grow=1),
    Column("size", "n", 4, right=True),
    Column("J", "J", 7, right=True, show=_digits(4)),
    Column("gap", "gap", 6, right=True, show=_percent),
    Column("mae", "MAE", 6, right=True, show=_digits(3)),
)
MEMBER_COLUMNS = (
    Column("id", "id", 6),
    Column("name", "name", 18, grow=2),
    Column("family", "family", 13, grow=1),
    Column("difficulty", "difficulty", 10, tone=_difficulty_tone),
    Column("failure", "failure", 15),
    Column("info", "info", 5, right=True, show=_digits(3)),
    Column("formula_type", "type", 16, show=lambda value: _DASH if value is None else str(value)),
    Column("variables", "var", 3, right=True, show=lambda value: _DASH if value is None else str(value)),
    Column("subgroup", "subgroup", 16),
    Column("formula", "formula", 40, show=lambda value: _DASH if value is None else str(value)),
)
CONSTRAINT_COLUMNS = (
    Column("met", "", 2, show=_met, tone=_met_tone),
    Column("name", "constraint", 30, grow=1),
    Column("value", "value", 7, right=True, show=_count),
    Column("low", "least", 7, right=True, show=_count),
    Column("high", "most", 7, right=True, show=_count),
    Column("kind", "kind", 10),
)


def shelf_row(name: str, document: Mapping[str, Any]) -> Row:
    """Make the row of a saved selection; its key is the name."""
    return Row(
        name,
        {
            "name": f"@{name}",
            "size": len(document["members"]),
            "J": document.get("J"),
            "gap": document.get("gap"),
            "mae": document.get("mae"),
        },
    )


def member_rows(document: Mapping[str, Any]) -> list[Row]:
    """Make one row for each member."""
    return [Row(task["id"], task) for task in document.get("tasks", ())]


def constraint_rows(document: Mapping[str, Any]) -> list[Row]:
    """Make one row for each constraint, the single ones before the hundreds of duplicate groups."""
    order = sorted(document.get("constraints", ()), key=lambda row: row["kind"] in ("duplicate", "basename"))
    return [Row(str(place), row) for place, row in enumerate(order)]


def about(name: str, document: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Describe a selection: value, proof, fidelity, how it was found."""
    demand, solver, draws = document["demand"], document["solver"], document["random_draws"]
    loose = demand["fidelity"] is None or "fidelity" in demand["without"]
    unmet = sum(not row["met"] for row in document["constraints"])
    pairs: list[tuple[str, object]] = [
        (f"@{name}", ""),
        ("J", f"{document['J']:.6f}"),
        ("proven bound", f"{document['upper_bound']:.6f}, gap {document['gap']:.3%}"),
        ("coverage", f"{document['coverage']:.4f}"),
        ("mean info", f"{document['mean_info']:.4f}"),
        ("balance", f"{document['balance']:.4f}"),
        ("MAE", f"{document['mae']:.4f}, NMAE {document['nmae']:.2%}"),
        ("random draws", f"{document['mae_percentile']:.2f} % of {draws['draws']} are more faithful"),
        ("constraints", f"{len(document['constraints'])}, {'all met' if not unmet else f'{unmet} not met'}"),
        ("fidelity bound", "off" if loose else f"{demand['fidelity']:g}"),
        ("left out", ", ".join(demand["without"]) or None),
        ("weights", ", ".join(f"{weight:g}" for weight in demand["weights"])),
        ("labels", demand["labels"]),
        ("pool", f"{document['pool']['tasks']} tasks, {', '.join(document['pool']['probes'])}"),
        ("solver", f"{solver['name']}, seed {solver['seed']}, {solver['seconds']:.0f} s"),
    ]
    pairs += [
        (f"A {probe}", f"{full:+.3f} full, {document['A_subset'][probe]:+.3f} here")
        for probe, full in document["A_full"].items()
    ]
    pairs += [("note", note) for note in document.get("notes", ())]
    if "command" in document:
        pairs.append(("Found again by (c copies it)", ""))
        pairs.append(("", command_line(document["command"])))
        if document["gap"] > PROVEN:
            pairs.append(
                ("note", "the search ended before the proof: another machine may stop at other members")
            )
    return pairs


def trace(steps: "Sequence[Step]") -> Chart:
    """Draw the best J and the proven bound over time."""
    lines = []
    for colour, (name, values) in enumerate(
        (("J", [step.incumbent for step in steps]), ("bound", [step.bound for step in steps]))
    ):
        lines.append(Series(name, [step.seconds for step in steps], values, colour=colour, step=True))
    return Chart(tuple(lines), x_title="s", y_limits=_near_the_end(steps))


def _near_the_end(steps: "Sequence[Step]") -> tuple[float, float] | None:
    """Look closely at where the two meet: the first bound alone is a hundred times farther away."""
    if not steps or steps[-1].incumbent is None or steps[-1].bound is None:
        return None
    best, bound = steps[-1].incumbent, steps[-1].bound
    margin = max(_MARGIN * (bound - best), _LEAST_MARGIN)
    first = min(step.incumbent for step in steps if step.incumbent is not None)
    top = max(step.bound for step in steps if step.bound is not None)
    return max(first, best - margin) - _LEAST_MARGIN, min(top, bound + margin) + _LEAST_MARGIN


def cloud(document: Mapping[str, Any]) -> Chart:
    """Draw where the members lie among the pool (figure 2a)."""
    points = document.get("projection")
    if not points:
        return Chart(())
    own = points["members"]
    first, second = points["explained"]
    return Chart(
        (
            Series("pool", points["x"], points["y"], colour=7, points=True),
            Series(
                "selected",
                [points["x"][row] for row in own],
                [points["y"][row] for row in own],
                colour=1,
                points=True,
                sign="◆",
            ),
        ),
        x_title=f"components: {first:.0%}, {second:.0%} of variance",
    )


def in_short(step: "Step") -> str:
    """Say how a selection stands, in few words."""
    gap = ""
    if step.incumbent and step.bound is not None:
        gap = f", gap {max(0.0, step.bound - step.incumbent) / step.incumbent:.2%}"
    return f"selecting: J {_DASH if step.incumbent is None else f'{step.incumbent:.4f}'}{gap}"


def progress(step: "Step | None", elapsed: float, limit: str) -> list[tuple[str, object]]:
    """Say how a selection stands.

    Parameters
    ----------
    step : Step or None
        The last line of progress; None before the first.
    elapsed : float
        Seconds since it was asked for.
    limit : str
        The time limit as it was typed.

    Returns
    -------
    list of (str, object)
        For ``Facts``.
    """
    pairs: list[tuple[str, object]] = [("time", f"{elapsed:.0f} s of {limit or '120s'}")]
    if step is None:
        return [*pairs, ("now", "reading responses, laying out the problem"), ("x", "stops")]
    gap = None
    if step.incumbent and step.bound is not None:
        gap = f"{max(0.0, step.bound - step.incumbent) / step.incumbent:.3%}"
    return [
        *pairs,
        ("best J", None if step.incumbent is None else f"{step.incumbent:.6f}"),
        ("proven bound", None if step.bound is None else f"{step.bound:.6f}"),
        ("gap", gap),
        ("now", step.phase),
        ("x", "stops" if step.incumbent is None else "stops and keeps the best; X drops it"),
    ]


def refusal(error: str, clashing: "Clashing | None") -> list[tuple[str, object]]:
    """Say why there is no selection.

    Parameters
    ----------
    error : str
        The command's sentence.
    clashing : Clashing or None
        Constraints that exclude each other, when that is why.

    Returns
    -------
    list of (str, object)
        For ``Facts``.
    """
    if clashing is None:
        return [("No selection", ""), ("why", error)]
    kinds = " or ".join(clashing.kinds)
    return [
        ("No selection can meet these together", ""),
        *(("✗", name) for name in clashing.names),
        ("so", "each is needed for the clash: without any one of them the others can be met"),
        ("what helps", f"another size{f', or leaving out {kinds} (l)' if kinds else ''}"),
    ]
