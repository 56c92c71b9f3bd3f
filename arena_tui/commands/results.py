"""``arena-tui results import``: results that were made elsewhere."""

import argparse
import json
from pathlib import Path

FORMATS = ("arena", "srbench", "pysr", "csv")


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, line: str) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
        The command table.
    name, line : str
        Its name and its line of help.
    """
    parser = commands.add_parser(name, help=line, description="Results that were made elsewhere.")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    importer = actions.add_parser(
        "import",
        help=line,
        description="Read a result file into a campaign of its own, evaluated on our splits and scored as "
        "any other with arena-tui score. csv: columns task, expression and, if there, label, method, seed, "
        "condition, seconds. arena: runs.csv of arena-tui export. srbench: dataset, algorithm, "
        "random_state, symbolic_model. pysr: a hall of fame; its best model by PySR's own rule.",
    )
    importer.add_argument("file", metavar="FILE", help="CSV, TSV, JSON, JSON lines or Parquet")
    importer.add_argument("--format", dest="kind", choices=FORMATS, required=True, help="what the file is")
    importer.add_argument("--out", metavar="DIR", help="the new campaign (default: FILE without its suffix)")
    importer.add_argument("--task", help="task id or name, for files that name none")
    importer.add_argument("--seed", type=int, help="seed, for files that name none (default: 0)")
    importer.add_argument("--label", help="label, for files that name no method")
    importer.add_argument("--dialect", help="syntax of the expressions (default: pysr for pysr, else infix)")
    importer.add_argument("--json", action="store_true", help="print JSON")
    importer.set_defaults(run=run_import)


def run_import(arguments: argparse.Namespace) -> int:
    """Run ``results import``.

    Parameters
    ----------
    arguments : argparse.Namespace
        The parsed command line.

    Returns
    -------
    int
        0, or 1 when an expression cannot be read.
    """
    from engine.scoring.foreign import Defaults, read_file
    from engine.scoring.importing import import_results

    file = Path(arguments.file)
    out = Path(arguments.out) if arguments.out else file.with_suffix("")
    rows = read_file(file, arguments.kind, Defaults(arguments.label, arguments.task, arguments.seed))
    dialect = arguments.dialect or ("pysr" if arguments.kind == "pysr" else "infix")
    made = import_results(rows, out, source=file.name, dialect=dialect)
    if arguments.json:
        record = {"campaign": str(made.folder), "runs": made.runs, "planned": made.planned,
                  "unreadable": list(made.unreadable)}  # fmt: skip
        print(json.dumps(record, allow_nan=False))
    else:
        print(f"{made.runs} runs imported into {made.folder}; score them with arena-tui score {made.folder}")
        for sentence in made.unreadable:
            print(f"cannot be read: {sentence}")
    return 1 if made.unreadable else 0
