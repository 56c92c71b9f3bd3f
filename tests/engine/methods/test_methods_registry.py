"""The methods' descriptions: all of them there, all of them whole, plugins beside them."""

import ast
import re
from pathlib import Path

import pytest

from arena_tui.__main__ import main
from engine.errors import EngineError
from engine.expression import DIALECTS
from engine.methods import registry
from engine.methods.environments import needs_environment

# Paper 1, table 16; LLM-SR and DrSR both built in and upstream.
FIFTEEN = {
    "imcts", "qlattice", "jaxsr", "udsr", "dso", "pysr", "pyoperon", "gplearn", "symbolfit", "e2esr", "tpsr",
    "fepysr", "ragsr", "drsr", "llm-sr",
}  # fmt: skip
FURTHER = {"bank", "command", "pysindy", "llm-sr-upstream", "drsr-upstream"}
ADAPTERS = Path(registry.adapters.__file__).parent


def test_all_fifteen_methods_the_controls_and_the_built_ins_are_there():
    assert set(registry.names()) == FIFTEEN | FURTHER
    paradigms = {registry.get(name).paradigm for name in FIFTEEN}
    assert len(paradigms) == 6


@pytest.mark.parametrize("name", registry.names())
def test_a_description_is_whole(name):
    method = registry.get(name)
    assert method.dialect in DIALECTS
    module, _, attribute = method.wrapper.partition(":")
    source = ADAPTERS.parent / (module.replace(".", "/") + ".py")
    defined = {node.name for node in ast.parse(source.read_text()).body if hasattr(node, "name")}
    assert attribute in defined
    assert method.base in (0, 1)
    assert method.threads >= 1
    if needs_environment(method):
        assert method.installed_mb > 0
        assert method.download_mb > 0
        assert method.probe


REQUIREMENTS = sorted(ADAPTERS.glob("*/requirements-*.txt"))


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_every_requirement_is_pinned_and_hashed_and_names_no_address(file):
    text = file.read_text()
    assert "://" not in text
    assert "index" not in text.lower().replace("importlib", "")
    blocks = re.split(r"\n(?=[^\s])", text.strip())
    for block in blocks:
        assert re.match(r"[\w.-]+(\[[\w,]+\])?==\S+ ?(; .*)?\\?", block), block[:80]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block[:80]


def test_no_requirement_brings_cuda():
    for file in ADAPTERS.glob("*/requirements-linux.txt"):
        names = [line.split("==")[0] for line in file.read_text().splitlines() if "==" in line]
        assert not [name for name in names if name.startswith(("nvidia", "triton", "cuda"))], file


def test_a_name_that_is_not_there_names_its_neighbours():
    with pytest.raises(EngineError, match="did you mean gplearn"):
        registry.get("gp-learn")
    with pytest.raises(EngineError, match="methods list"):
        registry.get("q#")


def test_a_plugin_is_found_through_its_entry_point(plugins):
    method = registry.get("polyfit")
    assert method.package == "arena_polyfit"
    assert method.folder == plugins / "arena_polyfit"
    assert {"polyfit", "unruly"} <= set(registry.names())


def test_the_worked_example_has_under_eighty_lines(plugins):
    assert len((plugins / "arena_polyfit" / "wrapper.py").read_text().splitlines()) < 80


def test_only_command_lets_its_user_choose_the_dialect():
    assert registry.get("command").dialect_of({"dialect": "operon"}) == "operon"
    assert registry.get("gplearn").dialect_of({"dialect": "operon"}) == "gplearn"


DESCRIBED = "\n".join(
    f'{key} = "{value}"'
    for key, value in {
        "name": "x", "title": "x", "paradigm": "p", "kind": "builtin", "wrapper": "a:B", "dialect": "infix",
        "licence": "l", "source": "s",
    }.items()
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = ", "cannot be read"),
        ('name = "x"', "lacks title, paradigm"),
        (DESCRIBED.replace("builtin", "magic"), "kind 'magic'"),
        (f'{DESCRIBED}\ncolour = "red"', "unknown entries: colour"),
    ],
)
def test_a_broken_description_is_one_sentence(tmp_path, text, sentence):
    (tmp_path / "method.toml").write_text(text)
    with pytest.raises(EngineError, match=sentence):
        registry.read_description(tmp_path, "broken")


def plugin(folder, name, package, description=None):
    """Install a plugin's metadata, and its package unless there is none."""
    info = folder / f"{package}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[arena_tui.adapters]\n{name} = {package}\n")
    if description is not None:
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text("")
        for file, text in description.items():
            (folder / package / file).write_text(text)


def test_a_broken_plugin_costs_nobody_the_other_methods(monkeypatch, tmp_path, arena_home, capsys):
    plugin(tmp_path, "gone", "no_such_package")
    plugin(tmp_path, "bare", "bare_package", {"wrapper.py": ""})
    plugin(tmp_path, "torn", "torn_package", {"method.toml": "name = "})
    plugin(
        tmp_path, "twin", "twin_package", {"method.toml": DESCRIBED.replace('name = "x"', 'name = "bank"')}
    )
    plugin(tmp_path, "good", "good_package", {"method.toml": DESCRIBED})
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.forget()
    try:
        assert {"bank", "gplearn", "x"} <= set(registry.names())
        assert registry.get("bank").package == "adapters.bank"
        found = registry.broken_plugins()
        assert set(found) == {"gone", "bare", "torn", "twin"}
        for name, words in (("gone", "not installed"), ("bare", "package-data"), ("torn", "cannot be read")):
            with pytest.raises(EngineError, match=words):
                registry.get(name)
        assert main(["methods", "list", "--json"]) == 0
        assert "the plugin twin cannot be used: it describes bank" in capsys.readouterr().err
    finally:
        registry.forget()
