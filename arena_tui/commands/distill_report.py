"""What ``arena-tui distill`` says: each result as plain JSON values, and as text for a person."""

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.distilling.baselines import Measured
    from engine.distilling.calibration import Calibration
    from engine.distilling.fidelity import Agreement, Fidelity, RandomReference
    from engine.distilling.held_out import HeldOut
    from engine.distilling.panel_stability import Bootstrap, GridCell, Replacement
    from engine.distilling.panels import Ranking
    from engine.distilling.pool import Pool
    from engine.distilling.projection import Projection
    from engine.distilling.sensitivity import Joint, SingleRow
    from engine.distilling.usability import CandidateErrors

# SymbolicArena, table 6: what the paper reports for the same selectors, shown beside ours.
PAPER_MAE = {
    "uniform random": 0.5298,
    "smoothed family stratified": 0.5438,
    "metadata diverse": 0.5060,
    "response K-medoids": 0.6044,
    "top information": 1.0339,
    "difficulty balanced": 1.0430,
    "proportional family quota": 0.4931,
    "@core50": 0.1388,
}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out columns: text to the left, numbers to the right.

    Parameters
    ----------
    head : sequence of str
        Column titles.
    rows : sequence of sequence of str
        Cells.

    Returns
    -------
    str
        Lines without trailing blanks.
    """
    widths = [max(len(line[column]) for line in (head, *rows)) for column in range(len(head))]
    number = [all(_numeric(row[column]) for row in rows) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, number, strict=True)
        ).rstrip()
        for line in (head, *rows)
    )


def _numeric(cell: str) -> bool:
    return bool(cell) and (cell[0].isdigit() or cell[0] in "-+.")


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


def core_text(document: Mapping[str, Any]) -> str:
    """Return a core selection as text."""
    solver = document["solver"]
    unmet = [row["name"] for row in document["constraints"] if not row["met"]]
    probes = document["A_full"]
    lines = [
        table(
            ("task", "name", "family", "difficulty", "failure", "info"),
            [
                [
                    task["id"],
                    task["name"],
                    task["family"],
                    task["difficulty"],
                    task["failure"],
                    f"{task['info']:.3f}",
                ]
                for task in document["tasks"]
            ],
        ),
        "",
        (
            f"J {document['J']:.6f}, proven to be at most "
            f"{document['upper_bound']:.6f} (gap {document['gap']:.4%})"
        ),
        (
            f"coverage {document['coverage']:.4f}, mean info {document['mean_info']:.4f}, "
            f"balance {document['balance']:.4f}"
        ),
        (
            f"MAE {document['mae']:.4f} (NMAE {document['nmae']:.2%}); {document['mae_percentile']:.2f} % of "
            f"{document['random_draws']['draws']} random draws are more faithful"
        ),
        "A_p full / core: "
        + ", ".join(f"{p} {probes[p]:.3f} / {document['A_subset'][p]:.3f}" for p in probes),
        f"{len(document['constraints'])} constraints, "
        + ("all met" if not unmet else f"unmet: {'; '.join(unmet)}"),
        (
            f"{solver['name']} solver, seed {solver['seed']}, "
            f"{solver['starts']} starts, {solver['seconds']:.1f} s "
            f"({solver['cpu_seconds']:.1f} s CPU); {document['demand']['labels']} labels"
        ),
    ]
    if document["saved_as"]:
        lines.append(f"saved as {document['saved_as']}")
    return "\n".join(lines)


def fidelity(
    members: str,
    size: int,
    standard: "Fidelity",
    measured: "Sequence[Fidelity]",
    reference: "RandomReference",
    orders: "Mapping[str, Agreement]",
    held: "Sequence[HeldOut]",
) -> dict[str, Any]:
    """Describe a subset's fidelity."""
    return {
        "selection": members,
        "size": size,
        "mae": standard.mae,
        "nmae": standard.nmae,
        "A_full": dict(zip(standard.probes, standard.full, strict=True)),
        "A_subset": dict(zip(standard.probes, standard.subset, strict=True)),
        "mae_percentile": reference.percentile(standard.mae),
        "random_draws": {
            "draws": len(reference.mae),
            "seed": reference.seed,
            "mean": float(reference.mae.mean()),
            "sd": float(reference.mae.std()),
        },
        "penalties": [
            {"lambda": one.penalty, "mae": one.mae, "nmae": one.nmae, "order_kept": one.order_kept}
            for one in measured
        ],
        "agreement": {name: dataclasses.asdict(order) for name, order in orders.items()},
        "leave_one_out": [dataclasses.asdict(one) for one in held],
    }


def fidelity_text(document: Mapping[str, Any]) -> str:
    """Return a subset's fidelity as text."""
    lines = [
        (
            f"{document['selection']}, {document['size']} tasks: "
            f"MAE {document['mae']:.4f}, NMAE {document['nmae']:.2%}; "
            f"{document['mae_percentile']:.2f} % of {document['random_draws']['draws']} random draws are "
            f"more faithful (their mean {document['random_draws']['mean']:.3f}, "
            f"sd {document['random_draws']['sd']:.3f})"
        ),
        "",
        table(
            ("probe", "A full", "A subset", "difference"),
            [
                [probe, f"{full:.4f}", f"{sub:.4f}", f"{sub - full:+.4f}"]
                for (probe, full), sub in zip(
                    document["A_full"].items(), document["A_subset"].values(), strict=True
                )
            ],
        ),
        "",
        table(
            ("lambda", "MAE", "NMAE", "order kept"),
            [
                [
                    f"{p['lambda']:g}",
                    f"{p['mae']:.4f}",
                    f"{p['nmae']:.2%}",
                    "yes" if p["order_kept"] else "no",
                ]
                for p in document["penalties"]
            ],
        ),
        "",
    ]
    for name, order in document["agreement"].items():
        coefficients = ", ".join(
            f"{key} {'undefined' if order[key] is None else format(order[key], '.4f')}"
            for key in ("spearman", "kendall")
        )
        lines.append(
            f"{name} ({order['methods']} methods): {coefficients}, "
            f"{order['pairs_kept']} of {order['pairs']} pairs in order"
        )
    if document["leave_one_out"]:
        probes = list(document["leave_one_out"][0]["errors"])
        lines += [
            "",
            "|A_p(S) - A_p(D)| of each probe while it was left out of the selection:",
            table(
                ("selector", *probes, "mean"),
                [
                    [
                        one["selector"] + ("" if one["selected_without"] else " (fixed)"),
                        *(f"{one['errors'][probe]:.4f}" for probe in probes),
                        f"{one['mean']:.4f}",
                    ]
                    for one in document["leave_one_out"]
                ],
            ),
        ]
    return "\n".join(lines)


def baselines(
    pool: "Pool",
    size: int,
    seed: int,
    found: "Sequence[Measured]",
    fixed: Mapping[str, Sequence[str]],
    kept: Mapping[str, tuple[float, float]],
    shares: Mapping[str, Mapping[str, float]],
    projection: "Projection",
) -> dict[str, Any]:
    """Describe table 6 and figure 2."""
    from tasks import labels

    rows = [dataclasses.asdict(one) | {"members": list(one.members)} for one in found]
    for word, members in fixed.items():
        mae, info = kept[word]
        rows.append(
            {
                "selector": word,
                "draws": 1,
                "mae": mae,
                "sd": None,
                "low": None,
                "high": None,
                "mean_info": info,
                "members": list(members),
            }
        )
    for row in rows:
        row["paper_mae"] = PAPER_MAE.get(row["selector"])
    return {
        "size": size,
        "seed": seed,
        "selectors": rows,
        "composition": {name: dict(own) for name, own in shares.items()},
        "projection": {
            "tasks": list(pool.ids),
            "x": projection.points[:, 0].tolist(),
            "y": projection.points[:, 1].tolist(),
            "explained": list(projection.explained),
            "calibration": sorted(labels.calibration200() & set(pool.ids)),
        },
    }


def baselines_text(document: Mapping[str, Any]) -> str:
    """Return table 6 as text."""
    rows = []
    for one in document["selectors"]:
        spread = "" if one["sd"] is None else f"± {one['sd']:.4f}"
        span = "" if one["low"] is None else f"[{one['low']:.4f}, {one['high']:.4f}]"
        paper = "-" if one["paper_mae"] is None else f"{one['paper_mae']:.4f}"
        rows.append([one["selector"], f"{one['mae']:.4f}", spread, span, f"{one['mean_info']:.4f}", paper])
    return table(("selector", "MAE", "sd", "empirical 95 %", "mean info", "paper's MAE"), rows)


def sensitivity(
    default: Sequence[str], single: "Sequence[SingleRow]", joint: "Joint", seed: int
) -> dict[str, Any]:
    """Describe tables 10 to 12."""
    return {
        "default": list(default),
        "seed": seed,
        "single": [dataclasses.asdict(row) for row in single],
        "joint": dataclasses.asdict(joint),
    }


def sensitivity_text(document: Mapping[str, Any]) -> str:
    """Return tables 10 to 12 as text."""
    joint = document["joint"]
    size = len(document["default"])
    return "\n".join(
        [
            table(
                ("weight", "range", "restarts", "Jaccard", "overlap", "within group", "ranking kept"),
                [
                    [
                        row["weight"],
                        f"[{row['low']:.2f}, {row['high']:.2f}]",
                        str(row["restarts"]),
                        f"{row['median_jaccard']:.3f}",
                        f"{row['overlapping']:g}",
                        f"{row['within_jaccard']:.3f}",
                        f"{row['ranking_rate']:.1%}",
                    ]
                    for row in document["single"]
                ],
            ),
            "",
            f"{joint['vectors']} weight vectors over {joint['candidates']} candidate sets:",
            table(
                ("set", "selections", "share", "Jaccard"),
                [
                    [one["name"], str(one["selections"]), f"{one['share']:.2%}", f"{one['jaccard']:.3f}"]
                    for one in joint["sets"]
                ],
            ),
            "",
            (
                f"mean Jaccard {joint['mean_jaccard']:.3f}, least overlap {joint['least_overlap']} / {size}, "
                f"ranking kept {joint['ranking_rate']:.1%}"
            ),
            f"tasks in all selections {joint['in_all']}, in 90 % {joint['in_90']}, in 75 % {joint['in_75']}",
        ]
    )
