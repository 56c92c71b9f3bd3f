"""Environments: made, reused, repaired, removed; every state with one sentence; nothing is downloaded."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from arena_tui.__main__ import main
from engine.errors import EngineError
from engine.methods import installing, registry
from engine.methods.environments import (
    MARKER,
    environment_folder,
    folder_of_all,
    launch,
    state,
    worker_environment,
)
from engine.methods.installing import install, uninstall


@pytest.fixture
def packaged(plugins, tmp_path):
    """A method with an environment of its own and nothing in it: uv makes it without any network."""
    folder = tmp_path / "arena_polyfit"
    folder.mkdir()
    for platform in ("linux", "macos"):
        (folder / f"requirements-{platform}.txt").write_text("")
    return replace(registry.get("polyfit"), kind="packaged", folder=folder)


def test_not_installed_says_how_to_install(plugins):
    with pytest.raises(EngineError, match="gplearn is not installed; run: arena-tui methods install gplearn"):
        launch(registry.get("gplearn"))
    with pytest.raises(EngineError, match="install dso --source PATH_OR_GIT_URL"):
        launch(registry.get("dso"))


def test_an_installation_is_made_once_and_used_again(packaged):
    told = []
    assert install(packaged, tell=told.append).status == "installed"
    folder = environment_folder(packaged)
    before = (folder / MARKER).stat().st_mtime_ns
    assert install(packaged, tell=told.append).usable
    assert (folder / MARKER).stat().st_mtime_ns == before
    assert sum("making the environment" in sentence for sentence in told) == 1
    started = launch(packaged)
    ended = subprocess.run(
        [*started.argv[:-1], "-c", "import sys; print(sys.prefix)"],
        env=started.env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(ended.stdout.strip()).resolve() == folder.resolve()


def test_an_interrupted_installation_is_noticed_and_repaired(packaged):
    leftover = folder_of_all() / ".building.polyfit.abc"
    leftover.mkdir(parents=True)
    assert state(packaged).status == "interrupted"
    assert install(packaged).usable
    assert not leftover.exists()


def test_an_installation_that_goes_on_elsewhere_is_not_called_interrupted(packaged, monkeypatch):
    seen = []
    original = installing._fill

    def filled(method, *rest):
        seen.append(state(method))
        original(method, *rest)

    monkeypatch.setattr(installing, "_fill", filled)
    install(packaged)
    assert [(one.status, one.detail) for one in seen] == [
        ("not installed", "polyfit is being installed by another process")
    ]


def test_an_environment_without_its_mark_is_made_again(packaged):
    install(packaged)
    (environment_folder(packaged) / MARKER).unlink()
    assert state(packaged).status == "interrupted"
    assert install(packaged).usable


def test_a_vanished_interpreter_is_said_and_repaired(packaged):
    install(packaged)
    python = environment_folder(packaged) / "bin" / "python"
    python.unlink()
    assert state(packaged).status == "broken"
    with pytest.raises(EngineError, match="the Python that polyfit was installed with is gone"):
        launch(packaged)
    assert install(packaged).usable


def test_an_environment_that_lost_a_package_is_made_again(packaged):
    method = replace(packaged, probe=("its_package",))
    told = []
    install(method, tell=told.append)
    package = environment_folder(method) / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    (package / "its_package.py").write_text("")
    install(method, tell=told.append)
    assert not any("made again" in sentence for sentence in told)
    (package / "its_package.py").unlink()
    install(method, tell=told.append)
    assert "polyfit does not start (missing library (its_package)); its environment is made again" in told
    assert sum("making the environment" in sentence for sentence in told) == 2


def test_other_requirements_make_it_outdated_and_the_old_environment_goes(packaged):
    install(packaged)
    old = environment_folder(packaged)
    (packaged.folder / "requirements-linux.txt").write_text("# other\n")
    (packaged.folder / "requirements-macos.txt").write_text("# other\n")
    assert state(packaged).status == "outdated"
    install(packaged)
    assert not old.exists()


def test_two_installations_at_once_make_one_environment(packaged):
    told = []
    workers = [threading.Thread(target=install, args=(packaged,), kwargs={"tell": told.append}) for _ in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert state(packaged).usable
    assert sum("making the environment" in sentence for sentence in told) == 1


def test_a_killed_installation_leaves_nothing_that_passes_for_whole(packaged, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(installing, "_write_marker", killed)
    with pytest.raises(KeyboardInterrupt):
        install(packaged)
    assert not environment_folder(packaged).exists()


def test_uninstalling_leaves_nothing_behind(packaged, arena_home):
    install(packaged)
    launch(packaged)
    uninstall(packaged)
    left = [path for path in arena_home.rglob("*polyfit*") if "bundles" not in path.parts]
    assert left == []
    with pytest.raises(EngineError, match="polyfit is not installed"):
        uninstall(packaged)


def test_what_a_plugin_left_that_is_gone_can_still_be_removed(packaged, arena_home, capsys):
    install(replace(packaged, name="departed"))
    assert main(["methods", "uninstall", "departed"]) == 0
    assert [path for path in arena_home.rglob("*departed*") if "bundles" not in path.parts] == []
    assert main(["methods", "uninstall", "departed"]) == 2
    assert "there is no method departed" in capsys.readouterr().err


def test_an_environment_in_use_is_not_removed(packaged):
    install(packaged)
    python = environment_folder(packaged) / "bin" / "python"
    with subprocess.Popen([python, "-c", "input()"], stdin=subprocess.PIPE) as user:
        with pytest.raises(EngineError, match="polyfit is in use by a running process"):
            uninstall(packaged)
        user.communicate(b"\n")
    uninstall(packaged)


def test_what_a_running_campaign_uses_outlives_a_newer_installation(packaged):
    install(packaged)
    old = environment_folder(packaged)
    told = []
    with subprocess.Popen([old / "bin" / "python", "-c", "input()"], stdin=subprocess.PIPE) as user:
        for platform in ("linux", "macos"):
            (packaged.folder / f"requirements-{platform}.txt").write_text("# other\n")
        assert install(packaged, tell=told.append).usable
        assert old.exists()
        assert any("is still in use" in sentence for sentence in told)
        user.communicate(b"\n")
    uninstall(packaged)
    assert not old.exists()


def test_a_requirement_that_cannot_be_had_is_one_sentence_with_its_log(packaged, monkeypatch):
    monkeypatch.setenv("UV_OFFLINE", "1")
    for platform in ("linux", "macos"):
        file = packaged.folder / f"requirements-{platform}.txt"
        file.write_text("arena-tui-no-such-package==1 --hash=sha256:" + "0" * 64 + "\n")
    with pytest.raises(EngineError, match="polyfit could not be installed: ") as refused:
        install(packaged)
    assert "\n" not in str(refused.value)
    assert not state(packaged).usable


def test_a_licence_is_accepted_before_anything_is_made(plugins):
    with pytest.raises(EngineError, match=r"CC-BY-NC-ND-4\.0.*--accept-licence"):
        install(registry.get("qlattice"))
    assert not folder_of_all().exists()


@pytest.fixture
def checkout(packaged, tmp_path):
    """The same method as one that needs a checkout, and such a checkout."""
    folder = tmp_path / "upstream"
    (folder / "core").mkdir(parents=True)
    (folder / "core" / "search.py").write_text("")
    return replace(packaged, kind="checkout", entry_points=("core/search.py",)), folder


def test_a_checkout_is_probed_and_used_where_it_is(checkout):
    method, folder = checkout
    with pytest.raises(EngineError, match="bring its checkout"):
        install(method)
    assert install(method, source=str(folder)).usable
    assert launch(method).env["ARENA_SOURCE"] == str(folder)
    assert list(folder.rglob("*")) == [folder / "core", folder / "core" / "search.py"]


def test_a_checkout_without_its_entry_points_names_them(checkout, tmp_path):
    method, folder = checkout
    (folder / "core" / "search.py").unlink()
    with pytest.raises(EngineError, match=r"it lacks core/search\.py"):
        install(method, source=str(folder))
    with pytest.raises(EngineError, match="there is no checkout"):
        install(method, source=str(tmp_path / "nowhere"))


def test_a_moved_checkout_is_one_sentence_and_can_be_named_anew(checkout):
    method, folder = checkout
    install(method, source=str(folder))
    moved = folder.rename(folder.with_name("moved"))
    with pytest.raises(EngineError, match=f"the checkout of polyfit is no longer at {folder}"):
        launch(method)
    assert install(method, source=str(moved)).usable


def test_a_git_address_is_cloned_and_forgotten_again(checkout, arena_home):
    method, folder = checkout
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    condition = install(method, source=f"file://{folder}")
    assert len(condition.installed.commit) == 40
    assert condition.installed.source.startswith(str(arena_home))
    uninstall(method)
    assert not Path(condition.installed.source).exists()
    with pytest.raises(EngineError, match="could not be cloned"):
        install(method, source=f"file://{folder}/nothing.git")


def test_a_missing_compiler_or_header_is_one_sentence(checkout, monkeypatch):
    method, folder = checkout
    with pytest.raises(EngineError, match="needs no-such-compiler, which is not on the path"):
        install(replace(method, build=True, tools=("no-such-compiler",)), source=str(folder))
    with pytest.raises(EngineError, match=r"needs the header nolib9/None.h.*libnolib9-dev"):
        install(replace(method, build=True, headers=("nolib9/None.h",)), source=str(folder))
    assert not state(method).usable


def test_missing_weights_are_said_and_kept_when_named(checkout, tmp_path):
    method, folder = checkout
    method = replace(method, weights="its weights")
    told = []
    install(method, source=str(folder), tell=told.append)
    assert any("--weights FILE" in sentence for sentence in told)
    with pytest.raises(EngineError, match=r"polyfit needs its weights; run: .* --weights FILE"):
        launch(method)
    with pytest.raises(EngineError, match="there is no weights file"):
        install(method, weights=tmp_path / "none.pt")
    file = tmp_path / "model.pt"
    file.write_text("")
    install(method, weights=file)
    assert launch(method).env["ARENA_WEIGHTS"] == str(file)
    assert launch(method).env["ARENA_SOURCE"] == str(folder)


def test_nothing_of_the_users_reaches_a_worker(packaged, monkeypatch):
    secrets = {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k", "MY_TOKEN": "t", "PYTHONPATH": "/mine"}
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    install(packaged)
    for method in (packaged, registry.get("bank")):
        env = worker_environment(method, state(method))
        assert not set(secrets) & set(env)
        assert str(Path.home()) not in env["HOME"] or env["HOME"] != str(Path.home())
        assert env["OPENBLAS_CORETYPE"] == "Haswell"
        assert env["PYTHONHASHSEED"] == "0"
        assert env["LC_ALL"] == "C.UTF-8"


def test_the_mark_says_what_was_installed(packaged):
    install(packaged)
    noted = json.loads((environment_folder(packaged) / MARKER).read_text())
    assert noted["method"] == "polyfit"
    assert noted["python"] == sys.version.split()[0]
    assert os.access(environment_folder(packaged), os.R_OK)


def test_an_environment_without_julia_is_one_sentence_and_not_usable(packaged):
    method = replace(packaged, kind="julia")
    with pytest.raises(EngineError, match="polyfit is installed but for Julia") as refused:
        install(method)
    assert "\n" not in str(refused.value)
    assert state(method).status == "julia missing"
    with pytest.raises(EngineError, match="install Julia"):
        launch(method)
