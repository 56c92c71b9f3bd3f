"""What ``arena-tui distill`` says of cores: plain JSON values, and text for a person."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.distilling.baselines import Measured
    from engine.distilling.fidelity import Agreement, Fidelity, RandomReference
    from engine.distilling.held_out import HeldOut
    from engine.distilling.pool import Pool
    from engine.distilling.projection import Projection
    from engine.distilling.sensitivity import Joint, SingleRow

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
