"""``arena-tui quickstart``: install two methods and run them, and bank, on three tasks."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.running.drafts import Draft

INSTALLED = ("gplearn", "pyoperon")
METHODS = (*INSTALLED, "bank")
TASKS = ("Nguyen-1", "Keijzer-4", "Vladislavleva-1")
SEEDS = (521, 522)
BUDGET_S = 10.0
INTERVAL_S = 1.0
GRACE_S = 5.0


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
    parser.add_argument(
        "--no-console",
        action="store_true",
        help="print the outcome instead of opening the console; so it is without a terminal",
    )
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON; opens no console")
    parser.add_argument("--out", metavar="DIR", help="where the campaign goes")
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
        0 when all runs ended well, 1 when some failed.
    """
    from arena_tui.commands.run import create, detach, engine_outcome, report

    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    headless = arguments.no_console or arguments.json or not on_terminal
    install_methods()
    campaign = create(quickstart_draft(), None if arguments.out is None else Path(arguments.out), False)
    if not headless:
        from arena_tui.commands.console import open_console

        engine = argparse.Namespace(workers=None, skip_missing=False, oversubscribe=False, json=False)
        return detach(campaign, engine) or open_console(campaign)
    from engine.running import reader, records, summary

    outcome = engine_outcome(campaign, workers=None, skip_missing=False, quiet=arguments.json)
    after = reader.read_campaign(campaign)
    if arguments.json:
        document = {"campaign": str(campaign), "runs": [summary.row(run) for run in after.runs]}
        print(json.dumps(document, allow_nan=False))
    else:
        report(after, outcome)
    failed = any(run.status in records.FAILED for run in after.runs)
    return 1 if failed or outcome.interrupted else 0


def install_methods() -> None:
    """Install what is not installed yet; progress goes to standard error."""
    from engine.methods import environments, installing, registry

    for name in INSTALLED:
        method = registry.get(name)
        if not environments.state(method).usable:
            print(f"installing {name} ...", file=sys.stderr, flush=True)
            installing.install(method, tell=lambda line: print(line, file=sys.stderr, flush=True))


def quickstart_draft() -> "Draft":
    """Describe the quickstart campaign.

    Returns
    -------
    Draft
        Three methods, three classic tasks, two seeds, ten seconds a run, one thread each.
    """
    from engine.running.drafts import Draft
    from engine.running.spec import MethodEntry

    return Draft(
        methods=tuple(MethodEntry(name, name) for name in METHODS),
        tasks=TASKS,
        seeds=SEEDS,
        name="quickstart",
        budget=BUDGET_S,
        interval=INTERVAL_S,
        grace=GRACE_S,
    )
