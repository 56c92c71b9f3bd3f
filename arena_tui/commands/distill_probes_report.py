"""What ``distill calibrate`` and ``distill probes`` say: plain JSON values, and text for a person."""

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from arena_tui.commands.distill_report import table

if TYPE_CHECKING:
    from engine.distilling.calibration import Calibration
    from engine.distilling.panel_stability import Bootstrap, GridCell, Replacement
    from engine.distilling.panels import Ranking
    from engine.distilling.usability import CandidateErrors


def calibration(found: "Calibration") -> dict[str, Any]:
    """Describe a calibration set, with its overlap with the published one."""
    from tasks import labels

    published = labels.published()
    groups = {}
    for name in ("A", "B", "C"):
        own = found.group(name)
        groups[name] = {
            "tasks": list(own),
            "in_published_group": sum(
                (label := published.get(task)) is not None and label.calibration_group == name for task in own
            ),
        }
    members = {member.task for member in found.members}
    return {
        "probes": list(found.probes),
        "comparable": found.comparable,
        "one_sided": found.one_sided,
        "groups": groups,
        "in_published_set": len(members & labels.calibration200()),
        "members": [dataclasses.asdict(member) for member in found.members],
    }


def calibration_text(document: Mapping[str, Any]) -> str:
    """Return the audit as text."""
    rows = [
        [
            member["group"],
            str(member["rank"]),
            member["task"],
            *("-" if member[key] is None else f"{member[key]:.3f}" for key in ("id_gap", "ood_gap", "G")),
            member["why"],
        ]
        for member in document["members"]
    ]
    lines = [table(("group", "rank", "task", "ID gap", "OOD gap", "G", "why"), rows), ""]
    lines += [
        f"group {name}: {len(group['tasks'])} tasks, "
        f"{group['in_published_group']} of them in the published group"
        for name, group in document["groups"].items()
    ]
    lines.append(f"{document['in_published_set']} of {len(rows)} tasks are in the published calibration set")
    return "\n".join(lines)


def panels(
    candidates: "CandidateErrors",
    H: Mapping[str, Fraction],
    paradigms: Mapping[str, str],
    ranking: "Ranking",
    bootstrap: "Bootstrap | None",
    grid: "Sequence[GridCell]",
    replacements: "Sequence[Replacement]",
    coverage: "Mapping[int, Ranking]",
) -> dict[str, Any]:
    """Describe a choice of probes and its stability."""
    order = sorted(H, key=lambda method: (-H[method], method))
    return {
        "tasks": len(candidates.tasks),
        "enumerated": ranking.enumerated,
        "feasible": len(ranking.panels),
        "optimal": [list(panel.members) for panel in ranking.optimal],
        "candidates": [
            {
                "method": method,
                "paradigm": paradigms[method],
                "H": float(H[method]),
                "H_exact": str(H[method]),
                "inclusion": None if bootstrap is None else bootstrap.inclusion[method],
                "any_optimum": None if bootstrap is None else bootstrap.any_optimum[method],
            }
            for method in order
        ],
        "panels": [
            {
                "rank": panel.rank,
                "members": list(panel.members),
                "U": float(panel.U),
                "U_exact": str(panel.U),
                "paradigms": panel.paradigms,
            }
            for panel in ranking.panels
        ],
        "bootstrap": None
        if bootstrap is None
        else {
            "replicates": bootstrap.replicates,
            "seed": bootstrap.seed,
            "unique": bootstrap.unique,
            "optimal": bootstrap.optimal,
            "mass": bootstrap.mass,
            "median_rank": bootstrap.median_rank,
            "rank_quartiles": list(bootstrap.rank_quartiles),
        },
        "grid": {
            "settings": len(grid),
            "unique": sum(cell.unique for cell in grid),
            "optimal": sum(cell.optimal for cell in grid),
            "worst_rank": max((cell.rank for cell in grid), default=None),
            "cells": [
                {
                    "alpha": float(cell.alpha),
                    "tau": cell.tau,
                    "rank": cell.rank,
                    "optimal": cell.optimal,
                    "unique": cell.unique,
                }
                for cell in grid
            ],
        },
        "replacements": [
            {
                "removed": one.removed,
                "entering": list(one.entering),
                "U": float(one.U),
                "loss": float(one.loss),
                "panels": [list(panel.members) for panel in one.panels],
                "paradigms": one.panels[0].paradigms,
            }
            for one in replacements
        ],
        "paradigm_coverage": [
            {
                "least": least,
                "feasible": len(found.panels),
                "U": float(found.panels[0].U),
                "optimal": [list(panel.members) for panel in found.optimal],
            }
            for least, found in coverage.items()
        ],
    }


def panels_text(document: Mapping[str, Any]) -> str:
    """Return tables 5, 8 and 9 as text."""
    share = "{:.1%}".format
    lines = [
        f"{document['feasible']} of {document['enumerated']} panels are feasible",
        table(
            ("rank", "U", "panel"),
            [[str(p["rank"]), f"{p['U']:.6f}", ", ".join(p["members"])] for p in document["panels"][:5]],
        ),
        "",
        table(
            ("candidate", "paradigm", "H", "inclusion", "any optimum"),
            [
                [
                    one["method"],
                    one["paradigm"],
                    f"{one['H']:.4f}",
                    *("-" if one[key] is None else share(one[key]) for key in ("inclusion", "any_optimum")),
                ]
                for one in document["candidates"]
            ],
        ),
    ]
    if document["bootstrap"] is not None:
        boot, grid = document["bootstrap"], document["grid"]
        lines += [
            "",
            (
                f"bootstrap ({boot['replicates']} replicates, seed {boot['seed']}): unique optimum in "
                f"{share(boot['unique'])}, optimal in {share(boot['optimal'])}, mass {share(boot['mass'])}"
            ),
            (
                f"alpha-tau grid: unique optimum in {grid['unique']} and optimal in {grid['optimal']} of "
                f"{grid['settings']} settings, never below rank {grid['worst_rank']}"
            ),
            "",
            table(
                ("removed", "replacement", "U", "loss", "paradigms"),
                [
                    [
                        one["removed"],
                        ", ".join(one["entering"]),
                        f"{one['U']:.6f}",
                        f"{one['loss']:.6f}",
                        str(one["paradigms"]),
                    ]
                    for one in document["replacements"]
                ],
            ),
        ]
    lines += [
        "",
        *(
            f"at least {one['least']} paradigms: U {one['U']:.6f}, {len(one['optimal'])} optimal "
            f"({'; '.join(', '.join(members) for members in one['optimal'])})"
            for one in document["paradigm_coverage"]
        ),
    ]
    return "\n".join(lines)
