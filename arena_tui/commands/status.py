"""``arena-tui status``: what a campaign has done and is doing."""

import argparse
import json
from pathlib import Path


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, line: str) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
        The command table.
    name, line : str
        Its name and its line of help.
    """
    parser = commands.add_parser(name, help=line, description=f"Print {line}.")
    parser.add_argument("campaign", metavar="DIR", help="a campaign folder")
    parser.add_argument(
        "runs", nargs="*", metavar="RUN", help="LABEL/TASK/SEED, LABEL/TASK or LABEL; all when omitted"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : argparse.Namespace
        The parsed command line.

    Returns
    -------
    int
        0.
    """
    from arena_tui.commands.run_table import one_line, run_table
    from engine.running import durations, lease, reader, repeatability, summary

    campaign = reader.read_campaign(Path(arguments.campaign))
    chosen = campaign.select(arguments.runs)
    owner = lease.owner(campaign.folder)
    repeated = repeatability.compare(chosen)
    if arguments.json:
        document = {
            "campaign": str(campaign.folder),
            "id": campaign.spec.id,
            "engine": None if owner is None else {"host": owner["host"], "pid": owner["pid"]},
            "budget_s": campaign.spec.limits.budget_s,
            "interval_s": campaign.spec.limits.interval_s,
            "workers": campaign.spec.limits.workers,
            "counts": summary.counts(campaign),
            "repeatability": [
                {"method": group.method, "runs": list(group.runs), "verdict": group.verdict}
                for group in repeated
            ],
            "runs": [summary.full_row(run) for run in chosen],
        }
        print(json.dumps(document, allow_nan=False))
        return 0
    print(run_table(chosen))
    counted = ", ".join(f"{count} {status}" for status, count in summary.counts(campaign).items())
    who = "no engine" if owner is None else f"engine {owner['pid']} on {owner['host']}"
    print(f"{counted}; budget {durations.text(campaign.spec.limits.budget_s)}; {who}")
    for run in chosen:
        if run.reason:
            print(f"{run.id}: {run.status}: {one_line(run.reason)}")
        if run.native_gap_flag:
            print(f"{run.id}: text does not reproduce predictions")
    for group in repeated:
        print(f"{group.method}: {group.verdict}")
    return 0
