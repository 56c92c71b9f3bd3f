"""The real methods: installed, put through the conformance kit, removed. Downloads up to gigabytes.

Methods that are no packages are tried on a checkout named by an environment variable, such as
ARENA_CHECKOUT_DSO; E2ESR and TPSR on toy weights that this file trains (ARENA_TOY_SECONDS, ten minutes).
"""

import os
import subprocess
from pathlib import Path

import pytest

from engine.methods import check, registry
from engine.methods.environments import environment_folder, folder_of_all, interpreter
from engine.methods.installing import install, uninstall

pytestmark = pytest.mark.heavy

PACKAGED = ("gplearn", "pyoperon", "pysindy", "jaxsr", "qlattice", "ragsr")
CHECKOUTS = ("dso", "udsr", "imcts")
WITH_WEIGHTS = ("e2esr", "tpsr")


def checkout_of(name):
    variable = f"ARENA_CHECKOUT_{ {'udsr': 'dso'}.get(name, name).upper() }"
    place = os.environ.get(variable)
    if not place:
        pytest.skip(f"{variable} names no checkout, so {name} was not tried")
    return place


def conforms(method):
    report = check.check(method)
    assert report.passed, [item for item in report.items if item.verdict == "failed"]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", PACKAGED)
def test_a_packaged_method_is_installed_checked_and_removed(arena_home, name):
    method = registry.get(name)
    install(method, licence_accepted=True)
    conforms(method)
    uninstall(method)
    assert [folder for folder in folder_of_all().iterdir() if name in folder.name] == []


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", CHECKOUTS)
def test_a_method_runs_on_the_users_checkout_and_leaves_it_alone(arena_home, name):
    source = checkout_of(name)
    before = sorted(str(path) for path in Path(source).rglob("*") if ".git" not in path.parts)
    method = registry.get(name)
    install(method, source=source)
    conforms(method)
    assert sorted(str(path) for path in Path(source).rglob("*") if ".git" not in path.parts) == before


@pytest.fixture(scope="session")
def toy_weights(tmp_path_factory):
    """Weights that prove the path and nothing about quality."""
    return tmp_path_factory.mktemp("toy") / "toy.pt"


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_a_pretrained_method_runs_on_toy_weights(arena_home, toy_weights, name):
    source = checkout_of(name)
    trainer = registry.get("e2esr")
    install(trainer, source=checkout_of("e2esr"))
    if not toy_weights.exists():
        script = Path(__file__).with_name("toy_e2e_weights.py")
        seconds = os.environ.get("ARENA_TOY_SECONDS", "600")
        python = interpreter(environment_folder(trainer))
        subprocess.run([python, script, checkout_of("e2esr"), toy_weights, seconds], check=True)
    method = registry.get(name)
    install(method, source=source, weights=toy_weights)
    conforms(method)
