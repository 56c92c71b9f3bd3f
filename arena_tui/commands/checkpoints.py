"""``arena-tui checkpoints``: the trajectories of runs on their grid."""

import argparse
import json
import sys
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
    parser.add_argument(
        "--interval", metavar="TIME", help="another grid, for example 5s; the campaign's when omitted"
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
    from arena_tui.commands.run_table import number, shortened
    from engine.running import durations, reader

    campaign = reader.read_campaign(Path(arguments.campaign))
    interval = None if arguments.interval is None else durations.seconds(arguments.interval, "interval")
    pairs = [
        (run, point) for run in campaign.select(arguments.runs) for point in reader.checkpoints(run, interval)
    ]
    if arguments.json:
        rows = [
            {
                "run": run.id,
                "task": run.task,
                "method": run.label,
                "seed": run.seed,
                "condition": run.condition,
                "index": point.index,
                "t": point.t,
                "discovered": point.discovered,
                "expression": point.expression,
                "id_nmse": point.id_nmse,
                "ood_nmse": point.ood_nmse,
                "q": point.q,
                "status": point.status,
            }
            for run, point in pairs
        ]
        json.dump(rows, sys.stdout, allow_nan=False)
        print()
        return 0
    for run, point in pairs:
        numbers = f"q {number(point.q)}  ID {number(point.id_nmse)}  OOD {number(point.ood_nmse)}"
        where = f"{run.id}  {point.index:>4}  {point.t:>8g} s"
        print(f"{where}  {numbers}  {point.status}  {shortened(point.expression or '')}".rstrip())
    return 0
