"""``arena-tui distill``: calibration tasks, probe panels, core sets and what stands behind them."""

import argparse
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.commands import distill_compare
from arena_tui.commands import distill_inputs as inputs
from arena_tui.commands import distill_options as options

if TYPE_CHECKING:
    from engine.distilling.progress import Progress

# Time for the default-weight selection that `sensitivity` compares with when none is given.
DEFAULT_SET_S = 30.0


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, line: str) -> None:
    """Add the group to the command line.

    Parameters
    ----------
    commands : argparse subparsers
        Where to.
    name, line : str
        The group's name and its line of help.
    """
    group = commands.add_parser(name, help=line, description=__doc__)
    steps = group.add_subparsers(dest="step", metavar="STEP", required=True)
    _calibrate_parser(steps)
    _probes_parser(steps)
    _core_parser(steps)
    _fidelity_parser(steps)
    _baselines_parser(steps)
    distill_compare.add_step(steps)
    _sensitivity_parser(steps)


def _note(lines: Sequence[str]) -> None:
    for line in lines:
        print(f"arena-tui: note: {line}", file=sys.stderr)


def _calibrate_parser(steps: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = options.step(steps, "calibrate", "mine calibration tasks from two probes' runs", calibrate)
    parser.add_argument("--records", type=Path, required=True, metavar="FILE|CAMPAIGN")
    parser.add_argument("--probes", type=options.words, default=("pysr", "llmsr"), metavar="FIRST,SECOND")
    parser.add_argument("--high", type=int, default=140, help="tasks of highest disagreement (140)")
    parser.add_argument("--one-sided", type=int, default=20, help="tasks that one probe alone solves (20)")
    parser.add_argument("--moderate", type=int, default=40, help="tasks of moderate disagreement (40)")
    parser.add_argument("--name", help="save the set as @NAME")


def calibrate(args: argparse.Namespace) -> int:
    """Mine calibration tasks (appendix C.1)."""
    from arena_tui.commands import distill_probes_report as report
    from engine.distilling.calibration import Sizes, mine
    from engine.distilling.records import read_records
    from engine.errors import EngineError

    if len(args.probes) != 2:
        raise EngineError(f"--probes takes two labels, not {len(args.probes)}")
    if min(args.high, args.one_sided, args.moderate) < 0:
        raise EngineError("group sizes must be at least 0")
    sizes = Sizes(args.high, args.one_sided, args.moderate)
    found = mine(read_records(args.records), args.probes[0], args.probes[1], sizes)
    if args.name:
        from tasks import selections

        selections.save(args.name, sorted(member.task for member in found.members))
    document = report.calibration(found)
    return options.give(args, document, document["members"], report.calibration_text(document))


def _probes_parser(steps: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = options.step(
        steps, "probes", "choose a panel of four probes, exactly, and show how stable it is", probes
    )
    parser.add_argument("--records", type=Path, required=True, metavar="FILE|CAMPAIGN")
    parser.add_argument("--paradigms", type=int, default=3, help="least number of primary paradigms (3)")
    parser.add_argument(
        "--paradigm", action="append", default=[], metavar="LABEL=NAME", help="a candidate's primary paradigm"
    )
    parser.add_argument("--replicates", type=int, default=1000, help="bootstrap replicates (1000)")
    parser.add_argument("--seed", type=int, default=0)


def probes(args: argparse.Namespace) -> int:
    """Choose probes (appendix C.2, F.1)."""
    from arena_tui.commands import distill_probes_report as report
    from engine.distilling import panel_stability as stability
    from engine.distilling import panels, usability
    from engine.distilling.records import read_records
    from engine.errors import EngineError

    odd = [word for word in args.paradigm if "=" not in word]
    if odd:
        raise EngineError(f"--paradigm {odd[0]}: write LABEL=NAME")
    candidates = usability.gather(read_records(args.records))
    own = dict(word.split("=", 1) for word in args.paradigm)
    paradigms = panels.paradigms_of(candidates.methods, own)
    H = usability.usability(candidates)
    ranking = panels.rank_panels(H, paradigms, least=args.paradigms)
    best = ranking.panels[0]
    members = frozenset(best.members)
    # Stability is asked of the paper's rule, three paradigms; another rule gets the ranking alone.
    standard = args.paradigms == panels.LEAST_PARADIGMS
    document = report.panels(
        candidates,
        H,
        paradigms,
        ranking,
        stability.bootstrap(candidates, paradigms, members, args.seed, args.replicates) if standard else None,
        stability.grid(candidates, paradigms, members) if standard else (),
        stability.replacements(candidates, paradigms, best) if standard else (),
        stability.coverage(H, paradigms),
    )
    return options.give(args, document, document["panels"], report.panels_text(document))


def _core_parser(steps: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = options.step(steps, "core", "select a core set with a proven bound, and save it as @NAME", core)
    options.pool_options(parser)
    options.demand_options(parser)
    options.solver_options(parser)
    parser.add_argument("--name", help="name of the saved selection (distilledSIZE)")
    # What the console watches: one JSON line on stderr for every step.
    parser.add_argument("--progress", action="store_true", help=argparse.SUPPRESS)


def core(args: argparse.Namespace) -> int:
    """Select a core set (appendix C.3)."""
    from arena_tui.commands import distill_report as report
    from engine.distilling import manifest
    from engine.distilling.clashes import ClashError
    from engine.distilling.fidelity import random_reference
    from engine.distilling.problem import pose
    from engine.distilling.selection import select, select_until

    name = args.name or f"distilled{args.size}"
    manifest.check_name(name)
    pool = inputs.read_pool(args)
    problem = pose(pool, inputs.read_demand(args))
    how = {"solver": args.solver, "seconds": args.time, "seed": args.seed}
    enough = threading.Event()
    try:
        if args.progress:
            listen(enough)
            selection = select_until(problem, enough, watch=_stream, **how)
        else:
            selection = select(problem, watch=_show if sys.stderr.isatty() else None, **how)
    except ClashError as error:
        if args.progress:
            told = {"clash": error.clash.names, "kinds": error.clash.kinds}
            print(json.dumps(told), file=sys.stderr, flush=True)
        raise
    _note(selection.notes)
    reference = random_reference(pool.responses, args.size)
    document = manifest.core_document(problem, selection, reference, inputs.sources(args))
    if args.facts is None:
        manifest.keep(name, {**document, "command": inputs.core_words(args, name)})
        document["saved_as"] = f"@{name}"
    else:
        document["saved_as"] = None
        if args.name:
            _note([f"@{args.name} was not saved: its tasks come from --facts and are not in the catalogue"])
    code = options.give(args, document, document["tasks"], report.core_text(document))
    if enough.is_set():
        # The search goes on in threads of its own, which nothing but the end of the process ends.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def listen(enough: threading.Event) -> None:
    """Set an event when the line ``enough`` comes in on stdin."""

    def read() -> None:
        # Not sys.stdin: a reader that waits in its buffer would break the interpreter's shutdown.
        heard = b""
        try:
            while part := os.read(0, 64):
                heard += part
                if b"enough\n" in heard:
                    enough.set()
                    return
        except OSError:
            # There is no stdin: nobody will say so.
            return

    threading.Thread(target=read, name="core-listener", daemon=True).start()


def _show(progress: "Progress") -> None:
    incumbent = "-" if progress.incumbent is None else f"{progress.incumbent:.6f}"
    bound = "-" if progress.bound is None else f"{progress.bound:.6f}"
    gap = "-" if progress.gap is None else f"{progress.gap:.3%}"
    print(
        f"{progress.seconds:7.1f} s  J {incumbent}  bound {bound}  gap {gap}  {progress.phase}",
        file=sys.stderr,
    )


def _stream(progress: "Progress") -> None:
    names = ("seconds", "phase", "incumbent", "bound")
    told = {name: getattr(progress, name) for name in names}
    print(json.dumps(told, allow_nan=False), file=sys.stderr, flush=True)


def _fidelity_parser(steps: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = options.step(steps, "fidelity", "measure how faithfully members stand for the pool", fidelity)
    options.pool_options(parser)
    parser.add_argument("--members", metavar="FILE|@NAME", default="@core50", help="the selection (@core50)")
    parser.add_argument(
        "--scores",
        type=Path,
        metavar="FILE",
        help="table of method, full, subset: any methods' scores at both scales",
    )
    parser.add_argument(
        "--leave-one-out", action="store_true", help="also select with one probe left out, for every probe"
    )
    options.solver_options(parser)
    parser.add_argument(
        "--fidelity", type=options.delta, default=0.05, metavar="DELTA|off", help=argparse.SUPPRESS
    )
    parser.add_argument("--seed", type=int, default=0)


def fidelity(args: argparse.Namespace) -> int:
    """Measure fidelity (appendix C.4)."""
    from arena_tui.commands import distill_report as report
    from engine.distilling.fidelity import PENALTIES, agreement, random_reference
    from engine.distilling.fidelity import fidelity as measure
    from engine.distilling.held_out import HeldOut, leave_one_out
    from engine.distilling.manifest import read_members
    from engine.distilling.problem import Demand
    from engine.distilling.tables import read_table, require_columns

    pool = inputs.read_pool(args)
    members = read_members(args.members)
    rows = pool.places(members)
    measured = [measure(pool.responses, rows, penalty) for penalty in PENALTIES]
    reference = random_reference(pool.responses, len(rows))
    standard = measure(pool.responses, rows)
    orders = {"probes": agreement(standard.full, standard.subset)}
    if args.scores is not None:
        scores = read_table(args.scores)
        require_columns(scores, ("method", "full", "subset"), args.scores.name)
        orders["scores"] = agreement(list(scores["full"]), list(scores["subset"]))
    held: tuple[HeldOut, ...] = ()
    if args.leave_one_out:
        told = _tell_probe if sys.stderr.isatty() else None
        held = leave_one_out(
            pool.facts,
            pool.responses,
            Demand(len(rows), delta=args.fidelity),
            {args.members: members},
            solver=args.solver,
            seconds=args.time,
            seed=args.seed,
            watch=told,
        )
    document = report.fidelity(args.members, len(rows), standard, measured, reference, orders, held)
    return options.give(args, document, document["penalties"], report.fidelity_text(document))


def _tell_probe(probe: str) -> None:
    print(f"leaving out {probe}", file=sys.stderr)


def _baselines_parser(steps: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = options.step(
        steps, "baselines", "measure other selectors beside a core (table 6, figure 2)", baselines
    )
    options.pool_options(parser)
    parser.add_argument(
        "--members", metavar="FILE|@NAME", action="append", help="selections to measure beside (@core50)"
    )
    parser.add_argument("--size", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--figure", type=Path, metavar="FILE.svg", help="draw figure 2 (.svg, .pdf or .png)")


def baselines(args: argparse.Namespace) -> int:
    """Compare selectors (appendix C.4)."""
    from arena_tui.commands import distill_report as report
    from engine.distilling.baselines import measure_selectors
    from engine.distilling.fidelity import fidelity as measure
    from engine.distilling.manifest import read_members
    from engine.distilling.projection import composition, project
    from engine.errors import EngineError

    pool = inputs.read_pool(args)
    if not 1 <= args.size <= len(pool.ids):
        raise EngineError(f"size {args.size} is not between 1 and the pool's {len(pool.ids)} tasks")
    found = measure_selectors(pool, args.size, args.seed)
    fixed = {word: read_members(word) for word in (args.members or ["@core50"])}
    kept = {
        word: (
            measure(pool.responses, rows := pool.places(members)).mae,
            float(pool.information.info[rows].mean()),
        )
        for word, members in fixed.items()
    }
    shown = {**fixed, **{one.selector: one.members for one in found}}
    document = report.baselines(
        pool, args.size, args.seed, found, fixed, kept, composition(pool, shown), project(pool)
    )
    if args.figure is not None:
        from engine.distilling.figure import draw

        draw(document, args.figure)
    return options.give(args, document, document["selectors"], report.baselines_text(document))


def _sensitivity_parser(steps: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = options.step(steps, "sensitivity", "vary the weights of J (tables 10 to 12)", sensitivity)
    options.pool_options(parser)
    options.demand_options(parser)
    parser.add_argument(
        "--members", metavar="FILE|@NAME", help="the default-weight selection (found when omitted)"
    )
    parser.add_argument("--restarts", type=int, default=30, help="per setting (30, 450 in all)")
    parser.add_argument("--vectors", type=int, default=5000, help="joint weight vectors (5000)")
    parser.add_argument("--progress", action="store_true", help=argparse.SUPPRESS)


def sensitivity(args: argparse.Namespace) -> int:
    """Vary the weights (appendix F.2)."""
    from arena_tui.commands import distill_report as report
    from engine.distilling import sensitivity as study
    from engine.distilling.manifest import WEIGHED, members_digest, read_members
    from engine.distilling.problem import pose
    from engine.distilling.selection import select
    from engine.errors import EngineError

    if args.restarts < 1 or args.vectors < 1:
        raise EngineError("--restarts and --vectors must be at least 1")
    pool = inputs.read_pool(args)
    problem = pose(pool, inputs.read_demand(args))
    if args.members is not None:
        default = pool.places(read_members(args.members))
    else:
        default = select(problem, seconds=DEFAULT_SET_S, seed=args.seed).rows
    told = _stream_restart if args.progress else _tell_restart if sys.stderr.isatty() else None
    restarts = study.restart_all(problem, args.seed, args.restarts, told)
    document = report.sensitivity(
        [pool.ids[row] for row in default],
        study.single_rows(pool, default, restarts),
        study.joint(problem, default, restarts, args.seed, args.vectors),
        args.seed,
    )
    document["members_sha256"] = members_digest(sorted(document["default"]))
    if args.members is not None:
        inputs.keep_study(WEIGHED, args.members, document)
    return options.give(args, document, document["single"], report.sensitivity_text(document))


def _stream_restart(done: int, planned: int) -> None:
    from engine.distilling.progress import Progress

    _stream(Progress(0.0, f"restart {done} of {planned}", None, None))


def _tell_restart(done: int, planned: int) -> None:
    if done % 10 == 0 or done == planned:
        print(f"restart {done} of {planned}", file=sys.stderr)
