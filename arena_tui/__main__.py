"""The ``arena-tui`` command: finds the command group, hands over, and turns errors into one sentence."""

import argparse
import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

ROOMS = ("engine", "adapters", "tasks")

# name -> (module, one line for --help). Only the named group's module is imported: --help stays instant.
GROUPS: dict[str, tuple[str, str]] = {
    "run": ("arena_tui.commands.run", "start a campaign, or resume one"),
    "status": ("arena_tui.commands.status", "what a campaign has done and is doing"),
    "stop": ("arena_tui.commands.control", "end runs of a campaign now"),
    "retry": ("arena_tui.commands.control", "make another attempt at ended runs"),
    "drain": ("arena_tui.commands.control", "start nothing new and let running runs finish"),
    "merge": ("arena_tui.commands.merge", "copy the runs of one campaign into another"),
    "checkpoints": ("arena_tui.commands.checkpoints", "the trajectories of runs on their minute grid"),
    "monitor": ("arena_tui.commands.console", "open the console on a campaign"),
    "quickstart": ("arena_tui.commands.quickstart", "install two methods and run them on three tasks"),
    "tasks": ("arena_tui.commands.tasks", "list, show, verify, select, import and export tasks"),
    "methods": ("arena_tui.commands.methods", "list, install, check and remove SR methods"),
    "expr": ("arena_tui.commands.expr", "evaluate, show, simplify, compare and score expressions"),
    "score": ("arena_tui.commands.score", "the six axes of a campaign"),
    "results": ("arena_tui.commands.results", "import results that were made elsewhere"),
    "export": ("arena_tui.commands.export", "tables, figures and bundles of a campaign"),
    "distill": ("arena_tui.commands.distill", "calibration tasks, probes and core sets"),
    "paired": ("arena_tui.commands.paired", "BANK, LLM and UNION candidate pools in pairs"),
}


def _parser(command: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="arena-tui",
        description="Evaluate symbolic regression methods: run, watch, score and distill. "
        "Without a command it opens the console.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, (module, line) in GROUPS.items():
        if name == command:
            importlib.import_module(module).add_parser(commands, name, line)
        else:
            commands.add_parser(name, help=line, add_help=False)
    return parser


def _command(arguments: Sequence[str]) -> str | None:
    return next((word for word in arguments if not word.startswith("-")), None)


def foreign_room() -> str | None:
    """Say which of our package names belongs to somebody else on this Python's path.

    Returns
    -------
    str or None
        One sentence for the user, ``None`` when every room is ours.
    """
    ours = Path(__file__).resolve().parents[1]
    for room in ROOMS:
        spec = importlib.util.find_spec(room)
        found = Path(spec.origin).resolve().parents[1] if spec is not None and spec.origin else None
        if found != ours:
            where = f"comes from {found}" if found else "is missing or holds no code"
            return (
                f"the package '{room}' {where}, not from this installation; "
                "install arena-tui in a virtual environment of its own"
            )
    return None


def _steady_output() -> None:
    """Give the same bytes under every locale (UTF-8 into files and pipes), never an error over a letter."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _drop_output() -> None:
    """Forget what standard output cannot take: the interpreter would complain of it once more at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``arena-tui``; ``sys.argv`` when omitted.

    Returns
    -------
    int
        0 when all went well, 1 when some runs failed, 2 when the input cannot be used.
    """
    _steady_output()
    words = list(sys.argv[1:] if arguments is None else arguments)
    parsed = _parser(_command(words)).parse_args(words)
    if parsed.version:
        from importlib.metadata import version

        print(f"arena-tui {version('arena-tui')}")
        return 0
    clash = foreign_room()
    if clash:
        print(f"arena-tui: {clash}", file=sys.stderr)
        return 2
    from adapters.errors import AdapterError
    from engine.errors import EngineError
    from tasks.errors import TaskError

    try:
        if parsed.command is None:
            from arena_tui.commands.console import open_console

            return open_console(None)
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except (TaskError, AdapterError, EngineError) as error:
        print(f"arena-tui: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        # A full disk, missing rights, no more files: whoever met it knew no better sentence.
        _drop_output()
        where = f"{error.filename}: " if error.filename else ""
        print(f"arena-tui: {where}{error.strerror or error}; see to it and try again", file=sys.stderr)
        return 2
    else:
        return code


if __name__ == "__main__":
    sys.exit(main())
