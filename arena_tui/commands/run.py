"""``arena-tui run``: start a campaign from flags or a spec file, or resume or extend one."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.commands.run_words import add_campaign_flags, draft_of

if TYPE_CHECKING:
    from engine.running.drafts import Draft
    from engine.running.outcomes import Outcome, Progress
    from engine.running.spec import CampaignSpec


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
        description="Start a campaign from flags or a spec file; or resume (and extend) the one in a folder.",
    )
    parser.add_argument("what", nargs="?", metavar="SPEC.toml|DIR", help="a spec file, or a campaign folder")
    parser.add_argument("--out", metavar="DIR", help="where the new campaign goes")
    add_campaign_flags(parser)
    parser.add_argument(
        "--skip-missing", action="store_true", help="leave out methods that are not installed"
    )
    parser.add_argument("--detach", action="store_true", help="leave the engine running in the background")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
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
    from engine.errors import EngineError

    what = None if arguments.what is None else Path(arguments.what)
    if what is not None and what.is_dir():
        if arguments.out:
            raise EngineError(f"--out is for a new campaign: {what} stays where it is")
        campaign = resumed(what, arguments)
    elif what is not None and not what.exists():
        raise EngineError(f"{what} is neither a spec file nor a campaign folder")
    else:
        campaign = created(what, arguments)
    if arguments.detach:
        return detach(campaign, arguments)
    return supervise(
        campaign, workers=arguments.workers, skip_missing=arguments.skip_missing, as_json=arguments.json
    )


def created(what: Path | None, arguments: argparse.Namespace) -> Path:
    """Make a new campaign of a spec file, or of flags.

    Parameters
    ----------
    what : pathlib.Path or None
        The spec file.
    arguments : argparse.Namespace
        The parsed command line.

    Returns
    -------
    pathlib.Path
        The campaign folder.
    """
    from engine.running import drafts

    draft = draft_of(arguments, None if what is None else drafts.read_draft(what))
    return create(draft, None if arguments.out is None else Path(arguments.out), arguments.skip_missing)


def create(draft: "Draft", out: Path | None, skip_missing: bool) -> Path:
    """Check a draft as far as it can be checked before anything is written, then make its folder.

    Parameters
    ----------
    draft : Draft
        What to run.
    out : pathlib.Path or None
        Where.
    skip_missing : bool
        Whether methods that are not installed are left out.

    Returns
    -------
    pathlib.Path
        The campaign folder.
    """
    from engine.running import drafts, roster

    plan = drafts.plan(draft)
    warn_of_capacity(plan.spec)
    roster.starters(plan.spec, plan.spec.labels, skip_missing=skip_missing)
    return drafts.create(plan, out)


def warn_of_capacity(spec: "CampaignSpec") -> None:
    """Refuse, or warn of, more threads than cores.

    Parameters
    ----------
    spec : CampaignSpec
        The campaign.
    """
    from engine.running import capacity

    if spec.executor != "local":
        return
    warning = capacity.check(spec)
    if warning:
        print(f"arena-tui: warning: {warning}", file=sys.stderr)


def resumed(campaign: Path, arguments: argparse.Namespace) -> Path:
    """Extend a campaign where flags ask for it.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    arguments : argparse.Namespace
        The parsed command line.

    Returns
    -------
    pathlib.Path
        The same folder.
    """
    from dataclasses import replace

    from engine.errors import EngineError
    from engine.running import drafts, fixed_terms, lease, roster, spec_file

    lease.refuse_if_owned(campaign)
    spec = spec_file.read(campaign)
    draft = draft_of(arguments)
    fixed_terms.refuse_changes(campaign, spec, draft)
    if not draft.methods and (arguments.threads or arguments.evaluations):
        raise EngineError(f"--threads and --evaluations are for methods that --methods adds to {campaign}")
    if draft.methods or draft.tasks or draft.tables or draft.seeds or arguments.conditions:
        further = tuple(entry for entry in draft.methods if entry.label not in spec.labels)
        roster.starters(
            replace(spec, methods=further),
            [entry.label for entry in further],
            skip_missing=arguments.skip_missing,
        )
        spec = drafts.extend(campaign, draft)
    limits = replace(spec.limits, workers=arguments.workers or spec.limits.workers)
    oversubscribe = spec.oversubscribe or arguments.oversubscribe
    warn_of_capacity(replace(spec, limits=limits, oversubscribe=oversubscribe))
    return campaign


def supervise(campaign: Path, *, workers: int | None, skip_missing: bool, as_json: bool) -> int:
    """Be the campaign's engine until nothing is left to do, and print the outcome.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    workers : int or None
        Runs at once; the spec's when None.
    skip_missing : bool
        Whether methods that are not installed are left out.
    as_json : bool
        Whether to print the outcome as JSON.

    Returns
    -------
    int
        0 when all runs ended well, 1 when some failed or the campaign was interrupted.
    """
    from engine.running import reader, records, summary

    before = reader.read_campaign(campaign)
    bound = summary.bound_left(before, workers)
    outcome = engine_outcome(campaign, workers=workers, skip_missing=skip_missing, quiet=as_json)
    after = reader.read_campaign(campaign)
    if as_json:
        document = {
            "campaign": str(campaign),
            "bound_s": bound,
            "total_s": round(outcome.seconds, 3),
            "interrupted": outcome.interrupted,
            "damaged": list(outcome.damaged),
            "skipped": list(outcome.skipped),
            "runs": [summary.row(run) for run in after.runs],
        }
        print(json.dumps(document, allow_nan=False))
    else:
        report(after, outcome)
    failed = any(run.status in records.FAILED for run in after.runs)
    return 1 if failed or outcome.interrupted or outcome.skipped else 0


def engine_outcome(campaign: Path, *, workers: int | None, skip_missing: bool, quiet: bool) -> "Outcome":
    """Announce how long a campaign may take, then be its engine.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    workers : int or None
        Runs at once; the spec's when None.
    skip_missing : bool
        Whether methods that are not installed are left out.
    quiet : bool
        Whether standard output is to stay empty; the announcement then goes to standard error.

    Returns
    -------
    Outcome
        What the engine did.
    """
    import asyncio

    from engine.running import durations, executors, reader, summary
    from engine.running.supervisor import Supervisor

    before = reader.read_campaign(campaign)
    left = summary.left(before)
    limits = before.spec.limits
    each = f"{durations.text(limits.budget_s)} + {durations.text(limits.grace_s)} grace"
    announcement = (
        f"{campaign}: {left} of {len(before.runs)} runs to make, "
        f"at most {durations.text(summary.bound_left(before, workers))} beside start-up: "
        f"{left} x ({each}) / {workers or limits.workers} workers"
    )
    print(announcement, file=sys.stderr if quiet else sys.stdout, flush=True)
    terminal = sys.stderr.isatty()
    supervisor = Supervisor(
        campaign,
        executors.make(before.spec),
        workers=workers,
        skip_missing=skip_missing,
        tell=progress_line if terminal else None,
    )
    try:
        return asyncio.run(supervisor.run())
    finally:
        if terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def progress_line(progress: "Progress") -> None:
    """Show on a terminal how far the engine is.

    Parameters
    ----------
    progress : Progress
        Counts and seconds.
    """
    from engine.running import durations

    failed = f", {progress.failed} failed" if progress.failed else ""
    line = (
        f"{progress.ended} of {progress.total} ended{failed}, {progress.running} running, "
        f"{durations.text(progress.seconds)}"
    )
    print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def report(campaign: object, outcome: "Outcome") -> None:
    """Print what became of a campaign.

    Parameters
    ----------
    campaign : Campaign
        The campaign after the engine.
    outcome : Outcome
        What the engine did.
    """
    from arena_tui.commands.run_table import run_table
    from engine.running import durations, reader, summary

    assert isinstance(campaign, reader.Campaign)
    print(run_table(campaign.runs))
    counted = ", ".join(f"{count} {status}" for status, count in summary.counts(campaign).items())
    print(f"{counted}; {durations.text(outcome.seconds)} in all")
    for file in outcome.damaged:
        print(f"damaged and made again: {file} (moved to {campaign.folder / 'damaged'})")
    if outcome.skipped:
        print(f"left out because not installed: {', '.join(outcome.skipped)}")
    if outcome.interrupted:
        print(f"interrupted; resume with: arena-tui run {campaign.folder}")


def detach(campaign: Path, arguments: argparse.Namespace) -> int:
    """Start the engine in the background and return.

    Parameters
    ----------
    campaign : pathlib.Path
        The campaign folder.
    arguments : argparse.Namespace
        The parsed command line.

    Returns
    -------
    int
        0 once the engine owns the campaign; its own exit code when it ended before.
    """
    import subprocess
    import time

    from engine.errors import EngineError
    from engine.running import layout, lease, store

    words = [sys.executable, "-m", "arena_tui", "run", str(campaign)]
    if arguments.workers:
        words += ["--workers", str(arguments.workers)]
    words += ["--skip-missing"] if arguments.skip_missing else []
    words += ["--oversubscribe"] if arguments.oversubscribe else []
    store.make_folder(campaign / layout.CONTROL)
    log = campaign / layout.ENGINE_LOG
    start = log.stat().st_size if log.exists() else 0
    try:
        with log.open("ab") as output:
            engine = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
    except OSError as error:
        raise EngineError(store.disk_sentence(log, error)) from error
    while engine.poll() is None:
        owner = lease.owner(campaign)
        if owner is not None and owner["pid"] == engine.pid:
            break
        time.sleep(0.05)
    code = engine.poll()
    if code == 2:
        told = log.read_bytes()[start:].decode(errors="replace").strip().splitlines()
        print(told[-1] if told else "arena-tui: the engine did not start", file=sys.stderr)
        return 2
    if arguments.json:
        print(json.dumps({"campaign": str(campaign), "engine": engine.pid}))
    else:
        print(
            f"engine {engine.pid} runs {campaign} in the background; "
            f"watch it with: arena-tui monitor {campaign}"
        )
    return 0
