"""The engine's own helpers when something outside ends them, or the machine has no room for their work."""

import asyncio
import errno
import json
import os
import signal

import numpy as np
import pytest

from engine.errors import EngineError
from engine.running import attempts, drafts, prepared
from engine.running.evaluation_pool import EvaluationPool
from engine.running.prepared import Preparer
from engine.running.spec import MethodEntry
from tasks.errors import TaskError
from tests.engine.running.running_campaigns import (
    QUICK,
    make_campaign,
    own_task,
    runs_of,
    supervise,
    use_stubs,
)


@pytest.fixture
def two_tasks(tmp_path, arena_home):
    return make_campaign(tmp_path / "c", {"stub": QUICK}, tasks=[own_task("u0000001"), own_task("u0000002")])


def test_an_evaluator_killed_from_outside_costs_no_expression_its_score(tmp_path, capfd):
    for name in ("train", "id"):
        np.save(tmp_path / f"{name}-X.npy", np.array([[1.0], [2.0], [3.0]]))
        np.save(tmp_path / f"{name}-y.npy", np.array([2.0, 4.0, 6.0]))
    question = {"folder": str(tmp_path), "text": "x0 + x0", "dialect": "infix", "names": ["x0"],
                "features": ["a"]}  # fmt: skip

    async def ask():
        pool = EvaluationPool(1)
        answers = []
        try:
            for _ in range(3):
                answers.append(await pool.evaluate(question))
                os.kill(pool._evaluators[0]._process.pid, signal.SIGKILL)
        finally:
            await pool.close()
        return answers

    assert [(answer["status"], answer["id_nmse"]) for answer in asyncio.run(ask())] == [("ok", 0.0)] * 3
    assert "Unknown child" not in capfd.readouterr().err


def test_a_preparing_process_killed_from_outside_fails_no_run(two_tasks):
    async def prepare():
        preparer = Preparer(two_tasks)
        try:
            await preparer.prepare("u0000001")
            os.kill(preparer._process.pid, signal.SIGKILL)
            return await preparer.prepare("u0000002")
        finally:
            await preparer.close()

    assert asyncio.run(prepare()).features == ("x",)


def test_no_room_for_a_tasks_rows_stops_the_engine_and_fails_no_run(two_tasks, tmp_path, monkeypatch):
    use_stubs(two_tasks, monkeypatch)
    rows = tmp_path / "rows"
    (rows / "u0000001").mkdir(parents=True)
    (rows / "u0000001" / "train-y.npy").symlink_to("/dev/full")
    with monkeypatch.context() as patch:
        patch.setattr(prepared, "_own_folder", lambda: rows)
        with pytest.raises(EngineError, match=r"u0000001 cannot be prepared.*No space left"):
            supervise(two_tasks, workers=1)
    assert {run.status for run in runs_of(two_tasks).values()} == {"planned"}
    supervise(two_tasks)
    assert {run.status for run in runs_of(two_tasks).values()} == {"completed"}


def test_damaged_rows_fail_their_own_runs_only(two_tasks, monkeypatch):
    use_stubs(two_tasks, monkeypatch)
    (two_tasks / "data" / "u0000001" / "train.npz").write_bytes(b"PK broken")
    supervise(two_tasks)
    runs = {run.task: run for run in runs_of(two_tasks).values()}
    assert runs["u0000001"].status == "start failed"
    assert "is damaged" in runs["u0000001"].reason
    assert runs["u0000002"].status == "completed"
    result = json.loads((runs["u0000001"].folder / "result.json").read_text())
    assert result["final"]["status"] == "none"


def test_a_task_that_cannot_be_made_is_told_from_a_machine_that_cannot_make_it(two_tasks):
    async def prepare(identifier):
        preparer = Preparer(two_tasks)
        try:
            await preparer.prepare(identifier)
        finally:
            await preparer.close()

    with pytest.raises(TaskError, match="u9999999"):
        asyncio.run(prepare("u9999999"))


def test_a_keeper_of_another_machine_that_falls_silent_is_given_up(tmp_path, arena_home, monkeypatch):
    folder = make_campaign(tmp_path / "c", {"stub": QUICK})
    use_stubs(folder, monkeypatch)
    monkeypatch.setattr(attempts, "_SILENCE_S", 1.5)
    (run,) = runs_of(folder).values()
    _, attempt = attempts.create(folder, run.key)
    keeper = {"host": "elsewhere", "boot_id": "b", "pid": 1, "started": "1", "mark": "m", "scratch": None}
    (attempt / "keeper.json").write_text(json.dumps(keeper))
    supervise(folder)
    after = runs_of(folder)[run.id]
    assert (after.status, after.attempts) == ("completed", 2)
    assert (attempt / "keeper.json").exists()


def test_a_table_that_found_no_room_leaves_nothing_and_the_command_can_be_repeated(
    tmp_path, arena_home, monkeypatch
):
    table = tmp_path / "t.csv"
    table.write_text("a,y\n" + "".join(f"{k},{2 * k}\n" for k in range(20)))
    draft = drafts.Draft(
        methods=(MethodEntry("bank", "bank"),),
        tables=(drafts.Table(str(table), "y"),),
        seeds=(1,),
        budget="5s",
    )
    plan = drafts.plan(draft)
    whole = np.savez

    def run_out_of_room(file, **arrays):
        whole(file, **arrays)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", run_out_of_room)
        with pytest.raises(EngineError, match="No space left"):
            drafts.create(plan, tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []
    assert drafts.create(plan, tmp_path / "new") == tmp_path / "new"
    (saved,) = (tmp_path / "new" / "data").iterdir()
    assert {path.name for path in saved.iterdir()} == {"task.json", "train.npz", "valid.npz", "id.npz"}
