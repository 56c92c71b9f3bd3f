"""The doctor: a dying import is a line of the answer (log of users' reports, entries 29 and 58)."""

import sys

import pytest

from engine.methods import doctor, registry
from engine.methods.doctor import examine, probe
from engine.methods.environments import Launch

STUBS = {
    "aborts": "import os; os.abort()",
    "segfaults": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "old_system": 'raise ImportError("/lib/libc.so.6: version `GLIBC_2.99\' not found (required by x.so)")',
    "no_library": "raise ImportError('libopenblas.so.0: cannot open shared object file: No such file')",
    "no_module": "import no_such_module_at_all",
    "sleeps": "import time; time.sleep(60)",
    "raises": "raise RuntimeError('the back end is in a bad mood')",
    "healthy": "",
}
EXPECTED = {
    "aborts": "crashed (signal 6)",
    "segfaults": "crashed (signal 11)",
    "old_system": "missing library (GLIBC_2.99)",
    "no_library": "missing library (libopenblas.so.0)",
    "no_module": "missing library (no_such_module_at_all)",
    "sleeps": "not answering",
    "raises": "failed",
    "healthy": "ready",
}


@pytest.mark.parametrize("stub", STUBS)
def test_each_way_to_die_has_its_line(tmp_path, monkeypatch, stub):
    # An idle probe is given up at once; a busy one would be given longer.
    monkeypatch.setattr(doctor, "PROBE_LIMIT_S", 1.5 if stub == "sleeps" else 20.0)
    (tmp_path / f"stub_{stub}.py").write_text(STUBS[stub])
    started = Launch((sys.executable, "-P", "-s", "start.py"), {"PATH": "/usr/bin:/bin"})
    found = probe(stub, started, str(tmp_path), [f"stub_{stub}"])
    assert found.status == EXPECTED[stub]
    assert "\n" not in found.detail
    if stub == "raises":
        assert "bad mood" in found.detail


def test_a_probe_that_is_hard_at_work_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "PROBE_LIMIT_S", 1.0)
    (tmp_path / "stub_busy.py").write_text(
        "import time\nend = time.process_time() + 1.5\nwhile time.process_time() < end: pass"
    )
    started = Launch((sys.executable, "-P", "-s", "start.py"), {"PATH": "/usr/bin:/bin"})
    assert probe("busy", started, str(tmp_path), ["stub_busy"]).ready


def test_an_interpreter_that_cannot_be_started_is_a_line_too(tmp_path):
    started = Launch((str(tmp_path / "python"), "start.py"), {})
    assert probe("gone", started, str(tmp_path), []).status == "broken"


def test_the_built_in_methods_are_ready_and_the_others_say_what_to_do(plugins):
    found = {one.method: one for one in examine(["bank", "polyfit", "gplearn", "dso"])}
    assert found["bank"].ready
    assert found["polyfit"].ready
    assert found["gplearn"].status == "not installed"
    assert "arena-tui methods install gplearn" in found["gplearn"].detail
    assert not found["dso"].ready


def test_a_broken_import_of_a_plugin_does_not_touch_us(plugins, tmp_path, monkeypatch):
    from dataclasses import replace

    folder = tmp_path / "arena_polyfit"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "wrapper.py").write_text("import os; os.abort()")
    method = replace(registry.get("polyfit"), folder=folder)
    monkeypatch.setattr(registry, "get", lambda _: method)
    assert examine(["polyfit"])[0].status == "crashed (signal 6)"
