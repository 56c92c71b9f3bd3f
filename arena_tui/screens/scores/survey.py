"""What the Scores screen asks the engine for: the tables of a campaign, or a new scoring of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = Mapping[str, Any]


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


def _scored(folder: Path, kept: Mapping[str, Any]) -> Scored:
    from engine.scoring.published import published

    theirs = [
        {"label": row.algorithm, "condition": row.condition, "paradigm": row.paradigm, **row.axes}
        for row in published()
    ]
    return Scored(folder, kept["judge"], kept["methods"], kept["runs"], theirs, kept["comparisons_text"])
