"""``arena-tui score``: the six axes of a campaign."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.commands.judge_words import add_judge_words, chosen_arbiter, chosen_judge

if TYPE_CHECKING:
    from engine.scoring.campaign import Scores
    from engine.scoring.rows import RunScore, TaskScore


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
        description="Score a campaign on ID, OOD, SYM, MIN, EFF and STAB. What was judged before is reused; "
        "the tables are kept below the campaign for export and the console.",
    )
    parser.add_argument("campaign", metavar="DIR", help="a campaign folder")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON document")
    parser.add_argument(
        "--with-published", action="store_true", help="show the paper's rows beside yours, marked"
    )
    parser.add_argument("--compare", action="store_true", help="add paired comparisons of the methods")
    add_judge_words(parser)
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
        0.
    """
    from engine.scoring import axes, export, report, writers
    from engine.scoring.numeric import DEFINITION

    if arguments.estimate:
        return estimate_judging(arguments)
    scores = scored(arguments)
    if arguments.json:
        print(json.dumps(export.document(scores), allow_nan=False))
        return 0
    for condition in dict.fromkeys(method.condition for method in scores.methods):
        print(writers.text(report.profile(scores, condition, with_published=arguments.with_published)))
        print()
    ranked = report.ranking(scores)
    if ranked is not None:
        print(writers.text(ranked))
        print()
    noise = report.noise(scores, with_published=arguments.with_published)
    if noise is not None:
        print(writers.text(noise))
        print()
    print(writers.text(report.rates(scores)))
    if arguments.compare:
        compared = report.comparisons(scores)
        print()
        print(
            writers.text(compared)
            if compared.rows
            else "nothing to compare: fewer than two methods share a task"
        )
    correlated = {
        pair: value for pair, value in axes.correlations(scores.methods).items() if value is not None
    }
    if correlated:
        print()
        print("Spearman across methods: " + ", ".join(f"{a}-{b} {v:.2f}" for (a, b), v in correlated.items()))
    print()
    print(f"judge: {scores.judge}; {DEFINITION}")
    for note in [*scores.notes, *_run_notes(scores.runs), *_task_notes(scores.tasks)]:
        print(f"note: {note}")
    return 0


def scored(arguments: argparse.Namespace) -> "Scores":
    """Score a campaign as the words of the command say, and keep its tables.

    Parameters
    ----------
    arguments : argparse.Namespace
        ``campaign`` and the words of `add_judge_words`.

    Returns
    -------
    Scores
        What was judged before is reused.
    """
    from engine.scoring import tables
    from engine.scoring.campaign import score

    folder = Path(arguments.campaign)
    judge, simplifier = chosen_judge(arguments, folder)
    scores = score(
        folder,
        judge=judge,
        simplifier=simplifier,
        arbiter=chosen_arbiter(arguments, folder),
        progress=progress_line(),
    )
    tables.save(scores)
    return scores


def progress_line() -> "ProgressLine":
    """Return a progress callback that writes on stderr, and only on a terminal."""
    return ProgressLine(sys.stderr.isatty())


class ProgressLine:
    """Overwrites one line of stderr with the stage and how far it is."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show one step."""
        if self._shown:
            end = "\n" if done == total else ""
            print(f"\r{stage}: {done} of {total}   ", end=end, file=sys.stderr, flush=True)


def _run_notes(runs: "tuple[RunScore, ...]") -> list[str]:
    from collections import Counter

    counted = Counter(note for run in runs for note in run.notes)
    return [f"{note}: {count} of {len(runs)} runs" for note, count in sorted(counted.items())]


def _task_notes(tasks: "tuple[TaskScore, ...]") -> list[str]:
    """Name the groups of repeated runs whose pair verdicts contradict each other (paper 1, E.5)."""
    return [
        f"{task.label}/{task.task} ({task.condition}): "
        f"{len(task.intransitive)} contradicting triples of pair verdicts"
        for task in tasks
        if task.intransitive
    ]


def estimate_judging(arguments: argparse.Namespace) -> int:
    """Print what a model judge would cost at most, without asking it.

    Parameters
    ----------
    arguments : argparse.Namespace
        ``campaign``, ``json`` and the words of `add_judge_words`.

    Returns
    -------
    int
        0.
    """
    from engine.judging.claude import estimate
    from engine.scoring.work import work_of

    found = estimate(work_of(Path(arguments.campaign)), model=arguments.model, batched=not arguments.no_batch)
    print(json.dumps(found, allow_nan=False) if arguments.json else found["sentence"])
    return 0
