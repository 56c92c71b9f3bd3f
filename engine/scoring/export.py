"""Write a campaign's scores for others: CSV, Parquet, LaTeX, figures, and a bundle of all of it."""

import hashlib
import json
import platform
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.judging.records import FOLDER as JUDGMENTS
from engine.running import layout, spec_file
from engine.scoring import analysis, axes, relations, report, tables, writers
from engine.scoring.campaign import Scores
from engine.scoring.folders import without_folders
from engine.scoring.numeric import DEFINITION

# Whose versions a score depends on.
_DISTRIBUTIONS = ("arena-tui", "numpy", "scipy", "sympy", "mpmath", "pandas", "pyarrow", "matplotlib")


def export(scores: Scores, kind: str, out: Path, *, with_published: bool = False) -> list[Path]:
    """Write scores in one format.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    kind : str
        ``csv``, ``parquet``, ``latex``, ``plots`` or ``bundle``.
    out : Path
        A folder; made when missing, files in it of the same names are replaced.
    with_published : bool
        Whether tables carry the paper's rows, marked.

    Returns
    -------
    list of Path
        The files written, sorted.

    Raises
    ------
    EngineError
        When the folder cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        # Beside their place until all of them are whole: a full disk leaves nothing half written.
        with tempfile.TemporaryDirectory(prefix=".export-", dir=out) as name:
            draft = Path(name)
            written = [path.relative_to(draft) for path in _KINDS[kind](scores, draft, with_published)]
            for path in written:
                (out / path).parent.mkdir(exist_ok=True)
                (draft / path).replace(out / path)
    except OSError as error:
        raise EngineError(f"{out} cannot be written: {error.strerror or error}") from error
    return sorted(out / path for path in written)


def report_tables(scores: Scores, *, with_published: bool = False) -> list[report.Table]:
    """Return the ranking and tables 2 and 13 to 17 as far as the campaign has them.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.
    with_published : bool
        Whether to add the paper's rows, marked.

    Returns
    -------
    list of Table
        One profile per condition, the ranking where there are two methods, the noise table where there is
        noise, methods and settings.
    """
    spec = spec_file.read(scores.folder)
    found = [
        report.profile(scores, condition, with_published=with_published)
        for condition in dict.fromkeys(score.condition for score in scores.methods)
    ]
    ranked = report.ranking(scores)
    noise = report.noise(scores, with_published=with_published)
    relative = [table for table in (ranked, noise) if table is not None]
    return [*found, *relative, report.methods_table(spec), report.settings_table(spec)]


def document(scores: Scores) -> dict[str, Any]:
    """Return everything about a campaign's scores as one JSON document.

    Parameters
    ----------
    scores : Scores
        A campaign's scores.

    Returns
    -------
    dict
        Methods, tasks, runs, noise changes, correlations, comparisons, rankings and Pareto fronts.
    """
    deltas = axes.noise_deltas(scores.methods)
    return {
        "schema": 1,
        "campaign": scores.folder.name,
        "judge": scores.judge,
        "nmse": DEFINITION,
        "notes": list(scores.notes),
        "methods": [method.flat() for method in scores.methods],
        "tasks": [task.flat() for task in scores.tasks],
        "runs": [run.flat() for run in scores.runs],
        "noise_deltas": [
            {"label": label, "condition": condition, **values}
            for (label, condition), values in deltas.items()
        ],
        "noise_changes": relations.noise_records(scores),
        "correlations": relations.correlation_records(scores),
        "comparisons": relations.comparison_records(scores),
        "rankings": {
            axis: None if found is None else asdict(found)
            for axis, found in analysis.rankings(scores).items()
        },
        "pareto": relations.trade_off_records(scores),
    }


def _csv(scores: Scores, out: Path, with_published: bool) -> list[Path]:
    import pandas as pd

    written = []
    for name, frame in {
        **tables.frames(scores),
        "comparisons": pd.DataFrame(relations.comparison_records(scores)),
    }.items():
        written.append(out / f"{name}.csv")
        frame.to_csv(written[-1], index=False, lineterminator="\n")
    for table in report_tables(scores, with_published=with_published):
        written.append(out / f"{table.name}.csv")
        writers.write_csv(table, written[-1])
    return written


def _parquet(scores: Scores, out: Path, with_published: bool) -> list[Path]:
    import pandas as pd

    frames = tables.frames(scores) | {"comparisons": pd.DataFrame(relations.comparison_records(scores))}
    for table in report_tables(scores, with_published=with_published):
        frames[table.name] = pd.DataFrame(writers.flat(table))
    for name, frame in frames.items():
        frame.to_parquet(out / f"{name}.parquet", index=False)
    return [out / f"{name}.parquet" for name in frames]


def _latex(scores: Scores, out: Path, with_published: bool) -> list[Path]:
    written = []
    for table in report_tables(scores, with_published=with_published):
        written.append(out / f"{table.name}.tex")
        written[-1].write_text(writers.latex(table), encoding="utf-8")
    return written


def _plots(scores: Scores, out: Path, _with_published: bool) -> list[Path]:
    from engine.scoring.figures import draw_all

    return draw_all(scores, out)


def _bundle(scores: Scores, out: Path, with_published: bool) -> list[Path]:
    spec = (scores.folder / layout.SPEC).read_text(encoding="utf-8")
    (out / layout.SPEC).write_text(without_folders(spec), encoding="utf-8")
    written = [out / layout.SPEC]
    for source in sorted((scores.folder / JUDGMENTS).glob("*.jsonl")):
        (out / JUDGMENTS).mkdir(exist_ok=True)
        shutil.copyfile(source, out / JUDGMENTS / source.name)
        written.append(out / JUDGMENTS / source.name)
    for name, write in (("csv", _csv), ("parquet", _parquet), ("latex", _latex)):
        (out / name).mkdir(exist_ok=True)
        written += write(scores, out / name, with_published)
    facts: dict[str, Any] = {
        "scores.json": document(scores),
        "versions.json": {"python": platform.python_version(), "judge": scores.judge, **_versions()},
        "tasks.json": _manifest(scores),
    }
    for name, value in facts.items():
        written.append(out / name)
        written[-1].write_text(json.dumps(value, allow_nan=False, indent=1) + "\n", encoding="utf-8")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(out)}"
        for path in sorted(written)
    ]
    written.append(out / "SHA256SUMS")
    written[-1].write_text("\n".join(sums) + "\n", encoding="utf-8")
    return written


def _versions() -> dict[str, str]:
    found = {}
    for name in _DISTRIBUTIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def _manifest(scores: Scores) -> list[dict[str, Any]]:
    """Describe the tasks with the digests of the data they were scored on, where it is materialized."""
    from tasks import cache, catalogue
    from tasks.errors import TaskError

    entries = []
    for identifier in sorted({run.task for run in scores.runs}):
        entry: dict[str, Any] = {"task": identifier}
        try:
            task = catalogue.get(identifier)
        except TaskError:
            entry["source"] = "the user's own table"
        else:
            entry |= {"name": task.name, "family": task.family, "manifest": cache.manifest(task)}
        entries.append(entry)
    return entries


_KINDS: dict[str, Callable[[Scores, Path, bool], list[Path]]] = {
    "csv": _csv,
    "parquet": _parquet,
    "latex": _latex,
    "plots": _plots,
    "bundle": _bundle,
}
KINDS = tuple(_KINDS)
