"""Rows and words of the Noise view: what noisy training labels change, per method and axis."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arena_tui.screens.scores.rows import AXES, DASH, text
from arena_tui.widgets.table import Column, Row

if TYPE_CHECKING:
    from engine.scoring.analysis import NoiseChange

Fact = tuple[str, object]
# Fewer tasks cannot tell a change from chance: were all of n to go one way, the exact sign test would give
# 2 / 2^n, which is 0.0625 for five and 0.031 for six.
ENOUGH_TASKS = 6
_HALF = 8


def _change(value: object) -> str:
    return f"{value[0]:+.1f}" + ("*" if value[1] else " ") if isinstance(value, tuple) else DASH


def _change_tone(value: object) -> str:
    if not isinstance(value, tuple) or not value[1]:
        return ""
    return "good" if value[0] > 0 else "bad"


def _first(value: object) -> object:
    return value[0] if isinstance(value, tuple) else value


NOISE_COLUMNS = (
    Column("label", "method", 9, grow=1),
    Column("condition", "labels", 8),
    *(Column(axis, axis, 7, right=True, show=_change, order=_first, tone=_change_tone) for axis in AXES),
    Column("tasks", "tasks", 6, right=True, show=text),
)


def noise_rows(changes: "Sequence[NoiseChange]") -> dict[str, tuple[Row, list["NoiseChange"]]]:
    """Make a row of every method under every noisy condition.

    Parameters
    ----------
    changes : sequence of NoiseChange
        From `survey.noise`.

    Returns
    -------
    dict of str to (Row, list of NoiseChange)
        By key; a cell is (change on the 0 to 100 scale, whether it is told from chance).
    """
    groups: dict[str, list[NoiseChange]] = {}
    for change in changes:
        groups.setdefault(f"{change.label} {change.condition}", []).append(change)
    made = {}
    for key, group in groups.items():
        values: dict[str, object] = {"label": group[0].label, "condition": group[0].condition}
        values |= {one.axis: (100 * one.change.mean, told_from_chance(one)) for one in group}
        least = min(one.tasks for one in group)
        values["tasks"] = f"{least}/{group[0].of}"
        made[key] = (Row(key, values), group)
    return made


def published_noise_rows(published: Sequence[Mapping[str, object]], conditions: set[str]) -> list[Row]:
    """Make the rows of the paper's methods under the conditions of the campaign; without intervals."""
    clean = {row["label"]: row for row in published if row["condition"] == "clean"}
    made = []
    for row in published:
        before = clean.get(row["label"])
        if row["condition"] not in conditions or row["condition"] == "clean" or before is None:
            continue
        values: dict[str, object] = {"label": f"{row['label']} (published)", "condition": row["condition"]}
        for axis in AXES:
            noisy, quiet = row[axis], before[axis]
            if isinstance(noisy, float) and isinstance(quiet, float):
                values[axis] = (noisy - quiet, False)
        made.append(Row(f"published {row['label']} {row['condition']}", values))
    return made


def told_from_chance(change: "NoiseChange") -> bool:
    """Tell whether a change has an interval without zero over enough tasks."""
    return change.tasks >= ENOUGH_TASKS and not change.change.low <= 0.0 <= change.change.high


def too_few(changes: "Sequence[NoiseChange]") -> bool:
    """Tell whether some change rests on fewer tasks than chance needs."""
    return any(change.tasks < ENOUGH_TASKS for change in changes)


def noise_note(changes: "Sequence[NoiseChange]") -> str:
    """Say how the changes are read."""
    if not changes:
        return ""
    if too_few(changes):
        fewest = min(change.tasks for change in changes)
        return (
            f"Score under noise minus clean. {fewest} common tasks are too few to tell a change from chance "
            f"({ENOUGH_TASKS} are needed)."
        )
    return "Score under noise minus clean, over the tasks that have both; * the 95 % interval leaves out 0."


def about_noise(changes: "Sequence[NoiseChange]") -> list[Fact]:
    """Describe what noise does to a method, axis by axis, as bars to the left (worse) and right of zero."""
    facts: list[Fact] = [(f"{changes[0].label}, {changes[0].condition} against clean labels", "")]
    for one in changes:
        low, middle, high = (100 * part for part in (one.change.low, one.change.mean, one.change.high))
        words = f"{change_bar(middle)} {middle:+6.1f} [{low:+.1f}, {high:+.1f}]"
        words += f"  {100 * one.clean:.1f} to {100 * one.noisy:.1f}"
        facts.append((one.axis, words + ("" if one.tasks == one.of else f", {one.tasks} of {one.of} tasks")))
    facts.append(("", "bars: each half is 100 points; brackets: 95 % over resampled tasks"))
    return facts


def change_bar(change: float) -> str:
    """Draw a change of -100 to 100 from the middle outwards."""
    cells = min(_HALF, round(abs(change) / 100 * _HALF))
    if abs(change) > 0 and cells == 0:
        left, right = ("▐", "") if change < 0 else ("", "▌")
    else:
        left, right = ("█" * cells, "") if change < 0 else ("", "█" * cells)
    return f"{left:·>{_HALF}}│{right:·<{_HALF}}"
