"""``arena-tui tasks``: list, show, verify, export, count, select and import tasks."""

import argparse
import importlib
from collections.abc import Callable
from typing import Any

SETS = "ids, names, comma lists or @sets such as @core50; all tasks when omitted"


def _lazily(module: str, function: str) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        code: int = getattr(importlib.import_module(f"arena_tui.commands.{module}"), function)(arguments)
        return code

    return run


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--family", help="beginning of the source family, such as srsd")
    parser.add_argument("--subgroup", help="beginning of the subgroup, such as chem_react")
    parser.add_argument("--type", dest="formula_type", help="formula type, such as rational")
    parser.add_argument("--complexity", help="simple, moderate or complex")
    parser.add_argument("--features", metavar="N[-M]", help="feature count or range")
    parser.add_argument("--ood", dest="ood_type", help="beginning of the OOD type, such as later-time")
    parser.add_argument("--constants", help="how constants are known: published, derived, inferred, drawn")
    parser.add_argument("--text", help="text to look for in id, name and formula")
    parser.add_argument(
        "--set", dest="chosen", metavar="NAME", help="full, core50, calibration200, ... or your own"
    )


def add_parser(commands: Any, name: str, line: str) -> None:  # noqa: ANN401
    """Add the group's parser with one sub-command per action."""
    group = commands.add_parser(name, help=line, description=line)
    actions = group.add_subparsers(dest="action", metavar="ACTION", required=True)

    listing = actions.add_parser("list", help="tasks with their facts, one a line")
    listing.add_argument("words", nargs="*", metavar="TASK", help=SETS)
    _filters(listing)
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_lazily("tasks_list", "list_tasks"))

    show = actions.add_parser("show", help="one task: facts, variables, provenance, plots of its splits")
    show.add_argument("task", metavar="TASK", help="id or unique name")
    show.add_argument(
        "--feature", action="append", metavar="NAME", help="plot over this feature; may be repeated"
    )
    show.add_argument("--no-plot", action="store_true", help="facts only")
    show.add_argument("--json", action="store_true")
    show.set_defaults(run=_lazily("tasks_show", "show_task"))

    data = actions.add_parser("data", help="write a task's splits, metadata and formula into a folder")
    data.add_argument("task", metavar="TASK", help="id or unique name")
    data.add_argument("--out", required=True, metavar="DIR", help="a new folder")
    data.add_argument("--as", dest="kind", choices=("csv", "parquet"), default="csv")
    data.add_argument("--max-rows", type=int, metavar="N", help="cap on each test split")
    data.add_argument("--json", action="store_true")
    data.set_defaults(run=_lazily("tasks_show", "write_task"))

    verify = actions.add_parser("verify", help="replay, ranges, digests and duplicates of tasks")
    verify.add_argument("words", nargs="*", metavar="TASK", help="ids, names, comma lists or @sets")
    verify.add_argument("--all", action="store_true", help="the whole Full Task Set")
    verify.add_argument("--workers", type=int, metavar="N", help="processes; all cores when omitted")
    verify.add_argument("--json", action="store_true")
    verify.set_defaults(run=_lazily("tasks_check", "verify_tasks"))

    stats = actions.add_parser("stats", help="composition beside table 4 of the paper")
    stats.add_argument("words", nargs="*", metavar="TASK", help=SETS)
    stats.add_argument(
        "--against",
        metavar="TSV",
        help="published task list with task_id, operator_group and source_return_expression: confusion table",
    )
    stats.add_argument("--json", action="store_true")
    stats.set_defaults(run=_lazily("tasks_list", "count_tasks"))

    select = actions.add_parser("select", help="save a selection of tasks as @NAME")
    select.add_argument("words", nargs="*", metavar="TASK", help=SETS)
    _filters(select)
    select.add_argument("--name", help="usable as @NAME; without it the selections are listed")
    select.add_argument("--json", action="store_true")
    select.set_defaults(run=_lazily("tasks_list", "select_tasks"))

    bring = actions.add_parser("import", help="verify and keep tasks that others released, or your own table")
    bring.add_argument("path", metavar="PATH")
    bring.add_argument(
        "--format", dest="layout", required=True, choices=("arena", "llm-srbench", "srsd", "pmlb", "csv")
    )
    bring.add_argument("--official", action="store_true", help="let the rows stand in for those of our tasks")
    bring.add_argument("--check", action="store_true", help="verify only, keep nothing")
    bring.add_argument("--target", help="csv: the target column")
    bring.add_argument("--use", metavar="COLUMNS", help="csv: feature columns in order, with commas")
    bring.add_argument("--ood-file", metavar="FILE", help="csv: a table of OOD rows")
    bring.add_argument("--truth", metavar="FORMULA", help="csv: the ground truth")
    bring.add_argument("--name", help="csv: the task's name")
    bring.add_argument("--json", action="store_true")
    bring.set_defaults(run=_lazily("tasks_check", "import_tasks"))

    forget = actions.add_parser("forget", help="remove imported tasks")
    forget.add_argument("words", nargs="+", metavar="TASK", help="ids of imported tasks")
    forget.set_defaults(run=_lazily("tasks_check", "forget_tasks"))
