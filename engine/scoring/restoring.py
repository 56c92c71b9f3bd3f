"""Scores as they were when the campaign was scored, read back from its tables without scoring again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.scoring.axes import RATES
from engine.scoring.campaign import Scores
from engine.scoring.rows import AXES, DISPLAY_SCALE, RUN_AXES, AxisScore, MethodScore, RunScore, TaskScore
from engine.scoring.search import Stability
from engine.scoring.tables import read_document


def restored(campaign: Path) -> Scores | None:
    """Read the scores that an earlier scoring left.

    Parameters
    ----------
    campaign : Path
        The campaign folder.

    Returns
    -------
    Scores or None
        As they were saved; a run's notes come back as one text, and of contradicting triples only their
        number was kept. None when the campaign has not been scored.
    """
    kept = read_document(campaign)
    if kept is None:
        return None
    return Scores(
        campaign,
        kept["judge"],
        tuple(_run(record) for record in kept["runs"]),
        tuple(_task(record) for record in kept["tasks"]),
        tuple(_method(record) for record in kept["methods"]),
        tuple(kept["notes"]),
    )


def _run(record: Mapping[str, Any]) -> RunScore:
    own = {name: record.get(name) for name in RunScore.__slots__ if name not in ("scores", "notes", "valid")}
    # A missing run has no scores at all, not even undefined ones.
    scores = {} if record["state"] == "missing" else {axis: record[axis] for axis in RUN_AXES}
    notes = (record["notes"],) if record["notes"] else ()
    return RunScore(**own, valid=record["valid"], scores=scores, notes=notes)  # type: ignore[arg-type]


def _task(record: Mapping[str, Any]) -> TaskScore:
    parts = (record["N"], record["V"], record["C"])
    stability = None if record["STAB"] is None else Stability(*parts)
    seeds = tuple(int(word) for word in record["seeds"].split())
    triples = ((0, 0, 0),) * record["intransitive"]
    return TaskScore(
        record["label"],
        record["task"],
        record["name"],
        record["condition"],
        seeds,
        stability,
        record["note"],
        triples,
    )


def _method(record: Mapping[str, Any]) -> MethodScore:
    return MethodScore(
        record["label"],
        record["method"],
        record["condition"],
        {axis: _axis(record, axis) for axis in AXES},
        {rate: _axis(record, rate) for rate in RATES},
        AxisScore(record["degradation"], record["degradation_n"], record["degradation_n"]),
    )


def _axis(record: Mapping[str, Any], name: str) -> AxisScore:
    value, low, high = (
        None if (shown := record[f"{name}{part}"]) is None else shown / DISPLAY_SCALE
        for part in ("", "_low", "_high")
    )
    return AxisScore(value, record[f"{name}_n"], record[f"{name}_of"], low, high, record[f"{name}_note"])
