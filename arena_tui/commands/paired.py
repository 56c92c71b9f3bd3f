"""``arena-tui paired``: library reachability, BANK, LLM and UNION candidate pools in pairs (paper 2)."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_tui.commands.paired_model import add_model, source
from arena_tui.commands.paired_show import print_json, progress, show, tell_not_run
from arena_tui.commands.paired_study import add_study, add_unsolved, add_votes, study_report

if TYPE_CHECKING:
    from engine.reachability.gp import Budget
    from engine.reachability.report import Report
    from engine.reachability.sources import Source
    from engine.reachability.study import Outcome, Study

ARMS = "bank,llm-l1,llm-l2,union-l1,union-l2"
SEEDS = "0,1,2,3"


def add_parser(commands: Any, name: str, line: str) -> None:  # noqa: ANN401
    """Add the group's parser with one sub-command per action."""
    group = commands.add_parser(name, help=line, description=line)
    actions = group.add_subparsers(dest="action", metavar="ACTION", required=True)

    library = actions.add_parser("library", help="list a library's candidates")
    library.add_argument("library", metavar="LIBRARY", help="lasr, srbench-pysr, poly, or a TOML file")
    library.add_argument("--variables", type=int, required=True, metavar="N")
    library.add_argument("--json", action="store_true")
    library.set_defaults(run=list_library)

    run = actions.add_parser("run", help="search every arm on every task and seed; run again to resume")
    run.add_argument("--tasks", required=True, action="append", metavar="TASKS", help="ids, names, @sets")
    run.add_argument("--arms", default=ARMS, help=f"default {ARMS}; also stlsq, gp-gplearn, gp-pyoperon")
    run.add_argument("--library", default="lasr", help="lasr (default), srbench-pysr, poly, or a TOML file")
    run.add_argument("--stop", type=float, metavar="NMSE", help="add no term below this (default 1e-10)")
    run.add_argument(
        "--gp-budget", type=float, metavar="SECONDS", help="search time of each unit of a GP arm (default 60)"
    )
    run.add_argument(
        "--gp-evaluations",
        type=int,
        metavar="N",
        help="evaluations after which a GP arm's unit ends by itself",
    )
    _add_search(run)
    group = add_model(run, "who proposes")
    group.add_argument(
        "--proposals",
        type=Path,
        metavar="FILE",
        help="recorded proposals, JSON lines, instead of a model; the word demonstration takes ours, "
        "written by hand",
    )
    group.add_argument("--answer-timeout", type=float, default=60.0, metavar="SECONDS")
    run.set_defaults(run=run_study)

    knockout = actions.add_parser("knockout", help="matched operator-family knockouts")
    knockout.add_argument("--tasks", action="append", metavar="TASKS", help="default @lsr-synth")
    knockout.add_argument("--library", default="lasr")
    _add_search(knockout)
    knockout.set_defaults(run=run_knockout)

    report = actions.add_parser("report", help="tables of a study, finished or not")
    report.add_argument("folder", type=Path, metavar="DIR")
    report.add_argument("--json", action="store_true")
    report.set_defaults(run=show_report)

    compare = actions.add_parser(
        "compare", help="studies by their models, or BANK beside a campaign's method"
    )
    compare.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="folders of paired run")
    compare.add_argument(
        "--campaign", type=Path, metavar="DIR", help="campaign whose method stands beside BANK"
    )
    compare.add_argument("--label", metavar="LABEL", help="the method's label in it, such as pyoperon")
    compare.add_argument("--json", action="store_true")
    compare.set_defaults(run=compare_studies)

    add_study(actions)
    add_votes(actions)
    add_unsolved(actions)


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", default=SEEDS, help=f"default {SEEDS}")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--workers", type=int, metavar="N", help="processes; default one a core")
    parser.add_argument("--json", action="store_true")


def list_library(args: argparse.Namespace) -> int:
    """Print the candidates of a library."""
    from engine.errors import EngineError
    from engine.reachability.libraries import expand, fitted
    from engine.reachability.library_files import load

    if args.variables < 1:
        raise EngineError(f"--variables {args.variables}: a task has at least one variable")
    found = load(args.library)
    texts = expand(found, args.variables)
    if args.json:
        print_json(
            {
                "library": found.name,
                "title": found.title,
                "variables": args.variables,
                "count": len(texts),
                "fitted": len(fitted(texts)),
                "candidates": list(texts),
            }
        )
        return 0
    twins = len(texts) - len(fitted(texts))
    print(f"{found.title}, {args.variables} variables: {len(texts)} candidates ({twins} commutative twins)")
    for text in texts:
        print(f"  {text}")
    return 0


def run_study(args: argparse.Namespace) -> int:
    """Run or resume a paired study."""
    from dataclasses import replace

    from engine.errors import EngineError
    from engine.reachability.greedy import Limits
    from engine.reachability.library_files import load
    from engine.reachability.report import report
    from engine.reachability.study import paired
    from tasks.selections import resolve

    if args.stop is not None and not 0.0 <= args.stop < float("inf"):
        raise EngineError(f"--stop {args.stop:g}: give an NMSE of 0 or more, such as 1e-20")
    limits = Limits() if args.stop is None else replace(Limits(), stop=args.stop)
    arms = [arm for arm in args.arms.split(",") if arm]
    study = paired(
        resolve(args.tasks), arms, load(args.library), _seeds(args.seeds), limits, _gp_budget(args)
    )
    outcome = _run(study, args, _source(args))
    _finish(outcome, report(args.out), args)
    return 1 if outcome.not_run else 0


def run_knockout(args: argparse.Namespace) -> int:
    """Run or resume the matched knockouts."""
    from engine.errors import EngineError
    from engine.reachability.knockout import diagnostic_tasks, knockout_report
    from engine.reachability.library_files import load
    from engine.reachability.study import knocked_out
    from tasks.selections import resolve

    chosen = diagnostic_tasks(resolve(args.tasks or ["@lsr-synth"]))
    if not chosen:
        raise EngineError("no task here has exactly one operator family; choose other tasks")
    study = knocked_out(chosen, load(args.library), _seeds(args.seeds))
    outcome = _run(study, args, None)
    _finish(outcome, knockout_report(args.out), args)
    return 0


def show_report(args: argparse.Namespace) -> int:
    """Print the tables of a study and write them as Parquet and LaTeX."""
    from engine.reachability.knockout import knockout_report
    from engine.reachability.records import plan
    from engine.reachability.report import report, write_files
    from engine.reachability.studies import kind_of

    kind = kind_of(args.folder)
    if kind is not None:
        made = study_report([args.folder], kind)
    else:
        made = knockout_report(args.folder) if "families" in plan(args.folder) else report(args.folder)
    write_files(made, args.folder / "tables")
    show(made, as_json=args.json)
    return 0


def compare_studies(args: argparse.Namespace) -> int:
    """Print tables over several studies, or over a study and a campaign."""
    from engine.errors import EngineError
    from engine.reachability.comparisons import against_campaign, backbones
    from engine.reachability.studies import kind_of

    if (args.campaign is None) != (args.label is None):
        raise EngineError("give --campaign and --label together")
    if args.campaign is None and {kind_of(folder) for folder in args.folders} == {"composition"}:
        show(study_report(args.folders, "composition"), as_json=args.json)
        return 0
    if args.campaign is None:
        show(backbones(args.folders), as_json=args.json)
        return 0
    for folder in args.folders:
        show(against_campaign(folder, args.campaign, args.label), as_json=args.json)
    return 0


def _run(study: "Study", args: argparse.Namespace, source: "Source | None") -> "Outcome":
    from engine.reachability.study import run

    workers = args.workers or os.cpu_count() or 1
    return run(study, args.out, source, workers, progress if sys.stderr.isatty() else None)


def _finish(outcome: "Outcome", made: "Report", args: argparse.Namespace) -> None:
    from engine.reachability.report import write_files

    write_files(made, args.out / "tables")
    tell_not_run(outcome.not_run)
    show(made, as_json=args.json)


def _source(args: argparse.Namespace) -> "Source | None":
    from engine.reachability.sources import DEMONSTRATION

    recorded = DEMONSTRATION if args.proposals == Path("demonstration") else args.proposals
    return source(args, recorded, "--proposals")


def _seeds(text: str) -> tuple[int, ...]:
    from engine.errors import EngineError

    try:
        return tuple(dict.fromkeys(int(word) for word in text.split(",") if word.strip()))
    except ValueError as error:
        raise EngineError(f"--seeds {text!r}: give whole numbers with commas between them") from error


def _gp_budget(args: argparse.Namespace) -> "Budget":
    from engine.errors import EngineError
    from engine.reachability.gp import Budget

    seconds = Budget().seconds if args.gp_budget is None else args.gp_budget
    if not 0.0 < seconds < float("inf"):
        raise EngineError(f"--gp-budget {seconds:g}: give seconds above 0")
    if args.gp_evaluations is not None and args.gp_evaluations < 1:
        raise EngineError(f"--gp-evaluations {args.gp_evaluations}: give at least 1")
    return Budget(seconds, args.gp_evaluations)
