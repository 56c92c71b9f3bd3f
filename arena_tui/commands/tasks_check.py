"""Verifies tasks and imports those that others released."""

import argparse
import json
import sys
from pathlib import Path

from engine.verification import admission
from engine.verification.report import OK, Report, Summary, sentence
from engine.verification.verify import verify_many
from tasks import imported, selections
from tasks.errors import TaskError
from tasks.importing import arena, llm_srbench, plain, pmlb, srsd
from tasks.importing.found import Found


def verify_tasks(arguments: argparse.Namespace) -> int:
    """Verify tasks; exit 1 when one fails or the pool is not what is declared."""
    words = [*arguments.words, *(["@full"] if arguments.all else [])]
    tasks = selections.resolve(words)
    told = sys.stderr.isatty()

    def progress(done: int, report: Report) -> None:
        if told:
            print(
                f"\r{done}/{len(tasks)} {report.id} {report.name:32.32s}", end="", file=sys.stderr, flush=True
            )

    summary = verify_many(tasks, workers=arguments.workers, progress=progress)
    if told:
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)
    if arguments.json:
        print(json.dumps(summary.as_json(), allow_nan=False, ensure_ascii=False))
    else:
        _print_summary(summary)
    return 0 if summary.sound else 1


def _print_summary(summary: Summary) -> None:
    for report in summary.reports:
        if len(summary.reports) <= 20 or report.status != OK or report.warnings:
            worst = (
                ""
                if report.worst_disagreement is None
                else f", worst row {report.worst_disagreement:.1e} relative"
            )
            print(f"{report.id} {report.name}: {report.status}, {report.rows} rows{worst}")
        for finding in report.faults:
            print(f"  {sentence(finding)}")
            for row in finding.rows[1:]:
                print(f"    row {row.row}: stored {row.stored!r}, recomputed {row.recomputed!r}")
        for finding in report.warnings:
            print(f"  warning, {sentence(finding)}")
    for line in summary.pool:
        print(f"pool: {line}")
    found = summary.duplicates
    if found and len(summary.reports) > 1:
        print(
            f"duplicates: {found['formula_groups']} groups by formula, {found['recorded_groups']} recorded; "
            f"{found['pairs_in_both']} pairs in both, {found['pairs_only_recorded']} only recorded, "
            f"{found['pairs_only_recomputed']} only recomputed; "
            f"{len(found['data_groups'])} groups of equal data"
        )
    counts = summary.as_json()
    print(
        f"{counts['tasks']} tasks, {counts['ok']} ok, {counts['disputed']} disputed, "
        f"{counts['failed'] - counts['disputed']} failed otherwise, {counts['warnings']} warnings, "
        f"{counts['rows']} rows replayed in {summary.seconds:.1f} s"
    )


def _found(arguments: argparse.Namespace) -> tuple[Found, ...]:
    path = Path(arguments.path)
    if not path.exists():
        raise TaskError(f"there is nothing at {path}")
    if arguments.layout == "csv":
        if arguments.target is None:
            raise TaskError("a plain table needs --target COLUMN")
        return plain.read(
            path,
            arguments.target,
            features=arguments.use.split(",") if arguments.use else None,
            ood=Path(arguments.ood_file) if arguments.ood_file else None,
            truth=arguments.truth,
            name=arguments.name,
        )
    readers = {"arena": arena.read, "llm-srbench": llm_srbench.read, "srsd": srsd.read, "pmlb": pmlb.read}
    return readers[arguments.layout](path)


def import_tasks(arguments: argparse.Namespace) -> int:
    """Import tasks; exit 1 when one is disputed, failed or refused, or when the pool's manifest disagrees."""
    found = _found(arguments)
    folder = Path(arguments.path)
    declared = admission.manifest_of(folder) if folder.is_dir() else None
    unlisted = admission.against_manifest(declared, found) if declared else []
    admissions = admission.admit(
        found, official=arguments.official, keep=not arguments.check, declared=declared
    )
    counts: dict[str, int] = {}
    for one in admissions:
        counts[one.status] = counts.get(one.status, 0) + 1
    if arguments.json:
        report = {
            "tasks": len(admissions),
            "counts": counts,
            "manifest": unlisted,
            "admissions": [one.as_json() for one in admissions],
        }
        print(json.dumps(report, allow_nan=False, ensure_ascii=False))
    else:
        for one in admissions:
            place = f" as {one.id}" if one.id and not arguments.check else ""
            print(f"{one.name}: {one.status}{place}")
            for note in one.notes:
                print(f"  {note}")
        for line in unlisted:
            print(f"manifest: {line}")
        print(
            f"{len(admissions)} tasks: "
            + ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        )
    return 0 if admission.sound(admissions) and not unlisted else 1


def forget_tasks(arguments: argparse.Namespace) -> int:
    """Remove imported tasks; a catalogue task gets its regenerated rows back."""
    for word in arguments.words:
        if not imported.remove(word):
            raise TaskError(f"no imported task has the id {word!r}")
        print(f"{word} removed")
    return 0
