"""What the steps of ``arena-tui distill`` read: pool and demand; and how to ask for the same again."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.distilling.pool import Pool
    from engine.distilling.problem import Demand


def read_pool(args: argparse.Namespace) -> "Pool":
    """Read responses and facts; settle the source of labels.

    Parameters
    ----------
    args : argparse.Namespace
        With ``options.pool_options``; ``labels`` is filled in where it was left open.

    Returns
    -------
    Pool
        Everything measured about the tasks with responses.
    """
    from engine.distilling import facts, records
    from engine.distilling.pool import build_pool

    responses = records.load_responses(args.responses)
    known = facts.read_facts(args.facts) if args.facts else facts.from_catalogue()
    if args.labels is None:
        own = {fact.id: fact for fact in known}
        published = all(
            (fact := own.get(task)) is None
            or (fact.labels is not None and fact.labels.winner in responses.probes)
            for task in responses.tasks
        )
        args.labels = "published" if published else "computed"
    return build_pool(known, responses, args.labels)


def read_demand(args: argparse.Namespace) -> "Demand":
    """Read what is asked for.

    Parameters
    ----------
    args : argparse.Namespace
        With ``options.demand_options``.

    Returns
    -------
    Demand
        With checked weights.
    """
    from engine.distilling.manifest import read_members
    from engine.distilling.problem import Demand, check_weights

    within = None if args.within is None else read_members(args.within)
    return Demand(args.size, check_weights(args.weights), args.fidelity, within, args.without)


def sources(args: argparse.Namespace) -> dict[str, str]:
    """Digest the input files.

    Parameters
    ----------
    args : argparse.Namespace
        With ``options.pool_options``.

    Returns
    -------
    dict of str to str
        SHA-256 by file name; a campaign's folder has none.
    """
    from engine.distilling.tables import digest

    paths = [path for path in (args.responses, args.facts) if path is not None and path.is_file()]
    return {path.name: digest(path) for path in paths}


def keep_study(kind: str, word: str, document: "Mapping[str, Any]") -> None:
    """Keep a study beside the manifest, when it is about a distilled ``@NAME``.

    Parameters
    ----------
    kind : str
        ``compared`` or ``weighed``.
    word : str
        The selection as it was named.
    document : mapping
        With ``members_sha256``.
    """
    from engine.distilling import manifest

    name = word.removeprefix("@")
    if word.startswith("@") and name in manifest.kept():
        manifest.keep_study(kind, name, document)


def core_words(args: argparse.Namespace, name: str) -> list[str]:
    """Write the words after ``arena-tui`` that ask for the same core again, from any folder.

    Parameters
    ----------
    args : argparse.Namespace
        Of ``distill core``.
    name : str
        Under which it was saved.

    Returns
    -------
    list of str
        Everything that the answer depends on, defaults included.
    """
    within = args.within
    if within is not None and not within.startswith("@"):
        within = str(Path(within).resolve())
    pairs = (
        ("responses", args.responses.resolve()),
        ("facts", args.facts and args.facts.resolve()),
        ("labels", args.labels),
        ("size", args.size),
        ("weights", ",".join(f"{weight:g}" for weight in args.weights)),
        ("fidelity", "off" if args.fidelity is None else f"{args.fidelity:g}"),
        ("within", within),
        ("without", ",".join(args.without) or None),
        ("solver", args.solver),
        ("time", f"{args.time:g}s"),
        ("seed", args.seed),
        ("name", name),
    )
    return [
        "distill",
        "core",
        *(word for key, value in pairs if value is not None for word in (f"--{key}", str(value))),
    ]
