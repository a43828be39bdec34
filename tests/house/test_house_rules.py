"""Rules of the house that no linter knows."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from disjoin.cli.main import commands
from helpers.source_files import FILES, SOURCE, nodes_of, tree_of

ROOT = Path(__file__).parent.parent.parent


def loaded_by(code):
    """Names of the modules that are loaded after running some code in a fresh interpreter."""
    probe = f"{code}\nimport sys\nprint(' '.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True).stdout.split())


HEAVY = {"numba", "llvmlite", "pyarrow", "numpy", "rich", "scipy"}


HELP = """
import sys
from disjoin.cli.main import run

for name in {names!r}:
    assert run([*name.split(), "--help"]) == 0
    found = {heavy!r} & set(sys.modules)
    assert not found, (name, found)
"""


def test_no_help_loads_the_compiler_or_arrays():
    """One process says the help of all commands, one after the other, and names the first that loads something."""
    code = HELP.format(names=["", *commands()], heavy=HEAVY)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert said.stdout.count("Usage:") >= len(commands()) + 1


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_by("import disjoin") & (HEAVY | {"click"})


def test_the_inspector_loads_nothing_of_the_methods():
    loaded = loaded_by("import disjoin.verify")
    assert not {name for name in loaded if re.match(r"disjoin\.(methods|arrays|engine|pipeline)", name)}


def too_long(file):
    """Return the functions of a file with more than 45 lines of code, compiled ones with more than 80."""
    found = []
    for node in nodes_of(file):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            compiled = any(re.search("njit|compiled|kernel|inner", ast.dump(d)) for d in node.decorator_list)
            body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
            size = (node.end_lineno or node.lineno) - body[0].lineno + 1
            if size > (80 if compiled else 45):
                found.append(f"{file}: {node.name} has {size} lines")
    return found


def test_functions_stay_small():
    assert [words for file in FILES for words in too_long(file)] == []


def test_every_module_says_what_it_is_for():
    assert [f for f in FILES if not ast.get_docstring(tree_of(f))] == []


def test_no_class_has_the_name_of_another():
    """Except on the inspector's island, which shares no code with the rest."""
    homes: dict[str, list[Path]] = {}
    for file in FILES:
        if "verify" not in file.relative_to(SOURCE).parts:
            for node in nodes_of(file):
                if isinstance(node, ast.ClassDef):
                    homes.setdefault(node.name, []).append(file)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


@pytest.mark.parametrize(
    "algorithm",
    [
        "horpart",
        "verpart",
        "refine",
        "km_core",
        "cahd",
        "cuthill_mckee",
        "kaca",
        "top_down",
        "top_down_kaca",
        "two_level",
        "apriori",
        "diffpart",
        "quest",
    ],
)
def test_a_papers_algorithm_is_found_by_the_papers_word(algorithm):
    assert [path for path in SOURCE.rglob(f"*{algorithm}*") if path.suffix == ".py" or path.is_dir()]


def test_only_the_command_line_prints():
    for file in FILES:
        if "cli" not in file.parts:
            calls = [node for node in nodes_of(file) if isinstance(node, ast.Call)]
            assert not [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"], file


def test_nothing_in_the_repository_names_a_machine():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("not in a git checkout, so there is no list of tracked files")
    for name in tracked.stdout.splitlines():
        file = ROOT / name
        if file.suffix in {".py", ".md", ".toml", ".json", ".css", ""} and file.is_file():
            text = file.read_text(encoding="utf-8", errors="ignore")
            assert not re.search(r"(?<![\w.])/(home|root|work|tmp)/\w", text), name


def test_every_list_entry_has_a_page():
    from disjoin.methods import METHODS

    for name in METHODS:
        assert (ROOT / "docs" / "methods" / f"{name}.md").is_file()
        assert (SOURCE / "methods" / name / "PROOF.md").is_file()


FLAG = re.compile(r"(?<!var\()--[a-z]")  # not a colour of a page


def test_only_commands_name_flags():
    """Errors carry remedies, which the command line writes as flags, Python as arguments and the studio as buttons."""
    found = {}
    for file in FILES:
        name = file.relative_to(SOURCE).as_posix()
        texts = (node.value for node in nodes_of(file) if isinstance(node, ast.Constant))
        number = sum(isinstance(text, str) and FLAG.search(text) is not None for text in texts)
        if number and not name.startswith("cli/") and not name.endswith("command.py"):
            found[name] = number
    assert found == {}
