"""The image and the conda package: what they repeat of pyproject.toml stays equal to it."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from pathlib import Path

import disjoin
from disjoin.studio.help_pages import SHIPPED
from helpers.source_files import FILES, nodes_of

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
IMAGE = (ROOT / "Containerfile").read_text(encoding="utf-8")
RECIPE = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")


def required(text):
    """Names and least versions, however they are set apart."""
    return set(re.findall(r"^([\w-]+) ?(>=[\d.]+)?$", text, flags=re.MULTILINE))


def listed(part):
    """The entries of a list in the recipe."""
    [entries] = re.findall(rf"^ *{part}:\n((?: +- .*\n)+)", RECIPE, flags=re.MULTILINE)
    return re.sub(r"^ +- ", "", entries, flags=re.MULTILINE)


def lines(word):
    return re.findall(rf"^{word} (.*)", IMAGE, flags=re.MULTILINE)


def test_the_recipe_asks_for_what_the_project_asks_for():
    project = PROJECT["project"]
    python = {("python", project["requires-python"])}
    assert required(listed("run")) == required("\n".join(project["dependencies"])) | python
    assert required(listed("host")) == required("\n".join(PROJECT["build-system"]["requires"])) | python | {("pip", "")}


def test_the_recipe_has_the_version_and_the_words_of_the_project():
    project = PROJECT["project"]
    assert re.search(r'version: "(.*)"', RECIPE)[1] == disjoin.__version__
    for word in ("description", "license"):
        assert project[word] in RECIPE
    assert listed("entry_points").split("\n")[0] == f"disjoin = {project['scripts']['disjoin']}"


def test_the_image_is_given_all_that_the_wheel_is_built_of():
    project = PROJECT["project"]
    needed = {"pyproject.toml", project["readme"], *project["license-files"], "src", "docs"}
    given = {name for line in lines("COPY") if "--from" not in line for name in line.split()[:-1]}
    assert given == needed
    assert all((ROOT / name).exists() for name in given)


def test_the_wheel_has_the_pages_that_help_shows():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {f"docs/{name}": f"disjoin/studio/help/{name}" for name in SHIPPED}
    assert all((ROOT / name).exists() for name in included)


def test_the_image_compiles_before_it_gives_up_being_root():
    assert IMAGE.index("pip install") < IMAGE.index("RUN disjoin warm-up") < IMAGE.index("\nUSER disjoin")
    assert lines("USER") == ["disjoin"]
    assert IMAGE.index("useradd") < IMAGE.index("\nUSER")
    assert [json.loads(entry) for entry in lines("ENTRYPOINT")] == [list(PROJECT["project"]["scripts"])]


def test_the_image_names_no_registry_and_a_python_that_is_tested():
    bases = {line.split()[0] for line in lines("FROM")}
    [version] = {re.fullmatch(r"python:(\d\.\d+)-slim", base)[1] for base in bases}
    assert f"Programming Language :: Python :: {version}" in PROJECT["project"]["classifiers"]


IMPORTED_AS = {"llvmlite": "numba", "python_calamine": "python-calamine", "markdown_it": "markdown-it-py"}


def imported(node):
    """The libraries that a statement imports."""
    names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    return {name.split(".")[0] for name in names}


def test_every_library_that_is_imported_is_declared():
    project = PROJECT["project"]
    asked = [*project["dependencies"], *(entry for one in project["optional-dependencies"].values() for entry in one)]
    found = set().union(*(imported(node) for file in FILES for node in nodes_of(file)))
    others = found - sys.stdlib_module_names - {"disjoin", ""}
    assert "numpy" in others
    assert {IMPORTED_AS.get(name, name) for name in others} <= {re.match(r"[\w-]+", entry)[0] for entry in asked}


def test_every_library_has_its_reason():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    text = text[text.index("\ndependencies = [") : text.index("[project.scripts]")]
    asked = re.findall(r'^    "(.*?)",(.*)$', text, flags=re.MULTILINE)
    assert len(asked) > 40
    assert [entry for entry, reason in asked if not re.match(r"  +# \w", reason)] == []
