"""The killable children: every fault of a job is an outcome, and nothing is left behind."""

import math
import os
import subprocess
import sys
import time

import psutil
import pytest

from engine.expression.children import Children, ChildrenError

LIGHT = ("math",)


def test_faults_are_outcomes_and_the_pool_goes_on():
    with Children(count=1, preload=LIGHT) as pool:
        assert pool.run(math.factorial, 5, seconds=5).value == 120
        late = pool.run(time.sleep, 30, seconds=0.2)
        assert (late.status, late.value) == ("timeout", None)
        assert "0.2 s" in late.reason
        # An endless computation inside C holds the interpreter's lock; it is killed all the same.
        assert pool.run(math.factorial, 10**8, seconds=0.2).status == "timeout"
        assert pool.run(bytearray, 5 * 10**9, seconds=5).status == "memory"
        assert pool.run(os.abort, seconds=5).status == "died"
        wrong = pool.run(math.sqrt, -1, seconds=5)
        assert (wrong.status, wrong.reason) == ("error", "math domain error")
        assert pool.run(math.factorial, 5, seconds=5).value == 120


def test_jobs_come_back_in_order():
    with Children(count=2, preload=LIGHT) as pool:
        outcomes = list(pool.map(math.factorial, [(number,) for number in range(8)], seconds=5))
    assert [outcome.value for outcome in outcomes] == [math.factorial(number) for number in range(8)]


def test_the_environment_is_fixed(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    with Children(count=1, preload=LIGHT) as pool:
        assert pool.run(os.getenv, "ANTHROPIC_API_KEY", seconds=5).value is None
        assert pool.run(os.getenv, "PYTHONHASHSEED", seconds=5).value == "0"
        assert pool.run(os.getenv, "OMP_NUM_THREADS", seconds=5).value == "1"


def test_nothing_is_left_behind():
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with Children(count=2, preload=LIGHT) as pool:
        pool.run(time.sleep, 30, seconds=0.1)
        pool.run(math.factorial, 5, seconds=5)
    after = {child.pid for child in psutil.Process().children(recursive=True)}
    assert after <= before
    with pytest.raises(ChildrenError, match="closed"):
        pool.run(math.factorial, 5, seconds=5)


ORPHANED = """
import sys, time
from engine.expression.children import Children
pool = Children(count=1, preload=("math",))
import threading
threading.Thread(target=pool.run, args=(time.sleep, 600), kwargs={"seconds": 600}, daemon=True).start()
while pool._nursery is None:
    time.sleep(0.01)
time.sleep(0.5)
print(pool._nursery.process.pid, flush=True)
time.sleep(600)
"""


def test_children_end_with_the_process_that_started_them():
    with subprocess.Popen([sys.executable, "-c", ORPHANED], stdout=subprocess.PIPE, text=True) as owner:
        nursery = psutil.Process(int(owner.stdout.readline()))
        family = [nursery, *nursery.children(recursive=True)]
        assert len(family) == 2
        owner.kill()
    _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []


def test_a_worker_ends_with_the_nursery_and_the_pool_starts_another():
    with Children(count=1, preload=LIGHT) as pool:
        worker = psutil.Process(pool.run(os.getpid, seconds=5).value)
        worker.parent().kill()
        psutil.wait_procs([worker], timeout=10)
        assert not worker.is_running()
        assert pool.run(math.factorial, 5, seconds=5).status == "died"
        assert pool.run(math.factorial, 5, seconds=5).value == 120
