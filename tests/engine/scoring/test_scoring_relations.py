"""How axes, conditions and methods relate, and what stands behind a verdict."""

import random

import pytest

from engine.judging.records import Records
from engine.judging.verdict import Verdict
from engine.running import spec_file
from engine.running.records import RunKey
from engine.running.spec import Block, CampaignSpec, Limits, MethodEntry
from engine.scoring import analysis, relations, tables
from engine.scoring.campaign import score
from engine.scoring.correlation import between_axes
from engine.scoring.evidence import Evidence
from engine.scoring.numeric import quality
from engine.scoring.published import published as published_rows
from engine.scoring.restoring import restored
from engine.scoring.rows import AXES, RunScore
from engine.scoring.tradeoffs import points
from tasks import catalogue
from tests.bench.scoring_campaign import write_run

NGUYEN, KEIJZER = catalogue.get("Nguyen-9"), catalogue.get("Keijzer-2")


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    """Two tasks, clean and under noise, scored; one noisy run of the second task was never made."""
    folder = tmp_path_factory.mktemp("noisy") / "c"
    tasks, seeds, conditions = (NGUYEN, KEIJZER), (520, 521), ("clean", "noise005")
    spec = CampaignSpec(
        id="0123456789abcdef",
        created="2026-11-01T00:00:00+00:00",
        methods=(MethodEntry("a", "gplearn", seeds=seeds),),
        blocks=(Block(("a",), tuple(t.id for t in tasks), tuple(t.name for t in tasks), seeds, conditions),),
        limits=Limits(300.0, 60.0),
    )
    folder.mkdir()
    spec_file.write(folder, spec)
    x, y = NGUYEN.feature_names
    near = f"sin({x})+sin({y}**2)+1.1685188e-8"
    write_run(folder, RunKey("a", NGUYEN.id, 520), NGUYEN, near, 4.54e-15, 8.28e-17, checkpoints=2)
    write_run(folder, RunKey("a", NGUYEN.id, 521), NGUYEN, NGUYEN.formula, 0.0, 0.0, checkpoints=2)
    for seed in seeds:
        write_run(folder, RunKey("a", KEIJZER.id, seed), KEIJZER, KEIJZER.formula, 0.0, 0.0, checkpoints=2)
        key = RunKey("a", NGUYEN.id, seed, "noise005")
        write_run(folder, key, NGUYEN, f"1.01*({NGUYEN.formula})", 1e-4, 1e-3, checkpoints=2)
    scores = score(folder)
    tables.save(scores)
    return scores


def test_what_was_scored_is_read_back_as_it_was(noisy):
    found = restored(noisy.folder)
    assert [run.flat() for run in found.runs] == [run.flat() for run in noisy.runs]
    assert [task.flat() for task in found.tasks] == [task.flat() for task in noisy.tasks]
    assert found.methods[0].flat() == pytest.approx(noisy.methods[0].flat())
    assert relations.comparison_records(found) == relations.comparison_records(noisy)
    assert restored(noisy.folder / "runs") is None


def test_noise_is_compared_over_the_tasks_that_have_both(noisy):
    changes = {found.axis: found for found in analysis.noise_changes(noisy)}
    numerical = changes["ID"]
    assert (numerical.tasks, numerical.of) == (1, 2)
    assert numerical.clean == 1.0
    assert numerical.change.mean == pytest.approx(quality(1e-4) - 1.0)
    assert numerical.change.low <= numerical.change.mean <= numerical.change.high


def test_a_verdict_is_shown_with_its_witness_and_its_correction(noisy):
    evidence = Evidence(noisy.folder)
    near, exact = (run for run in noisy.runs if run.task == NGUYEN.id and run.condition == "clean")
    (judged,) = evidence.of_run(near)
    assert judged.verdict.verdict == "different"
    assert judged.verdict.witness is not None
    assert set(judged.verdict.witness.point) <= set(NGUYEN.feature_names)
    assert judged.judge.startswith("deterministic")
    (pair,) = evidence.of_seeds([near, exact])
    assert pair.seeds == (520, 521)
    assert pair.verdict.verdict == "different"

    records = Records(noisy.folder)
    key = next(
        one.key
        for one in records.all("verdicts")
        if one.dependencies["kind"] == "equivalence" and one.dependencies["a"] == near.processed
    )
    records.correct(key, Verdict("equivalent", "model", "audited"), reason="audit", by="tester")
    (judged,) = Evidence(noisy.folder).of_run(near)
    assert (judged.verdict.verdict, judged.corrected) == ("equivalent", True)
    assert evidence.reference(NGUYEN.id) == NGUYEN.formula


def test_the_judgments_of_every_judge_are_found(noisy):
    exact = next(run for run in noisy.runs if run.processed is not None and run.verdict == "equivalent")
    records = Records(noisy.folder)
    asked = next(
        one.dependencies
        for one in records.all("verdicts")
        if one.dependencies["kind"] == "equivalence" and one.dependencies["a"] == exact.processed
    )
    theirs = {key: value for key, value in asked.items() if key != "version"}
    theirs |= {"judge": "model", "model": "some-model", "prompt_sha256": "0123456789abcdef0123"}
    said = Verdict("equivalent", "model", "the same (request 12, response 34)")
    records.freeze("verdicts", theirs, said.record())
    first, second = Evidence(noisy.folder).of_run(exact)
    assert first.judge == "deterministic, version 1"
    assert second.judge == "model some-model, prompt 0123456789abcdef"
    assert second.verdict.detail == "the same (request 12, response 34)"


def test_correlations_say_how_likely_they_are_by_chance():
    def rows(pairs):
        return [dict.fromkeys(AXES, 0.5) | {"ID": a, "OOD": b} for a, b in pairs]

    def first(pairs):
        return between_axes(rows(pairs))[0]

    four = first([(1, 10), (2, 20), (3, 30), (4, 40)])
    assert (four.a, four.b, four.n, four.rho) == ("ID", "OOD", 4, pytest.approx(1.0))
    assert four.p == pytest.approx(2 / 24)
    assert first([(1, 1), (2, 2)]).rho is None
    assert between_axes(rows([(1, 1), (2, 2), (3, 3)]))[1].rho is None, "SYM is the same for all"


def test_correlations_agree_with_scipy():
    from scipy import stats

    chooser = random.Random(7)
    for n in (6, 12):
        pairs = [(chooser.randrange(n), chooser.random()) for _ in range(n)]
        found = between_axes([{"ID": a, "OOD": b} for a, b in pairs])[0]
        theirs = stats.spearmanr(*zip(*pairs, strict=True))
        assert found.rho == pytest.approx(theirs.statistic)
        assert found.p == pytest.approx(theirs.pvalue, abs=0.05 if n == 6 else 1e-9)


def test_the_papers_rows_give_the_papers_correlations():
    rows = [row.axes for row in published_rows() if row.condition == "clean"]
    found = {(one.a, one.b): one.rho for one in between_axes(rows)}
    # Paper 1, G.1; the rows are rounded to two decimals.
    assert found["ID", "OOD"] == pytest.approx(0.98, abs=0.006)
    assert found["SYM", "MIN"] == pytest.approx(0.82, abs=0.006)
    assert found["ID", "EFF"] == pytest.approx(-0.08, abs=0.006)


def run_of(label, seed, *, size, error, elapsed, cpu=1.0):
    return RunScore(
        label, label, "g0001", "one", seed, "clean", "completed", "scored", valid=error is not None,
        scores={"ID": quality(error)}, id_nmse=error, c_pred=size, elapsed=elapsed, cpu_s=cpu,
    )  # fmt: skip


def test_trade_offs_name_the_front_and_what_beats_the_rest():
    runs = [
        run_of("small", 520, size=3, error=1e-2, elapsed=1.0),
        run_of("small", 521, size=5, error=1e-2, elapsed=3.0),
        run_of("large", 520, size=30, error=1e-9, elapsed=60.0),
        run_of("worse", 520, size=40, error=1e-3, elapsed=60.0),
        run_of("failed", 520, size=None, error=None, elapsed=9.0),
    ]
    by_size = points(runs, "size")
    assert [(p.name, p.cost, p.front, p.beaten_by) for p in by_size] == [
        ("small", 4.0, True, None),
        ("large", 30.0, True, None),
        ("worse", 40.0, False, "large"),
    ]
    by_time = {p.name: p for p in points(runs, "time")}
    assert by_time["small"].cost == 2.0
    assert by_time["failed"].accuracy == 0.0
    assert by_time["failed"].beaten_by == "small"
    assert {p.name for p in points(runs, "task")} == {run.id for run in runs[:4]}
    assert points([], "cpu") == ()
