"""The rules of the house: one-way imports, small files, an instant --help, a README with two commands."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("arena_tui", "engine", "adapters", "tasks")
# A built-in method is the search it is made of: its wrapper may name the data-free parts of the engine.
BUILT_IN = ("adapters/bank/", "adapters/llm_sr/", "adapters/drsr/")
LENT = ("engine.expression", "engine.reachability")
ALLOWED = {
    "tasks": {"tasks"},
    "adapters": {"adapters"},
    "engine": {"engine", "adapters", "tasks"},
    "arena_tui": {"arena_tui", "engine", "adapters", "tasks"},
}
SCREEN_LIBRARIES = {"textual", "rich", "plotext"}
MOST_LINES = 420


def sources(room):
    return sorted((ROOT / room).rglob("*.py"))


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room):
    wrong = []
    for path in sources(room):
        name = path.relative_to(ROOT).as_posix()
        for module in imported(path):
            top = module.split(".")[0]
            lent = name.startswith(BUILT_IN) and module.startswith(LENT)
            if top in ROOMS and top not in ALLOWED[room] and not lent:
                wrong.append(f"{name} imports {module}")
            if room != "arena_tui" and top in SCREEN_LIBRARIES:
                wrong.append(f"{name} imports {module}")
    assert not wrong


@pytest.mark.parametrize("room", ROOMS)
def test_files_stay_small(room):
    long = {
        path.relative_to(ROOT).as_posix(): count
        for path in sources(room)
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    }
    assert not long


def test_help_imports_nothing_heavy():
    heavy = (
        "numpy",
        "scipy",
        "sympy",
        "pandas",
        "textual",
        "rich",
        "plotext",
        "pyarrow",
        "anthropic",
        "matplotlib",
    )
    program = (
        "import sys\n"
        "from arena_tui.__main__ import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.strip() == "[]"
    assert "quickstart" in done.stdout


@pytest.mark.parametrize("title", ["Start", "Test"])
def test_readme_holds_one_command_under(title):
    section = (
        (ROOT / "README.md").read_text(encoding="utf-8").split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    )
    assert len(re.findall(r"^```bash$", section, flags=re.MULTILINE)) == 1


def test_every_command_group_answers_help():
    from arena_tui.__main__ import GROUPS, main

    for name in GROUPS:
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0


def test_a_foreign_package_of_our_name_is_named_in_one_sentence(tmp_path):
    stranger = tmp_path / "tasks"
    stranger.mkdir()
    (stranger / "__init__.py").write_text("")
    program = "import sys; from arena_tui.__main__ import main; sys.exit(main(['tasks', 'list']))"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{program}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("arena-tui: the package 'tasks' comes from")
    assert done.stderr.count("\n") == 1
