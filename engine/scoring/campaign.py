"""Score a campaign: read it, postprocess what is new, aggregate everything without calling a model."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.judging.judges import DeterministicJudge, Judge, Question
from engine.judging.records import Records, intransitive
from engine.judging.verdict import Verdict
from engine.running import reader
from engine.running.records import CANCELLED, Run
from engine.scoring import axes
from engine.scoring.accuracy import strict
from engine.scoring.numeric import quality
from engine.scoring.pointwise import Successes, accuracies
from engine.scoring.processing import (
    DeterministicSimplifier,
    Expression,
    Postprocessing,
    Processed,
    Progress,
    Simplifier,
)
from engine.scoring.references import Reference, references
from engine.scoring.rows import MethodScore, RunScore, TaskScore
from engine.scoring.sa import Arbiter, Claim
from engine.scoring.search import Seed, pairs, stability
from engine.scoring.symbolic import Measures, fidelity, minimal
from engine.scoring.trajectories import Trajectory, trajectories


@dataclass(frozen=True, slots=True)
class Scores:
    """Everything that scoring a campaign yields."""

    folder: Path
    judge: str
    runs: tuple[RunScore, ...]
    tasks: tuple[TaskScore, ...]
    methods: tuple[MethodScore, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Symbolic:
    """What postprocessing found for one run."""

    processed: Processed
    measures: Measures | None
    verdict: Verdict | None


def score(
    folder: Path | str,
    *,
    judge: Judge | None = None,
    simplifier: Simplifier | None = None,
    arbiter: Arbiter | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score a campaign; what was frozen before is reused, so only new runs cost anything.

    Parameters
    ----------
    folder : Path or str
        The campaign folder.
    judge : Judge, optional
        Who judges pairs; the deterministic judge when omitted.
    simplifier : Simplifier, optional
        Who simplifies; our own procedure when omitted.
    arbiter : Arbiter, optional
        Who decides SA; without one SA is left out, for it may take seconds a run.
    progress : callable, optional
        Told (stage, done, total).

    Returns
    -------
    Scores
        Runs, tasks and methods with their axes.

    Raises
    ------
    EngineError
        When the folder is no campaign, or a model judge cannot go on.
    """
    told = progress or _silent
    judge = judge or DeterministicJudge()
    campaign = reader.read_campaign(folder)
    tasks, unknown = references(campaign.folder, sorted({run.task for run in campaign.runs}))
    scored = [run for run in campaign.runs if run.ended and run.status != CANCELLED]
    valid = [run for run in scored if run.final_status == "ok" and run.expression and run.task in tasks]
    records = Records(campaign.folder)
    found = trajectories(campaign.folder, scored, told)
    right = accuracies(campaign.folder, valid, records, told)
    stages = Postprocessing(records, told)
    symbolic, structure = _symbolic(valid, tasks, stages, judge, simplifier or DeterministicSimplifier())
    accurate = _accurate(valid, tasks, stages, arbiter) if arbiter else {}
    is_valid = {run.id for run in valid}
    rows = tuple(
        _row(
            run,
            tasks.get(run.task),
            found.get(run.id),
            symbolic.get(run.id),
            right.get(run.id),
            valid=run.id in is_valid,
            sa=accurate.get(run.id, False) if arbiter else None,
        )
        for run in campaign.runs
    )
    by_task = tuple(_stabilities(rows, symbolic, structure, tasks))
    notes = [f"{task}: {reason}" for task, reason in unknown.items()]
    return Scores(campaign.folder, judge.name, rows, by_task, axes.method_scores(rows, by_task), tuple(notes))


def _symbolic(
    valid: Sequence[Run],
    tasks: Mapping[str, Reference],
    stages: Postprocessing,
    judge: Judge,
    simplifier: Simplifier,
) -> tuple[dict[str, _Symbolic], dict[Question, Verdict]]:
    predictions = {run.id: _expression(run.expression or "", tasks[run.task]) for run in valid}
    truths = {
        task: _expression(tasks[task].formula or "", tasks[task])
        for task in dict.fromkeys(run.task for run in valid)
        if tasks[task].formula is not None
    }
    processed = stages.simplified([*predictions.values(), *truths.values()], simplifier)
    compared: dict[str, tuple[Expression, str]] = {}
    asked: dict[str, Question] = {}
    for run in valid:
        if run.task in truths:
            mine, reference = processed[predictions[run.id]], processed[truths[run.task]]
            expression = _expression(mine.text, tasks[run.task])
            compared[run.id] = expression, reference.text
            asked[run.id] = Question(
                "equivalence", mine.text, reference.text, expression.features, expression.domain
            )
    measures = stages.measures(compared.values())
    texts = {run.id: processed[predictions[run.id]].text for run in valid}
    structural = _pair_questions(valid, texts, tasks)
    verdicts = stages.verdicts([*asked.values(), *structural], judge)
    found = {
        run.id: _Symbolic(
            processed[predictions[run.id]],
            measures[compared[run.id]] if run.id in compared else None,
            verdicts[asked[run.id]] if run.id in asked else None,
        )
        for run in valid
    }
    return found, verdicts


def _accurate(
    valid: Sequence[Run], tasks: Mapping[str, Reference], stages: Postprocessing, arbiter: Arbiter
) -> dict[str, bool]:
    claims = {
        run.id: Claim(formula, run.expression or "", tasks[run.task].features, tasks[run.task].domain)
        for run in valid
        if (formula := tasks[run.task].formula) is not None
    }
    found = stages.accuracies(claims.values(), arbiter)
    return {identifier: found[claim] for identifier, claim in claims.items()}


def _pair_questions(
    valid: Sequence[Run], texts: Mapping[str, str], tasks: Mapping[str, Reference]
) -> list[Question]:
    groups: dict[tuple[str, str, str], list[Run]] = defaultdict(list)
    for run in valid:
        groups[run.label, run.condition, run.task].append(run)
    return [
        _pair_question(texts[group[i].id], texts[group[j].id], tasks[group[i].task])
        for group in groups.values()
        for i, j in pairs(len(group))
    ]


def _pair_question(a: str, b: str, task: Reference) -> Question:
    # The order of a pair means nothing; sorted, equal pairs are judged once.
    first, second = sorted((a, b))
    return Question("structure", first, second, task.features, task.domain)


def _expression(text: str, task: Reference) -> Expression:
    return Expression(text, task.features, task.domain)


def _row(
    run: Run,
    task: Reference | None,
    trajectory: Trajectory | None,
    symbolic: _Symbolic | None,
    right: Successes | None,
    *,
    valid: bool,
    sa: bool | None,
) -> RunScore:
    known = {
        "label": run.label,
        "method": run.method,
        "task": run.task,
        "name": run.name,
        "seed": run.seed,
        "condition": run.condition,
        "status": run.status,
        "elapsed": run.elapsed,
        "cpu_s": run.cpu_s,
        "reason": run.reason,
    }
    if trajectory is None or task is None:
        reason = "not ended" if not run.ended else "cancelled" if trajectory is None else "unknown task"
        return RunScore(**known, state="missing", notes=(reason,))  # type: ignore[arg-type]
    notes: list[str] = []
    has_id = task.has_id
    scores: dict[str, float | None] = {"ID": quality(run.id_nmse) if has_id else None}
    scores["OOD"] = quality(run.ood_nmse) if task.has_ood else None
    if not task.has_ood:
        notes.append("OOD not available (no split); EFF is ID only")
    scores["EFF"] = trajectory.efficiency
    if trajectory.note:
        notes.append(trajectory.note)
    measures = symbolic.measures if symbolic else None
    verdict = symbolic.verdict if symbolic else None
    if task.formula is None:
        scores["SYM"] = scores["MIN"] = None
        notes.append("SYM and MIN not available (no ground truth)")
    else:
        equal = verdict is not None and verdict.verdict == "equivalent"
        scores["SYM"], scores["MIN"] = fidelity(measures, equivalent=equal), minimal(measures)
        if equal and measures is None:
            # A positive judgment stands although the trees could not be built in time.
            scores["SYM"] = 1.0
        if symbolic is not None and measures is None:
            notes.append("the canonical trees could not be built within the limit")
    similarity = measures.similarity if measures else None
    both = has_id and task.has_ood
    successes = right or (None, None)
    return RunScore(
        **known,  # type: ignore[arg-type]
        state="scored",
        valid=valid,
        scores=scores,
        train_nmse=run.train_nmse,
        id_nmse=run.id_nmse,
        ood_nmse=run.ood_nmse,
        expression=run.expression,
        processed=symbolic.processed.text if symbolic else None,
        simplification=symbolic.processed.status if symbolic else None,
        verdict=verdict.verdict if verdict else None,
        evidence=verdict.evidence if verdict else None,
        c_ref=similarity.reference_complexity if similarity else None,
        c_pred=similarity.predicted_complexity if similarity else None,
        tree_similarity=similarity.tree if similarity else None,
        variable_f1=similarity.variables if similarity else None,
        operator_f1=similarity.operators if similarity else None,
        acc_001=successes[0] if valid else (False if has_id else None),
        acc_0001=successes[1] if valid else (False if has_id else None),
        strict=strict(run.id_nmse, run.ood_nmse) if both else None,
        solution=None if task.formula is None else bool(measures and measures.solution),
        sa=None if task.formula is None else sa,
        notes=tuple(notes),
    )


def _stabilities(
    rows: Sequence[RunScore],
    symbolic: Mapping[str, _Symbolic],
    structure: Mapping[Question, Verdict],
    tasks: Mapping[str, Reference],
) -> list[TaskScore]:
    groups: dict[tuple[str, str, str], list[RunScore]] = defaultdict(list)
    for row in rows:
        groups[row.label, row.condition, row.task].append(row)
    return [
        _stability(sorted(group, key=lambda row: row.seed), symbolic, structure, tasks)
        for group in groups.values()
    ]


def _stability(
    group: list[RunScore],
    symbolic: Mapping[str, _Symbolic],
    structure: Mapping[Question, Verdict],
    tasks: Mapping[str, Reference],
) -> TaskScore:
    first = group[0]
    base = (first.label, first.task, first.name, first.condition, tuple(row.seed for row in group))
    if len(group) < 2:
        return TaskScore(*base, None, "STAB needs at least two seeds")
    missing = sum(row.state != "scored" for row in group)
    if missing:
        return TaskScore(*base, None, f"waits for {missing} of {len(group)} seeds")
    if first.scores.get("ID") is None:
        return TaskScore(*base, None, "STAB needs a test split")
    verdicts = {
        (i, j): structure[
            _pair_question(
                symbolic[group[i].id].processed.text, symbolic[group[j].id].processed.text, tasks[first.task]
            )
        ]
        for i, j in pairs(len(group))
        if group[i].valid and group[j].valid
    }
    seeds = [Seed(row.scores["ID"] or 0.0, row.scores["OOD"], row.valid) for row in group]
    words = {pair: verdict.verdict for pair, verdict in verdicts.items()}
    triples = tuple(intransitive(verdicts, len(group)))
    note = f"{len(triples)} contradicting triples of pair verdicts" if triples else None
    return TaskScore(*base, stability(seeds, words), note, triples)


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Report nothing."""
