"""Reading campaigns: live, packed, merged, retried and damaged ones look the same to a reader."""

import json
import os
from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.running import attempts, drafts, merging, reader, repeatability, segments, spec_file, summary
from engine.running.spec import MethodEntry
from tests.engine.running.running_campaigns import (
    QUICK,
    hashes,
    make_campaign,
    own_task,
    runs_of,
    supervise,
    use_stubs,
)

UNSTEADY = "begin()\nincumbent(f'{time.time_ns()}*x0')\nfinal(f'{time.time_ns()}*x0')\n"


@pytest.fixture
def finished(tmp_path, arena_home, monkeypatch):
    """Make and run a stub campaign."""

    def make(name="campaign", stubs=None, **options):
        folder = make_campaign(tmp_path / name, stubs or {"stub": QUICK}, **options)
        use_stubs(folder, monkeypatch)
        supervise(folder)
        return folder

    return make


def test_packed_runs_read_as_live_ones(finished):
    folder = finished(seeds=(1, 2), tasks=[own_task("u0000001"), own_task("u0000002")])
    before = runs_of(folder)
    told = {
        name: (reader.checkpoints(run), reader.incumbents(run), reader.telemetry(run))
        for name, run in before.items()
    }
    summaries = [summary.full_row(run) for run in before.values()]
    follower = reader.Follower(folder)
    follower.refresh()
    segment = segments.pack(folder, before.values())
    assert segment is not None
    after = runs_of(folder)
    assert all(run.segment == segment for run in after.values())
    assert not list(folder.glob("runs/*/*/*/attempt-1/incumbents.jsonl"))
    assert len(list(folder.glob("runs/*/*/*/attempt-1/result.json"))) == 4
    for name, run in after.items():
        assert (reader.checkpoints(run), reader.incumbents(run), reader.telemetry(run)) == told[name]
    assert [summary.full_row(run) for run in after.values()] == summaries
    assert [run.segment for run in follower.refresh().runs] == [segment] * 4
    assert segments.pack(folder, after.values()) is None
    # The spec and the segments alone are a campaign that can be read.
    (folder / "runs").rename(folder / "elsewhere")
    alone = runs_of(folder)
    assert [summary.full_row(run) for run in alone.values()] == summaries
    assert reader.checkpoints(alone["stub/u0000001/1"]) == told["stub/u0000001/1"][0]


def test_a_packed_campaign_is_resumed_and_retried(finished):
    folder = finished(seeds=(1, 2))
    segments.pack(folder, runs_of(folder).values())
    from engine.running import control

    control.ask(folder, "retry", ["stub/u0000001/1"])
    outcome = supervise(folder)
    assert outcome.statuses == {"completed": 2}
    runs = runs_of(folder)
    assert (runs["stub/u0000001/1"].attempt, runs["stub/u0000001/1"].segment) == (2, None)
    assert runs["stub/u0000001/2"].attempt == 1


def test_a_follower_sees_a_campaign_grow(tmp_path, arena_home, monkeypatch):
    folder = make_campaign(tmp_path / "campaign", {"stub": QUICK}, seeds=(1, 2))
    follower = reader.Follower(folder)
    assert {run.status for run in follower.refresh().runs} == {"planned"}
    use_stubs(folder, monkeypatch)
    supervise(folder)
    campaign = follower.refresh()
    assert {run.status for run in campaign.runs} == {"completed"}
    assert campaign.run("stub/line-u0000001/1").id == "stub/u0000001/1"
    with pytest.raises(EngineError, match="no run 'stub/g9'"):
        campaign.run("stub/g9")
    with pytest.raises(EngineError, match="means 2 runs"):
        campaign.run("stub")


def test_a_damaged_result_is_named_moved_aside_and_made_again(finished):
    folder = finished(seeds=range(1, 11))
    kept = hashes(folder)
    empty = folder / "runs/stub/u0000001/3/attempt-1"
    cut = folder / "runs/stub/u0000001/7/attempt-1"
    (empty / "result.json").write_bytes(b"")
    (empty / "exit.json").write_bytes(b"")
    (cut / "result.json").write_bytes((cut / "result.json").read_bytes()[:-40])
    assert {run.status for run in runs_of(folder).values()} == {"completed", "interrupted"}
    outcome = supervise(folder)
    assert sorted(outcome.damaged) == [
        "runs/stub/u0000001/3/attempt-1/exit.json",
        "runs/stub/u0000001/3/attempt-1/result.json",
        "runs/stub/u0000001/7/attempt-1/result.json",
    ]
    assert len(list((folder / "damaged").iterdir())) == 3
    runs = runs_of(folder)
    assert {run.status for run in runs.values()} == {"completed"}
    # The one whose raw records are whole is composed again from them, the other is a new attempt.
    assert runs["stub/u0000001/7"].attempt == 1
    assert runs["stub/u0000001/3"].attempt == 2
    after = hashes(folder)
    untouched = {name for name in kept if "/3/" not in name and "/7/" not in name}
    assert len(untouched) == 8
    assert all(after[name] == kept[name] for name in untouched)


def test_lost_records_are_unavailable_not_zero(finished):
    folder = finished()
    run = runs_of(folder)["stub/u0000001/520"]
    (run.folder / "incumbents.jsonl").unlink()
    assert {(point.status, point.q) for point in reader.checkpoints(run)} == {("unavailable", None)}


def test_a_campaign_is_extended_to_the_full_product(finished, tmp_path):
    folder = finished(seeds=(1,))
    before = hashes(folder)
    table = tmp_path / "line.csv"
    table.write_text("x,y\n" + "\n".join(f"{k},{2 * k + 1}" for k in range(30)))
    (tmp_path / "stubs-of-campaign" / "other.py").write_text(
        (tmp_path / "stubs-of-campaign" / "stub.py").read_text()
    )
    draft = drafts.Draft(
        methods=(MethodEntry("other", "other", threads=0),),
        tables=(drafts.Table(str(table), "y"),),
        seeds=(2,),
        conditions=("noise001",),
    )
    text = (folder / "campaign.toml").read_text()
    drafts.extend(folder, draft)
    assert (folder / "campaign.toml").read_text().startswith(text)
    supervise(folder)
    runs = runs_of(folder)
    assert len(runs) == 2 * 2 * 2 * 2
    assert {run.status for run in runs.values()} == {"completed"}
    assert all(hashes(folder)[name] == digest for name, digest in before.items())
    with pytest.raises(EngineError, match=r"the budget of .* stays 5 s"):
        drafts.extend(folder, drafts.Draft(budget="9s"))


def test_two_campaigns_merge_by_copying_runs(finished):
    one = finished("one", seeds=(1, 2))
    two = finished("two", {"stub": QUICK, "other": QUICK}, seeds=(2, 3))
    segments.pack(two, runs_of(two).values())
    kept = hashes(one)
    merged = merging.merge(two, one)
    assert sorted(merged.copied) == ["other/u0000001/2", "other/u0000001/3", "stub/u0000001/3"]
    assert merged.present == ("stub/u0000001/2",)
    runs = runs_of(one)
    assert len(runs) == 5
    assert {run.status for run in runs.values()} == {"completed"}
    assert [point.status for point in reader.checkpoints(runs["stub/u0000001/3"])] == ["ok"] * 5
    assert all(hashes(one)[name] == digest for name, digest in kept.items())
    assert merging.merge(two, one).copied == ()


def test_a_label_that_means_something_else_is_renamed_and_other_budgets_are_refused(finished, tmp_path):
    one = finished("one", seeds=(1,))
    two = finished("two", seeds=(1,), evaluation_limit=5)
    merged = merging.merge(two, one)
    assert merged.labels == (("stub", "stub-2"),)
    run = runs_of(one)["stub-2/u0000001/1"]
    assert json.loads((run.folder / "result.json").read_text())["run"] == "stub-2/u0000001/1"
    three = make_campaign(tmp_path / "three", {"stub": QUICK}, budget=9.0)
    with pytest.raises(EngineError, match="budget_s differ"):
        merging.merge(three, one)


def test_only_equal_runs_earn_the_label_repeatable(finished):
    folder = finished(stubs={"steady": QUICK, "unsteady": UNSTEADY})
    again = finished("again", stubs={"steady": QUICK, "unsteady": UNSTEADY})
    verdicts = {
        group.method: group.verdict
        for group in repeatability.compare([*runs_of(folder).values(), *runs_of(again).values()])
    }
    assert verdicts["steady"] == "repeatable (2 of 2 equal)"
    assert verdicts["unsteady"].startswith("not repeatable under a fixed seed: ")
    assert verdicts["unsteady"].count("*x") == 2
    run = runs_of(folder)["steady/u0000001/520"]
    assert run.threads == 1
    assert {"arena-tui", "python", "source"} <= set(run.versions)


def test_eight_campaigns_made_at_one_moment_are_eight_folders(arena_home, tmp_path, monkeypatch):
    from datetime import UTC, datetime

    class Frozen(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2026, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(drafts, "datetime", Frozen)
    table = tmp_path / "line.csv"
    table.write_text("x,y\n" + "\n".join(f"{k},{k}" for k in range(30)))
    draft = drafts.Draft(
        methods=(MethodEntry("bank", "bank", threads=0),),
        tables=(drafts.Table(str(table), "y"),),
        seeds=(1,),
        budget=5,
    )
    folders = {drafts.create(drafts.plan(draft), None) for _ in range(8)}
    assert len(folders) == 8
    assert len({spec_file.read(folder).id for folder in folders}) == 8
    with pytest.raises(EngineError, match="is a campaign already"):
        drafts.create(drafts.plan(draft), next(iter(folders)))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(EngineError, match="is not empty and no campaign"):
        drafts.create(drafts.plan(draft), tmp_path / "full")
    assert Path(tmp_path / "full" / "thesis.txt").read_text() == "mine"


def test_an_attempt_that_nobody_will_start_is_interrupted_and_its_remains_go(
    tmp_path, arena_home, monkeypatch
):
    folder = make_campaign(tmp_path / "campaign", {"stub": QUICK})
    use_stubs(folder, monkeypatch)
    (run,) = runs_of(folder).values()
    _, attempt = attempts.create(folder, run.key)
    (attempt / ".request.json.0123abcd").write_text('{"schema": 1, "ru')
    assert runs_of(folder)[run.id].status == "starting"
    os.utime(attempt, (1e9, 1e9))
    assert runs_of(folder)[run.id].status == "interrupted"
    supervise(folder)
    after = runs_of(folder)[run.id]
    assert (after.status, after.attempts) == ("completed", 2)
    assert [path.name for path in attempt.iterdir()] == ["keeper.json"]
