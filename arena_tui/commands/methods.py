"""``arena-tui methods``: list, show, install, doctor, check and uninstall SR methods."""

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.methods.registry import Method


def add_parser(commands: Any, name: str, line: str) -> None:  # noqa: ANN401
    """Add the group's parser with one sub-command per action."""
    group = commands.add_parser(name, help=line, description=line)
    actions = group.add_subparsers(dest="action", metavar="ACTION", required=True)

    listing = actions.add_parser("list", help="every method with its paradigm, licence and state")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=list_methods)

    show = actions.add_parser("show", help="one method: settings, defaults, state")
    show.add_argument("name")
    show.add_argument("--json", action="store_true")
    show.set_defaults(run=show_method)

    install = actions.add_parser("install", help="make the environments of methods")
    install.add_argument("names", nargs="+", metavar="NAME")
    install.add_argument(
        "--source", metavar="PATH_OR_GIT_URL", help="checkout of a method that is no package"
    )
    install.add_argument("--weights", type=Path, metavar="FILE", help="pretrained weights of a method")
    install.add_argument("--accept-licence", action="store_true", help="accept the licence that is shown")
    install.add_argument("--json", action="store_true")
    install.set_defaults(run=install_methods)

    doctor = actions.add_parser("doctor", help="probe which methods could start now; uses no network")
    doctor.add_argument("names", nargs="*", metavar="NAME")
    doctor.add_argument("--json", action="store_true")
    doctor.set_defaults(run=examine_methods)

    check = actions.add_parser("check", help="run the conformance kit on a method")
    check.add_argument("names", nargs="+", metavar="NAME")
    check.add_argument("--budget", type=float, metavar="SECONDS", help="budget of each of its runs")
    check.add_argument("--model", metavar="NAME", help="a language model, for the methods that ask one")
    check.add_argument("--base-url", metavar="URL", help="OpenAI-compatible server of the model")
    check.add_argument("--key-variable", metavar="NAME", help="environment variable with the server's key")
    check.add_argument("--model-calls", type=int, metavar="N", help="cap on the calls of all the kit's runs")
    check.add_argument("--json", action="store_true")
    check.set_defaults(run=check_methods)

    uninstall = actions.add_parser("uninstall", help="remove a method's environment")
    uninstall.add_argument("names", nargs="+", metavar="NAME")
    uninstall.set_defaults(run=uninstall_methods)


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False))


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _row(method: "Method") -> dict[str, object]:
    from engine.methods.environments import state

    condition = state(method)
    return {
        "name": method.name,
        "title": method.title,
        "paradigm": method.paradigm,
        "kind": method.kind,
        "source": method.source,
        "licence": method.licence,
        "state": condition.status,
        "detail": condition.detail,
        "threads": method.threads,
        "deterministic": method.deterministic,
        "installed_mb": method.installed_mb,
    }


def list_methods(arguments: argparse.Namespace) -> int:
    """Print every method."""
    from engine.methods import registry

    rows = [_row(registry.get(name)) for name in registry.names()]
    for sentence in registry.broken_plugins().values():
        _tell(sentence)
    if arguments.json:
        _print_json(rows)
        return 0
    columns = ("name", "paradigm", "kind", "licence", "state")
    table = [[column.upper() for column in columns], *([str(row[c]) for c in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())
    return 0


def show_method(arguments: argparse.Namespace) -> int:
    """Print one method with its settings."""
    from engine.methods import registry

    method = registry.get(arguments.name)
    row = {
        **_row(method),
        "homepage": method.homepage,
        "note": method.note,
        "dialect": method.dialect,
        "settings": [
            {
                "name": setting.name,
                "type": setting.type,
                "default": setting.default,
                "allowed": setting.allowed(),
                "doc": setting.doc,
                "source": setting.source,
            }
            for setting in method.schema
        ],
    }
    if arguments.json:
        _print_json(row)
        return 0
    print(f"{method.title} ({method.name}), {method.paradigm}, {method.licence}")
    print(f"{method.source}; {method.homepage}")
    for text in (method.note, str(row["detail"])):
        if text:
            print(text)
    print(f"state: {row['state']}; threads of table 17: {method.threads}\n")
    for setting in method.schema:
        default = ",".join(setting.default) if isinstance(setting.default, tuple) else setting.default
        print(f"  {setting.name} = {'none' if default is None else default}")
        print(f"      {setting.doc}; {setting.allowed()} ({setting.source})")
    return 0


def install_methods(arguments: argparse.Namespace) -> int:
    """Make the environments of the named methods, all of them or a sentence why not."""
    from engine.methods import registry
    from engine.methods.installing import install

    methods = [registry.get(name) for name in arguments.names]
    rows = []
    for method in methods:
        accepted = arguments.accept_licence
        if method.accept_licence and not accepted:
            accepted = _asked(method)
        condition = install(
            method,
            source=arguments.source,
            weights=arguments.weights,
            licence_accepted=accepted,
            tell=_tell,
        )
        rows.append({"name": method.name, "state": condition.status, "folder": str(condition.folder or "")})
    if arguments.json:
        _print_json(rows)
    return 0


def _asked(method: "Method") -> bool:
    """Show the licence and ask, where there is somebody to ask."""
    _tell(f"{method.title} is licensed under {method.licence}. {method.note} Read it at {method.homepage}")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print("Accept? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def examine_methods(arguments: argparse.Namespace) -> int:
    """Print the diagnoses; 1 when a named method, or any installed one, is not ready."""
    from engine.methods import doctor

    found = doctor.examine(arguments.names)
    if arguments.json:
        _print_json([{"name": d.method, "status": d.status, "detail": d.detail} for d in found])
    else:
        width = max(len(d.method) for d in found)
        for d in found:
            print(f"{d.method.ljust(width)}  {d.status}{': ' if d.detail else ''}{d.detail}")
    asked = set(arguments.names)
    absent = ("not installed", "julia missing")
    return int(any(not d.ready and (d.method in asked or d.status not in absent) for d in found))


def check_methods(arguments: argparse.Namespace) -> int:
    """Run the conformance kit; 1 when a method breaks one of its rules."""
    from engine.methods import check, registry

    methods = [registry.get(name) for name in arguments.names]
    reports = []
    with _lent_model(arguments) as endpoint:
        for method in methods:
            _made_ready(method)
            report = check.check(method, budget_s=arguments.budget, endpoint=endpoint, tell=_tell)
            reports.append(report)
            if not arguments.json:
                print(f"{report.method}: {'keeps the rules' if report.passed else 'breaks a rule'}")
                for item in report.items:
                    print(f"  {item.verdict:<12} {item.name}: {item.detail}", flush=True)
    if arguments.json:
        _print_json([report.as_json() for report in reports])
    return int(not all(report.passed for report in reports))


def _made_ready(method: "Method") -> None:
    """Install what can be had without asking anybody; of the others the report says what they lack."""
    from engine.methods.environments import state
    from engine.methods.installing import install

    if method.kind == "packaged" and not method.accept_licence and not state(method).usable:
        install(method, tell=_tell)


@contextlib.contextmanager
def _lent_model(arguments: argparse.Namespace) -> Iterator[dict[str, Any] | None]:
    """Lend the named model to the kit's runs as a campaign would; the key stays here."""
    if arguments.model is None:
        yield None
        return
    from engine.running.lending import Lender

    table = {
        "name": arguments.model,
        "base_url": arguments.base_url,
        "key_variable": arguments.key_variable,
        "calls": arguments.model_calls,
    }
    with tempfile.TemporaryDirectory(prefix="arena-check-") as folder:
        (Path(folder) / "control").mkdir()
        lender = Lender(Path(folder), {key: value for key, value in table.items() if value is not None})
        try:
            yield lender.lend("check", Path(folder))
        finally:
            lender.close()


def uninstall_methods(arguments: argparse.Namespace) -> int:
    """Remove the environments of the named methods, of plugins that are gone as well."""
    from engine.methods import registry
    from engine.methods.environments import folders_named
    from engine.methods.installing import remove, uninstall

    gone = [name for name in arguments.names if name not in registry.names() and folders_named(name)]
    methods = [registry.get(name) for name in arguments.names if name not in gone]
    for method in methods:
        uninstall(method, tell=_tell)
    for name in gone:
        remove(name, tell=_tell)
    return 0
