"""Options of ``arena-tui paired`` that say who answers: a model, or a recorded file."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.models.caps import Caps
    from engine.models.request import Endpoint
    from engine.reachability.sources import Source


def add_model(parser: argparse.ArgumentParser, title: str) -> argparse._ArgumentGroup:
    """Add the options of a model, its prices and its caps."""
    group = parser.add_argument_group(title)
    group.add_argument("--model", help="model to ask")
    group.add_argument("--base-url", help="OpenAI-compatible server; without it the model is Claude")
    group.add_argument("--key-variable", metavar="NAME", help="environment variable that holds the key")
    group.add_argument("--price", type=float, nargs=2, metavar=("IN", "OUT"), help="$ per million tokens")
    group.add_argument("--max-calls", type=int, metavar="N")
    group.add_argument("--max-tokens", type=int, metavar="N")
    group.add_argument("--max-cost", type=float, metavar="DOLLARS")
    return group


def endpoint(args: argparse.Namespace) -> "tuple[Endpoint, Caps]":
    """Return the model that the options name, its key checked, and the caps on its use."""
    from engine.models.caps import Caps
    from engine.models.request import Endpoint

    named = Endpoint(
        "openai" if args.base_url else "claude",
        args.model,
        args.base_url,
        args.key_variable,
        tuple(args.price) if args.price else None,
    )
    named.key()
    return named, Caps(args.max_calls, args.max_tokens, args.max_cost)


def source(args: argparse.Namespace, recorded: Path | None, word: str) -> "Source | None":
    """Return who answers; None when the options name nobody.

    Parameters
    ----------
    args
        Options of `add_model`, with ``out`` and ``answer_timeout``.
    recorded
        Recorded file, if one was named.
    word
        The option that names it.
    """
    from engine.errors import EngineError
    from engine.reachability.sources import RecordedSource, model_source

    if recorded and args.model:
        raise EngineError(f"give {word} or --model, not both: a file is never mixed with a model's answers")
    if recorded:
        return RecordedSource(recorded)
    if not args.model:
        return None
    named, caps = endpoint(args)
    return model_source(named, caps, args.out, args.answer_timeout)
