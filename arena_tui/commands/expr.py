"""``arena-tui expr``: evaluate, show, simplify, compare and score single expressions or files of them."""

import argparse
import importlib
from collections.abc import Callable
from typing import Any

ROWS = "JSON Lines; one object a row, one line out per row"
NAMES = "column names in order, comma-separated; read off the expressions when omitted"
DOMAIN = "declared ranges, such as x0=1:5,x1=-1:1"


def _lazily(function: str) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        actions = importlib.import_module("arena_tui.commands.expr_actions")
        code: int = getattr(actions, function)(arguments)
        return code

    return run


def _common(parser: argparse.ArgumentParser, fields: str) -> None:
    parser.add_argument("--features", metavar="NAMES", help=NAMES)
    parser.add_argument("--dialect", default="infix", help="the syntax of the expressions (default: infix)")
    parser.add_argument("--file", metavar="ROWS.jsonl", help=f"{ROWS}: {fields}")
    parser.add_argument("--json", action="store_true", help="JSON instead of text")


def add_parser(commands: Any, name: str, line: str) -> None:  # noqa: ANN401 - argparse's own class is private
    """Add the group's parser with one sub-command per action."""
    group = commands.add_parser(name, help=line, description=line)
    actions = group.add_subparsers(dest="action", metavar="ACTION", required=True)

    evaluate = actions.add_parser("eval", help="values at a point, or for every row of a table")
    evaluate.add_argument("expression", nargs="?", metavar="EXPR")
    _common(evaluate, '{"expression", "at": {name: value}}')
    evaluate.add_argument("--at", metavar="x0=1,x1=2", help="the point")
    evaluate.add_argument("--data", metavar="TABLE", help="a CSV, TSV, Parquet or npz file with the columns")
    evaluate.set_defaults(run=_lazily("evaluated"))

    show = actions.add_parser("show", help="an expression in every form, with its complexity")
    show.add_argument("expression", nargs="?", metavar="EXPR")
    _common(show, '{"expression"}')
    show.set_defaults(run=_lazily("shown"))

    simplify = actions.add_parser("simplify", help="the shortest equal form found within the limit")
    simplify.add_argument("expression", nargs="?", metavar="EXPR")
    _common(simplify, '{"expression"}')
    simplify.add_argument("--domain", metavar="RANGES", help=DOMAIN)
    simplify.add_argument("--seconds", type=float, default=2.0, metavar="S", help="hard limit (default: 2)")
    simplify.set_defaults(run=_lazily("simplified"))

    compare = actions.add_parser("compare", help="whether two expressions are equivalent, and how alike")
    compare.add_argument("a", nargs="?", metavar="A")
    compare.add_argument("b", nargs="?", metavar="B")
    _common(compare, '{"a", "b"}')
    compare.add_argument("--domain", metavar="RANGES", help=DOMAIN)
    compare.set_defaults(run=_lazily("compared"))

    score = actions.add_parser("score", help="SYM and MIN of a prediction against a truth")
    score.add_argument("truth", nargs="?", metavar="TRUTH")
    score.add_argument("prediction", nargs="?", metavar="PREDICTION")
    _common(score, '{"truth", "prediction"}, and "features", "domain" if known')
    score.add_argument("--domain", metavar="RANGES", help=DOMAIN)
    score.add_argument(
        "--simplify", action="store_true", help="simplify both first, as a campaign's scoring does"
    )
    score.set_defaults(run=_lazily("scored"))
