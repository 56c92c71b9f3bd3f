"""A run in words, and what stands behind its verdict and behind the agreement of seeds."""

from typing import TYPE_CHECKING

from arena_tui.screens.scores.rows import AXES, hundredfold
from arena_tui.widgets import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.scoring.evidence import Judged
    from engine.scoring.rows import RunScore, TaskScore

Fact = tuple[str, object]
_READING = "reading the judgments…"


def about_run(
    run: "RunScore", judged: "Sequence[Judged] | None" = None, truth: str | None = None
) -> list[Fact]:
    """Describe a run: what was found, what it was judged to be, and on what evidence.

    Parameters
    ----------
    run : RunScore
        A run.
    judged : sequence of Judged, optional
        The frozen judgments; None while they are being read.
    truth : str, optional
        The task's ground truth.

    Returns
    -------
    list of (str, object)
        For `Facts`.
    """
    facts: list[Fact] = [
        (f"{run.id}  {run.name}", ""),
        ("verdict", run.verdict),
        *(behind(judged) if judged is not None else [("evidence", _READING)] if run.verdict else []),
        ("found", run.processed or run.expression),
        ("as printed", run.expression if run.processed != run.expression else None),
        ("ground truth", truth),
        ("simplification", run.simplification),
        ("status", run.status if not run.reason else f"{run.status}: {run.reason}"),
        ("NMSE", f"ID {numbers.nmse(run.id_nmse)}   OOD {numbers.nmse(run.ood_nmse)}"),
        ("scores", scores_line(run)),
        ("nodes", None if run.c_pred is None else f"{run.c_pred} (reference {run.c_ref})"),
        ("agreement", _agreement(run)),
        ("time", f"{numbers.duration(run.elapsed)} of search, {numbers.duration(run.cpu_s)} of CPU"),
    ]
    return [*facts, *(("note", note) for note in run.notes)]


def about_task(
    task: "TaskScore", runs: "Sequence[RunScore]", judged: "Sequence[Judged] | None" = None
) -> list[Fact]:
    """Describe a method on a task: its seeds, STAB with its parts, and the judgment of every pair of seeds.

    Parameters
    ----------
    task : TaskScore
        One method on one task under one condition.
    runs : sequence of RunScore
        Its runs.
    judged : sequence of Judged, optional
        Judgments of the pairs; None while they are being read.

    Returns
    -------
    list of (str, object)
        For `Facts`.
    """
    facts: list[Fact] = [(f"{task.label} on {task.task} {task.name}, {task.condition} labels", "")]
    if task.stability is not None:
        parts = (task.stability.numerical, task.stability.validity, task.stability.structural)
        n, v, c = (f"{100 * part:.1f}" for part in parts)
        facts.append(
            (
                "STAB",
                f"{100 * task.stability.value:.1f}: numerical {n}, valid outputs {v}, same structure {c}",
            )
        )
    facts.append(("note", task.note))
    for run in runs:
        words = run.verdict or run.status
        facts.append(
            (f"seed {run.seed}", f"{words}; ID {numbers.nmse(run.id_nmse)} OOD {numbers.nmse(run.ood_nmse)}")
        )
        facts.append(("", f"  {run.processed or run.expression or 'no expression'}"))
    if judged is None and task.stability is not None:
        facts.append(("pairs", _READING))
    for one in judged or ():
        facts.append((f"seeds {one.seeds[0]} and {one.seeds[1]}: {one.verdict.verdict}", ""))
        facts += _grounds(one, ("first", "second"))
    return facts


def behind(judged: "Sequence[Judged]") -> list[Fact]:
    """Write the judgments of a run against its reference; the reference's name for a witness's values."""
    if not judged:
        return [("evidence", "nothing was judged: no valid expression, or no ground truth")]
    facts: list[Fact] = []
    for one in judged:
        if len(judged) > 1:
            facts.append((one.judge, one.verdict.verdict))
        facts += _grounds(one, ("this run", "reference"))
    return facts


def _grounds(judged: "Judged", names: tuple[str, str]) -> list[Fact]:
    verdict = judged.verdict
    facts: list[Fact] = [("evidence", f"{verdict.evidence}: {verdict.detail}")]
    if verdict.witness is not None:
        place = ", ".join(f"{name} = {value!r}" for name, value in verdict.witness.point.items())
        facts.append(("at the point", place or "the expressions have no variable"))
        facts += [
            (f"  {name}", value)
            for name, value in zip(names, (verdict.witness.a, verdict.witness.b), strict=True)
        ]
    corrected = "; an audit's correction stands, the original is kept" if judged.corrected else ""
    facts.append(("judge", f"{judged.judge}; frozen {judged.frozen}{corrected}"))
    return facts


def scores_line(run: "RunScore") -> str | None:
    """Write a run's scores on the 0 to 100 scale in one line."""
    found = [
        f"{axis} {value:.1f}" for axis in AXES[:5] if (value := hundredfold(run.scores.get(axis))) is not None
    ]
    return "   ".join(found) or None


def _agreement(run: "RunScore") -> str | None:
    parts = (
        ("tree", run.tree_similarity),
        ("variables F1", run.variable_f1),
        ("operators F1", run.operator_f1),
    )
    return "   ".join(f"{name} {value:.3f}" for name, value in parts if value is not None) or None
