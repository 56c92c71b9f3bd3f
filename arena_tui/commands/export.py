"""``arena-tui export``: tables, figures and bundles of a campaign."""

import argparse
import json
from pathlib import Path

from arena_tui.commands.judge_words import add_judge_words

KINDS = ("csv", "parquet", "latex", "plots", "bundle")


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, line: str) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
        The command table.
    name, line : str
        Its name and its line of help.
    """
    parser = commands.add_parser(
        name,
        help=line,
        description="Score a campaign if that is still to be done, and write tables 2 and 13 to 17, every "
        "run, figures 4, 5, 6, 8 and 9, or a bundle of all that with spec, judgments and checksums.",
    )
    parser.add_argument("campaign", metavar="DIR", help="a campaign folder")
    parser.add_argument("--as", dest="kind", choices=KINDS, required=True, help="what to write")
    parser.add_argument("--out", metavar="DIR2", required=True, help="the folder to write to")
    parser.add_argument("--with-published", action="store_true", help="add the paper's rows, marked")
    parser.add_argument("--json", action="store_true", help="print the files written as JSON")
    add_judge_words(parser)
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
    from arena_tui.commands.score import estimate_judging, scored
    from engine.scoring.export import export

    if arguments.estimate:
        return estimate_judging(arguments)
    scores = scored(arguments)
    written = export(scores, arguments.kind, Path(arguments.out), with_published=arguments.with_published)
    if arguments.json:
        print(json.dumps([str(path) for path in written]))
    else:
        print("\n".join(map(str, written)))
    return 0
