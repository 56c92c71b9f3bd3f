"""The worker bundle: what a worker can import, and what it cannot."""

import subprocess
from dataclasses import replace

import pytest

from engine.errors import EngineError
from engine.methods import bundle, registry
from engine.methods.environments import launch


def imported(method, *names):
    """Try to import names in the method's worker interpreter; return those that did."""
    started = launch(method)
    root = started.argv[-1].removesuffix("start.py")
    code = (
        "import sys, importlib\nsys.path.insert(0, sys.argv[1])\n"
        "for name in sys.argv[2:]:\n"
        "    try:\n        importlib.import_module(name)\n        print(name)\n"
        "    except ImportError:\n        pass\n"
    )
    ended = subprocess.run(
        [*started.argv[:-1], "-c", code, root, *names],
        env=started.env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return ended.stdout.split()


def test_a_built_in_worker_has_its_searches_and_no_truths(plugins):
    method = registry.get("bank")
    wanted = ["numpy", "scipy", "engine.expression", "adapters.worker", "adapters.bank.wrapper"]
    forbidden = ["tasks", "engine.scoring", "engine.running", "engine.methods", "pandas", "sympy", "textual"]
    assert imported(method, *wanted, *forbidden) == wanted


def test_a_plugins_package_travels_with_its_worker(plugins):
    found = imported(registry.get("polyfit"), "arena_polyfit.wrapper", "arena_unruly.wrapper", "tasks")
    assert found == ["arena_polyfit.wrapper"]


def test_the_same_content_is_one_bundle_and_other_content_another(plugins, tmp_path):
    method = registry.get("polyfit")
    first = bundle.build(method)
    assert bundle.build(method) == first
    folder = tmp_path / "changed"
    folder.mkdir()
    (folder / "__init__.py").write_text("changed = True\n")
    assert bundle.build(replace(method, folder=folder)) != first


def test_a_bundle_holds_source_only(plugins):
    root = bundle.build(registry.get("gplearn"))
    kinds = {file.suffix for file in root.rglob("*") if file.is_file() and "__pycache__" not in file.parts}
    assert kinds == {".py"}
    assert not (root / "numpy").exists(), "a method with its own environment brings its own numpy"


def test_a_cache_that_cannot_be_written_is_one_sentence(plugins, monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("ARENA_HOME", str(blocked))
    with pytest.raises(EngineError, match="bundle cannot be written"):
        bundle.build(registry.get("polyfit"))
