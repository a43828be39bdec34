"""The image and the conda package: what they repeat of pyproject.toml stays equal to it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import disjoin

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
    needed = {"pyproject.toml", project["readme"], *project["license-files"], "src"}
    given = {name for line in lines("COPY") if "--from" not in line for name in line.split()[:-1]}
    assert given == needed
    assert all((ROOT / name).exists() for name in given)


def test_the_image_compiles_before_it_gives_up_being_root():
    assert IMAGE.index("pip install") < IMAGE.index("RUN disjoin warm-up") < IMAGE.index("\nUSER disjoin")
    assert lines("USER") == ["disjoin"]
    assert IMAGE.index("useradd") < IMAGE.index("\nUSER")
    assert [json.loads(entry) for entry in lines("ENTRYPOINT")] == [list(PROJECT["project"]["scripts"])]


def test_the_image_names_no_registry_and_a_python_that_is_tested():
    bases = {line.split()[0] for line in lines("FROM")}
    [version] = {re.fullmatch(r"python:(\d\.\d+)-slim", base)[1] for base in bases}
    assert f"Programming Language :: Python :: {version}" in PROJECT["project"]["classifiers"]
