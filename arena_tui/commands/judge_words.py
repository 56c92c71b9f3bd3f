"""The words by which commands choose a judge and bound what it may spend."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.judging.judges import Judge
    from engine.scoring.processing import Simplifier
    from engine.scoring.sa import Arbiter

JUDGES = ("deterministic", "claude")


def add_judge_words(parser: argparse.ArgumentParser) -> None:
    """Add ``--judge`` and the caps of a model judge."""
    parser.add_argument(
        "--judge", choices=JUDGES, default="deterministic", help="who judges pairs (default: %(default)s)"
    )
    group = parser.add_argument_group("a model judge")
    group.add_argument("--model", metavar="NAME", help="model id (default: claude-opus-5)")
    group.add_argument("--base-url", metavar="URL", help="server of the model, when not the vendor's own")
    group.add_argument("--max-cost", type=float, metavar="DOLLARS", help="stop before this much is spent")
    group.add_argument("--max-calls", type=int, metavar="N", help="stop before this many calls")
    group.add_argument("--no-batch", action="store_true", help="ask one by one instead of in Message Batches")
    parser.add_argument(
        "--sa",
        choices=("deterministic", "votes"),
        help="decide symbolic accuracy as well: offline, or by ten votes of a model at --base-url",
    )
    group.add_argument("--estimate", action="store_true", help="print what judging would cost, and stop")


def chosen_arbiter(arguments: argparse.Namespace, campaign: Path) -> "Arbiter | None":
    """Return who decides symbolic accuracy, or None when nobody was asked to.

    Parameters
    ----------
    arguments : argparse.Namespace
        Parsed words of `add_judge_words`.
    campaign : Path
        Whose judgments folder keeps the raw votes.

    Returns
    -------
    Arbiter or None
    """
    if arguments.sa is None:
        return None
    from engine.judging.records import FOLDER
    from engine.models.caps import Caps, Ledger, spent_before
    from engine.models.client import Client
    from engine.models.journal import Journal, lines
    from engine.models.request import JUDGE_MODEL, Endpoint
    from engine.scoring.sa import DeterministicArbiter, VotingArbiter

    if arguments.sa == "deterministic":
        return DeterministicArbiter()
    model = arguments.model or JUDGE_MODEL
    endpoint = Endpoint("claude" if model.startswith("claude") else "openai", model, arguments.base_url)
    journal = Journal(campaign / FOLDER / "votes.jsonl")
    caps = Caps(calls=arguments.max_calls, cost=arguments.max_cost)
    return VotingArbiter(
        Client(endpoint, Ledger(caps, endpoint.price, spent_before(lines(journal.path))), journal)
    )


def chosen_judge(arguments: argparse.Namespace, campaign: Path) -> "tuple[Judge, Simplifier]":
    """Return the judge and the simplifier that the words name.

    Parameters
    ----------
    arguments : argparse.Namespace
        Parsed words of `add_judge_words`.
    campaign : Path
        Whose judgments folder keeps a model's attempts.

    Returns
    -------
    (Judge, Simplifier)
        A model judge simplifies as well, as in the paper.
    """
    from engine.judging.judges import DeterministicJudge
    from engine.scoring.processing import DeterministicSimplifier

    if arguments.judge == "deterministic":
        return DeterministicJudge(), DeterministicSimplifier()
    from engine.judging.claude import claude_judge
    from engine.models.caps import Caps

    caps = Caps(calls=arguments.max_calls, cost=arguments.max_cost)
    return claude_judge(
        campaign, caps, model=arguments.model, base_url=arguments.base_url, batched=not arguments.no_batch
    )
