import json
import shutil

import pytest

from engine.judging.records import Records
from engine.judging.verdict import Verdict
from engine.running import layout, spec_file, user_data
from engine.running.records import RunKey
from engine.running.spec import Block, CampaignSpec, Limits, MethodEntry
from engine.scoring import axes, tables
from engine.scoring.campaign import score
from engine.scoring.numeric import quality
from tasks import catalogue
from tasks.tables import user_task
from tests.bench.scoring_campaign import make_campaign, write_run

NGUYEN = "Nguyen-9"


def campaign(folder, tasks, *, labels=("a",), seeds=(520, 521, 522), conditions=("clean",), names=None):
    ids = tuple(task.id for task in tasks)
    spec = CampaignSpec(
        id="0123456789abcdef",
        created="2026-11-01T00:00:00+00:00",
        methods=tuple(MethodEntry(label, "gplearn", seeds=tuple(seeds)) for label in labels),
        blocks=(Block(labels, ids, tuple(task.name for task in tasks), tuple(seeds), conditions),),
        limits=Limits(300.0, 60.0),
    )
    folder.mkdir()
    spec_file.write(folder, spec)
    return folder


def task(name):
    return catalogue.get(name)


@pytest.fixture(scope="module")
def three(tmp_path_factory, request):
    """Nguyen-9 with seeds 520-522 as in G.4: exact, off by a constant, and a failed run."""
    nguyen = task(NGUYEN)
    folder = campaign(tmp_path_factory.mktemp("three") / "c", [nguyen])
    x, y = nguyen.feature_names
    truth = f"sin({x})+sin({y}**2)"
    write_run(
        folder,
        RunKey("a", nguyen.id, 520),
        nguyen,
        f"{truth}+1.1685188e-8",
        4.54e-15,
        8.28e-17,
        checkpoints=5,
    )
    write_run(folder, RunKey("a", nguyen.id, 521), nguyen, truth, 0.0, 0.0, checkpoints=5)
    write_run(
        folder, RunKey("a", nguyen.id, 522), nguyen, "0", None, None, checkpoints=0,
        status="crashed", final_status="none", budget=300.0,
    )  # fmt: skip
    return folder


def test_numerical_success_is_not_symbolic_recovery(three):
    scores = score(three)
    near, exact, failed = scores.runs
    assert near.scores["SYM"] == pytest.approx(0.4886, abs=5e-5)
    assert near.scores["ID"] == 1.0
    assert (near.verdict, near.evidence) == ("different", "witness")
    assert near.solution is True
    assert (exact.scores["SYM"], exact.scores["MIN"], exact.verdict) == (1.0, 1.0, "equivalent")
    assert {axis: failed.scores[axis] for axis in ("ID", "OOD", "SYM", "MIN", "EFF")} == dict.fromkeys(
        ("ID", "OOD", "SYM", "MIN", "EFF"), 0.0
    )
    assert (failed.state, failed.valid) == ("scored", False)


def test_axes_of_the_method_are_means_over_its_runs(three):
    (method,) = score(three).methods
    assert method.axes["ID"].value == pytest.approx(2 / 3)
    assert (method.axes["SYM"].n, method.axes["SYM"].of) == (3, 3)
    # N: gaps 0, 1, 1; V = 2/3; C: the one valid pair is not consistent.
    assert method.axes["STAB"].value == 0.0
    (found,) = score(three).tasks
    assert found.stability.numerical == pytest.approx(1 - 2 / 3)
    assert found.stability.validity == pytest.approx(2 / 3)


def test_a_second_scoring_judges_nothing_anew(three, tmp_path, monkeypatch):
    folder = tmp_path / "again"
    shutil.copytree(three, folder)
    first = score(folder)
    before = {p.name: p.read_bytes() for p in (folder / "judgments").iterdir()}
    asked = []
    assert score(folder, progress=lambda *step: asked.append(step)) == first
    assert asked == []
    assert {p.name: p.read_bytes() for p in (folder / "judgments").iterdir()} == before


def test_a_linked_correction_changes_the_score_and_keeps_the_original(three, tmp_path):
    folder = tmp_path / "corrected"
    shutil.copytree(three, folder)
    score(folder)
    records = Records(folder)
    key = next(r.key for r in records.all("verdicts") if r.outcome["verdict"] == "equivalent")
    records.correct(key, Verdict("different", "model", "audited"), reason="audit", by="tester")
    assert score(folder).runs[1].scores["SYM"] == pytest.approx(0.5)


def test_partial_campaigns_say_how_many_of_how_many(tmp_path):
    nguyen = task(NGUYEN)
    folder = campaign(tmp_path / "c", [nguyen], labels=("a", "b"))
    truth = nguyen.formula
    for seed in (520, 521):
        write_run(folder, RunKey("a", nguyen.id, seed), nguyen, truth, 0.0, 0.0, checkpoints=5)
    write_run(folder, RunKey("a", nguyen.id, 522), nguyen, truth, 0.0, 0.0, checkpoints=5, status="cancelled")
    scores = score(folder)
    states = [(run.id.split("/")[0], run.state) for run in scores.runs]
    assert states.count(("a", "scored")) == 2
    assert states.count(("b", "missing")) == 3
    a, b = scores.methods
    assert (a.axes["ID"].value, a.axes["ID"].n, a.axes["ID"].of) == (1.0, 2, 3)
    assert (a.axes["STAB"].value, a.axes["STAB"].n, a.axes["STAB"].of) == (None, 0, 1)
    assert "waits for 1 of 3 seeds" in a.axes["STAB"].note
    assert (b.axes["ID"].value, b.axes["ID"].n, b.axes["ID"].of) == (None, 0, 3)
    tables.save(scores)
    assert len(tables.load(folder)["runs"]) == 6


def test_a_campaign_with_one_seed_has_no_stability(tmp_path):
    nguyen = task(NGUYEN)
    folder = campaign(tmp_path / "c", [nguyen], seeds=(520,))
    write_run(folder, RunKey("a", nguyen.id, 520), nguyen, nguyen.formula, 0.0, 0.0, checkpoints=5)
    (method,) = score(folder).methods
    assert method.axes["STAB"].value is None
    assert "at least two seeds" in method.axes["STAB"].note


def test_tasks_without_ood_split_and_lost_records_are_named_pain_73(tmp_path):
    rows = tmp_path / "mine.csv"
    rows.write_text("p,q\n" + "".join(f"{k}.5,{2 * k + 1}\n" for k in range(40)), encoding="utf-8")
    without, splits = user_task(rows, "q")
    nguyen = task(NGUYEN)
    folder = campaign(tmp_path / "c", [without, nguyen], seeds=(520,))
    user_data.save(folder, without, splits)
    key = RunKey("a", without.id, 520)
    write_run(folder, key, without, "2*p", 1e-20, None, checkpoints=5, has_ood=False)
    write_run(folder, RunKey("a", nguyen.id, 520), nguyen, nguyen.formula, 0.0, 0.0, checkpoints=5)
    evaluations = layout.attempt_folder(folder, RunKey("a", nguyen.id, 520), 1) / layout.INCUMBENTS
    lines = evaluations.read_bytes().splitlines(keepends=True)
    evaluations.write_bytes(b"".join(lines[:2]) + b'{"event": "incum\n' + b"".join(lines[3:]))
    scores = score(folder)
    first, second = scores.runs
    assert first.scores["OOD"] is None
    assert "OOD not available (no split); EFF is ID only" in first.notes
    assert "SYM and MIN not available (no ground truth)" in first.notes
    assert (first.scores["SYM"], first.scores["MIN"]) == (None, None)
    assert first.scores["EFF"] is not None
    assert second.scores["EFF"] is None
    assert any(note.startswith("EFF blocked: ") for note in second.notes)
    (method,) = scores.methods
    assert (method.axes["OOD"].n, method.axes["OOD"].of) == (1, 2)
    assert (method.axes["EFF"].n, method.axes["EFF"].of) == (1, 2)


def test_noise_conditions_are_compared_with_clean(tmp_path):
    nguyen = task(NGUYEN)
    folder = campaign(tmp_path / "c", [nguyen], seeds=(520,), conditions=("clean", "noise005"))
    write_run(folder, RunKey("a", nguyen.id, 520), nguyen, nguyen.formula, 1e-12, 1e-12, checkpoints=2)
    key = RunKey("a", nguyen.id, 520, "noise005")
    write_run(folder, key, nguyen, f"1.01*({nguyen.formula})", 1e-4, 1e-3, checkpoints=2)
    deltas = axes.noise_deltas(score(folder).methods)
    assert deltas["a", "noise005"]["ID"] == pytest.approx(quality(1e-4) - 1.0)
    assert deltas["a", "noise005"]["OOD"] == pytest.approx(quality(1e-3) - 1.0)


def test_sizes_are_counted_on_the_stated_tree_pain_65():
    from engine.expression.similarity import compare, minimality

    found = compare("x0*(x0+2*x1)", "x0**2+2*x0*x1", ("x0", "x1"))
    assert (found.reference_complexity, found.predicted_complexity) == (7, 8)
    assert minimality(7, 8) == 0.875
    assert minimality(7, 5) == 1.0


def test_ranking_puts_what_is_not_finite_last_pain_8():
    import itertools
    import math

    values = {"a": 0.7, "b": math.nan, "c": 0.9, "d": 0.4}
    for order in itertools.permutations(values):
        scores = {name: values[name] for name in order}
        assert axes.ranked(scores) == ["c", "a", "d", "b"]
        assert axes.ranked(scores, ascending=True) == ["d", "a", "c", "b"]
    assert axes.ranked({"x": None, "y": math.inf, "z": 0.1})[0] == "z"


def test_methods_are_ranked_by_their_mean_place_pain_8(tmp_path):
    from engine.scoring import report, writers

    nguyen = task(NGUYEN)
    folder = campaign(tmp_path / "c", [nguyen], labels=("worse", "better", "lost", "even"), seeds=(520, 521))
    errors = {"worse": (1e-3, 1e-2), "better": (1e-12, 1e-12), "even": (1e-3, 1e-2)}
    for label, (id_nmse, ood_nmse) in errors.items():
        for seed in (520, 521):
            key = RunKey(label, nguyen.id, seed)
            write_run(folder, key, nguyen, f"1.01*({nguyen.formula})", id_nmse, ood_nmse, checkpoints=2)
    scores = score(folder)
    ranked = report.ranking(scores)
    assert [row.cells["algorithm"] for row in ranked.rows] == ["better", "worse", "even", "lost"]
    places = {row.cells["algorithm"]: row.cells for row in ranked.rows}
    assert (places["better"]["ID"], places["worse"]["ID"], places["even"]["ID"]) == (1.0, 2.5, 2.5)
    # A method without a single run that ended has no axis, so no place and no mean.
    assert places["lost"]["ID"] is None
    assert places["lost"]["mean"] is None
    # All three are equal in SYM: nobody is marked as ahead.
    assert {key for _, key in report.marks(ranked)} >= {"mean", "ID"}
    assert not any(key == "SYM" for _, key in report.marks(ranked))
    assert "1 is the best place" in writers.text(ranked)


def test_correlations_need_three_methods_and_variation():
    from engine.scoring.rows import AXES, AxisScore, MethodScore

    def method(k, eff):
        values = {axis: AxisScore(k / 10, 1, 1) for axis in AXES} | {"EFF": AxisScore(eff, 1, 1)}
        return MethodScore(f"m{k}", "gplearn", "clean", values, {}, AxisScore(None, 0, 1))

    found = axes.correlations([method(1, 0.9), method(2, 0.5), method(3, 0.1)])
    assert found["ID", "OOD"] == pytest.approx(1.0)
    assert found["ID", "EFF"] == pytest.approx(-1.0)
    assert axes.correlations([method(1, 0.5), method(2, 0.5), method(3, 0.5)])["ID", "EFF"] is None
    assert axes.correlations([method(1, 0.5)])["ID", "OOD"] is None


def test_scores_do_not_depend_on_the_hash_seed_pain_80(tmp_path):
    import os
    import subprocess
    import sys

    code = (
        "import json\n"
        "from engine.judging.deterministic import judge\n"
        "from engine.expression.similarity import compare\n"
        "from engine.scoring import bootstrap\n"
        "a='x2*cos(x1)*sin(x0) + x1*x2*exp(x0) - x1/x0'; b='-x1/x0 + x1*x2*exp(x0) + x2*cos(x1)*sin(x0)'\n"
        "f=('x0','x1','x2')\n"
        "print(json.dumps([judge(a,b,f).record(), repr(compare(a,b,f)), bootstrap.draws(50)[:2].tolist()]))\n"
    )
    outputs = set()
    for hash_seed in ("0", "1", "random"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert json.loads(outputs.pop())[0]["verdict"] == "equivalent"


@pytest.mark.slow
def test_a_papers_campaign_is_scored_within_its_limits(tmp_path, published):
    import resource
    import time

    records = published("reference/scored_runs.jsonl")
    folder = tmp_path / "paper"
    chosen = make_campaign(folder, records=records)
    start = time.monotonic()
    scores = score(folder)
    tables.save(scores)
    assert time.monotonic() - start < 300
    assert len(scores.runs) == 2250
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 < 2e9
    gone = layout.run_folder(folder, RunKey("method00", chosen[0].id, 520))
    shutil.rmtree(gone)
    write_run(folder, RunKey("method00", chosen[0].id, 520), chosen[0], chosen[0].formula, 1e-13, 1e-13)
    start = time.monotonic()
    score(folder)
    assert time.monotonic() - start < 10
