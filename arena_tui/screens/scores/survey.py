"""What the Scores screen asks the engine for: the tables of a campaign, or a new scoring of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = Mapping[str, Any]

EXPORTS = (
    ("latex", "tables for a paper"),
    ("csv", "every run and method"),
    ("parquet", "the same tables as Parquet"),
    ("plots", "figures, PNG and SVG"),
    ("bundle", "all of it, to share"),
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A campaign's tables as records, None where a value is undefined."""

    folder: Path
    judge: str
    methods: Sequence[Record]
    runs: Sequence[Record]
    published: Sequence[Record]
    comparisons: str


def read(folder: Path) -> Scored | None:
    """Read the tables that an earlier scoring left.

    Parameters
    ----------
    folder : pathlib.Path
        The campaign.

    Returns
    -------
    Scored or None
        None when it has not been scored yet.
    """
    from engine.scoring import tables

    kept = tables.read_document(folder)
    return None if kept is None else _scored(folder, kept)


def compute(folder: Path, told: Callable[[str, int, int], None]) -> Scored:
    """Score the campaign with the deterministic judge; what was judged before is reused.

    Parameters
    ----------
    folder : pathlib.Path
        The campaign.
    told : callable
        Told (stage, done, total) from the thread that scores.

    Returns
    -------
    Scored
    """
    from engine.scoring import tables
    from engine.scoring.campaign import score

    scores = score(folder, progress=told)
    tables.save(scores)
    kept = tables.read_document(folder)
    assert kept is not None
    return _scored(folder, kept)


def export_as(folder: Path, kind: str, out: Path, with_published: bool) -> list[Path]:
    """Write a campaign's tables or figures; what was judged before is reused.

    Parameters
    ----------
    folder : pathlib.Path
        The campaign.
    kind : str
        One of `EXPORTS`.
    out : pathlib.Path
        The folder to write into.
    with_published : bool
        Whether the paper's rows are added, marked.

    Returns
    -------
    list of pathlib.Path
        The files written.
    """
    from engine.scoring import tables
    from engine.scoring.campaign import score
    from engine.scoring.export import export

    scores = score(folder)
    tables.save(scores)
    return export(scores, kind, out.expanduser(), with_published=with_published)


def _scored(folder: Path, kept: Mapping[str, Any]) -> Scored:
    from engine.scoring.published import published

    theirs = [
        {"label": row.algorithm, "condition": row.condition, "paradigm": row.paradigm, **row.axes}
        for row in published()
    ]
    return Scored(folder, kept["judge"], kept["methods"], kept["runs"], theirs, kept["comparisons_text"])
