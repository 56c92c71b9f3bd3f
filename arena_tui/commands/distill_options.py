"""The options that the steps of ``arena-tui distill`` share."""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def step(
    steps: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    line: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """Add one step of the group.

    Parameters
    ----------
    steps : argparse subparsers
        Where to.
    name, line : str
        The step's name and its line of help.
    run : callable
        Takes the parsed arguments and returns the exit code.

    Returns
    -------
    argparse.ArgumentParser
        For the step's own options.
    """
    parser: argparse.ArgumentParser = steps.add_parser(name, help=line, description=line)
    parser.add_argument("--json", action="store_true", help="print plain JSON")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="also write FILE: .json whole, .tsv / .csv / .parquet the table",
    )
    parser.set_defaults(run=run)
    return parser


def give(
    args: argparse.Namespace, document: dict[str, Any], rows: Sequence[dict[str, Any]], text: str
) -> int:
    """Print a step's answer, and write it where ``--out`` says.

    Parameters
    ----------
    args : argparse.Namespace
        With the options of `step`.
    document : dict
        Plain values: the whole answer.
    rows : sequence of dict
        Its main table.
    text : str
        For a person.

    Returns
    -------
    int
        Exit code 0.
    """
    from engine.distilling.manifest import write_json

    if args.out is not None:
        if args.out.suffix == ".json":
            write_json(args.out, document)
        else:
            import pandas as pd

            from engine.distilling.tables import write_table

            write_table(pd.DataFrame(rows), args.out)
    print(json.dumps(document, indent=1, allow_nan=False) if args.json else text)
    return 0


def pool_options(parser: argparse.ArgumentParser) -> None:
    """Add what says where responses, facts and labels come from.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of the step.
    """
    parser.add_argument(
        "--responses",
        type=Path,
        required=True,
        metavar="FILE|CAMPAIGN",
        help="probe responses: a table, a table of runs, or a campaign folder",
    )
    parser.add_argument(
        "--facts", type=Path, metavar="FILE", help="facts of tasks that are not in the catalogue"
    )
    parser.add_argument(
        "--labels",
        choices=("published", "computed"),
        help="where difficulty, failure mode and winner come from (published when every task has them)",
    )


def demand_options(parser: argparse.ArgumentParser) -> None:
    """Add what says which core is asked for.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of the step.
    """
    parser.add_argument("--size", type=int, default=50, help="tasks to select (50)")
    parser.add_argument("--within", metavar="FILE|@NAME", help="select only among these members")
    judging_options(parser)


def judging_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how a core is valued and which constraints hold.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of the step.
    """
    parser.add_argument(
        "--weights",
        type=numbers,
        default=(0.45, 0.35, 0.20),
        metavar="C,I,B",
        help="of Coverage, MeanInfo, Balance",
    )
    parser.add_argument(
        "--fidelity",
        type=delta,
        default=0.05,
        metavar="DELTA|off",
        help="bound on |A_p(S) - A_p(D)| of every probe (0.05)",
    )
    parser.add_argument(
        "--without", type=words, default=(), metavar="KIND,...", help="leave out these kinds of constraints"
    )
    parser.add_argument("--seed", type=int, default=0)


def solver_options(parser: argparse.ArgumentParser) -> None:
    """Add solver and time limit.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of the step.
    """
    parser.add_argument("--solver", choices=("exact", "swap"), default="exact")
    parser.add_argument("--time", type=seconds, default=120.0, metavar="120s", help="time limit (120s)")


def numbers(text: str) -> tuple[float, ...]:
    """Read numbers with commas between.

    Parameters
    ----------
    text : str
        As typed.

    Returns
    -------
    tuple of float
        What it says.

    Raises
    ------
    argparse.ArgumentTypeError
        When it says nothing of the kind.
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as .45,.35,.20") from None


def words(text: str) -> tuple[str, ...]:
    """Read words with commas between.

    Parameters
    ----------
    text : str
        As typed.

    Returns
    -------
    tuple of str
        What it says.
    """
    return tuple(part.strip() for part in text.split(",") if part.strip())


def delta(text: str) -> float | None:
    """Read a fidelity bound; None for ``off``.

    Parameters
    ----------
    text : str
        As typed.

    Returns
    -------
    float or None
        What it says.

    Raises
    ------
    argparse.ArgumentTypeError
        When it says nothing of the kind.
    """
    if text == "off":
        return None
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor 'off'") from None


def seconds(text: str) -> float:
    """Read a time such as ``120s``, ``10m`` or ``1h`` in seconds.

    Parameters
    ----------
    text : str
        As typed.

    Returns
    -------
    float
        What it says.

    Raises
    ------
    argparse.ArgumentTypeError
        When it says nothing of the kind.
    """
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    number, factor = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1.0)
    try:
        seconds = float(number) * factor
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 120s or 10m")
    return seconds
