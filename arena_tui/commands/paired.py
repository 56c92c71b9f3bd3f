"""``arena-tui paired``: library reachability, BANK, LLM and UNION candidate pools in pairs (paper 2)."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.reachability.report import Report
    from engine.reachability.sources import Source
    from engine.reachability.study import Outcome, Progress, Study

ARMS = "bank,llm-l1,llm-l2,union-l1,union-l2"
SEEDS = "0,1,2,3"
PIPED_WIDTH = 160  # columns of a table that goes to a file


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
    run.add_argument("--arms", default=ARMS, help=f"default {ARMS}; also stlsq")
    run.add_argument("--library", default="lasr", help="lasr (default), srbench-pysr, poly, or a TOML file")
    run.add_argument("--stop", type=float, metavar="NMSE", help="add no term below this (default 1e-10)")
    _add_search(run)
    source = run.add_argument_group("proposals")
    source.add_argument(
        "--proposals",
        type=Path,
        metavar="FILE",
        help="recorded proposals, JSON lines; the word demonstration takes ours, written by hand",
    )
    source.add_argument("--model", help="model to ask")
    source.add_argument("--base-url", help="OpenAI-compatible server; without it the model is Claude")
    source.add_argument("--key-variable", metavar="NAME", help="environment variable that holds the key")
    source.add_argument("--price", type=float, nargs=2, metavar=("IN", "OUT"), help="$ per million tokens")
    source.add_argument("--max-calls", type=int, metavar="N")
    source.add_argument("--max-tokens", type=int, metavar="N")
    source.add_argument("--max-cost", type=float, metavar="DOLLARS")
    source.add_argument("--answer-timeout", type=float, default=60.0, metavar="SECONDS")
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
        _print_json(
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

    from engine.reachability.greedy import Limits
    from engine.reachability.library_files import load
    from engine.reachability.report import report
    from engine.reachability.study import paired
    from tasks.selections import resolve

    limits = Limits() if args.stop is None else replace(Limits(), stop=args.stop)
    arms = [arm for arm in args.arms.split(",") if arm]
    study = paired(resolve(args.tasks), arms, load(args.library), _seeds(args.seeds), limits)
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

    made = knockout_report(args.folder) if "families" in plan(args.folder) else report(args.folder)
    write_files(made, args.folder / "tables")
    _show(made, as_json=args.json)
    return 0


def compare_studies(args: argparse.Namespace) -> int:
    """Print tables over several studies, or over a study and a campaign."""
    from engine.errors import EngineError
    from engine.reachability.comparisons import against_campaign, backbones

    if (args.campaign is None) != (args.label is None):
        raise EngineError("give --campaign and --label together")
    if args.campaign is None:
        _show(backbones(args.folders), as_json=args.json)
        return 0
    for folder in args.folders:
        _show(against_campaign(folder, args.campaign, args.label), as_json=args.json)
    return 0


def _run(study: "Study", args: argparse.Namespace, source: "Source | None") -> "Outcome":
    from engine.reachability.study import run

    workers = args.workers or os.cpu_count() or 1
    return run(study, args.out, source, workers, _progress if sys.stderr.isatty() else None)


def _progress(now: "Progress") -> None:
    left = "" if now.left_s is None else f", about {_duration(now.left_s)} left"
    print(f"\r\x1b[K{now.done} of {now.total} units ({now.last}){left}", end="", file=sys.stderr, flush=True)
    if now.done == now.total:
        print(file=sys.stderr)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _finish(outcome: "Outcome", made: "Report", args: argparse.Namespace) -> None:
    from engine.reachability.report import write_files

    write_files(made, args.out / "tables")
    for task, seed, level, reason in outcome.not_run[:5]:
        print(f"not run: {level} on {task}, seed {seed}: {reason}", file=sys.stderr)
    if len(outcome.not_run) > 5:
        print(f"not run: {len(outcome.not_run) - 5} more, see proposals.jsonl", file=sys.stderr)
    _show(made, as_json=args.json)


def _source(args: argparse.Namespace) -> "Source | None":
    from engine.errors import EngineError
    from engine.models.caps import Caps
    from engine.models.request import Endpoint
    from engine.reachability.sources import DEMONSTRATION, RecordedSource, model_source

    if args.proposals and args.model:
        raise EngineError(
            "give --proposals or --model, not both: a file is never mixed with a model's answers"
        )
    if args.proposals:
        return RecordedSource(DEMONSTRATION if args.proposals == Path("demonstration") else args.proposals)
    if not args.model:
        return None
    endpoint = Endpoint(
        "openai" if args.base_url else "claude",
        args.model,
        args.base_url,
        args.key_variable,
        tuple(args.price) if args.price else None,
    )
    endpoint.key()
    caps = Caps(args.max_calls, args.max_tokens, args.max_cost)
    return model_source(endpoint, caps, args.out, args.answer_timeout)


def _seeds(text: str) -> tuple[int, ...]:
    from engine.errors import EngineError

    try:
        return tuple(dict.fromkeys(int(word) for word in text.split(",") if word.strip()))
    except ValueError as error:
        raise EngineError(f"--seeds {text!r}: give whole numbers with commas between them") from error


def _show(made: "Report", *, as_json: bool) -> None:
    if as_json:
        tables = {
            table.key: {
                "caption": table.caption,
                "rows": [dict(zip(table.heads, row, strict=True)) for row in table.rows],
            }
            for table in made.tables
        }
        _print_json({"title": made.title, "tables": tables, "notes": list(made.notes)})
        return
    from rich.console import Console
    from rich.table import Table

    console = Console() if sys.stdout.isatty() else Console(width=PIPED_WIDTH)
    console.print(made.title, style="bold", markup=False)
    for table in made.tables:
        shown = Table(*table.heads, title=table.caption, title_justify="left")
        for row in table.rows:
            shown.add_row(*("" if value is None else str(value) for value in row))
        console.print(shown)
    for note in made.notes:
        console.print(note, markup=False)


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False))
