"""``arena-tui paired study`` and ``votes``: what is asked of finished paired studies (paper 2, D.4, B.2)."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_tui.commands.paired_model import add_model, endpoint, source
from arena_tui.commands.paired_show import print_json, progress, show, tell_not_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.reachability.report import Report


def add_study(actions: Any) -> None:  # noqa: ANN401
    """Add ``study`` with its kinds."""
    study = actions.add_parser(
        "study", help="optional studies on finished ones: selection rules, composition (tables 15, 16)"
    )
    kinds = study.add_subparsers(dest="kind", metavar="KIND", required=True)

    pool = kinds.add_parser(
        "pool-selection", help="which rule picks a formula that passes, out of a fixed pool (table 15)"
    )
    pool.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="folders of paired run")
    _add_common(pool)
    pool.set_defaults(run=select)

    composition = kinds.add_parser(
        "composition", help="a model's own composition of its atoms beside the search over them (table 16)"
    )
    composition.add_argument("folder", type=Path, metavar="DIR", help="folder of paired run with an llm arm")
    composition.add_argument("--level", choices=("l1", "l2"), default="l1", help="whose atoms (default l1)")
    _add_common(composition)
    group = add_model(composition, "who composes")
    group.add_argument(
        "--compositions",
        type=Path,
        metavar="FILE",
        help="recorded answers, JSON lines, instead of a model; the word demonstration takes ours, by hand",
    )
    group.add_argument("--answer-timeout", type=float, default=60.0, metavar="SECONDS")
    composition.set_defaults(run=compose)


def add_votes(actions: Any) -> None:  # noqa: ANN401
    """Add ``votes``."""
    votes = actions.add_parser(
        "votes", help="symbolic accuracy by ten votes of a model on every saved formula (B.2)"
    )
    votes.add_argument("folder", type=Path, metavar="DIR", help="folder of paired run or paired knockout")
    votes.add_argument("--arms", help="default all that ran")
    votes.add_argument(
        "--estimate", action="store_true", help="count the votes that would be asked for, and ask for none"
    )
    votes.add_argument("--json", action="store_true")
    add_model(votes, "who votes")
    votes.set_defaults(run=vote)


def add_unsolved(actions: Any) -> None:  # noqa: ANN401
    """Add ``unsolved``."""
    unsolved = actions.add_parser(
        "unsolved", help="tasks that an arm left unsolved, as a list for --tasks (as for table 14)"
    )
    unsolved.add_argument("folder", type=Path, metavar="DIR", help="folder of paired run")
    unsolved.add_argument("--arm", default="bank", help="default bank")
    unsolved.add_argument("--metric", default="acc0.01", help="acc0.01 (default), acc0.001, strict or sa")
    unsolved.add_argument("--seed", type=int, metavar="N", help="in this seed alone; default in every one")
    unsolved.add_argument("--json", action="store_true")
    unsolved.set_defaults(run=list_unsolved)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tasks", action="append", metavar="TASKS", help="only these; default all there")
    parser.add_argument("--domain", help="only tasks of this domain, such as bio_pop_growth")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--workers", type=int, metavar="N", help="processes; default one a core")
    parser.add_argument("--json", action="store_true")


def select(args: argparse.Namespace) -> int:
    """Run or resume the study of selection rules."""
    from engine.reachability.pool_selection import report, run

    run(args.folders, args.out, _ids(args, args.folders), _workers(args), _progress())
    _finish(report(args.out), args)
    return 0


def compose(args: argparse.Namespace) -> int:
    """Run or resume the study of composition."""
    from engine.errors import EngineError
    from engine.reachability.fixed_composition import report, run
    from engine.reachability.sources import DEMONSTRATED_COMPOSITIONS

    recorded = args.compositions
    if recorded == Path("demonstration"):
        recorded = DEMONSTRATED_COMPOSITIONS
    composer = source(args, recorded, "--compositions")
    if composer is None:
        raise EngineError(
            "somebody has to compose: name a model (--model) or a recorded file (--compositions)"
        )
    outcome = run(
        args.folder, args.out, args.level, composer, _ids(args, [args.folder]), _workers(args), _progress()
    )
    tell_not_run((task, seed, "composition", reason) for task, seed, reason in outcome.not_run)
    _finish(report([args.out]), args)
    return 1 if outcome.not_run else 0


def list_unsolved(args: argparse.Namespace) -> int:
    """Print the ids of the tasks that an arm left unsolved."""
    from engine.errors import EngineError
    from engine.reachability.outcomes import METRICS, Outcomes
    from engine.reachability.records import plan, units

    if args.metric not in METRICS:
        raise EngineError(f"--metric {args.metric!r}: the criteria are {', '.join(METRICS)}")
    found = Outcomes(units(args.folder), plan(args.folder))
    if args.arm not in found.arms:
        raise EngineError(f"{args.folder} has no arm {args.arm!r}; its arms are {', '.join(found.arms)}")
    if args.seed is not None and args.seed not in found.seeds:
        raise EngineError(
            f"{args.folder} has no seed {args.seed}; its seeds are {', '.join(map(str, found.seeds))}"
        )
    seeds = found.seeds if args.seed is None else (args.seed,)
    left = found.unsolved(args.arm, args.metric, seeds)
    if args.json:
        print_json({"arm": args.arm, "metric": args.metric, "seeds": list(seeds), "tasks": list(left)})
    else:
        print(",".join(left))
    return 0


def study_report(folders: "Sequence[Path]", kind: str) -> "Report":
    """Return the report of optional studies that were run before.

    Parameters
    ----------
    folders
        Their folders; more than one only for ``composition``.
    kind
        Which study.
    """
    from engine.reachability import fixed_composition, pool_selection

    if kind == fixed_composition.KIND:
        return fixed_composition.report(folders)
    return pool_selection.report(folders[0])


def vote(args: argparse.Namespace) -> int:
    """Ask for the votes that are missing, and show symbolic accuracy by them."""
    from engine.reachability.voting import FOLDER, missing, report, run

    if args.estimate:
        formulas, votes, characters = missing(args.folder, _arms(args))
        found = {"formulas": formulas, "votes": votes, "characters": characters}
        words = f"{votes} votes on {formulas} formulas are missing, {characters} characters of questions"
        print_json(found) if args.json else print(words)
        return 0
    left: tuple[tuple[str, int, str, str], ...] = ()
    if args.model:
        named, caps = endpoint(args)
        left = run(args.folder, named, caps, _arms(args), _progress())
        tell_not_run(left)
        if left and not (args.folder / FOLDER).exists():
            return 1
    made = report(args.folder)
    _written(made, args.folder / "tables")
    show(made, as_json=args.json)
    return 1 if left else 0


def _arms(args: argparse.Namespace) -> list[str] | None:
    return args.arms.split(",") if args.arms else None


def _finish(made: "Report", args: argparse.Namespace) -> None:
    _written(made, args.out / "tables")
    show(made, as_json=args.json)


def _written(made: "Report", folder: Path) -> None:
    from engine.reachability.report import write_files

    write_files(made, folder)


def _ids(args: argparse.Namespace, folders: "Sequence[Path]") -> tuple[str, ...] | None:
    """Return the ids that --tasks and --domain leave, None for all."""
    from engine.reachability.studies import of_domain
    from tasks.selections import resolve

    named = tuple(task.id for task in resolve(args.tasks)) if args.tasks else None
    if args.domain is None:
        return named
    ids = of_domain(folders, args.domain)
    return ids if named is None else tuple(one for one in ids if one in named)


def _workers(args: argparse.Namespace) -> int:
    return int(args.workers or os.cpu_count() or 1)


def _progress() -> Any:  # noqa: ANN401
    return progress if sys.stderr.isatty() else None
