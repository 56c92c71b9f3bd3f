"""Who owns a campaign, and whether a process that left its name is alive."""

import json
import os
import subprocess
import sys
import time

import pytest

from engine.errors import EngineError
from engine.running import control, layout, liveness
from engine.running.lease import LEASE_S, Lease, owner


def other_machine(heartbeat):
    return {"host": "elsewhere", "boot_id": "b", "pid": 7, "started": "1", "heartbeat": heartbeat, "runs": []}


def write_lease(campaign, record):
    (campaign / "control").mkdir(exist_ok=True)
    (campaign / layout.LEASE).write_text(json.dumps(record))


def test_one_process_owns_a_campaign_until_it_lets_go(tmp_path):
    first = Lease(tmp_path)
    first.take()
    assert owner(tmp_path)["pid"] == os.getpid()
    with pytest.raises(EngineError, match=f"owned by a live engine {os.getpid()}"):
        Lease(tmp_path).take()
    first.release()
    assert owner(tmp_path) is None
    second = Lease(tmp_path)
    second.take()
    second.release()


def test_a_heartbeat_from_another_machine_counts_while_it_is_fresh(tmp_path):
    write_lease(tmp_path, other_machine(time.time()))
    with pytest.raises(EngineError, match="owned by a live engine 7 on elsewhere"):
        Lease(tmp_path).take()
    write_lease(tmp_path, other_machine(time.time() - LEASE_S - 1))
    lease = Lease(tmp_path)
    lease.take()
    assert owner(tmp_path)["pid"] == os.getpid()
    lease.release()


def test_a_killed_engine_owns_nothing(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from engine.running.lease import Lease\n"
        "Lease(Path(sys.argv[1])).take(); print('taken', flush=True); time.sleep(60)"
    )
    engine = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    engine.stdout.readline()
    assert owner(tmp_path)["pid"] == engine.pid
    engine.kill()
    engine.wait()
    engine.stdout.close()
    assert owner(tmp_path) is None
    lease = Lease(tmp_path)
    lease.take()
    lease.release()


def test_a_pid_that_was_given_to_somebody_else_is_not_alive():
    me = liveness.myself()
    assert liveness.alive(me) is True
    assert liveness.alive({**me, "started": "1"}) is False
    assert liveness.alive({**me, "boot_id": "another boot"}) is False
    assert liveness.alive({**me, "host": "elsewhere"}) is None
    child = subprocess.Popen([sys.executable, "-c", ""])
    record = {**me, "pid": child.pid, "started": liveness.start_time(child.pid)}
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    # Dead and not yet collected is dead.
    assert liveness.alive(record) is False
    child.wait()


def test_requests_wait_in_order_until_they_are_answered(tmp_path):
    first = control.ask(tmp_path, "stop", ["a/g1/1"])
    second = control.ask(tmp_path, "drain", [])
    (tmp_path / layout.REQUESTS / "0broken.json").write_text("{")
    assert control.pending(tmp_path) == (first, second)
    control.acknowledge(tmp_path, first, ["a/g1/1"])
    assert control.pending(tmp_path) == (second,)
    assert control.answer(tmp_path, first)["applied"] == ["a/g1/1"]
    assert control.answer(tmp_path, second) is None
