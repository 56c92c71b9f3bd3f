"""``arena-tui merge``: copy the runs of one campaign into another."""

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
    parser = commands.add_parser(name, help=line, description=line.capitalize() + ".")
    parser.add_argument("source", metavar="FROM", help="the campaign to copy from; it is only read")
    parser.add_argument("target", metavar="INTO", help="the campaign to copy into")
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
    from engine.running.merging import merge

    merged = merge(Path(arguments.source), Path(arguments.target))
    if arguments.json:
        print(
            json.dumps(
                {
                    "copied": list(merged.copied),
                    "present": list(merged.present),
                    "labels": dict(merged.labels),
                }
            )
        )
        return 0
    print(f"{len(merged.copied)} runs copied, {len(merged.present)} were there already")
    for label, name in merged.labels:
        print(f"{label} differs from the one in {arguments.target} and is now {name}")
    return 0
