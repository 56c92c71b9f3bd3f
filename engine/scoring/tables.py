"""Scores as data frames, and as the Parquet tables of a campaign."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import EngineError
from engine.scoring import report, writers
from engine.scoring.campaign import Scores

if TYPE_CHECKING:
    import pandas as pd

FOLDER = "tables"
NAMES = ("runs", "tasks", "methods")
FACTS = "scores.json"
SCHEMA = 1


def frames(scores: Scores) -> "dict[str, pd.DataFrame]":
    """Return scores as data frames.

    Parameters
    ----------
    scores : Scores
        What `engine.scoring.campaign.score` returned.

    Returns
    -------
    dict of str to DataFrame
        ``runs`` (one row per planned run; axes in [0, 1], NaN where undefined), ``tasks`` (STAB and its
        components per method, task and condition), ``methods`` (axes on the 0 to 100 display scale with
        interval, n and N).
    """
    import pandas as pd

    return {
        "runs": pd.DataFrame([run.flat() for run in scores.runs]),
        "tasks": pd.DataFrame([task.flat() for task in scores.tasks]),
        "methods": pd.DataFrame([method.flat() for method in scores.methods]),
    }


def save(scores: Scores) -> Path:
    """Write the tables below the campaign, as Parquet and as one JSON document.

    Parameters
    ----------
    scores : Scores
        Scores of a campaign.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    EngineError
        When the folder cannot be written.
    """
    folder = scores.folder / FOLDER
    try:
        _save(scores, folder)
    except OSError as error:
        raise EngineError(f"{folder} cannot be written ({error.strerror or error}): make room") from error
    return folder


def _save(scores: Scores, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, frame in frames(scores).items():
        temporary = folder / f".{name}.parquet"
        frame.to_parquet(temporary, index=False)
        temporary.replace(folder / f"{name}.parquet")
    facts = {
        "schema": SCHEMA,
        "judge": scores.judge,
        "notes": list(scores.notes),
        "methods": [method.flat() for method in scores.methods],
        "runs": [run.flat() for run in scores.runs],
        "tasks": [task.flat() for task in scores.tasks],
        "comparisons_text": writers.text(report.comparisons(scores)),
    }
    temporary = folder / f".{FACTS}"
    temporary.write_text(json.dumps(facts, allow_nan=False) + "\n", encoding="utf-8")
    temporary.replace(folder / FACTS)


def read_document(campaign: Path) -> dict[str, Any] | None:
    """Read what `save` kept for readers that want no data frames.

    Parameters
    ----------
    campaign : Path
        The campaign folder.

    Returns
    -------
    dict or None
        ``judge``, ``notes``, ``methods``, ``runs``, ``tasks`` and ``comparisons_text``; None when the
        campaign has not been scored.
    """
    try:
        kept: dict[str, Any] = json.loads((campaign / FOLDER / FACTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return kept if kept.get("schema") == SCHEMA else None


def load(campaign: Path | str) -> "dict[str, pd.DataFrame]":
    """Read the tables of a campaign that was scored before.

    Parameters
    ----------
    campaign : Path or str
        The campaign folder.

    Returns
    -------
    dict of str to DataFrame
        As `frames` returns them.

    Raises
    ------
    EngineError
        When the campaign has not been scored.
    """
    import pandas as pd

    folder = Path(campaign) / FOLDER
    missing = [name for name in NAMES if not (folder / f"{name}.parquet").is_file()]
    if missing:
        raise EngineError(f"{campaign} has not been scored: run arena-tui score {campaign}")
    return {name: pd.read_parquet(folder / f"{name}.parquet") for name in NAMES}
