"""How a campaign's flags are read from the command line."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.running.drafts import Draft
    from engine.running.spec import MethodEntry


def add_campaign_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that describe a campaign.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The command's parser.
    """
    what = parser.add_argument_group("what to run")
    what.add_argument("--methods", metavar="NAMES", help="names, or LABEL=NAME; separated by commas")
    what.add_argument("--tasks", metavar="TASKS", help="ids, names, @sets; separated by commas")
    what.add_argument("--seeds", metavar="SEEDS", help="for example 520,521,522")
    what.add_argument(
        "--conditions", metavar="NAMES", help="clean, noise001, noise005 or a sigma; separated by commas"
    )
    what.add_argument(
        "--set", metavar="LABEL.SETTING=VALUE", action="append", default=[], help="change one setting"
    )
    what.add_argument("--preset", help="calibration, construction, fidelity or formal")
    what.add_argument("--semantics", action="store_true", help="tell methods what x0, x1, ... and y mean")
    table = parser.add_argument_group("a table of your own")
    table.add_argument("--data", metavar="FILE", help="CSV, TSV, Parquet or npz")
    table.add_argument("--target", metavar="COLUMN", help="the column to predict")
    table.add_argument("--features", metavar="COLUMNS", help="the columns to use; all others when omitted")
    table.add_argument("--ood", metavar="FILE", help="rows for the out-of-distribution split")
    table.add_argument("--truth", metavar="EXPRESSION", help="the ground truth, when it is known")
    table.add_argument("--name", help="the name of the table's task")
    limits = parser.add_argument_group("limits")
    limits.add_argument("--budget", metavar="TIME", help="per run, for example 20s, 5m, 3h")
    limits.add_argument("--interval", metavar="TIME", help="between checkpoints")
    limits.add_argument("--grace", metavar="TIME", help="between TERM and KILL at the end of the budget")
    limits.add_argument("--startup", metavar="TIME", help="until the fit begins")
    limits.add_argument("--memory", metavar="MIB", type=int, help="cap on a run's memory in MiB")
    limits.add_argument("--workers", metavar="N", type=int, help="runs at once")
    limits.add_argument("--threads", metavar="N", help="threads per run: N, or LABEL=N,...")
    limits.add_argument("--evaluations", metavar="N", help="evaluation limit: N, or LABEL=N,...")
    limits.add_argument("--oversubscribe", action="store_true", help="allow more threads than cores")
    limits.add_argument("--pin", action="store_true", help="bind every run to cores of its own")
    model = parser.add_argument_group(
        "a language model",
        "Needed by llm-sr, drsr and their upstream twins, and refused without it; the engine asks the model, "
        "the method never sees the key.",
    )
    model.add_argument("--model", metavar="NAME", help="model id, for example claude-opus-5")
    model.add_argument("--base-url", metavar="URL", help="OpenAI-compatible server; Claude when omitted")
    model.add_argument(
        "--key-variable",
        metavar="NAME",
        help="environment variable with the key; ANTHROPIC_API_KEY or OPENAI_API_KEY when omitted, "
        "none needed for a server on this machine",
    )
    model.add_argument("--price", nargs=2, type=float, metavar=("IN", "OUT"), help="$ per million tokens")
    model.add_argument("--model-calls", metavar="N", type=int, help="cap on calls of a run")
    model.add_argument("--model-tokens", metavar="N", type=int, help="cap on tokens of a run")
    model.add_argument("--model-cost", metavar="DOLLARS", type=float, help="cap on the cost of a run")
    slurm = parser.add_argument_group("Slurm")
    slurm.add_argument("--slurm", action="store_true", help="run every keeper as a Slurm job")
    slurm.add_argument(
        "--sbatch",
        metavar="OPTION",
        action="append",
        default=[],
        help="as in --sbatch=--partition=cpu",
    )
    slurm.add_argument("--scratch", metavar="DIR", help="a shared folder for the workers' input")


def split_words(text: str | None) -> tuple[str, ...]:
    """Split a comma list.

    Parameters
    ----------
    text : str or None
        The flag's value.

    Returns
    -------
    tuple of str
        Its words.
    """
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def read_seeds(text: str | None) -> tuple[int, ...] | None:
    """Read ``--seeds``: numbers and ranges such as 520-522.

    Parameters
    ----------
    text : str or None
        The flag's value.

    Returns
    -------
    tuple of int or None
        None when the flag is absent.
    """
    from engine.errors import EngineError

    if text is None:
        return None
    seeds: list[int] = []
    for word in split_words(text):
        first, dash, last = word.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise EngineError(f"the seed {word!r} is no whole number: say for example --seeds 520,521,522")
        seeds += range(int(first), int(last or first) + 1)
    if not seeds:
        raise EngineError("--seeds names no seed: say for example --seeds 520,521,522")
    return tuple(dict.fromkeys(seeds))


def _per_label(text: str | None, flag: str) -> tuple[int | None, dict[str, int]]:
    from engine.errors import EngineError

    common: int | None = None
    own: dict[str, int] = {}
    for word in split_words(text):
        label, equals, value = word.rpartition("=")
        if not value.isdigit() or int(value) < 1:
            raise EngineError(f"{flag} {word!r} must be a positive whole number, or LABEL=N")
        if equals:
            own[label] = int(value)
        else:
            common = int(value)
    return common, own


def method_entries(
    arguments: argparse.Namespace, known: Sequence["MethodEntry"] = ()
) -> tuple["MethodEntry", ...]:
    """Read ``--methods``, ``--set``, ``--threads`` and ``--evaluations``.

    Parameters
    ----------
    arguments : argparse.Namespace
        The parsed command line.
    known : sequence of MethodEntry
        Entries that a spec file names; flags change them.

    Returns
    -------
    tuple of MethodEntry
        In order.
    """
    from dataclasses import replace

    from engine.errors import EngineError
    from engine.running.spec import MethodEntry

    entries = {entry.label: entry for entry in known}
    for word in split_words(arguments.methods):
        label, _, name = word.partition("=")
        if label in entries:
            raise EngineError(
                f"{label} stands twice: give one of them a label, for example --methods a={name or label}"
            )
        entries[label] = MethodEntry(label, name or label, threads=0)
    settings: dict[str, dict[str, object]] = {label: dict(entry.settings) for label, entry in entries.items()}
    for word in arguments.set:
        name, equals, value = word.partition("=")
        label, dot, setting = name.rpartition(".")
        if not equals or not dot:
            raise EngineError(f"--set {word!r} is not LABEL.SETTING=VALUE")
        if label not in settings:
            raise EngineError(
                f"--set {word!r} names no method here: there are {', '.join(settings) or 'none'}"
            )
        settings[label][setting] = value
    _, threads = _per_label(arguments.threads, "--threads")
    limit, limits = _per_label(arguments.evaluations, "--evaluations")
    for flag, own in (("--threads", threads), ("--evaluations", limits)):
        for label in own:
            if label not in entries:
                raise EngineError(
                    f"{flag} names no method here: {label!r}; there are {', '.join(entries) or 'none'}"
                )
    return tuple(
        replace(
            entry,
            settings=settings[label],
            threads=threads.get(label, entry.threads),
            evaluation_limit=limits.get(label, limit if limit is not None else entry.evaluation_limit),
        )
        for label, entry in entries.items()
    )


def draft_of(arguments: argparse.Namespace, base: "Draft | None" = None) -> "Draft":
    """Build a draft from flags, over what a spec file says.

    Parameters
    ----------
    arguments : argparse.Namespace
        The parsed command line.
    base : Draft, optional
        What a spec file says; flags win.

    Returns
    -------
    Draft
        The draft.
    """
    from dataclasses import replace

    from engine.errors import EngineError
    from engine.running.drafts import Draft, Table

    draft = base or Draft()
    if (arguments.data is None) != (arguments.target is None):
        raise EngineError("--data and --target go together: say --data FILE --target COLUMN")
    if arguments.data is None and (arguments.features or arguments.ood or arguments.truth):
        raise EngineError(
            "--features, --ood and --truth describe a table: name it with --data FILE --target COLUMN"
        )
    tables = draft.tables
    if arguments.data is not None:
        features = split_words(arguments.features) or None
        own = Table(
            arguments.data, arguments.target, features, arguments.ood, arguments.truth, arguments.name
        )
        tables = (*tables, own)
    for flag in ("workers", "memory"):
        value = getattr(arguments, flag)
        if value is not None and value < 1:
            raise EngineError(f"--{flag} {value} must be at least 1")
    slurm = {"sbatch": list(arguments.sbatch), "scratch": arguments.scratch or ""}
    told = {
        "name": arguments.model,
        "base_url": arguments.base_url,
        "key_variable": arguments.key_variable,
        "prices": arguments.price,
        "calls": arguments.model_calls,
        "tokens": arguments.model_tokens,
        "cost": arguments.model_cost,
    }
    model = {name: value for name, value in told.items() if value is not None}
    return replace(
        draft,
        model={**draft.model, **model},
        methods=method_entries(arguments, draft.methods),
        tasks=(*draft.tasks, *split_words(arguments.tasks)),
        tables=tables,
        seeds=read_seeds(arguments.seeds) or draft.seeds,
        conditions=split_words(arguments.conditions) or draft.conditions,
        preset=arguments.preset or draft.preset,
        budget=arguments.budget or draft.budget,
        interval=arguments.interval or draft.interval,
        grace=arguments.grace or draft.grace,
        startup=arguments.startup or draft.startup,
        memory_mib=arguments.memory or draft.memory_mib,
        workers=arguments.workers or draft.workers,
        threads=_per_label(arguments.threads, "--threads")[0] or draft.threads,
        semantics=arguments.semantics or draft.semantics,
        oversubscribe=arguments.oversubscribe or draft.oversubscribe,
        pin=arguments.pin or draft.pin,
        executor="slurm" if arguments.slurm else draft.executor,
        executor_settings=slurm if arguments.slurm else draft.executor_settings,
    )
