"""``arena-tui distill compare``: a selection beside others and beside the baseline selectors."""

import argparse
from collections.abc import Mapping
from typing import Any

from arena_tui.commands import distill_inputs as inputs
from arena_tui.commands import distill_options as options
from arena_tui.commands.distill_report import PAPER_MAE, table

PUBLISHED = "@core50"


def add_step(steps: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the step to the group.

    Parameters
    ----------
    steps : argparse subparsers
        Of ``arena-tui distill``.
    """
    parser = options.step(
        steps, "compare", "put a selection beside others: J, fidelity, shared members, baselines", compare
    )
    options.pool_options(parser)
    options.judging_options(parser)
    parser.add_argument("--members", metavar="FILE|@NAME", required=True, help="the selection")
    parser.add_argument(
        "--with",
        dest="others",
        metavar="FILE|@NAME",
        action="append",
        help="selections to put beside it (@core50)",
    )


def compare(args: argparse.Namespace) -> int:
    """Compare selections, and keep the answer beside the manifest of a distilled ``@NAME``."""
    from engine.distilling import manifest
    from engine.distilling.comparison import compare as measure
    from engine.distilling.problem import pose

    members = manifest.read_members(args.members)
    others = {
        word: manifest.read_members(word) for word in args.others or [PUBLISHED] if word != args.members
    }
    pool = inputs.read_pool(args)
    # The constraints are those of a demand for as many tasks as the selection has here.
    args.size, args.within = len(set(members) & set(pool.ids)) or len(members), None
    document = measure(pose(pool, inputs.read_demand(args)), args.members, members, others, args.seed)
    for row in document["selectors"]:
        row["paper_mae"] = PAPER_MAE.get(row["selector"])
    document["members_sha256"] = manifest.members_digest(sorted(members))
    inputs.keep_study(manifest.COMPARED, args.members, document)
    return options.give(args, document, document["selectors"], text(document))


def text(document: Mapping[str, Any]) -> str:
    """Return a comparison as text.

    Parameters
    ----------
    document : mapping
        As ``engine.distilling.comparison.compare`` returns it.

    Returns
    -------
    str
        Figures, overlaps and baselines.
    """
    rows = [
        [
            one["name"],
            str(one["size"]),
            f"{one['terms']['J']:.6f}",
            f"{one['terms']['coverage']:.4f}",
            f"{one['terms']['mean_info']:.4f}",
            f"{one['terms']['balance']:.4f}",
            f"{one['mae']:.4f}",
            f"{one['percentile']:.2f} %",
            str(len(one["broken"])),
        ]
        for one in document["selections"]
    ]
    head = ("selection", "n", "J", "coverage", "info", "balance", "MAE", "draws better", "broken")
    lines = [table(head, rows)]
    lines += [
        f"{one['name']}: {one['missing']} of its members have no responses here and are left out"
        for one in document["selections"]
        if one["missing"]
    ]
    lines += [f"{name}: none of its members has responses here" for name in document["absent"]]
    own = document["selections"][0]["name"]
    for one in document["overlaps"]:
        lines.append(
            f"{own} and {one['other']}: {len(one['both'])} in both, "
            f"{len(one['only_first'])} + {len(one['only_second'])} in one only, Jaccard {one['jaccard']:.3f}"
        )
    baselines = [
        [
            one["selector"],
            f"{one['mae']:.4f}",
            "" if one["sd"] is None else f"± {one['sd']:.4f}",
            "" if one["low"] is None else f"[{one['low']:.4f}, {one['high']:.4f}]",
            f"{one['mean_info']:.4f}",
        ]
        for one in document["selectors"]
    ]
    return "\n".join([*lines, "", table(("selector", "MAE", "sd", "empirical 95 %", "mean info"), baselines)])
