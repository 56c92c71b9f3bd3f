"""``arena-tui monitor``, and the console itself."""

import argparse
import sys
from pathlib import Path
from typing import Any


def add_parser(commands: Any, name: str, line: str) -> None:  # noqa: ANN401 - argparse has no public type for it
    """Add the ``monitor`` command.

    Parameters
    ----------
    commands : argparse subparsers
        Where it is added.
    name : str
        The command's name.
    line : str
        Its line in ``--help``.
    """
    parser = commands.add_parser(name, help=line, description=line)
    parser.add_argument("folder", nargs="?", type=Path, help="a campaign's folder; without it, all campaigns")
    parser.add_argument(
        "--reset-terminal",
        action="store_true",
        help="only bring back a terminal that a killed console left in mouse and alternate-screen mode",
    )
    parser.add_argument(
        "--serve", type=int, metavar="PORT", help="show it in a browser at http://127.0.0.1:PORT instead"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.reset_terminal:
        from arena_tui import terminal

        return terminal.reset()
    if arguments.serve is not None:
        return serve(arguments.folder, arguments.serve)
    return open_console(arguments.folder)


def _checked(folder: Path | None) -> Path | None:
    from tasks.errors import TaskError

    if folder is not None and not (folder / "campaign.toml").is_file():
        raise TaskError(
            f"{folder} holds no campaign.toml; name a campaign's folder, or make one with: arena-tui run"
        )
    return folder.resolve() if folder is not None else None


def serve(folder: Path | None, port: int) -> int:
    """Serve the console to browsers of this machine, a console of its own for each, until interrupted.

    Parameters
    ----------
    folder : pathlib.Path or None
        A campaign to open on the Monitor.
    port : int
        Where to listen, on the loopback address only: whoever reaches it can start programs as this user.

    Returns
    -------
    int
        0.

    Raises
    ------
    TaskError
        When the folder holds no campaign, or textual-serve is not installed.
    """
    import shlex

    from tasks.errors import TaskError

    campaign = _checked(folder)
    try:
        from textual_serve.server import Server
    except ImportError:
        raise TaskError("serving needs the package textual-serve; install arena-tui[web]") from None
    words = [sys.executable, "-m", "arena_tui", "monitor", *([str(campaign)] if campaign else [])]
    Server(shlex.join(words), host="127.0.0.1", port=port, title="arena-tui").serve()
    return 0


def open_console(folder: Path | None) -> int:
    """Open the console and stay in it until it is left.

    Parameters
    ----------
    folder : pathlib.Path or None
        A campaign to open on the Monitor; None opens the Campaigns screen.

    Returns
    -------
    int
        0; 1 after an error of the console's own; 2 when there is no terminal; 128 + n after signal n.

    Raises
    ------
    TaskError
        When the folder holds no campaign.
    """
    from arena_tui import terminal

    campaign = _checked(folder)
    problem = terminal.usable()
    if problem is not None:
        print(f"arena-tui: {problem}", file=sys.stderr)
        return 2
    from arena_tui.app import Console

    with terminal.kept():
        console = Console(campaign)
        code = console.run()
    if console.fault:
        print(f"arena-tui: {console.fault}", file=sys.stderr)
    return console.return_code or code or 0
