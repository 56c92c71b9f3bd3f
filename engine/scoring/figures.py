"""Figures 4, 5, 6, 8 and 9 of the first paper for any campaign, and four more.

Figure 4: six-axis profiles; 5: two methods task by task; 6: usability; 8: correlations; 9: intervals.
Besides: quality over time, noise, error against size, mean ranks. Matplotlib is imported on the first call
and draws without a display.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.running import reader
from engine.scoring import axes as aggregate
from engine.scoring.analysis import rankings
from engine.scoring.campaign import Scores
from engine.scoring.numeric import LOG_ERROR_MAX, LOG_ERROR_MIN
from engine.scoring.responses import REFERENCE_EXPLOSION, REFERENCE_FINITE, responses, usability
from engine.scoring.rows import AXES, DISPLAY_SCALE, MethodScore
from engine.scoring.tradeoffs import points as trade_offs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
_DPI = 150


def draw_all(scores: Scores, folder: Path) -> list[Path]:
    """Draw every figure the campaign has data for, each as PNG and SVG.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    folder : Path
        Where the files go.

    Returns
    -------
    list of Path
        The files written; a figure without data is left out.
    """
    drawers: tuple[tuple[str, Callable[[Scores], Figure | None]], ...] = (
        ("figure4-profiles", profiles),
        ("figure5-responses", dual_responses),
        ("figure6-usability", usabilities),
        ("figure8-correlations", correlations),
        ("figure9-intervals", intervals),
        ("trajectories", trajectories),
        ("noise", noise),
        ("pareto", pareto),
        ("critical-difference", critical_differences),
    )
    written: list[Path] = []
    for name, draw in drawers:
        figure = draw(scores)
        if figure is None:
            continue
        for kind in FORMATS:
            path = folder / f"{name}.{kind}"
            # Without a date, the same scores give the same file.
            metadata = {"Date": None} if kind == "svg" else {}
            figure.savefig(path, dpi=_DPI, metadata=metadata)
            written.append(path)
    return written


def profiles(scores: Scores) -> "Figure | None":
    """Draw figure 4: one radar per method, the others in gray."""
    chosen = _clean(scores)
    if not chosen:
        return None
    columns = min(5, len(chosen))
    rows = -(-len(chosen) // columns)
    figure = _figure(2.6 * columns, 2.8 * rows)
    angles = np.linspace(0, 2 * np.pi, len(AXES), endpoint=False)
    closed = np.append(angles, angles[0])
    for place, method in enumerate(chosen, 1):
        panel: Any = figure.add_subplot(rows, columns, place, projection="polar")
        for other in chosen:
            if other is not method:
                panel.plot(closed, _radii(other), color="0.85", linewidth=0.6)
        panel.plot(closed, _radii(method), linewidth=1.6)
        panel.fill(closed, _radii(method), alpha=0.2)
        panel.set_xticks(angles, AXES, fontsize=7)
        panel.set_ylim(0, 100)
        panel.set_yticks([25, 50, 75], ["", "50", ""], fontsize=6)
        panel.set_title(method.label, fontsize=9)
    return figure


def dual_responses(scores: Scores) -> "Figure | None":
    """Draw figure 5: every task in the response space of the first two methods."""
    labels = list(dict.fromkeys(method.label for method in _clean(scores)))[:2]
    if len(labels) < 2:
        return None
    figure = _figure(8.0, 4.0)
    ends = [LOG_ERROR_MIN, LOG_ERROR_MAX]
    for place, split in enumerate(("ID", "OOD"), 1):
        found = responses(scores.runs, labels[0], labels[1], split)
        panel = figure.add_subplot(1, 2, place)
        panel.plot(ends, ends, color="0.7", linewidth=0.8)
        panel.plot([r.first for r in found], [r.second for r in found], "o", markersize=4, alpha=0.7)
        panel.set(title=f"{split}, {len(found)} tasks", xlabel=f"log10 NMSE, {labels[0]}")
        panel.set(ylabel=f"log10 NMSE, {labels[1]}", xlim=(-12.5, 2.5), ylim=(-12.5, 2.5))
    return figure


def usabilities(scores: Scores) -> "Figure | None":
    """Draw figure 6: finite result rate against explosion rate, with the paper's reference region."""
    found = usability(scores.runs)
    if not found:
        return None
    figure = _figure(5.2, 4.2)
    panel = figure.add_subplot()
    panel.fill_between([REFERENCE_FINITE, 1.02], 0.0, REFERENCE_EXPLOSION, color="C2", alpha=0.15)
    for point in found:
        panel.plot(point.finite, point.explosion, "o", color="C0")
        panel.annotate(f"{point.label} ", (point.finite, point.explosion), fontsize=7, ha="right")
    panel.set(
        xlabel="finite result rate q(a)", ylabel="explosion rate b100(a)", xlim=(0, 1.02), ylim=(-0.02, 1)
    )
    return figure


def trajectories(scores: Scores) -> "Figure | None":
    """Draw mean numerical quality of each method at every checkpoint, over its scored runs."""
    campaign = reader.read_campaign(scores.folder)
    scored = {run.id for run in scores.runs if run.state == "scored" and run.condition == "clean"}
    curves: dict[str, list[list[float]]] = defaultdict(list)
    times: dict[str, list[float]] = {}
    for run in campaign.runs:
        if run.id in scored and run.incumbents:
            points = reader.checkpoints(run)
            curves[run.label].append([np.nan if p.q is None else p.q for p in points])
            times[run.label] = [point.t / 60.0 for point in points]
    if not curves:
        return None
    figure = _figure(6.4, 4.0)
    panel = figure.add_subplot()
    for label, runs in curves.items():
        length = min(map(len, runs))
        values = np.array([run[:length] for run in runs])
        known = ~np.isnan(values).all(axis=0)
        mean = np.full(length, np.nan)
        mean[known] = np.nanmean(values[:, known], axis=0)
        panel.plot(times[label][:length], mean * DISPLAY_SCALE, label=f"{label} ({len(runs)} runs)")
    panel.set(xlabel="minutes of search", ylabel="mean numerical quality q (0-100)", ylim=(0, 100))
    panel.legend(fontsize=7)
    return figure


def noise(scores: Scores) -> "Figure | None":
    """Draw ID and OOD scores under each noise condition."""
    conditions = list(dict.fromkeys(score.condition for score in scores.methods))
    if len(conditions) < 2:
        return None
    figure = _figure(8.0, 3.6)
    for place, axis in enumerate(("ID", "OOD"), 1):
        panel = figure.add_subplot(1, 2, place)
        for label in dict.fromkeys(score.label for score in scores.methods):
            found = {s.condition: s.axes[axis].value for s in scores.methods if s.label == label}
            values = [np.nan if (v := found.get(c)) is None else v * DISPLAY_SCALE for c in conditions]
            panel.plot(conditions, values, marker="o", label=label)
        panel.set(title=axis, ylabel="score (0-100)", ylim=(0, 100))
    panel.legend(fontsize=7)
    return figure


def correlations(scores: Scores) -> "Figure | None":
    """Draw figure 8: Spearman correlations between the axes across methods."""
    found = aggregate.correlations(scores.methods)
    if all(value is None for value in found.values()):
        return None
    matrix = np.eye(len(AXES))
    for (first, second), value in found.items():
        i, j = AXES.index(first), AXES.index(second)
        matrix[i, j] = matrix[j, i] = np.nan if value is None else value
    figure = _figure(4.6, 4.0)
    panel = figure.add_subplot()
    image = panel.imshow(matrix, vmin=-1, vmax=1, cmap="RdBu_r")
    panel.set_xticks(range(len(AXES)), AXES)
    panel.set_yticks(range(len(AXES)), AXES)
    for i in range(len(AXES)):
        for j in range(len(AXES)):
            shown = "n/a" if np.isnan(matrix[i, j]) else f"{matrix[i, j]:.2f}"
            ink = "white" if abs(matrix[i, j]) > 0.6 else "black"
            panel.text(j, i, shown, ha="center", va="center", fontsize=8, color=ink)
    panel.set_title(f"Spearman correlations across {len(_clean(scores))} methods", fontsize=9)
    figure.colorbar(image)
    return figure


def intervals(scores: Scores) -> "Figure | None":
    """Draw figure 9: mean scores with 95 % task bootstrap intervals."""
    chosen = _clean(scores)
    if not chosen:
        return None
    figure = _figure(11.0, 0.8 + 0.28 * len(chosen))
    labels = [method.label for method in chosen]
    for place, axis in enumerate(AXES, 1):
        panel = figure.add_subplot(1, len(AXES), place)
        for row, method in enumerate(chosen):
            score = method.axes[axis]
            if score.value is None or score.low is None or score.high is None:
                continue
            ends = np.array([score.low, score.high]) * DISPLAY_SCALE
            panel.plot(ends, [row, row], color="0.4", linewidth=1.2)
            panel.plot(score.value * DISPLAY_SCALE, row, "o", markersize=4, color="C0")
        panel.set_yticks(range(len(labels)), labels if place == 1 else [""] * len(labels), fontsize=7)
        panel.set(title=axis, xlim=(0, 100), ylim=(len(labels) - 0.5, -0.5))
    return figure


def pareto(scores: Scores) -> "Figure | None":
    """Draw median ID error against median size of the processed expression, with the front."""
    points = trade_offs([run for run in scores.runs if run.condition == "clean"], "size")
    if not points:
        return None
    figure = _figure(5.6, 4.2)
    panel = figure.add_subplot()
    front = [point for point in points if point.front]
    panel.step([p.cost for p in front], [p.accuracy for p in front], where="post", color="0.6", linewidth=1.0)
    for point in points:
        panel.plot(point.cost, point.accuracy, "o", color="C3" if point.front else "C0")
        panel.annotate(point.name, (point.cost, point.accuracy), fontsize=7)
    panel.set(xlabel="median nodes of the processed expression", ylabel="median log10 NMSE (ID)")
    return figure


def critical_differences(scores: Scores) -> "Figure | None":
    """Draw mean ranks per axis, methods joined that the Nemenyi test does not tell apart."""
    found = {axis: ranking for axis, ranking in rankings(scores).items() if ranking is not None}
    if not found:
        return None
    longest = max(len(ranking.methods) for ranking in found.values())
    figure = _figure(7.0, len(found) * (0.6 + 0.24 * longest))
    for place, (axis, ranking) in enumerate(found.items(), 1):
        panel = figure.add_subplot(len(found), 1, place)
        for row, (name, rank) in enumerate(zip(ranking.methods, ranking.ranks, strict=True)):
            panel.plot(rank, row, "o", markersize=4, color="C0")
            panel.annotate(f" {name} {rank:.2f}", (rank, row), fontsize=7, va="center")
        for group in ranking.groups:
            rows = [ranking.methods.index(name) for name in group]
            left = ranking.ranks[rows[0]] - 0.05
            panel.plot([left, left], [rows[0], rows[-1]], color="0.3", linewidth=2.0)
        panel.set(xlim=(0.5, longest + 1.5), ylim=(longest - 0.5, -0.5), yticks=[])
        panel.set_title(
            f"{axis}: CD = {ranking.difference:.2f}, {ranking.tasks} tasks, "
            f"Friedman p = {ranking.friedman_p:.2g}",
            fontsize=8,
        )
    return figure


def _figure(width: float, height: float) -> "Figure":
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    # The ids of an SVG are random otherwise.
    rcParams["svg.hashsalt"] = "arena-tui"
    return Figure(figsize=(width, height), layout="constrained")


def _clean(scores: Scores) -> Sequence[MethodScore]:
    return [score for score in scores.methods if score.condition == "clean"]


def _radii(method: MethodScore) -> list[float]:
    # An axis without a score is a gap, not a zero.
    values = [np.nan if (v := method.axes[axis].value) is None else v * DISPLAY_SCALE for axis in AXES]
    return [*values, values[0]]
