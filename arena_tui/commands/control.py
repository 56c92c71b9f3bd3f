"""``arena-tui stop | retry | drain``: ask a campaign's engine for something, through the control spool."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.running.reader import Campaign

# An engine looks at the spool twice a second; on a busy machine it may be late.
ANSWER_S = 10.0


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, line: str) -> None:
    """Add one of the commands.

    Parameters
    ----------
    commands : argparse subparsers
        The command table.
    name, line : str
        Its name and its line of help.
    """
    parser = commands.add_parser(name, help=line, description=line.capitalize() + ".")
    parser.add_argument("campaign", metavar="DIR", help="a campaign folder")
    if name != "drain":
        all_of_them = "all that run or wait" if name == "stop" else "all that failed"
        parser.add_argument(
            "runs",
            nargs="*",
            metavar="RUN",
            help=f"LABEL/TASK/SEED, LABEL/TASK or LABEL; {all_of_them} when omitted",
        )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run, action=name, runs=[])


def run(arguments: argparse.Namespace) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : argparse.Namespace
        The parsed command line.

    Returns
    -------
    int
        0 when the request was applied or will be.
    """
    import json

    from engine.running import control, lease, reader

    campaign = reader.read_campaign(Path(arguments.campaign))
    chosen = tuple(run.id for run in campaign.select(arguments.runs)) if arguments.runs else ()
    if lease.owner(campaign.folder) is None:
        applied, sentence = _without_engine(campaign, arguments.action, chosen)
    else:
        wish = control.ask(campaign.folder, arguments.action, chosen)
        deadline = time.monotonic() + ANSWER_S
        reply = control.answer(campaign.folder, wish)
        while reply is None and time.monotonic() < deadline:
            time.sleep(0.1)
            reply = control.answer(campaign.folder, wish)
        applied = None if reply is None else list(reply["applied"])
        sentence = "the engine has not answered yet; the request stays in its spool"
    if arguments.json:
        print(json.dumps({"action": arguments.action, "applied": applied}))
    elif applied is None:
        print(sentence)
    else:
        print(f"{arguments.action}: {len(applied)} runs" + (f" ({', '.join(applied)})" if applied else ""))
    return 0


def _without_engine(
    campaign: "Campaign", action: str, chosen: tuple[str, ...]
) -> tuple[list[str] | None, str]:
    from engine.running import attempts, control

    if action == control.STOP:
        told = [
            run.id
            for run in campaign.runs
            if (not chosen or run.id in chosen)
            and run.folder is not None
            and not run.ended
            and attempts.stop_keeper(run.folder)
        ]
        return told, ""
    if action == control.DRAIN:
        return None, f"no engine runs {campaign.folder}: nothing new is started anyway"
    control.ask(campaign.folder, action, chosen)
    return None, f"no engine runs {campaign.folder}: the retry is made by arena-tui run {campaign.folder}"
